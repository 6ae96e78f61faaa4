//! How many tests per second campaigns make with default settings, and what the engines alone make of the same modules.
//!
//! `cargo bench -p mutagen-properties`. A campaign chooses and mutates, encodes, asks wasmi, watches its path and learns from
//! it, and asks wasmtime where that is needed, in batches where it can. The engines alone get the encoded modules of the same
//! campaign one by one: validate them, or compile, instantiate, call with the same arguments and look at the state.
//!
//! Each round has a seed of its own; in a round the contestants follow each other; medians over the rounds are shown.
//! Counted is what one core does in a second of its own time, so that a busy machine disturbs little.

#[path = "../../oracles/benches/common/cpu_time.rs"]
mod cpu_time;

use std::hash::Hash;
use std::hint::black_box;

use cpu_time::cpu_time;
use mutagen_engine::{Campaign, Event, Generate, Mutable, Property, Report, Scope, Source, Strategy};
use mutagen_oracles::{
    Call, Ending, Engine, TrapKind, Wasmi, Wasmtime, Watched, on_stack, prove_woven, watch,
};
use mutagen_properties::{Context, Direction, INCONCLUSIVE, Injection, Interpreter, Search, Validator};
use mutagen_wasm_ast::{Features, Module, Stub};

const FEATURES: Features = Features::WASM1;
/// The seeds are 0, 1, and so on.
const ROUNDS: u64 = 5;
const VALIDATOR_TESTS: u64 = 50_000;
const INTERPRETER_TESTS: u64 = 20_000;
/// More inconclusive tests than this would be wasted.
const MOST_INCONCLUSIVE: f64 = 0.01;

fn main() {
    prove_woven().expect("this program is woven");
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
    watch(Watched::Modules).expect("the probes have names");
    for seed in 0..ROUNDS {
        let property = || Validator::new(&context, Direction::Accept).expect("the usual settings are fine");
        let modules = table.campaign(seed, Search::suit_modules, Module::generate, property, Module::encode);
        table.line("wasmi alone: validate", &modules, |wasm| validate(&wasmi, wasm));
        table.line("wasmtime alone: validate", &modules, |wasm| validate(&wasmtime, wasm));
    }
    table.print();

    let (ty, calls) = (Interpreter::paper_type(), Interpreter::calls_of(&Interpreter::paper_type()));
    let mut table = Table::new("interpret", INTERPRETER_TESTS);
    watch(Watched::Functions).expect("the probes have names");
    for seed in 0..ROUNDS {
        let property = || Interpreter::new(&context, ty.clone()).expect("the usual settings are fine");
        let encode = |stub: &Stub| stub.to_module(&ty).encode();
        let signature = ty.clone();
        let generate = move |source: &mut Source, _| Stub::typed(&signature, source);
        let modules = table.campaign(seed, Search::suit_typed_functions, generate, property, encode);
        table.line("wasmi alone: run", &modules, |wasm| run_all(&wasmi, wasm, &calls));
        table.line("wasmtime alone: compile and run", &modules, |wasm| run_all(&wasmtime, wasm, &calls));
    }
    table.print();
}

/// Instantiates a module, if it is valid, makes the calls, and looks at the state. A call without end is the last one.
fn run_all(engine: &dyn Engine, wasm: &[u8], calls: &[Call]) {
    let Ok(mut instance) = engine.instantiate(wasm) else { return };
    for call in calls {
        if let Ending::Trapped(TrapKind::OutOfFuel) = instance.call(&call.export, &call.arguments) {
            return;
        }
    }
    black_box(instance.state());
}

/// Rates by contestant; the campaign is the first.
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

    /// Runs a campaign twice: to see what it tests, and to see how long it takes. Gives the modules.
    fn campaign<T, P>(
        &mut self,
        seed: u64,
        suit: fn(Strategy) -> Strategy,
        generate: impl Fn(&mut Source, usize) -> T + Clone + 'static,
        property: impl Fn() -> P,
        encode: impl Fn(&T) -> Vec<u8> + Sync,
    ) -> Vec<Vec<u8>>
    where
        T: Mutable + Clone + Hash,
        P: Property<T>,
    {
        let search = Search::new("mutagen", "default", &[""; 0]).expect("it is the default");
        let strategy = suit(search.strategy().clone());
        let run = |campaign: Campaign<'_, T>| -> Report<T> {
            let mut guidance = strategy.guidance(seed, Scope::new().with(FEATURES), generate.clone());
            campaign.tests(self.tests).run(&mut guidance, &mut property())
        };
        let mut modules = Vec::new();
        let report = run(Campaign::new(seed).events(|event| {
            if let Event::Tested { value, .. } = event {
                modules.push(encode(value));
            }
        }));
        assert_eq!(report.tests, self.tests, "seed {seed} found a difference of the unmodified engines");
        let start = cpu_time();
        black_box(run(Campaign::new(seed)));
        let seconds = (cpu_time() - start).as_secs_f64();
        self.note("campaign", seconds);
        self.passed += report.passed;
        self.inconclusive += report.labels.get(INCONCLUSIVE).copied().unwrap_or(0);
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
