//! The guidance of a worker that shares: it also tests what others found, and tells them what it found.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use mutagen_engine::{
    Figures, Guidance, HitClasses, HitCounts, HitCoverage, Other, Record, Trace, Verdict, Worker, stable,
};
use mutagen_exchange::Entry;
use mutagen_properties::Subject;

use super::carried;
use crate::sharing::{End, Voice};

/// A test of others comes after so many of the worker's own, so that what is new gets its turn.
const OWN_TESTS: u32 = 3;
/// If more tests of others wait than this, as for a worker that joins late, most tests are theirs until they are through.
const LARGE_BACKLOG: u64 = 64;
/// So many are then run for each of the worker's own.
const THEIRS_IN_A_ROW: u32 = 15;
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
    foreign: Arc<AtomicU64>,
    hits: HitCounts,
    coverage: HitCoverage,
    /// What there is to know about the test that runs now, if it is one of others.
    other: Option<Other>,
    /// What the worker's share of the tests of others depends on, and one in how many these are.
    salt: u64,
    mutates_one_of: u64,
    turns: Turns,
}

/// Whether a worker runs the mutants of the test with this key. Each worker has a salt of its own, and draws one in so many.
fn is_drawn(key: u64, salt: u64, one_of: u64) -> bool {
    stable::mix(key ^ salt).is_multiple_of(one_of)
}

/// Whose turn it is.
#[derive(Default)]
struct Turns {
    /// Tests of the worker's own since the last one of others.
    own: u32,
    /// Tests of others since the last one of the worker's own.
    theirs: u32,
}

impl Turns {
    /// Whether the next test comes from others, if there is one, of whom so many tests wait.
    fn are_theirs(&self, backlog: u64) -> bool {
        self.own >= OWN_TESTS || backlog > LARGE_BACKLOG && self.theirs < THEIRS_IN_A_ROW
    }

    fn took_theirs(&mut self) {
        (self.own, self.theirs) = (0, self.theirs + 1);
    }

    fn took_own(&mut self) {
        (self.own, self.theirs) = (self.own + 1, 0);
    }
}

impl<S: Subject> Exchanging<S> {
    /// The guidance of the worker with this number.
    pub(super) fn new(
        guidance: Box<dyn Guidance<S::Value>>,
        subject: &Arc<S>,
        voice: Option<&Voice>,
        worker: Worker,
    ) -> Self {
        // Who does not look at traces neither knows what is new nor learns from it.
        let voice = voice.filter(|_| guidance.wants_traces());
        let link = voice.and_then(|voice| {
            Some(Link {
                subject: Arc::clone(subject),
                end: voice.end(worker.index)?,
                received: voice.received(),
                foreign: voice.foreign(),
                hits: HitCounts::new(),
                coverage: HitCoverage::new(HitClasses::Afl),
                other: None,
                salt: worker.seed,
                mutates_one_of: voice.sharing().mutates_one_of.get(),
                turns: Turns::default(),
            })
        });
        Exchanging { guidance, link }
    }
}

impl<S: Subject> Link<S> {
    /// The next test of others, if it is their turn.
    fn theirs(&mut self) -> Option<S::Value> {
        let taken = self.taken();
        match taken {
            Some(_) => self.turns.took_theirs(),
            None => self.turns.took_own(),
        }
        let (value, other) = taken?;
        self.other = Some(other);
        Some(value)
    }

    fn taken(&self) -> Option<(S::Value, Other)> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let backlog = end.backlog();
        if !self.turns.are_theirs(backlog) {
            return None;
        }
        let entries = std::iter::from_fn(|| Some((end.poll()?, end.was_there_before()))).take(MOST_UNUSABLE);
        let value = |(entry, was_there_before): (Entry, bool)| {
            // Whoever published what waited for this worker may be gone.
            let is_ours = was_there_before || is_drawn(entry.key, self.salt, self.mutates_one_of);
            let other = Other { part: entry.part.into(), is_left: !is_ours };
            let Some(case) = carried::read(entry.bytes) else {
                self.foreign.fetch_add(1, Ordering::Relaxed);
                return None;
            };
            Some((self.subject.value(&case)?, other))
        };
        let taken = entries.filter_map(value).next()?;
        self.received.fetch_add(1, Ordering::Relaxed);
        Some(taken)
    }

    /// Tells the others about a test that showed something that neither this worker nor they have seen, as far as it knows.
    fn tell(&mut self, value: &S::Value, part: usize, is_interesting: bool, trace: Trace<'_>) {
        let is_theirs = self.other.take().is_some();
        if !is_theirs && !is_interesting || trace.events.is_empty() {
            return;
        }
        self.hits.count_probes(trace);
        let new = self.coverage.add(&self.hits);
        if is_theirs || new.keys == 0 && !new.classes {
            return;
        }
        // No guidance has as many parts as there are numbers.
        if let (Some(bytes), Ok(part)) = (carried::bytes(&*self.subject, value), u8::try_from(part)) {
            let entry = Entry::test(bytes).of_part(part);
            self.end.lock().unwrap_or_else(PoisonError::into_inner).publish(entry);
        }
    }
}

impl<S: Subject> Guidance<S::Value> for Exchanging<S> {
    fn next(&mut self) -> S::Value {
        self.link.as_mut().and_then(Link::theirs).unwrap_or_else(|| self.guidance.next())
    }

    fn learn(&mut self, value: &S::Value, verdict: &Verdict, trace: Trace<'_>) -> bool {
        let other = self.link.as_ref().and_then(|link| link.other);
        let is_interesting = match other {
            Some(other) => self.guidance.learn_from_other(value, verdict, trace, other),
            None => self.guidance.learn(value, verdict, trace),
        };
        if let Some(link) = &mut self.link {
            link.tell(value, self.guidance.part(), is_interesting, trace);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whose tests come in a row: `t` are theirs.
    fn row(backlog: impl Fn(u64) -> u64) -> String {
        let mut turns = Turns::default();
        let mut taken = 0;
        let mut one = || {
            let left = backlog(taken);
            if left > 0 && turns.are_theirs(left) {
                turns.took_theirs();
                taken += 1;
                't'
            } else {
                turns.took_own();
                'o'
            }
        };
        (0..40).map(|_| one()).collect()
    }

    #[test]
    fn every_fourth_test_is_of_others_as_long_as_few_of_theirs_wait() {
        assert_eq!(row(|_| 10), "ooot".repeat(10));
        assert_eq!(row(|_| 0), "o".repeat(40));
    }

    #[test]
    fn a_large_backlog_is_run_in_a_row_and_the_own_search_does_not_starve() {
        assert_eq!(row(|_| 1000), format!("{0}o{0}oyyyyyyyy", "t".repeat(15)).replace('y', "t"));
        // Of 70, those beyond 64 come in a row, and the others as usual.
        assert_eq!(row(|taken| 70 - taken), format!("{}{}", "t".repeat(6), &"ooot".repeat(9)[..34]));
    }

    #[test]
    fn each_worker_draws_its_own_share_of_the_tests_of_others() {
        let keys: Vec<u64> = (0..4000_u64).map(|number| stable::hash(&number.to_le_bytes())).collect();
        let drawn = |salt: u64, one_of| {
            keys.iter().copied().filter(|key| is_drawn(*key, salt, one_of)).collect::<Vec<u64>>()
        };
        assert_eq!(drawn(1, 1), keys);
        let (one, other) = (drawn(1, 4), drawn(2, 4));
        assert!((900..1100).contains(&one.len()) && (900..1100).contains(&other.len()));
        let both = one.iter().filter(|key| other.contains(key)).count();
        assert!((200..300).contains(&both), "{both}");
    }
}
