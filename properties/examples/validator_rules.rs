//! Counts the reasons for which the reference rejects modules in a campaign of `validate`: the rules of its validator that the
//! search has met. A rule that is never met is never tested.
//!
//! ```text
//! cargo run --release -p mutagen-properties --example validator_rules -- 1000000 0 turns
//! ```
//!
//! The arguments are the number of tests, the seed, and the generator: `derived`, `typed` or `turns`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mutagen_engine::{Campaign, Outcome, Property, Strategy};
use mutagen_oracles::{Engine, Validity};
use mutagen_properties::{Context, Direction, ModuleGenerator, Subject, Validator, ValidatorSubject};
use mutagen_wasm_ast::{Features, Module};

/// How often each rule was the reason, and a module of its first rejection.
type Met = BTreeMap<String, (u64, String)>;

/// The property `validator`, which also notes the rules.
struct Noting {
    property: Validator,
    reference: Box<dyn Engine>,
    met: Arc<Mutex<Met>>,
}

impl Property<Module> for Noting {
    fn check(&mut self, module: &Module) -> Outcome {
        let outcome = self.property.check(module);
        if let Validity::Rejected(reason) = self.reference.validate(&module.encode()) {
            let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
            let reason = reason.to_string();
            met.entry(kind(&reason)).or_insert_with(|| (0, reason)).0 += 1;
        }
        outcome
    }
}

fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: u64| arguments.get(place).map_or(Ok(usual), |text| text.parse());
    let (tests, seed) = (number(0, 100_000)?, number(1, 0)?);
    let generator = match arguments.get(2).map(String::as_str) {
        Some("derived") => ModuleGenerator::Derived,
        Some("typed") => ModuleGenerator::Typed,
        _ => ModuleGenerator::Turns,
    };
    let met = mutagen_oracles::on_stack(|| campaign(tests, seed, generator))??;
    for (rule, (count, example)) in &met {
        println!("{count:>9}  {rule}    [{example}]");
    }
    println!("{} rules met in {tests} tests", met.len());
    Ok(())
}

/// Runs the campaign and returns the rules that it met.
fn campaign(tests: u64, seed: u64, generator: ModuleGenerator) -> Result<Met, Failed> {
    let context = Context::new(Features::WASMI);
    let reference = context.reference.make(&context.settings).map_err(text)?;
    let subject = Arc::new(ValidatorSubject::new(context, Direction::Both, generator));
    subject.watch().map_err(text)?;
    let met = Arc::new(Mutex::new(Met::new()));
    let mut noting = Noting { property: subject.property().map_err(text)?, reference, met: Arc::clone(&met) };
    let mut guidance = subject.guidance(&Strategy::default(), seed);
    Campaign::new(seed).tests(tests).keep_going(true).run(&mut guidance, &mut noting);
    let met = met.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(met.clone())
}

/// An error that can leave the thread.
type Failed = Box<dyn std::error::Error + Send + Sync + 'static>;

fn text(error: impl std::fmt::Display) -> Failed {
    error.to_string().into()
}

/// The message without what differs between modules: numbers, names and types.
fn kind(message: &str) -> String {
    const TYPES: [&str; 9] =
        ["i32", "i64", "f32", "f64", "v128", "funcref", "externref", "(ref null func)", "(ref func)"];
    let plain = message.split(" (at offset").next().unwrap_or(message);
    // Lists of types are of any length, and operators of any name.
    let plain = plain.split(" but callee returns").next().unwrap_or(plain);
    let plain = plain.split(": visit_").next().unwrap_or(plain);
    let plain = plain.split("result type [").next().unwrap_or(plain);
    let mut kind = TYPES.iter().fold(plain.to_owned(), |kind, ty| kind.replace(ty, "T"));
    // Names of exports and types stand in quotes.
    for quote in ['`', '"'] {
        kind = kind
            .split(quote)
            .enumerate()
            .map(|(place, part)| if place % 2 == 1 { "_" } else { part })
            .collect();
    }
    let mut without_numbers = String::new();
    for letter in kind.chars() {
        match letter {
            '0'..='9' if without_numbers.ends_with('N') => {}
            '0'..='9' => without_numbers.push('N'),
            other => without_numbers.push(other),
        }
    }
    without_numbers
}
