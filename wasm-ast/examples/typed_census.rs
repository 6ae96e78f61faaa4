//! Counts the instructions and operands of typed modules: `cargo run --release -p mutagen-wasm-ast --example
//! typed_census -- 100000`. It lists the rarest.

use std::process::ExitCode;

use mutagen_engine::{Scope, Source};
use mutagen_wasm_ast::{Features, Module};
use wasmparser::WasmFeatures;

#[path = "../tests/suite/census.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod census;

use census::{Census, Kind};

/// The number of rare ones to list.
const LISTED: usize = 40;

fn main() -> ExitCode {
    let count: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let mut census = Census::default();
    let mut source = Source::seeded(0).with_scope(Scope::new().with(Features::WASMI));
    for _ in 0..count {
        let module = Module::typed(&mut source, 20);
        if let Err(error) = census.count(&module.encode(), WasmFeatures::all()) {
            eprintln!("not valid: {error}");
            return ExitCode::FAILURE;
        }
    }
    let total: u64 = census.instructions.values().sum();
    println!("{count} modules, {total} instructions, {} different", census.instructions.len());
    let mut rare: Vec<_> = census.instructions.iter().map(|(name, count)| (*count, *name)).collect();
    rare.sort();
    for (count, name) in rare.iter().take(LISTED) {
        println!("{count:>8} {name}");
    }
    let operands: u64 = census.operands.values().sum();
    for kind in Kind::ALL {
        let of_kind = census.operands.iter().filter(|((_, _, known), _)| *known == kind);
        let share = 100.0 * of_kind.map(|(_, count)| count).sum::<u64>() as f64 / operands as f64;
        println!("{share:>7.1} % of all operands are {kind:?}");
    }
    let mut places: Vec<(&str, usize)> =
        census.operands.keys().map(|(name, number, _)| (*name, *number)).collect();
    places.dedup();
    let mut rare: Vec<_> = places
        .into_iter()
        .flat_map(|(name, number)| Kind::ALL.map(|kind| (name, number, kind)))
        .map(|key| (census.operands.get(&key).copied().unwrap_or(0), key))
        .collect();
    rare.sort();
    println!(
        "{} pairs of operand and kind; number of those that occur fewer than 10 times: {}",
        rare.len(),
        rare.iter().filter(|(count, _)| *count < 10).count()
    );
    for (count, (name, number, kind)) in rare.iter().take(2 * LISTED) {
        println!("{count:>8} {name} operand {number} {kind:?}");
    }
    ExitCode::SUCCESS
}
