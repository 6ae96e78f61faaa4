//! Makes typed modules of many feature sets and asks both engines whether they are valid, which all of them must be.
//!
//! ```text
//! cargo run --release -p mutagen-properties --example typed_modules -- 1000000 0
//! ```
//!
//! The arguments are the number of modules and the seed of the first one.

use std::process::ExitCode;

use mutagen_engine::{Scope, Source};
use mutagen_oracles::{Engine, Validity, on_stack};
use mutagen_properties::Context;
use mutagen_wasm_ast::{Features, Module};

/// Sizes of modules, in turn.
const SIZES: [usize; 5] = [2, 5, 10, 20, 30];
/// How many random sets of features there are besides those with a name.
const RANDOM_SETS: usize = 97;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let mut number = |usual| arguments.next().and_then(Result::ok).unwrap_or(usual);
    let (count, first) = (number(100_000), number(0));
    match on_stack(|| judge(count, first)) {
        Ok(Ok(0)) => ExitCode::SUCCESS,
        Ok(Ok(_)) => ExitCode::FAILURE,
        Ok(Err(error)) => failed(&error),
        Err(error) => failed(&error.to_string()),
    }
}

fn failed(error: &str) -> ExitCode {
    eprintln!("{error}");
    ExitCode::FAILURE
}

/// Judges so many modules. Returns how often an engine rejected one.
fn judge(count: u64, first: u64) -> Result<u64, String> {
    let sets = sets();
    let each = count.div_ceil(sets.len() as u64);
    let (mut bytes, mut instructions, mut rejected) = (0, 0, 0);
    for (number, features) in sets.iter().enumerate() {
        let engines = engines(*features)?;
        let start = first + number as u64 * each;
        for seed in start..start + each {
            let mut source = Source::seeded(seed).with_scope(Scope::new().with(*features));
            let module = Module::typed(&mut source, SIZES[seed as usize % SIZES.len()]);
            let wasm = module.encode();
            bytes += wasm.len() as u64;
            instructions += module.instructions() as u64;
            for engine in &engines {
                if let Validity::Rejected(reason) = engine.validate(&wasm) {
                    rejected += 1;
                    println!("{} rejects seed {seed} with {features}: {reason}", engine.name());
                }
            }
        }
    }
    let modules = each * sets.len() as u64;
    println!("{modules} modules of {} feature sets, {rejected} times rejected", sets.len());
    println!("mean: {} instructions, {} bytes", instructions / modules, bytes / modules);
    Ok(rejected)
}

/// The target and the reference.
fn engines(features: Features) -> Result<[Box<dyn Engine>; 2], String> {
    let Context { target, reference, settings, .. } = Context::new(features);
    let make = |entry: mutagen_oracles::EngineEntry| entry.make(&settings).map_err(|error| error.to_string());
    Ok([make(target)?, make(reference)?])
}

/// The sets with a name, and random ones.
fn sets() -> Vec<Features> {
    let mut source = Source::seeded(0);
    let mut random = || {
        let on = Features::WASMI.iter().filter(|_| source.chance(1, 2));
        on.fold(Features::NONE, Features::with)
    };
    let named = [Features::WASM1, Features::WASM2, Features::WASMI];
    named.into_iter().chain((0..RANDOM_SETS).map(|_| random())).collect()
}
