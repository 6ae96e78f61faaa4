//! Makes typed modules of many feature sets and asks the reference validator about each:
//! `cargo run --release -p mutagen-wasm-ast --example typed_modules -- 1000000`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use mutagen_engine::{Scope, Source};
use mutagen_wasm_ast::{Features, Module};

#[path = "../tests/suite/corpus.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod corpus;

/// Sizes of modules, in turn.
const SIZES: [usize; 5] = [2, 5, 10, 20, 30];

fn main() -> ExitCode {
    let count: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let (mut made, mut validated) = (Duration::ZERO, Duration::ZERO);
    let (mut bytes, mut instructions, mut rejected) = (0, 0, 0);
    for seed in 0..count {
        let features = features(seed);
        let start = Instant::now();
        let mut source = Source::seeded(seed).with_scope(Scope::new().with(features));
        let module = Module::typed(&mut source, SIZES[(seed / 4) as usize % SIZES.len()]);
        made += start.elapsed();
        let binary = module.encode();
        let start = Instant::now();
        let verdict = corpus::validate(&binary, features);
        validated += start.elapsed();
        bytes += binary.len() as u64;
        instructions += module.instructions() as u64;
        if let Err(error) = verdict {
            rejected += 1;
            println!("seed {seed} with {features}: {error}");
            if rejected == 1 {
                println!("{}", module.to_text().unwrap_or_default());
            }
        }
    }
    let mean = |total: Duration| total.as_secs_f64() * 1e6 / count as f64;
    println!("{count} modules, {rejected} rejected");
    println!("mean: {} instructions, {} bytes", instructions / count, bytes / count);
    println!("mean: {:.1} us to make one, {:.1} us to validate it", mean(made), mean(validated));
    if rejected == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The named feature sets and a random one, in turn.
fn features(seed: u64) -> Features {
    let set = corpus::SETS.get(seed as usize % 4).copied();
    set.unwrap_or_else(|| corpus::some_features(seed))
}
