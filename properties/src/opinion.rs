//! The first opinion: quick engines that are asked before the reference.
//!
//! The reference spends its time on compiling, so asking it costs many times what the test itself costs. Where a quick engine
//! gives the same answers as the target, nothing is left to ask. It never decides that something is wrong: whatever it does
//! not agree to, or cannot do, goes to the reference, which alone decides.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use mutagen_engine::stable;
use mutagen_oracles::{
    Around, Asked, Compiled, Engine, EngineEntry, EngineError, Guarded, HostPlan, Instance, Instantiation,
    Rejection, Settings, Validity, Which, Wrapped,
};
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

/// The engines that give first opinions, ready to be asked. They are asked in their order.
pub(crate) struct FirstOpinion {
    engines: Vec<Quick>,
    opinions: Opinions,
    unasked: Barred,
}

/// A quick engine.
struct Quick {
    engine: Guarded<Wrapped<Box<dyn Engine>, Unseen>>,
    /// Whether it has every feature that is on, so that a module that it rejects is invalid in its opinion.
    has_all: bool,
}

/// An engine with something to say about a module, and what it says about its validity.
pub(crate) struct Adviser<'a> {
    engine: &'a Guarded<Wrapped<Box<dyn Engine>, Unseen>>,
    validity: Validity,
}

/// What came of asking one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// It gives the target's answers.
    Agrees,
    /// It gives others.
    Differs,
    /// It cannot tell: another one may.
    Nothing,
}

impl FirstOpinion {
    /// The engines that the context names, if it names any. Each gets the features that it has: it rejects modules that need
    /// others.
    ///
    /// # Errors
    ///
    /// If one refuses the settings.
    pub(crate) fn of(context: &Context) -> Result<Option<Self>, EngineError> {
        let quick = |entry: &EngineEntry| {
            let all = context.settings;
            let settings = Settings { features: all.features & entry.features, mends: true, ..all };
            let present = Present { engine: entry.name, leads: false, ..context.present_without_bug() };
            let (opinions, times) = (context.opinions.clone(), context.times.clone());
            let unseen = Unseen { present, opinions, times };
            let engine = Guarded(Wrapped::new(entry.make(&settings)?, unseen));
            Ok(Quick { engine, has_all: entry.features.includes(all.features) })
        };
        let engines = context.first_opinions.iter().map(quick).collect::<Result<Vec<_>, EngineError>>()?;
        let (opinions, unasked) = (context.opinions.clone(), context.unasked.clone());
        Ok((!engines.is_empty()).then_some(FirstOpinion { engines, opinions, unasked }))
    }

    /// Whether any may be asked about a module. Not if one ended a process on it before.
    pub(crate) fn may_be_asked(&self, bytes: &[u8]) -> bool {
        !self.unasked.bars(bytes)
    }

    /// Asks one engine after the other, until one can tell. Each is asked about the module's validity first: one that lacks
    /// what the module needs has nothing to say. Counts the test, and returns whether it is settled.
    ///
    /// One that differs is not outvoted by the next: the reference decides.
    pub(crate) fn settles(&self, bytes: &[u8], mut ask: impl FnMut(&Adviser<'_>) -> Said) -> bool {
        let advisers = self.engines.iter().filter_map(|quick| quick.on(bytes));
        let said = advisers.map(|adviser| ask(&adviser)).find(|said| *said != Said::Nothing);
        let agreed = said == Some(Said::Agrees);
        self.opinions.change(|counts| {
            counts.asked += 1;
            counts.agreed += u64::from(agreed);
        });
        agreed
    }

    /// Whether the reference judges this test although the first opinion agrees. It follows from the module, so that runs
    /// repeat. The lowest bits of the hash decide already whether the target's other way to run is asked. The others are mixed
    /// first: modules that are nearly the same have hashes that are.
    pub(crate) fn checks(&self, bytes: &[u8]) -> bool {
        (stable::hash(bytes).wrapping_mul(MIXING) >> 32).is_multiple_of(CHECKED_EVERY)
    }

    /// Counts a test that the reference judged all the same. Returns whether it sees a difference.
    pub(crate) fn note_check(&self, contradicted: bool) -> bool {
        self.opinions.change(|counts| {
            counts.checked += 1;
            counts.contradicted += u64::from(contradicted);
        });
        contradicted
    }
}

impl Quick {
    /// The engine, if it has something to say about this module.
    fn on(&self, bytes: &[u8]) -> Option<Adviser<'_>> {
        let validity = self.engine.validate(bytes);
        let is_told = match validity {
            Validity::Accepted => true,
            Validity::Rejected(_) => self.has_all,
            Validity::Panicked(_) | Validity::Unanswered(_) => false,
        };
        is_told.then_some(Adviser { engine: &self.engine, validity })
    }
}

impl Engine for Adviser<'_> {
    fn name(&self) -> &str {
        self.engine.name()
    }

    /// What it said when it was chosen.
    fn validate(&self, _: &[u8]) -> Validity {
        self.validity.clone()
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.engine.instantiate(bytes)
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        self.engine.instantiate_with(bytes, hosts)
    }

    fn compile<'a>(&'a self, bytes: &[u8]) -> Result<Box<dyn Compiled + 'a>, Rejection> {
        self.engine.compile(bytes)
    }

    fn limit(&self, which: Which) -> Option<u64> {
        self.engine.limit(which)
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
        let _asking = Asking { unseen: self, since: Instant::now() };
        Recorder::new(0).record(|| self.present.asking(asked, ask))
    }
}

/// A question under way. It is over, also while unwinding, when this is dropped.
struct Asking<'a> {
    unseen: &'a Unseen,
    since: Instant,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let time = self.since.elapsed();
        self.unseen.times.add_to_reference(time);
        self.unseen.opinions.change(|counts| {
            counts.panicked += u64::from(std::thread::panicking());
            counts.seconds += time.as_secs_f64();
        });
    }
}
