//! Measures the share of valid mutants of typed modules before and after repair, and the cost of repair:
//! `cargo run --release -p mutagen-wasm-ast --example repaired_mutants -- 300`, where the number is that of
//! modules.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mutagen_engine::{MutantsConfig, Scope, Source, mutants};
use mutagen_wasm_ast::{Features, Module};

#[path = "../tests/suite/corpus.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod corpus;

use corpus::validate;

/// The number of reasons for rejection to show.
const SHOWN: usize = 10;

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(100);
    for (name, features) in
        [("wasm1", Features::WASM1), ("wasm2", Features::WASM2), ("wasmi", Features::WASMI)]
    {
        println!("{name}: all mutants of {count} modules");
        measure(count, features);
    }
}

#[derive(Default)]
struct Totals {
    mutants: u64,
    valid_before: u64,
    valid_after: u64,
    changed_again: u64,
    repairing: Duration,
    encoding: Duration,
    validating: Duration,
    reasons: BTreeMap<String, (u64, String)>,
}

fn measure(count: u64, features: Features) {
    let scope = Scope::new().with(features);
    let mut source = Source::seeded(0).with_scope(scope.clone());
    let mut totals = Totals::default();
    for _ in 0..count {
        let module = Module::typed(&mut source, 5);
        let mut same = module.clone();
        same.repair(features);
        assert_eq!(same, module, "a valid module was changed");
        for (_, mutant) in mutants(&module, &MutantsConfig::default(), &scope) {
            totals.count(mutant, features);
        }
    }
    totals.print();
}

/// The result of a call, and its time.
fn timed<R>(total: &mut Duration, call: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = call();
    *total += start.elapsed();
    result
}

impl Totals {
    fn count(&mut self, mut mutant: Module, features: Features) {
        self.mutants += 1;
        self.valid_before += u64::from(validate(&mutant.encode(), features).is_ok());
        let original = mutant.clone();
        timed(&mut self.repairing, || mutant.repair(features));
        let bytes = timed(&mut self.encoding, || mutant.encode());
        match timed(&mut self.validating, || validate(&bytes, features)) {
            Ok(()) => self.valid_after += 1,
            Err(reason) => self.note(reason, &original),
        }
        let mut again = mutant.clone();
        again.repair(features);
        self.changed_again += u64::from(again != mutant);
    }

    fn note(&mut self, reason: String, original: &Module) {
        let example = || original.to_text().unwrap_or_default();
        let reason = reason.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        let (count, _) = self.reasons.entry(reason).or_insert_with(|| (0, example()));
        *count += 1;
    }

    fn print(&self) {
        let share = |part: u64| 100.0 * part as f64 / self.mutants.max(1) as f64;
        let mean = |total: Duration| total.as_secs_f64() * 1e6 / self.mutants.max(1) as f64;
        println!("  {} mutants, {} changed by a second repair", self.mutants, self.changed_again);
        println!(
            "  valid before: {:.3} %, after: {:.4} %",
            share(self.valid_before),
            share(self.valid_after)
        );
        let (repair, encode, validate) = (mean(self.repairing), mean(self.encoding), mean(self.validating));
        println!("  mean: repair {repair:.2} us, encode {encode:.2} us, validate {validate:.2} us");
        for (reason, (count, example)) in self.reasons.iter().take(SHOWN) {
            println!("  {count:>6} {reason}");
            if std::env::args().nth(2).is_some() {
                println!("{example}");
            }
        }
    }
}
