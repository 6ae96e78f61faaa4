//! Inquests: who is to blame for the death of a worker, while the campaign goes on.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use mutagen_engine::Failure;
use mutagen_properties::{Case, Subject};

use super::Program;
use super::apart::{Apart, Blame, Coroner};
use crate::run::{Collector, Judge, counterexample};
use crate::store::Folder;
use crate::{Finding, Moment, Spec, Store, Stored};

/// How many smaller forms of one test may be judged to shrink it, each in at most two processes, and for how long.
const SHRINKING: usize = 400;
const SHRINKING_TIME: Duration = Duration::from_secs(30);

/// At most so many tests are stored because nobody had the time to judge them.
const MOST_PUT_OFF: usize = 1000;

/// A test during which a worker died.
pub(super) struct Suspect {
    /// The seat of the worker. `None` if it was a worker of an earlier run, or there was no time before.
    pub(super) seat: Option<usize>,
    pub(super) case: Case,
    /// The death, as the supervisor found it.
    pub(super) failure: Failure,
    /// When it died.
    pub(super) at: Moment,
    /// Whether somebody seems to have killed the worker.
    pub(super) is_somebody: bool,
}

impl Suspect {
    /// Stores the test, so that it is judged later, or when the campaign is resumed. Returns the file, if there is one now.
    pub(super) fn put_off(&self, spec: &Spec, store: Option<&Store>) -> Option<PathBuf> {
        let store = store.filter(|store| store.count(Folder::Unjudged) < MOST_PUT_OFF)?;
        store.store(Folder::Unjudged, &self.finding(spec))
    }

    fn finding(&self, spec: &Spec) -> Finding {
        Finding::new(spec, self.case.clone(), &self.failure)
    }

    /// The test in a file that was stored because there was no time for it.
    pub(super) fn put_off_in(file: &Path, seconds: f64) -> Option<Self> {
        let Ok(Stored::Finding(finding)) = Finding::read(file) else { return None };
        let case = finding.case().ok()?;
        let failure = Failure::new(finding.message()).kind(finding.kind());
        Some(Suspect { seat: None, case, failure, at: Moment { tests: 0, seconds }, is_somebody: false })
    }
}

/// What an inquest found.
pub(super) struct Verdict {
    pub(super) seat: Option<usize>,
    pub(super) culprit: Culprit,
    pub(super) is_somebody: bool,
}

/// Who ended a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Culprit {
    /// The target, with a test that is a finding.
    Target,
    /// The target as published, while a bug is injected that has nothing to do with it.
    Published,
    Reference,
    Nobody,
    /// There was no time to find out.
    Unjudged,
}

/// Holds inquests, one after the other.
pub(super) struct Inquest<'a, S: Subject> {
    pub(super) spec: &'a Spec,
    pub(super) subject: &'a S,
    pub(super) collector: &'a Collector<'a, S>,
    pub(super) program: &'a Program<'a>,
    /// Once this is set, tests are put off.
    pub(super) ended: &'a AtomicBool,
}

impl<S: Subject> Inquest<'_, S> {
    /// Holds an inquest for each suspect, until there are no more.
    pub(super) fn hold(&self, suspects: &Receiver<Suspect>, verdicts: &Sender<Verdict>) {
        for suspect in suspects {
            let Suspect { seat, is_somebody, .. } = suspect;
            let culprit = self.examine(&suspect.case, suspect.at);
            match (culprit, self.collector.store()) {
                (Culprit::Unjudged, store) => drop(suspect.put_off(self.spec, store)),
                (_, Some(store)) => store.discard(Folder::Unjudged, &suspect.finding(self.spec)),
                (_, None) => {}
            }
            if verdicts.send(Verdict { seat, culprit, is_somebody }).is_err() {
                return;
            }
        }
    }

    fn coroner<'a>(&'a self, spec: &'a Spec) -> Coroner<'a, S> {
        let Program { executable, limits, .. } = *self.program;
        let subject = self.subject;
        Coroner { spec, subject, program: executable, limits, cause: None, deadline: None, ended: self.ended }
    }

    fn examine(&self, case: &Case, at: Moment) -> Culprit {
        let mut coroner = self.coroner(self.spec);
        let blame = coroner.examine(case);
        if self.ended.load(Ordering::Relaxed) {
            return Culprit::Unjudged;
        }
        match blame {
            Blame::Nobody => Culprit::Nobody,
            Blame::Reference(failure) => {
                self.store(Folder::Reference, self.spec, case, &failure);
                Culprit::Reference
            }
            Blame::Target(failure, cause) => {
                let published = self.spec.clone().unmodified();
                let is_published = self.spec.bug.is_some()
                    && matches!(self.coroner(&published).ask(&published, &[], case), Apart::Died(_));
                if is_published {
                    self.store(Folder::Discrepancies, &published, case, &failure);
                    return Culprit::Published;
                }
                coroner.cause = Some(cause);
                self.collect(coroner, case, failure, at);
                Culprit::Target
            }
        }
    }

    /// Adds the test to the findings, shrunk if that is possible.
    fn collect(&self, mut coroner: Coroner<'_, S>, case: &Case, failure: Failure, at: Moment) {
        coroner.deadline = Some(Instant::now() + SHRINKING_TIME);
        // What was noted may say more than a value of this property can.
        let value = self.subject.value(case).filter(|value| {
            let again = coroner.judge(value).verdict;
            matches!(again, mutagen_engine::Verdict::Failed(found) if found.kind == failure.kind)
        });
        match value {
            Some(value) => {
                self.collector.take(&mut coroner, &counterexample(value, failure, at), SHRINKING);
            }
            None => self.collector.take_as_is(&mut coroner, case.clone(), &failure, at),
        }
    }

    fn store(&self, folder: Folder, spec: &Spec, case: &Case, failure: &Failure) {
        if let Some(store) = self.collector.store() {
            store.store(folder, &Finding::new(spec, case.clone(), failure));
        }
    }
}
