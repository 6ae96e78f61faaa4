//! The report of a campaign.

use crate::{Campaign, Failure, Figures};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

/// Why a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// All tests that were asked for were run.
    TestsDone,
    /// The time was up.
    TimeUp,
    /// A counterexample was found, and one was enough.
    Found,
    /// Too many tests were discarded: this many.
    GaveUp(u64),
    /// Somebody interrupted it, see [`Campaign::interrupt`].
    Interrupted,
    /// The guidance had nothing left to test.
    Exhausted,
    /// The guidance cannot go on, see [`Report::trouble`].
    Trouble,
}

/// A value for which the property does not hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counterexample<T> {
    /// The value, as it was found.
    pub value: T,
    /// What went wrong.
    pub failure: Failure,
    /// The labels of that test.
    pub labels: Vec<String>,
    /// How many tests were run by then (by its own worker), this one included.
    pub tests: u64,
    /// When that was, in seconds since the start.
    pub seconds: f64,
    /// Whether the verdict was postponed, see [`Property::late`](crate::Property::late).
    pub late: bool,
}

/// A test that is worth showing although it did not fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record<T> {
    /// The value.
    pub value: T,
    /// The amount that makes it remarkable.
    pub amount: u64,
    /// What is counted, such as `fuel`.
    pub unit: &'static str,
    /// How many tests were run by then (by its own worker), this one included.
    pub tests: u64,
}

impl<T> Record<T> {
    /// How many of them a report has at most.
    pub const MOST: usize = 10;
}

/// How many tests came out how. Shown with their shares, in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Tests that held.
    pub passed: u64,
    /// Tests that said nothing.
    pub discarded: u64,
    /// Tests that did not hold.
    pub failed: u64,
    /// Tests that the guidance kept, if it says how many.
    pub interesting: Option<u64>,
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { passed, discarded, failed, interesting } = *self;
        let tests = passed + discarded + failed;
        let share = |count: u64| 100.0 * count as f64 / tests.max(1) as f64;
        write!(formatter, "{tests} tests:")?;
        let counts = [(Some(passed), "passed"), (Some(discarded), "discarded"), (Some(failed), "failed")];
        for (place, (count, name)) in counts.into_iter().chain([(interesting, "interesting")]).enumerate() {
            let Some(count) = count else { continue };
            let comma = if place > 0 { "," } else { "" };
            write!(formatter, "{comma} {count} {name} ({:.1} %)", share(count))?;
        }
        Ok(())
    }
}

/// What a campaign did: why it ended, what it counted and what it found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report<T> {
    /// Why it ended.
    pub stop: StopReason,
    /// What the guidance met that it cannot go on after, if anything.
    pub trouble: Option<String>,
    /// The seed it was given.
    pub seed: u64,
    /// How many tests were run. The sum of `passed`, `discarded` and `failed`.
    pub tests: u64,
    /// For how many tests the property held.
    pub passed: u64,
    /// How many tests said nothing, inconclusive ones included.
    pub discarded: u64,
    /// How many of the discarded ones were inconclusive: their precondition held.
    pub inconclusive: u64,
    /// For how many tests the property did not hold.
    pub failed: u64,
    /// The values that failed, the first [`MAX_FINDINGS`](crate::Campaign::MAX_FINDINGS) of them.
    pub findings: Vec<Counterexample<T>>,
    /// The tests that the guidance shows, those with the largest amounts first.
    pub records: Vec<Record<T>>,
    /// The statistics of the guidance.
    pub figures: Figures,
    /// How many tests had each label.
    pub labels: BTreeMap<String, u64>,
    /// How long the campaign took.
    pub seconds: f64,
    /// How many traces were cut because they did not fit the recorder.
    pub truncated_traces: u64,
}

impl<T> Report<T> {
    /// An empty report.
    pub(crate) fn new(seed: u64) -> Self {
        Report {
            stop: StopReason::TestsDone,
            trouble: None,
            seed,
            tests: 0,
            passed: 0,
            discarded: 0,
            inconclusive: 0,
            failed: 0,
            findings: Vec::new(),
            records: Vec::new(),
            figures: Figures::default(),
            labels: BTreeMap::new(),
            seconds: 0.0,
            truncated_traces: 0,
        }
    }

    /// Tests per second; 0 if no time passed.
    pub fn tests_per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.tests as f64 / self.seconds } else { 0.0 }
    }

    /// The totals with their shares, in one line.
    ///
    /// ```
    /// use mutagen_engine::{Campaign, Random};
    ///
    /// let report = Campaign::new(0).tests(200).run(&mut Random::new(0), &mut |_: &bool| true);
    /// assert_eq!(report.short(), "200 tests: 200 passed (100.0 %), 0 discarded (0.0 %), 0 failed (0.0 %)");
    ///
    /// let mut half = [Some(true), None].into_iter().cycle();
    /// let report = Campaign::new(0).tests(8).run(&mut Random::new(0), &mut |_: &bool| half.next().flatten());
    /// assert_eq!(report.short(), "8 tests: 4 passed (50.0 %), 4 discarded (50.0 %), 0 failed (0.0 %)");
    /// ```
    pub fn short(&self) -> String {
        let Report { passed, discarded, failed, .. } = *self;
        Tally { passed, discarded, failed, interesting: self.figures.counts.get("interesting").copied() }
            .to_string()
    }

    /// The report without what depends on the clock. Same seed, same configuration, one job: the same report.
    pub fn without_times(mut self) -> Self {
        self.seconds = 0.0;
        for finding in &mut self.findings {
            finding.seconds = 0.0;
        }
        self
    }

    /// The same report with all values changed by `show`, to text for example.
    pub fn map<U>(self, mut show: impl FnMut(T) -> U) -> Report<U> {
        let findings = self.findings.into_iter().map(|finding| finding.map(&mut show)).collect();
        let records = self.records.into_iter().map(|record| record.map(&mut show)).collect();
        let Report { stop, seed, tests, passed, discarded, inconclusive, failed, figures, labels, .. } = self;
        Report {
            stop,
            trouble: self.trouble,
            seed,
            tests,
            passed,
            discarded,
            inconclusive,
            failed,
            findings,
            records,
            figures,
            labels,
            seconds: self.seconds,
            truncated_traces: self.truncated_traces,
        }
    }

    /// Adds the report of another worker that ran at the same time.
    pub(crate) fn merge(&mut self, other: Report<T>) {
        self.stop = self.stop.more_telling(other.stop);
        self.trouble = self.trouble.take().or(other.trouble);
        self.tests += other.tests;
        self.passed += other.passed;
        self.discarded += other.discarded;
        self.inconclusive += other.inconclusive;
        self.failed += other.failed;
        self.findings.extend(other.findings);
        self.findings.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        self.findings.truncate(Campaign::<T>::MAX_FINDINGS);
        self.records.extend(other.records);
        self.records.sort_by_key(|record| Reverse(record.amount));
        self.records.truncate(Record::<T>::MOST);
        self.figures.merge(other.figures);
        for (label, count) in other.labels {
            *self.labels.entry(label).or_default() += count;
        }
        self.seconds = self.seconds.max(other.seconds);
        self.truncated_traces += other.truncated_traces;
    }
}

impl<T> Counterexample<T> {
    fn map<U>(self, show: &mut impl FnMut(T) -> U) -> Counterexample<U> {
        let Counterexample { value, failure, labels, tests, seconds, late } = self;
        Counterexample { value: show(value), failure, labels, tests, seconds, late }
    }
}

impl<T> Record<T> {
    fn map<U>(self, show: &mut impl FnMut(T) -> U) -> Record<U> {
        let Record { value, amount, unit, tests } = self;
        Record { value: show(value), amount, unit, tests }
    }
}

impl StopReason {
    /// Of the reasons of two workers, the one that describes the whole campaign: a finding ends all workers.
    fn more_telling(self, other: StopReason) -> StopReason {
        match (self, other) {
            (StopReason::GaveUp(mine), StopReason::GaveUp(theirs)) => StopReason::GaveUp(mine + theirs),
            _ if self.rank() >= other.rank() => self,
            _ => other,
        }
    }

    fn rank(self) -> u32 {
        match self {
            StopReason::Found => 6,
            StopReason::Interrupted => 5,
            StopReason::Trouble => 4,
            StopReason::TimeUp => 3,
            StopReason::GaveUp(_) => 2,
            StopReason::TestsDone => 1,
            StopReason::Exhausted => 0,
        }
    }
}
