//! Where the time of a campaign goes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mutagen_oracles::{Ending, Engine, Function, Instance, Instantiation, State, Validity, Value};

/// Where the time of a campaign went, for its report. Clones share what they hold.
#[derive(Clone, Debug, Default)]
pub struct Times(Arc<Mutex<[Duration; 2]>>);

impl Times {
    /// Seconds in the target and in the reference.
    pub fn seconds(&self) -> [f64; 2] {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).map(|time| time.as_secs_f64())
    }

    fn add(&self, side: usize, time: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[side] += time;
    }

    pub(crate) fn target<R>(&self, body: impl FnOnce() -> R) -> R {
        self.measure(0, body)
    }

    pub(crate) fn reference<R>(&self, body: impl FnOnce() -> R) -> R {
        self.measure(1, body)
    }

    /// An engine whose time counts as the target's.
    pub(crate) fn of_target<'a>(&'a self, engine: &'a dyn Engine) -> Timed<'a> {
        Timed { engine, times: self, side: 0 }
    }

    /// An engine whose time counts as the reference's.
    pub(crate) fn of_reference<'a>(&'a self, engine: &'a dyn Engine) -> Timed<'a> {
        Timed { engine, times: self, side: 1 }
    }

    fn measure<R>(&self, side: usize, body: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = body();
        self.add(side, start.elapsed());
        result
    }
}

/// An engine that writes down how long it takes.
pub(crate) struct Timed<'a> {
    engine: &'a dyn Engine,
    times: &'a Times,
    side: usize,
}

impl Engine for Timed<'_> {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        self.times.measure(self.side, || self.engine.validate(bytes))
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        let instance = self.times.measure(self.side, || self.engine.instantiate(bytes))?;
        Ok(Box::new(TimedInstance { instance, times: self.times.clone(), side: self.side }))
    }
}

struct TimedInstance {
    instance: Box<dyn Instance>,
    times: Times,
    side: usize,
}

impl Instance for TimedInstance {
    fn exports(&self) -> Vec<Function> {
        self.instance.exports()
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        self.times.measure(self.side, || self.instance.call(name, arguments))
    }

    fn state(&mut self) -> State {
        self.times.measure(self.side, || self.instance.state())
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        self.instance.memory(index)
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        self.instance.table(index)
    }

    fn fuel_used(&self) -> u64 {
        self.instance.fuel_used()
    }
}
