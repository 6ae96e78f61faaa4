//! What a campaign did.

use crate::{Campaign, Failure, Figures};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

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
    /// It was told to stop from outside.
    Interrupted,
    /// The guidance had nothing left to test.
    Exhausted,
}

/// A value for which the property does not hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding<T> {
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
    /// Whether the verdict was postponed.
    pub late: bool,
}

/// A test that is worth showing although it did not fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record<T> {
    /// The value.
    pub value: T,
    /// What makes it remarkable.
    pub amount: u64,
    /// What that is an amount of.
    pub unit: &'static str,
    /// How many tests were run by then (by its own worker), this one included.
    pub tests: u64,
}

impl<T> Record<T> {
    /// How many of them a report has at most.
    pub const MOST: usize = 10;
}

/// What a campaign did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report<T> {
    /// Why it ended.
    pub stop: StopReason,
    /// The seed it was given.
    pub seed: u64,
    /// How many tests were run. The sum of `passed`, `discarded` and `failed`.
    pub tests: u64,
    /// How many held.
    pub passed: u64,
    /// How many said nothing.
    pub discarded: u64,
    /// How many did not hold.
    pub failed: u64,
    /// The values that failed, the first [`MAX_FINDINGS`](crate::Campaign::MAX_FINDINGS) of them.
    pub findings: Vec<Finding<T>>,
    /// The tests that the guidance shows, those with the largest amounts first.
    pub records: Vec<Record<T>>,
    /// What the guidance has to say.
    pub figures: Figures,
    /// How many tests had each label.
    pub labels: BTreeMap<String, u64>,
    /// How long it took.
    pub seconds: f64,
    /// How many traces did not fit the recorder.
    pub truncated_traces: u64,
}

impl<T> Report<T> {
    /// An empty report.
    pub(crate) fn new(seed: u64) -> Self {
        Report {
            stop: StopReason::TestsDone,
            seed,
            tests: 0,
            passed: 0,
            discarded: 0,
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
        let share = |count: u64| 100.0 * count as f64 / self.tests.max(1) as f64;
        let total = |count: u64, name: &str| format!("{count} {name} ({:.1} %)", share(count));
        let interesting = self.figures.counts.get("interesting").map(|count| total(*count, "interesting"));
        let verdicts = [(self.passed, "passed"), (self.discarded, "discarded"), (self.failed, "failed")];
        let totals = verdicts.map(|(count, name)| total(count, name)).into_iter().chain(interesting);
        format!("{} tests: {}", self.tests, totals.collect::<Vec<_>>().join(", "))
    }

    /// The report without what depends on the clock. Same seed, same configuration, one job: the same report.
    pub fn without_times(mut self) -> Self {
        self.seconds = 0.0;
        for finding in &mut self.findings {
            finding.seconds = 0.0;
        }
        self
    }

    /// Changes how findings are shown, to text for example.
    pub fn map<U>(self, mut show: impl FnMut(T) -> U) -> Report<U> {
        let findings = self.findings.into_iter().map(|finding| finding.map(&mut show)).collect();
        let records = self.records.into_iter().map(|record| record.map(&mut show)).collect();
        let Report { stop, seed, tests, passed, discarded, failed, figures, labels, .. } = self;
        Report {
            stop,
            seed,
            tests,
            passed,
            discarded,
            failed,
            findings,
            records,
            figures,
            labels,
            seconds: self.seconds,
            truncated_traces: self.truncated_traces,
        }
    }

    /// Takes in the report of another worker that ran at the same time.
    pub(crate) fn merge(&mut self, other: Report<T>) {
        self.stop = self.stop.more_telling(other.stop);
        self.tests += other.tests;
        self.passed += other.passed;
        self.discarded += other.discarded;
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

impl<T> Finding<T> {
    fn map<U>(self, show: &mut impl FnMut(T) -> U) -> Finding<U> {
        let Finding { value, failure, labels, tests, seconds, late } = self;
        Finding { value: show(value), failure, labels, tests, seconds, late }
    }
}

impl<T> Record<T> {
    fn map<U>(self, show: &mut impl FnMut(T) -> U) -> Record<U> {
        let Record { value, amount, unit, tests } = self;
        Record { value: show(value), amount, unit, tests }
    }
}

impl StopReason {
    /// Of the reasons of two workers the one that describes the whole: one finding ends all.
    fn more_telling(self, other: StopReason) -> StopReason {
        match (self, other) {
            (StopReason::GaveUp(mine), StopReason::GaveUp(theirs)) => StopReason::GaveUp(mine + theirs),
            _ if self.rank() >= other.rank() => self,
            _ => other,
        }
    }

    fn rank(self) -> u32 {
        match self {
            StopReason::Found => 5,
            StopReason::Interrupted => 4,
            StopReason::TimeUp => 3,
            StopReason::GaveUp(_) => 2,
            StopReason::TestsDone => 1,
            StopReason::Exhausted => 0,
        }
    }
}
