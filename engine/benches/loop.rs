//! What a test costs besides itself: `cargo bench -p mutagen-engine --bench loop`
//!
//! The property is cheap: insertion into a sorted list, precondition included. The bare random loop generates a value and
//! checks it, and does nothing else. A campaign of the MUTAGEN loop also picks, mutates, records the trace and
//! looks it up. Its *own* cost is what is left after cloning and checking the same values alone.
//!
//! Rounds of all contestants alternate, and medians are shown, so that a busy machine disturbs all alike.

use mutagen_engine::{Campaign, Event, Generate, Guidance, Mutagen, MutagenConfig, Outcome, Source};
use mutagen_engine_demos::{
    Demo,
    sorted_list::{Bug, Case},
};
use std::hint::black_box;
use std::time::Instant;

const TESTS: u64 = 200_000;
const ROUNDS: u64 = 15;

fn main() {
    let presets = [("default", MutagenConfig::default()), ("paper", MutagenConfig::paper())];
    let values = presets.each_ref().map(|(_, config)| tested_values(config));
    let mut bare = Vec::new();
    let mut replayed = [Vec::new(), Vec::new()];
    let mut total = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        bare.push(time(|| bare_random_loop(round)));
        for (index, (_, config)) in presets.iter().enumerate() {
            replayed[index].push(time(|| replay(&values[index])));
            total[index].push(time(|| campaign(config, round)));
        }
    }
    let bare = median(bare);
    println!(
        "{:18} {:>8} {:>16} {:>5} {:>14}",
        "ns per test", "total", "clone + property", "own", "total / bare"
    );
    println!("{:18} {bare:8.0} {:>16} {:>5} {:14.2}", "bare random loop", "", "", 1.0);
    for (((name, _), replayed), total) in presets.iter().zip(replayed).zip(total) {
        let (replayed, total) = (median(replayed), median(total));
        let (own, ratio) = (total - replayed, total / bare);
        println!("mutagen, {name:9} {total:8.0} {replayed:16.0} {own:5.0} {ratio:14.2}");
    }
}

fn check(case: &Case) -> Outcome {
    Bug::check(None, case)
}

fn guidance(config: &MutagenConfig, seed: u64) -> impl Guidance<Case> {
    Mutagen::new(config.clone(), seed).hashed()
}

fn bare_random_loop(seed: u64) {
    let mut source = Source::seeded(seed);
    for _ in 0..TESTS {
        let size = source.below(11);
        black_box(check(&Case::generate(&mut source, size)));
    }
}

fn campaign(config: &MutagenConfig, seed: u64) {
    let report = Campaign::new(seed).tests(TESTS).run(&mut guidance(config, seed), &mut check);
    assert_eq!(report.failed, 0, "the program without a bug is correct");
}

/// What a campaign tests.
fn tested_values(config: &MutagenConfig) -> Vec<Case> {
    let mut values = Vec::new();
    let keep = |event: Event<'_, Case>| {
        if let Event::Tested { value, .. } = event {
            values.push(value.clone());
        }
    };
    Campaign::new(0).tests(TESTS).events(keep).run(&mut guidance(config, 0), &mut check);
    values
}

fn replay(values: &[Case]) {
    for value in values {
        black_box(check(&black_box(value.clone())));
    }
}

/// Nanoseconds per test.
fn time(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e9 / TESTS as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
