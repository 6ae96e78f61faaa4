//! The arithmetic: what can be said of runs of which some were cut off.
//!
//! A run that hits its time limit is *censored*: all we know is that it would have taken longer. Ranks
//! ([`mann_whitney`], [`a12`]) treat it as later than every success, [`Survival`] as at risk until then. Nothing here
//! takes a mean over successes alone.

mod buckets;
mod holm;
mod ranks;
mod survival;

pub use buckets::{BOUNDS, Bucket};
pub use holm::holm;
pub use ranks::{Magnitude, a12, mann_whitney, stratified};
pub use survival::{Step, Survival};

/// How long something took, or for how long at least it had not happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The time or the number of tests.
    pub value: f64,
    /// Whether it happened then; else it had not happened by then.
    pub happened: bool,
}

impl Observation {
    /// It happened at this time.
    pub fn event(value: f64) -> Self {
        Observation { value, happened: true }
    }

    /// It had not happened by this time.
    pub fn censored(value: f64) -> Self {
        Observation { value, happened: false }
    }

    /// What ranks go by: those that never happened come last, and are equal.
    pub(super) fn rank(self) -> f64 {
        if self.happened { self.value } else { f64::INFINITY }
    }
}
