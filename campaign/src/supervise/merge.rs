//! One report from those of several workers.

use std::cmp::Reverse;

use mutagen_engine::Record;

use mutagen_properties::OpinionCounts;

use crate::{CampaignOutcome, CampaignReport, DiscrepancySummary, Moment, Progress, SecondsIn, Shared, Spec};

impl CampaignReport {
    /// The report of a worker that died after it had told how far it was.
    pub(super) fn of_dead(spec: &Spec, progress: &Progress) -> Self {
        let Progress { tests, passed, discarded, inconclusive, seconds, .. } = *progress;
        CampaignReport { tests, passed, discarded, inconclusive, seconds, ..Self::empty(spec) }
    }

    /// Shifts all times by the time after which the worker was started.
    pub(super) fn later(mut self, seconds: f64) -> Self {
        let shift = |moment: &mut Moment| moment.seconds += seconds;
        // Those that the worker was told of and has not met have the times of others.
        for group in self.groups.iter_mut().filter(|group| group.count > 0) {
            shift(&mut group.first);
            shift(&mut group.last);
        }
        self.finding.iter_mut().for_each(|finding| finding.seconds += seconds);
        self
    }

    /// Adds the report of another worker. Groups are left as they are.
    pub(super) fn add(&mut self, other: CampaignReport) {
        if rank(other.outcome) > rank(self.outcome) {
            (self.outcome, self.stop_reason) = (other.outcome, other.stop_reason);
        }
        self.tests += other.tests;
        self.passed += other.passed;
        self.discarded += other.discarded;
        self.inconclusive += other.inconclusive;
        self.truncated_traces += other.truncated_traces;
        self.unsorted += other.unsorted;
        for (label, count) in other.labels {
            *self.labels.entry(label).or_default() += count;
        }
        self.figures.merge(other.figures);
        self.seconds_in = sum(self.seconds_in, other.seconds_in, SecondsIn::and);
        self.first_opinion = sum(self.first_opinion, other.first_opinion, OpinionCounts::and);
        self.refused_modules = sum(self.refused_modules, other.refused_modules, |one, other| one + other);
        self.shared = sum(self.shared, other.shared, Shared::and);
        self.replayed.extend(other.replayed);
        self.slowest.extend(other.slowest);
        self.slowest.sort_by_key(|slow| Reverse(slow.amount));
        self.slowest.truncate(Record::<()>::MOST);
        self.discrepancies.add(other.discrepancies);
        let is_sooner = |ours: &crate::FindingReport| {
            other.finding.as_ref().is_some_and(|theirs| theirs.seconds < ours.seconds)
        };
        if self.finding.as_ref().is_none_or(is_sooner) {
            self.finding = other.finding.or(self.finding.take());
        }
    }
}

/// Of the outcomes of two workers, the one of higher rank describes the whole campaign.
fn rank(outcome: CampaignOutcome) -> u32 {
    match outcome {
        CampaignOutcome::Finding => 4,
        CampaignOutcome::Interrupted => 3,
        CampaignOutcome::Passed => 2,
        CampaignOutcome::GaveUp => 1,
        CampaignOutcome::Running => 0,
    }
}

fn sum<T>(one: Option<T>, other: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}

impl SecondsIn {
    fn and(self, other: Self) -> Self {
        let SecondsIn { target, reference, rest } = self;
        SecondsIn {
            target: target + other.target,
            reference: reference + other.reference,
            rest: rest + other.rest,
        }
    }
}

impl DiscrepancySummary {
    /// Adds those of another worker. One that both have met counts once.
    fn add(&mut self, other: DiscrepancySummary) {
        self.count = self.count.max(other.count);
        for theirs in other.each {
            match self.each.iter_mut().find(|ours| ours.shape.is_some() && ours.shape == theirs.shape) {
                Some(ours) => ours.met += theirs.met,
                None => {
                    self.files.extend(theirs.file.clone());
                    self.each.push(theirs);
                }
            }
        }
        self.count = self.count.max(self.each.len() as u64);
    }
}
