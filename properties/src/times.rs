//! The time that a campaign spends in each engine.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mutagen_oracles::{Around, Engine, Wrapped};

/// The time that a campaign spent in each engine, for its report. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct Times(Arc<Mutex<[Duration; 2]>>);

/// Whose time is measured.
#[derive(Clone, Copy, Debug)]
enum Side {
    Target,
    Reference,
}

impl Times {
    /// Seconds in the target and in the reference.
    pub fn seconds(&self) -> [f64; 2] {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).map(|time| time.as_secs_f64())
    }

    /// Runs work of the target, and counts its time.
    pub(crate) fn target<R>(&self, body: impl FnOnce() -> R) -> R {
        self.measure(Side::Target, body)
    }

    /// Runs work of the reference, and counts its time.
    pub(crate) fn reference<R>(&self, body: impl FnOnce() -> R) -> R {
        self.measure(Side::Reference, body)
    }

    /// An engine whose time counts as the target's.
    pub(crate) fn of_target<E: Engine>(&self, engine: E) -> Wrapped<E, Clock> {
        Wrapped::new(engine, Clock { times: self.clone(), side: Side::Target })
    }

    /// An engine whose time counts as the reference's.
    pub(crate) fn of_reference<E: Engine>(&self, engine: E) -> Wrapped<E, Clock> {
        Wrapped::new(engine, Clock { times: self.clone(), side: Side::Reference })
    }

    /// Counts time that was measured as the reference's.
    pub(crate) fn add_to_reference(&self, time: Duration) {
        self.add(Side::Reference, time);
    }

    fn measure<R>(&self, side: Side, body: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = body();
        self.add(side, start.elapsed());
        result
    }

    fn add(&self, side: Side, time: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[side as usize] += time;
    }
}

/// Measures the time of an engine.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    times: Times,
    side: Side,
}

impl Around for Clock {
    fn around<R>(&self, ask: impl FnOnce() -> R) -> R {
        self.times.measure(self.side, ask)
    }
}
