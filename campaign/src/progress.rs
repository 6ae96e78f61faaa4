//! Progress of a campaign.

use std::time::Instant;

use mutagen_engine::Event;
use mutagen_properties::Tally;
use serde::{Deserialize, Serialize};

use crate::{Error, Group};

/// An observer of a running campaign.
pub trait Observer {
    /// Called as the campaign goes on: often, some thousand times a second if tests are quick.
    fn progress(&mut self, progress: &Progress);

    /// Called from time to time with what was found so far.
    fn groups(&mut self, groups: &[Group]) {
        let _ = groups;
    }

    /// Called for a given file that cannot be used and is left out.
    fn left_out(&mut self, error: &Error);
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: &Progress) {}

    fn left_out(&mut self, _: &Error) {}
}

/// The work of a campaign so far, over all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Seconds since its start.
    pub seconds: f64,
    /// Tests that were run.
    pub tests: u64,
    /// Tests in which the property held.
    pub passed: u64,
    /// Tests that were discarded.
    pub discarded: u64,
    /// The discarded tests from which nothing can be concluded.
    pub inconclusive: u64,
    /// Tests that the guidance kept.
    pub interesting: u64,
    /// Tests that wait to be mutated.
    pub queued: u64,
    /// The number of known paths or edges of the target. It is that of the worker that knows most, since all
    /// workers run the same code.
    pub known: u64,
    /// The number of probes of the target that the corpus reaches; 0 without an output directory. It never falls, and is that of
    /// the worker whose tests reach most.
    #[serde(default)]
    pub probes: u64,
    /// How often the guidance was reset.
    pub resets: u64,
    /// Seconds in the target and in the reference, over all workers.
    #[serde(default)]
    pub seconds_in: [f64; 2],
}

/// Adds up the events of all workers.
pub(crate) struct Counter {
    started: Instant,
    workers: Vec<Progress>,
    interesting: u64,
    resets: u64,
}

impl Counter {
    pub(crate) fn new() -> Self {
        Counter { started: Instant::now(), workers: Vec::new(), interesting: 0, resets: 0 }
    }

    /// Counts an event. Returns the progress of the campaign if the event reports progress.
    pub(crate) fn follow<T>(&mut self, event: &Event<'_, T>) -> Option<Progress> {
        match event {
            Event::Interesting { .. } => self.interesting += 1,
            Event::Reset { .. } => self.resets += 1,
            Event::Progress { worker, so_far, queued, known } => {
                if self.workers.len() <= *worker {
                    self.workers.resize(worker + 1, Progress::default());
                }
                self.workers[*worker] = Progress {
                    tests: so_far.tests,
                    passed: so_far.passed,
                    discarded: so_far.discarded,
                    inconclusive: so_far.inconclusive,
                    queued: *queued,
                    known: *known,
                    ..Progress::default()
                };
                return Some(self.total());
            }
            _ => {}
        }
        None
    }

    fn total(&self) -> Progress {
        let start = Progress {
            seconds: self.started.elapsed().as_secs_f64(),
            interesting: self.interesting,
            resets: self.resets,
            ..Progress::default()
        };
        self.workers.iter().fold(start, |sum, worker| sum.and(worker))
    }
}

impl Progress {
    /// Takes over what a worker had noted before it died.
    pub(crate) fn count(&mut self, tally: &Tally) {
        let Tally { tests, passed, discarded, inconclusive } = *tally;
        *self = Progress { tests, passed, discarded, inconclusive, ..*self };
    }

    /// The work of two workers at the same time.
    #[must_use]
    pub(crate) fn and(self, other: &Progress) -> Self {
        Progress {
            seconds: self.seconds.max(other.seconds),
            tests: self.tests + other.tests,
            passed: self.passed + other.passed,
            discarded: self.discarded + other.discarded,
            inconclusive: self.inconclusive + other.inconclusive,
            interesting: self.interesting + other.interesting,
            queued: self.queued + other.queued,
            known: self.known.max(other.known),
            probes: self.probes.max(other.probes),
            resets: self.resets + other.resets,
            seconds_in: [0, 1].map(|engine| self.seconds_in[engine] + other.seconds_in[engine]),
        }
    }
}
