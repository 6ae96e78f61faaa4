//! The guidance of a worker that shares: it also tests what others found, and tells them what it found.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use mutagen_engine::{Figures, Guidance, HitClasses, HitCounts, HitCoverage, Record, Trace, Verdict};
use mutagen_exchange::Entry;
use mutagen_properties::Subject;

use super::carried;
use crate::sharing::{End, Voice};

/// A test of others comes after so many of the worker's own, so that what is new gets its turn.
const OWN_TESTS: u32 = 3;
/// So many tests of others are looked at in a row, if the property cannot be tested on them.
const MOST_UNUSABLE: usize = 16;

/// A guidance, and the worker's end of the exchange if it shares. Without one it is the guidance alone, test by test.
pub(super) struct Exchanging<S: Subject> {
    guidance: Box<dyn Guidance<S::Value>>,
    link: Option<Link<S>>,
}

struct Link<S: Subject> {
    subject: Arc<S>,
    end: End,
    received: Arc<AtomicU64>,
    hits: HitCounts,
    coverage: HitCoverage,
    /// Whether the test that runs now came from others.
    is_theirs: bool,
    own_tests: u32,
}

impl<S: Subject> Exchanging<S> {
    /// The guidance of the worker with this number.
    pub(super) fn new(
        guidance: Box<dyn Guidance<S::Value>>,
        subject: &Arc<S>,
        voice: Option<&Voice>,
        worker: usize,
    ) -> Self {
        // Who does not look at traces neither knows what is new nor learns from it.
        let voice = voice.filter(|_| guidance.wants_traces());
        let link = voice.and_then(|voice| {
            Some(Link {
                subject: Arc::clone(subject),
                end: voice.end(worker)?,
                received: voice.received(),
                hits: HitCounts::new(),
                coverage: HitCoverage::new(HitClasses::Afl),
                is_theirs: false,
                own_tests: 0,
            })
        });
        Exchanging { guidance, link }
    }
}

impl<S: Subject> Link<S> {
    /// The next test of others, if it is their turn.
    fn theirs(&mut self) -> Option<S::Value> {
        self.own_tests += 1;
        if self.own_tests <= OWN_TESTS {
            return None;
        }
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = std::iter::from_fn(|| end.poll()).take(MOST_UNUSABLE);
        let value = |entry: Entry| self.subject.value(&carried::read(entry.bytes)?);
        let value = entries.filter_map(value).next()?;
        self.received.fetch_add(1, Ordering::Relaxed);
        (self.is_theirs, self.own_tests) = (true, 0);
        Some(value)
    }

    /// Tells the others about a test that showed something that neither this worker nor they have seen, as far as it knows.
    fn tell(&mut self, value: &S::Value, is_interesting: bool, trace: Trace<'_>) {
        let is_theirs = std::mem::take(&mut self.is_theirs);
        if !is_theirs && !is_interesting || trace.events.is_empty() {
            return;
        }
        self.hits.count_probes(trace);
        let new = self.coverage.add(&self.hits);
        if is_theirs || new.keys == 0 && !new.classes {
            return;
        }
        if let Some(bytes) = carried::bytes(&*self.subject, value) {
            self.end.lock().unwrap_or_else(PoisonError::into_inner).publish(Entry::test(bytes));
        }
    }
}

impl<S: Subject> Guidance<S::Value> for Exchanging<S> {
    fn next(&mut self) -> S::Value {
        self.link.as_mut().and_then(Link::theirs).unwrap_or_else(|| self.guidance.next())
    }

    fn learn(&mut self, value: &S::Value, verdict: &Verdict, trace: Trace<'_>) -> bool {
        let is_interesting = self.guidance.learn(value, verdict, trace);
        if let Some(link) = &mut self.link {
            link.tell(value, is_interesting, trace);
        }
        is_interesting
    }

    fn figures(&self) -> Figures {
        self.guidance.figures()
    }

    fn wants_traces(&self) -> bool {
        self.guidance.wants_traces()
    }

    fn resets(&self) -> u64 {
        self.guidance.resets()
    }

    fn queued(&self) -> u64 {
        self.guidance.queued()
    }

    fn known(&self) -> u64 {
        self.guidance.known()
    }

    fn is_exhausted(&self) -> bool {
        self.guidance.is_exhausted()
    }

    fn trouble(&self) -> Option<String> {
        self.guidance.trouble()
    }

    fn records(&self) -> Vec<Record<S::Value>> {
        self.guidance.records()
    }
}
