//! Hunts one bug and tells what the guidance did on the way.
//!
//! `cargo run --release -p mutagen-engine-demos --example hunt -- BUG [SEED] [SWITCH...]`, where BUG is a (part of a) name as
//! in `BalanceSwaps`.

use mutagen_engine::{Campaign, Mutagen, MutagenConfig, Verdict, shrink};
use mutagen_engine_demos::{Demo, lambda, red_black_tree, search_tree, sorted_list};
use std::time::Duration;

fn main() -> Result<(), String> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [name, settings @ ..] = &arguments[..] else { return Err("which bug?".into()) };
    let (seed, switches) = match settings {
        [seed, switches @ ..] => (seed.parse().map_err(|_| format!("{seed} is not a seed"))?, switches),
        [] => (0, settings),
    };
    let mut config = MutagenConfig::default();
    for switch in switches {
        config.set(switch).map_err(|error| error.to_string())?;
    }
    hunt::<sorted_list::Bug>(name, seed, &config);
    hunt::<search_tree::Bug>(name, seed, &config);
    hunt::<red_black_tree::Bug>(name, seed, &config);
    hunt::<lambda::Bug>(name, seed, &config);
    Ok(())
}

fn hunt<D: Demo>(name: &str, seed: u64, config: &MutagenConfig) {
    for &bug in D::ALL.iter().filter(|bug| format!("{bug:?}").contains(name)) {
        println!("{}: {bug:?}", D::NAME);
        let mut property = |case: &D::Case| D::check(Some(bug), case);
        let mut guidance = Mutagen::new(config.clone(), seed).hashed();
        let campaign = Campaign::new(seed).time(Duration::from_secs(10));
        let mut report = campaign.run(&mut guidance, &mut property);
        println!("  {:?} after {} tests in {:.3} s", report.stop, report.tests, report.seconds);
        for (name, count) in report.figures.counts.iter().chain(&report.figures.levels) {
            println!("  {count:>10} {name}");
        }
        if let Some(finding) = report.findings.pop() {
            let fails = |case: &D::Case| matches!(property(case).verdict, Verdict::Failed(_));
            println!("  {:?}", shrink(finding.value, fails, 10_000).value);
        }
    }
}
