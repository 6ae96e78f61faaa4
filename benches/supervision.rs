//! What supervision costs: the same campaigns with and without it, by turns.
//!
//! ```text
//! cargo bench --locked --bench supervision [SEEDS]
//! ```
//!
//! With one job and one seed, both run the same tests. For each command, this prints the median number of tests per second of both
//! over some seeds, and the median of their ratios, which is to be at least 97 %.

mod common;

use std::process::ExitCode;

use common::{median, report};

/// The commands, each with so many tests that it takes some seconds.
const CAMPAIGNS: [(&str, &str); 2] =
    [("validate", "validate --fixes --tests 200000"), ("interpret", "interpret --fixes --tests 30000")];
/// How many seeds there are, unless the command line says so.
const SEEDS: u64 = 9;
/// The least ratio.
const LEAST: f64 = 0.97;

/// Tests per second of a campaign, from its report.
fn speed(line: &str, seed: u64, more: &[&str]) -> Result<f64, String> {
    let report = report(line, seed, more)?;
    report["tests_per_second"].as_f64().ok_or_else(|| format!("{line} says nothing about its speed"))
}

/// The median ratio of a command.
fn ratio(name: &str, line: &str, seeds: u64) -> Result<f64, String> {
    let (mut with, mut without, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 1..=seeds {
        // Each is first as often as the other: the machine may be quicker at one time than at another.
        let first =
            if seed % 2 == 0 { speed(line, seed, &["--no-supervisor"])? } else { speed(line, seed, &[])? };
        let second =
            if seed % 2 == 0 { speed(line, seed, &[])? } else { speed(line, seed, &["--no-supervisor"])? };
        let (supervised, alone) = if seed % 2 == 0 { (second, first) } else { (first, second) };
        with.push(supervised);
        without.push(alone);
        ratios.push(supervised / alone);
    }
    let ratio = median(ratios);
    println!(
        "{name}: {:.0}/s with a supervisor, {:.0}/s without, {:.1} % (medians over {seeds} seeds)",
        median(with),
        median(without),
        ratio * 100.0
    );
    Ok(ratio)
}

fn main() -> ExitCode {
    let seeds = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(SEEDS).max(1);
    for (name, line) in CAMPAIGNS {
        match ratio(name, line, seeds) {
            Ok(ratio) if ratio < LEAST => println!("{name}: this is less than {:.0} %", LEAST * 100.0),
            Ok(_) => {}
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
