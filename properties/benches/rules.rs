//! Which rules of the reference's validator were the reason of a rejection, over campaigns with default settings.
//!
//! `cargo bench -p mutagen-properties --bench rules`, with the number of tests per seed in `RULES_TESTS`. A rule is a message in
//! the source of the validator, as far as that lies in cargo's registry; its parts in braces stand for anything. What no
//! rejection said is listed last: a generator that breaks it is missing, or our features do not have it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mutagen_coverage::Sources;
use mutagen_engine::{Campaign, Event, Strategy};
use mutagen_oracles::{Engine, Settings, Validity, Wasmi, Wasmtime, on_stack, prove_woven};
use mutagen_properties::{Context, Direction, Injection, ModuleGenerator, Subject, ValidatorSubject};
use mutagen_wasm_ast::Features;

/// The seeds are 0, 1, and so on.
const SEEDS: u64 = 3;
const TESTS: u64 = 300_000;
/// The reference's validator. The rules of the binary format are left out, since whatever is tested can be decoded.
const PACKAGE: &str = "wasmparser-0.254.2/src";
const FILES: [&str; 5] = [
    "validator.rs",
    "validator/core.rs",
    "validator/func.rs",
    "validator/operators.rs",
    "validator/types.rs",
];
/// Of the target's validator.
const FIXES: [&str; 2] = ["wasm-f8", "wasm-f9"];
/// What a message is an argument of.
const CALLS: [&str; 4] = ["bail!(", "format_err!(", "Error::new(", "Err("];

fn main() {
    prove_woven(&Wasmi::new(&Settings::default())).expect("this program is woven");
    on_stack(|| report(&rejections())).expect("there is a thread");
}

/// How often the reference rejected a module, by its words.
fn rejections() -> BTreeMap<String, u64> {
    let tests = std::env::var("RULES_TESTS").ok().and_then(|text| text.parse().ok()).unwrap_or(TESTS);
    // Known bugs of the target would end the campaigns early.
    let context = Context::new(Features::WASMI).inject(Injection { bug: None, fixes: FIXES.to_vec() });
    let wasmtime = Wasmtime::new(&context.settings).expect("the usual settings are fine");
    let reasons = Mutex::new(BTreeMap::new());
    for seed in 0..SEEDS {
        let subject = ValidatorSubject::new(context.clone(), Direction::Both, ModuleGenerator::Turns);
        subject.watch().expect("the probes have names");
        let subject = Arc::new(subject);
        let mut guidance = subject.guidance(&subject.suit(Strategy::default()), seed);
        let mut property = subject.property().expect("the usual settings are fine");
        let campaign = Campaign::new(seed).tests(tests).events(|event| {
            let Event::Tested { value, .. } = event else { return };
            let Some(wasm) = subject.module(value) else { return };
            if let Validity::Rejected(reason) = wasmtime.validate(&wasm) {
                *reasons.lock().unwrap_or_else(PoisonError::into_inner).entry(reason.0).or_insert(0) += 1;
            }
        });
        let report = campaign.run(&mut guidance, &mut property);
        println!("seed {seed}: {} tests, {} passed", report.tests, report.passed);
    }
    reasons.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A message in the source of the validator.
struct Rule {
    place: String,
    text: String,
    met: u64,
}

impl Rule {
    /// Whether the rejection has all that the message says, in its order. What is in braces may be anything.
    fn explains(&self, reason: &str) -> bool {
        let mut rest = reason;
        self.text.split(['{', '}']).step_by(2).all(|part| {
            let found = rest.find(part);
            if let Some(at) = found {
                rest = &rest[at + part.len()..];
            }
            found.is_some()
        })
    }

    /// How many characters the message gives: of several that explain a rejection, the longest one does.
    fn given(&self) -> usize {
        self.text.split(['{', '}']).step_by(2).map(str::len).sum()
    }
}

fn rules() -> Vec<Rule> {
    let sources = Sources::of_registry();
    let mut rules = Vec::new();
    for file in FILES {
        let Some(path) = sources.find(&format!("{PACKAGE}/{file}")) else { continue };
        let source = std::fs::read_to_string(path).unwrap_or_default();
        let mut lines = 1;
        let mut seen = 0;
        for (at, text) in messages(&source) {
            lines += source[seen..at].matches('\n').count();
            seen = at;
            rules.push(Rule { place: format!("{file}:{lines}"), text, met: 0 });
        }
    }
    rules
}

/// The messages in a source file, each with its place: the first text after each of the calls, before the statement ends.
fn messages(source: &str) -> Vec<(usize, String)> {
    let mut found = BTreeMap::new();
    for call in CALLS {
        for (at, _) in source.match_indices(call) {
            let statement = source[at..].split(';').next().unwrap_or_default();
            let Some(start) = statement.find('"') else { continue };
            let inside = &statement[start + 1..];
            let Some(end) = inside.find('"') else { continue };
            let joined: Vec<&str> = inside[..end].split("\\\n").map(str::trim_start).collect();
            found.insert(at + start, joined.concat());
        }
    }
    found.into_iter().collect()
}

fn report(rejections: &BTreeMap<String, u64>) {
    let mut rules = rules();
    let mut others = BTreeMap::new();
    for (reason, times) in rejections {
        let explaining = rules.iter_mut().filter(|rule| rule.given() > 3 && rule.explains(reason));
        match explaining.max_by_key(|rule| rule.given()) {
            Some(rule) => rule.met += times,
            None => *others.entry(without_numbers(reason)).or_insert(0) += times,
        }
    }
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.met));
    let met = rules.iter().filter(|rule| rule.met > 0).count();
    println!("{met} of {} rules were met", rules.len());
    for rule in &rules {
        println!("{:>9}  {:<28} {}", rule.met, rule.place, rule.text);
    }
    println!("reasons that none of these explains:");
    others.iter().for_each(|(reason, times)| println!("{times:>9}  {reason}"));
}

fn without_numbers(reason: &str) -> String {
    let reason = reason.split(" (at offset").next().unwrap_or(reason);
    let mut text = String::new();
    for part in reason.split(|letter: char| letter.is_ascii_digit()).filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push('N');
        }
        text.push_str(part);
    }
    text
}
