//! What first opinions save: the same campaigns with and without them, by turns.
//!
//! ```text
//! cargo bench --locked --bench first_opinion [SEEDS]
//! cargo bench --locked --bench first_opinion -- bugs [BUG,BUG,...]
//! ```
//!
//! With one job and one seed, both run the same tests. For functions, for modules and for both in turns, the first prints the median
//! processor time of a test with and without over some seeds, the median of their ratios, which is to be at least 3 (single functions:
//! 1), and how many tests the first opinions settled. Processor time is that of all processes of a campaign without what the same
//! campaign with one test takes, so that other work on the machine does not matter much. The second hunts each bug of the interpreter with seed 0 in both ways, and prints how many tests
//! that took: with first opinions at most as many.

mod common;

use std::process::ExitCode;

use common::{median, report, spent};
use mutagen_bugs::Bug;
use serde_json::Value;

/// The commands, each with so many tests that it takes some seconds, and with the least ratio that it is to have. The reference compiles
/// single functions 32 at a time, so that it costs less than the rest of such a test, and no opinion can save as much.
const CAMPAIGNS: [(&str, &str, u64, f64); 3] = [
    ("functions and modules", "interpret --fixes", 12_000, 3.0),
    ("functions", "interpret --fixes --property interpreter-i32", 30_000, 1.0),
    ("modules", "interpret --fixes --property interpreter", 3_000, 3.0),
];
/// How many seeds there are, unless the command line says so.
const SEEDS: u64 = 5;
/// How long a bug is hunted.
const HUNT: &str = "60s";
/// What leaves the reference alone.
const WITHOUT: [&str; 2] = ["--first-opinion", "none"];

/// One campaign.
struct Ran {
    /// Microseconds of processor time for each test.
    time: f64,
    /// How many tests first opinions were asked about and settled, and how often the reference contradicted them.
    counts: [u64; 3],
    /// What must be the same.
    outcome: Vec<Value>,
}

fn run(line: &str, tests: u64, seed: u64, more: &[&str]) -> Result<Ran, String> {
    let start = spent()?;
    report(&format!("{line} --tests 1"), seed, more)?;
    let started = spent()?;
    let report = report(&format!("{line} --tests {tests}"), seed, more)?;
    let time = (spent()? - started - (started - start)) / tests as f64 * 1e6;
    let counts =
        ["asked", "agreed", "contradicted"].map(|name| report["first_opinion"][name].as_u64().unwrap_or(0));
    let outcome = ["tests", "passed", "discarded", "inconclusive", "groups"].map(|name| report[name].clone());
    Ok(Ran { time, counts, outcome: outcome.to_vec() })
}

/// Runs a command in both ways, with each seed, and prints what came of it. Returns the median ratio.
fn ratio(name: &str, line: &str, tests: u64, seeds: u64) -> Result<f64, String> {
    let (mut with, mut without, mut ratios, mut counts) = (Vec::new(), Vec::new(), Vec::new(), [0; 3]);
    for seed in 1..=seeds {
        // Each is first as often as the other: the machine may be quicker at one time than at another.
        let (asked, alone) = if seed % 2 == 0 {
            let alone = run(line, tests, seed, &WITHOUT)?;
            (run(line, tests, seed, &[])?, alone)
        } else {
            (run(line, tests, seed, &[])?, run(line, tests, seed, &WITHOUT)?)
        };
        if asked.outcome != alone.outcome {
            return Err(format!("{line}: with seed {seed}, the two campaigns are not the same"));
        }
        with.push(asked.time);
        without.push(alone.time);
        ratios.push(alone.time / asked.time);
        counts = [0, 1, 2].map(|at| counts[at] + asked.counts[at]);
    }
    let (ratio, [asked, agreed, contradicted]) = (median(ratios), counts);
    println!(
        "{name}: {:.0} µs a test with first opinions, {:.0} µs without, {ratio:.2} times (medians over {seeds} seeds); {:.1} % settled, \
         contradicted {contradicted} times",
        median(with),
        median(without),
        agreed as f64 / asked.max(1) as f64 * 100.0,
    );
    Ok(ratio)
}

/// How many tests a bug takes in both ways. `None` where it is not found.
fn hunt(bug: &str) -> Result<[Option<u64>; 2], String> {
    let tests = |more: &[&str]| -> Result<Option<u64>, String> {
        let report = report(&format!("interpret --bug {bug} --time {HUNT}"), 0, more)?;
        Ok(report["finding"]["tests"].as_u64())
    };
    Ok([tests(&[])?, tests(&WITHOUT)?])
}

/// The bugs that `interpret` hunts.
fn of_interpreter() -> Vec<String> {
    let hunts =
        |bug: &&Bug| mutagen_campaign::Spec::hunting(bug).is_some_and(|spec| spec.command() == "interpret");
    Bug::all().iter().filter(hunts).map(|bug| bug.id().to_owned()).collect()
}

/// Hunts the bugs and prints a row for each. Returns whether one took more tests with first opinions.
fn bugs(named: Option<&str>) -> Result<bool, String> {
    let bugs = named.map_or_else(of_interpreter, |named| named.split(',').map(str::to_owned).collect());
    println!("| bug | tests with first opinions | without |\n|---|---|---|");
    let mut is_worse = false;
    for bug in &bugs {
        let found = hunt(bug)?;
        let [with, without] =
            found.map(|tests| tests.map_or_else(|| "not found".to_owned(), |tests| tests.to_string()));
        println!("| {bug} | {with} | {without} |");
        let [with, without] = found.map(|tests| tests.unwrap_or(u64::MAX));
        is_worse |= with > without;
    }
    Ok(is_worse)
}

fn ratios(seeds: u64) -> Result<bool, String> {
    let mut is_low = false;
    for (name, line, tests, least) in CAMPAIGNS {
        is_low |= ratio(name, line, tests, seeds)? < least;
    }
    Ok(is_low)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let failed = match words.first().map(String::as_str) {
        Some("bugs") => bugs(words.get(1).map(String::as_str)),
        first => ratios(first.and_then(|word| word.parse().ok()).unwrap_or(SEEDS).max(1)),
    };
    match failed {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => {
            println!("this misses the goal");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
