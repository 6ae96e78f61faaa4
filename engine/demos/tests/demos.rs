//! The programs are right without a bug, and every bug can be seen.

use mutagen_engine::{Campaign, Guidance, Mutagen, MutagenConfig, Random, Report};
use mutagen_engine_demos::{Demo, lambda, red_black_tree, search_tree, sorted_list};

/// How many seeds a hunt may take. Which paths there are depends on how the compiler laid the program out, so how long
/// one seed takes differs from build to build.
const SEEDS: u64 = 5;

fn run<D: Demo>(bug: Option<D>, tests: u64, guidance: &mut impl Guidance<D::Case>) -> Report<D::Case> {
    Campaign::new(1).tests(tests).run(guidance, &mut |case: &D::Case| D::check(bug, case))
}

fn mutagen<D: Demo>(seed: u64) -> Mutagen<D::Case> {
    Mutagen::new(MutagenConfig::default(), seed).hashed()
}

fn is_right_without_a_bug<D: Demo>() {
    let guided = run::<D>(None, 20_000, &mut mutagen::<D>(1));
    let random = run::<D>(None, 20_000, &mut Random::new(1));
    for report in [guided, random] {
        assert!(report.failed == 0, "{}: {:?}", D::NAME, report.findings);
        assert!(report.passed > 0 && report.discarded > 0, "the precondition holds of some, not of all");
    }
}

fn shows_every_bug<D: Demo>() {
    for bug in D::ALL {
        let found = (1..=SEEDS).any(|seed| run(Some(*bug), 2_000_000, &mut mutagen::<D>(seed)).failed == 1);
        assert!(found, "{bug:?}");
    }
}

#[test]
fn the_correct_programs_pass() {
    is_right_without_a_bug::<sorted_list::Bug>();
    is_right_without_a_bug::<search_tree::Bug>();
    is_right_without_a_bug::<red_black_tree::Bug>();
    is_right_without_a_bug::<lambda::Bug>();
}

#[test]
fn every_bug_of_the_list_and_the_search_tree_is_found() {
    shows_every_bug::<sorted_list::Bug>();
    shows_every_bug::<search_tree::Bug>();
}

#[test]
fn every_bug_of_the_red_black_tree_is_found() {
    shows_every_bug::<red_black_tree::Bug>();
}

#[test]
fn every_bug_of_the_lambda_calculus_is_found() {
    shows_every_bug::<lambda::Bug>();
}
