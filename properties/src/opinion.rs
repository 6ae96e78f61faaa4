//! The first opinion: a quick engine that is asked before the reference.
//!
//! The reference spends its time on compiling, so asking it costs many times what the test itself costs. Where a quick engine
//! gives the same answers as the target, nothing is left to ask. It never decides that something is wrong: whatever it does
//! not agree to, or cannot do, goes to the reference, which alone decides.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use mutagen_engine::stable;
use mutagen_oracles::{Around, Asked, Engine, EngineError, Guarded, Instance, Settings, Wrapped};
use mutagen_weave::Recorder;
use serde::{Deserialize, Serialize};

use crate::injection::{Barred, Present};
use crate::pair::Context;
use crate::times::Times;

/// One test in so many goes to the reference although the first opinion agrees.
const CHECKED_EVERY: u64 = 64;
/// An odd number with ones and zeros all over: multiplying by it spreads the low bits over the high ones.
const MIXING: u64 = 0x9e37_79b9_7f4a_7c15;

/// What came of asking for first opinions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpinionCounts {
    /// Tests on which it was asked.
    pub asked: u64,
    /// Tests on which it agreed with the target, so that the reference was not needed.
    pub agreed: u64,
    /// Tests on which it agreed, and the reference was asked all the same.
    pub checked: u64,
    /// Those of them on which the reference saw a difference.
    pub contradicted: u64,
    /// Questions on which it panicked.
    pub panicked: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

impl OpinionCounts {
    /// The counts of two workers.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        OpinionCounts {
            asked: self.asked + other.asked,
            agreed: self.agreed + other.agreed,
            checked: self.checked + other.checked,
            contradicted: self.contradicted + other.contradicted,
            panicked: self.panicked + other.panicked,
            seconds: self.seconds + other.seconds,
        }
    }
}

/// The counts of a campaign. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Opinions(Arc<Mutex<OpinionCounts>>);

impl Opinions {
    /// The counts so far.
    pub fn counts(&self) -> OpinionCounts {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut OpinionCounts)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// The engine that gives the first opinion, ready to be asked.
pub(crate) struct FirstOpinion {
    engine: Guarded<Wrapped<Box<dyn Engine>, Unseen>>,
    opinions: Opinions,
    unasked: Barred,
}

impl FirstOpinion {
    /// The engine that the context names, if it names one. It gets the features that it has: it rejects modules that need
    /// others.
    ///
    /// # Errors
    ///
    /// If it refuses the settings.
    pub(crate) fn of(context: &Context) -> Result<Option<Self>, EngineError> {
        let Some(entry) = &context.first_opinion else { return Ok(None) };
        let settings = Settings { features: context.settings.features & entry.features, ..context.settings };
        let present = context.present(context.injection.without_bug());
        let present = Present { engine: entry.name, leads: false, ..present };
        let (opinions, times) = (context.opinions.clone(), context.times.clone());
        let unseen = Unseen { present, opinions: opinions.clone(), times };
        let engine = Guarded(Wrapped::new(entry.make(&settings)?, unseen));
        Ok(Some(FirstOpinion { engine, opinions, unasked: context.unasked.clone() }))
    }

    pub(crate) fn engine(&self) -> &dyn Engine {
        &self.engine
    }

    /// Whether it may be asked about a module. Not if it ended a process on it before.
    pub(crate) fn may_be_asked(&self, bytes: &[u8]) -> bool {
        !self.unasked.bars(bytes)
    }

    /// Whether the reference judges this test although the first opinion agrees. It follows from the module, so that runs
    /// repeat. The lowest bits of the hash decide already whether the target's other way to run is asked. The others are mixed
    /// first: modules that are nearly the same have hashes that are.
    pub(crate) fn checks(&self, bytes: &[u8]) -> bool {
        (stable::hash(bytes).wrapping_mul(MIXING) >> 32).is_multiple_of(CHECKED_EVERY)
    }

    /// Counts a test on which it was asked.
    pub(crate) fn note(&self, agreed: bool) {
        self.opinions.change(|counts| {
            counts.asked += 1;
            counts.agreed += u64::from(agreed);
        });
    }

    /// Counts a test that the reference judged all the same. Returns whether it sees a difference.
    pub(crate) fn note_check(&self, contradicted: bool) -> bool {
        self.opinions.change(|counts| {
            counts.checked += 1;
            counts.contradicted += u64::from(contradicted);
        });
        contradicted
    }

    /// Whether it takes the module, and an instance of it gives the right answers.
    pub(crate) fn agrees(&self, bytes: &[u8], is_right: impl FnOnce(&mut dyn Instance) -> bool) -> bool {
        let agreed = self.may_be_asked(bytes)
            && self.engine.validate(bytes).is_accepted()
            && self.engine.open(bytes, &[]).is_ok_and(|mut instance| is_right(&mut instance));
        self.note(agreed);
        agreed
    }
}

/// What is around each question: what is around every one, and a clock. If the engine is woven, its probes are no part of the
/// test's trace.
#[derive(Clone)]
struct Unseen {
    present: Present,
    opinions: Opinions,
    times: Times,
}

impl Around for Unseen {
    fn around<R>(&self, ask: impl FnOnce() -> R) -> R {
        self.present.around(ask)
    }

    fn asking<R>(&self, asked: Asked<'_>, ask: impl FnOnce() -> R) -> R {
        let _asking = Asking { opinions: &self.opinions, since: Instant::now() };
        self.times.reference(|| Recorder::new(0).record(|| self.present.asking(asked, ask)))
    }
}

/// A question under way. It is over, also while unwinding, when this is dropped.
struct Asking<'a> {
    opinions: &'a Opinions,
    since: Instant,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.opinions.change(|counts| {
            counts.panicked += u64::from(std::thread::panicking());
            counts.seconds += self.since.elapsed().as_secs_f64();
        });
    }
}
