//! What several tests and examples share.
#![allow(dead_code, reason = "each of them uses a part")]

pub mod arithmetic;
pub mod sets;
pub mod sorting;

use mutagen_refine::{Conjecture, RefineReport};

/// The minimal sets, as they are shown.
pub fn sets_of(report: &RefineReport) -> Vec<String> {
    report.minimal_sets().iter().map(ToString::to_string).collect()
}

/// The conjectures as they are shown, each with how many mutants are killed and survive.
pub fn conjectures_of(report: &RefineReport) -> Vec<(String, usize, usize)> {
    let shown = |conjecture: &Conjecture| {
        let Conjecture { left, relation, right, killed, survivors } = conjecture;
        (format!("{left} {relation} {right}"), *killed, *survivors)
    };
    report.conjectures().map(shown).collect()
}

/// How many survive all properties, and the first of them with its number.
pub fn survivors_of(report: &RefineReport) -> (usize, Option<(usize, &str)>) {
    let first = report.survivors().next().map(|mutant| (mutant, &*report.matrix().mutants()[mutant]));
    (report.survivors().count(), first)
}
