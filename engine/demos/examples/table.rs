//! Every bug of the demos, found by the MUTAGEN loop and by random testing, over ten seeds.
//!
//! `cargo run --release -p mutagen-engine-demos --example table -- [--seeds N] [--seconds N] [--random-seeds N]
//! [--random-seconds N] [--bug NAME] [SWITCH...]`
//!
//! Each cell says in how many of the runs the bug was found and gives the median number of tests and time, and the largest
//! time, of the runs that found it. Switches change the default configuration of the loop, as in `no-dedup`.

use mutagen_engine::{Campaign, Guidance, Mutagen, MutagenConfig, Random, Report};
use mutagen_engine_demos::{Demo, lambda, red_black_tree, search_tree, sorted_list};
use std::fmt;
use std::time::Duration;

fn main() -> Result<(), String> {
    let settings = Settings::from_arguments(std::env::args().skip(1))?;
    println!("mutagen: {}; random: {}", settings.mutagen, settings.random);
    println!("{:16} {:34} {:>37}   {:>37}", "program", "bug", "mutagen", "random");
    let unreliable = table::<sorted_list::Bug>(&settings)
        + table::<search_tree::Bug>(&settings)
        + table::<red_black_tree::Bug>(&settings)
        + table::<lambda::Bug>(&settings);
    println!("{unreliable} bugs were not found by mutagen with every seed");
    Ok(())
}

struct Settings {
    mutagen: Budget,
    /// Most of the time goes here, waiting for what random testing does not find: less of it may be enough.
    random: Budget,
    /// Only bugs whose name contains this.
    bug: String,
    config: MutagenConfig,
}

struct Budget {
    seeds: u64,
    /// How long the run with one seed may take.
    time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { seeds: 10, time: Duration::from_secs(10) }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} seeds, at most {} s each", self.seeds, self.time.as_secs())
    }
}

impl Settings {
    fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut settings = Settings {
            mutagen: Budget::default(),
            random: Budget::default(),
            bug: String::new(),
            config: MutagenConfig::default(),
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            let number = |text: String| text.parse().map_err(|_| format!("{text} is not a number"));
            match argument.as_str() {
                "--seeds" => settings.mutagen.seeds = number(value()?)?,
                "--seconds" => settings.mutagen.time = Duration::from_secs(number(value()?)?),
                "--random-seeds" => settings.random.seeds = number(value()?)?,
                "--random-seconds" => settings.random.time = Duration::from_secs(number(value()?)?),
                "--bug" => settings.bug = value()?,
                "paper" => settings.config = MutagenConfig::paper(),
                switch => settings.config.set(switch).map_err(|error| error.to_string())?,
            }
        }
        Ok(settings)
    }
}

/// Prints the rows of one program, and returns how many of its bugs a run of the loop missed.
fn table<D: Demo>(settings: &Settings) -> usize {
    let row = |&bug: &D| {
        let config = || settings.config.clone();
        let mutagen = runs(&settings.mutagen, bug, |seed| Mutagen::<D::Case>::new(config(), seed).hashed());
        let random = runs(&settings.random, bug, Random::<D::Case>::new);
        println!("{:16} {:34} {}   {}", D::NAME, format!("{bug:?}"), cell(&mutagen), cell(&random));
        usize::from(mutagen.iter().any(Option::is_none))
    };
    D::ALL.iter().filter(|bug| format!("{bug:?}").contains(&settings.bug)).map(row).sum()
}

/// The tests and seconds to the bug, with each seed, or `None`.
fn runs<D: Demo, G: Guidance<D::Case>>(
    budget: &Budget,
    bug: D,
    guidance: impl Fn(u64) -> G,
) -> Vec<Option<(u64, f64)>> {
    let run = |seed| {
        let campaign = Campaign::new(seed).time(budget.time);
        let property = &mut |case: &D::Case| D::check(Some(bug), case);
        first_finding(&campaign.run(&mut guidance(seed), property))
    };
    (0..budget.seeds).map(run).collect()
}

fn first_finding<T>(report: &Report<T>) -> Option<(u64, f64)> {
    report.findings.first().map(|finding| (finding.tests, finding.seconds))
}

fn cell(runs: &[Option<(u64, f64)>]) -> String {
    let mut found: Vec<_> = runs.iter().flatten().copied().collect();
    found.sort_by(|left, right| left.1.total_cmp(&right.1));
    let share = format!("{}/{}", found.len(), runs.len());
    let (Some(median), Some(slowest)) = (found.get(found.len() / 2), found.last()) else {
        return format!("{share:>6} {:>31}", "-");
    };
    format!("{share:>6} {:>8} {:6.3}s {:>7}..{:6.3}s", median.0, median.1, "", slowest.1)
}
