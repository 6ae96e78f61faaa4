//! The place of a worker in a campaign. If one worker dies, the next one takes it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mutagen_engine::Worker;

use super::order::Done;
use super::process::Process;
use crate::{CampaignReport, Group, Groups, Progress, Spec};

/// Seeds of later workers in a seat are numbered from here on, past those of all seats.
const LATER: usize = 1 << 16;

/// A worker whose predecessor died tests so many modules of the corpus for each second that that one lived, but not less than
/// for one second. Otherwise workers that die soon would test nothing else.
const CORPUS_PER_SECOND: f64 = 500.0;

/// The place of a worker, and what all that had it have told.
pub(super) struct Seat {
    /// The campaign of the first worker here.
    spec: Spec,
    /// How many workers were here before.
    generation: usize,
    /// The number and the process of the worker.
    pub(super) process: Option<(usize, Process)>,
    /// When it was started, in seconds of the campaign, and what it told last.
    pub(super) began: f64,
    pub(super) progress: Progress,
    pub(super) groups: Vec<Group>,
    /// How many seconds the worker before it lived.
    lived: f64,
    /// Its report.
    pub(super) done: Option<Done>,
    /// What those before it had done, added up, without their groups.
    earlier: Option<CampaignReport>,
    /// The groups of those before it.
    pub(super) dead: Groups,
    /// Files of exemplars of groups that have another one.
    surplus: BTreeSet<PathBuf>,
    /// Deaths in a row with no test to blame, and how many of them somebody seems to have caused.
    pub(super) deaths: u32,
    pub(super) kills: u32,
    /// Whether the test that ended the last worker is judged before another is started.
    pub(super) waits: bool,
    /// When the system last gave no process for the next worker. It is asked again.
    pub(super) refused: Option<Instant>,
}

impl Seat {
    /// The seat with this number in a campaign.
    pub(super) fn new(spec: &Spec, index: usize) -> Self {
        let jobs = u64::from(spec.jobs);
        let share = |tests: u64| tests / jobs + u64::from((index as u64) < tests % jobs);
        let mut own = Spec { jobs: 1, seed: Worker::new(spec.seed, index).seed, ..spec.clone() };
        own.budget.tests = spec.budget.tests.map(share);
        Seat {
            spec: own,
            generation: 0,
            process: None,
            began: 0.0,
            progress: Progress::default(),
            groups: Vec::new(),
            lived: 0.0,
            done: None,
            earlier: None,
            dead: Groups::default(),
            surplus: BTreeSet::new(),
            deaths: 0,
            kills: 0,
            waits: false,
            refused: None,
        }
    }

    /// Whether no worker has been here yet.
    pub(super) fn is_first(&self) -> bool {
        self.generation == 0
    }

    /// Whether a worker is here, or will be as soon as the system gives a process.
    pub(super) fn is_taken(&self) -> bool {
        self.process.is_some() || self.refused.is_some()
    }

    /// The campaign of the next worker, which starts so many seconds after the first. `None` if there is nothing left to do.
    pub(super) fn next(&self, seconds: f64) -> Option<Spec> {
        let mut spec = self.spec.clone();
        if self.is_first() {
            return (spec.budget.tests != Some(0)).then_some(spec);
        }
        spec.seed = Worker::new(spec.seed, LATER + self.generation).seed;
        spec.budget.tests = spec.budget.tests.map(|all| all.saturating_sub(self.tested()));
        let time = spec.time_limit().map(|all| all.saturating_sub(Duration::from_secs_f64(seconds)));
        spec.budget.time = time;
        let is_over = spec.budget.tests == Some(0) || time.is_some_and(|left| left.is_zero());
        (!is_over).then_some(spec)
    }

    /// How many tests the workers before have made.
    pub(super) fn tested(&self) -> u64 {
        self.earlier.as_ref().map_or(0, |report| report.tests)
    }

    /// How many modules of the corpus the next worker tests first. `None` if all of them, as far as there is time.
    pub(super) fn corpus(&self) -> Option<usize> {
        (!self.is_first()).then_some((self.lived.max(1.0) * CORPUS_PER_SECOND) as usize)
    }

    /// A new worker is here.
    pub(super) fn take(&mut self, id: usize, process: Process, seconds: f64) {
        self.process = Some((id, process));
        self.generation += 1;
        self.began = seconds;
        self.progress = Progress::default();
        self.groups = Vec::new();
        self.waits = false;
    }

    /// The worker has died: what it had told is kept.
    pub(super) fn bury(&mut self) {
        let report = CampaignReport::of_dead(&self.spec, &self.progress);
        let report = CampaignReport { groups: std::mem::take(&mut self.groups), ..report };
        self.lived = self.progress.seconds;
        self.progress = Progress::default();
        // Given values are tested again, from the first one on.
        if self.spec.strategy.is_none() {
            return;
        }
        let mut report = report.later(self.began);
        let groups = std::mem::take(&mut report.groups);
        self.surplus.extend(groups.into_iter().filter_map(|group| self.dead.absorb(group)));
        match &mut self.earlier {
            Some(earlier) => earlier.add(report),
            None => self.earlier = Some(report),
        }
    }

    /// The report of those before the last worker, and the last one's. The files belong to exemplars of groups that have another
    /// one here.
    pub(super) fn into_reports(self) -> (Option<CampaignReport>, Option<Done>, BTreeSet<PathBuf>) {
        let (began, groups) = (self.began, self.dead.list());
        let done = self.done.map(|done| Done { report: done.report.later(began), ..done });
        (self.earlier.map(|earlier| CampaignReport { groups, ..earlier }), done, self.surplus)
    }

    /// How far the campaign is in this seat.
    pub(super) fn so_far(&self) -> Progress {
        let counted = |sum: Progress, report: &CampaignReport| Progress {
            tests: sum.tests + report.tests,
            passed: sum.passed + report.passed,
            discarded: sum.discarded + report.discarded,
            inconclusive: sum.inconclusive + report.inconclusive,
            ..sum
        };
        self.earlier.iter().fold(self.progress, counted)
    }
}
