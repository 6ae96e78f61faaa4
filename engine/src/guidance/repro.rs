//! Repro: values that were found or collected earlier, once more.

use super::{Figures, Guidance};
use crate::{Trace, Verdict};

/// Tests the given values in their order; then the campaign ends. It learns nothing.
///
/// ```
/// use mutagen_engine::{Campaign, Repro, StopReason};
///
/// let mut guidance = Repro::new(vec![3, 8, 5]).expect("there are values");
/// let report = Campaign::new(0).keep_going(true).run(&mut guidance, &mut |n: &i32| *n < 5);
/// assert_eq!((report.stop, report.passed, report.failed), (StopReason::Exhausted, 1, 2));
/// ```
pub struct Repro<T> {
    values: Vec<T>,
    given: usize,
}

impl<T> Repro<T> {
    /// Tests these values. `None` if there are none.
    pub fn new(values: Vec<T>) -> Option<Self> {
        (!values.is_empty()).then_some(Repro { values, given: 0 })
    }
}

impl<T: Clone> Guidance<T> for Repro<T> {
    fn next(&mut self) -> T {
        self.given += 1;
        self.values[(self.given - 1) % self.values.len()].clone()
    }

    fn learn(&mut self, _: &T, _: &Verdict, _: Trace<'_>) -> bool {
        false
    }

    fn figures(&self) -> Figures {
        Figures::new("repro").count("given", self.given as u64)
    }

    fn wants_traces(&self) -> bool {
        false
    }

    fn is_exhausted(&self) -> bool {
        self.given >= self.values.len()
    }
}
