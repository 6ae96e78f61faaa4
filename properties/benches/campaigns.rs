//! Tests per second of campaigns with default settings, and of the engines alone on the same modules.
//!
//! `cargo bench -p mutagen-properties`. A campaign chooses and mutates a test, encodes it, runs wasmi, learns
//! from its path, and runs wasmtime where necessary, in batches where possible. The engines alone get the
//! encoded modules of the same campaign one by one. They validate them, or compile and instantiate them, call
//! them with the same arguments and read the state.
//!
//! Each round has its own seed. In a round the contestants run one after the other, and the medians over all
//! rounds are shown. Rates are per second of processor time, so that a busy machine disturbs them little.

#[path = "../../oracles/benches/common/cpu_time.rs"]
mod cpu_time;

use std::hint::black_box;
use std::sync::Arc;

use cpu_time::cpu_time;
use mutagen_engine::{Campaign, Event, Report, Source, Strategy};
use mutagen_oracles::{
    Argument, Call, Ending, Engine, Settings, TrapKind, Wasmi, Wasmtime, on_stack, prove_woven,
};
use mutagen_properties::{
    Context, Direction, FunctionGenerator, FunctionSubject, Functions, Injection, ModuleGenerator, Subject,
    ValidatorSubject,
};
use mutagen_wasm_ast::Features;

const FEATURES: Features = Features::WASM1;
/// The seeds are 0, 1, and so on.
const ROUNDS: u64 = 5;
const VALIDATOR_TESTS: u64 = 50_000;
const INTERPRETER_TESTS: u64 = 20_000;
/// The largest tolerated share of inconclusive tests.
const MOST_INCONCLUSIVE: f64 = 0.01;

fn main() {
    prove_woven(&Wasmi::new(&Settings::default())).expect("this program is woven");
    on_stack(run).expect("there is a thread");
}

fn run() {
    // Known bugs of the target would end the campaigns early.
    let fixes = vec!["wasm-f1", "wasm-f2"];
    let context = Context::new(FEATURES).inject(Injection { bug: None, fixes });
    let wasmi = Wasmi::new(&context.settings);
    let wasmtime = Wasmtime::new(&context.settings).expect("the usual settings are fine");

    let validate = |engine: &dyn Engine, wasm: &[u8]| drop(black_box(engine.validate(wasm)));
    let mut table = Table::new("validate", VALIDATOR_TESTS);
    for seed in 0..ROUNDS {
        let subject = ValidatorSubject::new(context.clone(), Direction::Accept, ModuleGenerator::Derived);
        let modules = table.campaign(seed, subject);
        table.line("wasmi alone: validate", &modules, |wasm| validate(&wasmi, wasm));
        table.line("wasmtime alone: validate", &modules, |wasm| validate(&wasmtime, wasm));
    }
    table.print();

    let (ty, calls) = (Functions::paper_type(), Functions::calls_of(&Functions::paper_type()));
    let mut table = Table::new("interpret", INTERPRETER_TESTS);
    for seed in 0..ROUNDS {
        let subject = FunctionSubject::new(context.clone(), ty.clone(), FunctionGenerator::Typed);
        let modules = table.campaign(seed, subject);
        table.line("wasmi alone: run", &modules, |wasm| run_all(&wasmi, wasm, &calls));
        table.line("wasmtime alone: compile and run", &modules, |wasm| run_all(&wasmtime, wasm, &calls));
    }
    table.print();
}

/// Instantiates a module, if it is valid, makes the calls, and looks at the state. A call that runs out of
/// fuel is the last one.
fn run_all(engine: &dyn Engine, wasm: &[u8], calls: &[Call]) {
    let Ok(mut instance) = engine.instantiate(wasm) else { return };
    for call in calls {
        let arguments: Vec<_> = call.arguments.iter().map(Argument::value).collect();
        if let Ending::Trapped(TrapKind::OutOfFuel) = instance.call(&call.export, &arguments) {
            return;
        }
    }
    black_box(instance.state());
}

/// The rates of each contestant. The campaign is the first.
struct Table {
    campaign: &'static str,
    tests: u64,
    inconclusive: u64,
    passed: u64,
    lines: Vec<(&'static str, Vec<f64>)>,
}

impl Table {
    fn new(campaign: &'static str, tests: u64) -> Self {
        Table { campaign, tests, inconclusive: 0, passed: 0, lines: Vec::new() }
    }

    /// Runs a campaign twice: first to collect the modules that it tests, then to measure its time. Returns
    /// the modules.
    fn campaign<S: Subject>(&mut self, seed: u64, subject: S) -> Vec<Vec<u8>> {
        subject.watch().expect("the probes have names");
        let (subject, tests) = (Arc::new(subject), self.tests);
        let strategy = subject.suit(Strategy::default());
        let run = |campaign: Campaign<'_, S::Value>| -> Report<S::Value> {
            let maker = Arc::clone(&subject);
            let generate = move |source: &mut Source, size| maker.generate(source, size);
            let mut guidance = strategy.guidance(seed, subject.scope(), generate);
            let mut property = subject.property().expect("the usual settings are fine");
            campaign.tests(tests).run(&mut guidance, &mut property)
        };
        let mut modules = Vec::new();
        let report = run(Campaign::new(seed).events(|event| {
            if let Event::Tested { value, .. } = event {
                modules.extend(subject.module(value));
            }
        }));
        assert_eq!(report.tests, self.tests, "seed {seed} found a difference of the unmodified engines");
        let start = cpu_time();
        black_box(run(Campaign::new(seed)));
        let seconds = (cpu_time() - start).as_secs_f64();
        self.note("campaign", seconds);
        self.passed += report.passed;
        self.inconclusive += report.inconclusive;
        modules
    }

    fn line(&mut self, what: &'static str, modules: &[Vec<u8>], mut run: impl FnMut(&[u8])) {
        let start = cpu_time();
        modules.iter().for_each(|wasm| run(wasm));
        self.note(what, (cpu_time() - start).as_secs_f64());
    }

    fn note(&mut self, what: &'static str, seconds: f64) {
        let rate = self.tests as f64 / seconds;
        match self.lines.iter_mut().find(|(known, _)| *known == what) {
            Some((_, rates)) => rates.push(rate),
            None => self.lines.push((what, vec![rate])),
        }
    }

    fn print(&self) {
        let all = (self.tests * ROUNDS) as f64;
        let (passed, inconclusive) = (self.passed as f64 / all, self.inconclusive as f64 / all);
        println!(
            "{}: {ROUNDS} rounds of {} tests, {:.1} % passed, {:.2} % inconclusive",
            self.campaign,
            self.tests,
            100.0 * passed,
            100.0 * inconclusive
        );
        let campaign = median(&self.lines[0].1);
        for (what, rates) in &self.lines {
            let rate = median(rates);
            println!("  {what:<34}{rate:>10.0}/s   campaign is {:.2} of it", campaign / rate);
        }
        assert!(inconclusive <= MOST_INCONCLUSIVE, "too many tests are inconclusive");
    }
}

fn median(rates: &[f64]) -> f64 {
    let mut rates = rates.to_vec();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
