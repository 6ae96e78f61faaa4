//! Smaller counterexamples that still show the same failure.

use super::shrink_in;
use crate::{Counterexample, Failure, Mutable, Outcome, Scope, Verdict};

/// How many tests shrinking a counterexample may take. It stops much earlier by itself, but for huge values.
pub const SHRINK_TESTS: usize = 10_000;

/// A value that was made smaller, and how it fails.
#[derive(Clone, Debug, PartialEq)]
pub struct ShrunkFailure<T> {
    /// The value.
    pub value: T,
    /// How it fails: in the same kind as before.
    pub failure: Failure,
    /// The labels of that test.
    pub labels: Vec<String>,
    /// How many values were tested.
    pub tests: usize,
}

/// Makes a counterexample smaller with at most `budget` tests. Only values that fail with the same
/// [kind](Failure::kind) count: a shrinking that slips from one bug to another shows neither.
///
/// ```
/// use mutagen_engine::{Campaign, Failure, Outcome, Random, SHRINK_TESTS, Scope, shrink_failure};
///
/// let check = |list: &Vec<u8>| match list.len() {
///     0..5 => Outcome::passed(),
///     5..7 => Failure::new("a bit long").kind("long").into(),
///     _ => Failure::new("far too long").kind("too long").into(),
/// };
/// let mut report = Campaign::new(1).tests(10_000).run(&mut Random::new(1), &mut { check });
/// let found = report.findings.remove(0);
/// let kind = found.failure.kind.clone();
/// let shrunk = shrink_failure(&Scope::new(), found, check, SHRINK_TESTS);
/// assert_eq!((shrunk.value.len(), shrunk.failure.kind), (if kind == "long" { 5 } else { 7 }, kind));
/// ```
pub fn shrink_failure<T: Mutable>(
    scope: &Scope,
    counterexample: Counterexample<T>,
    mut check: impl FnMut(&T) -> Outcome,
    budget: usize,
) -> ShrunkFailure<T> {
    let Counterexample { value, failure, labels, .. } = counterexample;
    let mut smallest = (failure, labels);
    let same_failure = |value: &T| {
        let Outcome { verdict: Verdict::Failed(failure), labels, .. } = check(value) else { return false };
        let same = failure.kind == smallest.0.kind;
        if same {
            smallest = (*failure, labels.into_iter().map(String::from).collect());
        }
        same
    };
    let shrunk = shrink_in(scope, value, same_failure, budget);
    ShrunkFailure { value: shrunk.value, failure: smallest.0, labels: smallest.1, tests: shrunk.tests }
}
