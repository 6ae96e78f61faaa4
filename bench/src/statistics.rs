//! Statistics of runs of which some were cut off.
//!
//! A run that hits its time limit is *censored*: we only know that it would have taken longer. Ranks
//! ([`mann_whitney`], [`a12`]) treat it as later than every success, and [`Survival`] counts it as at risk
//! until then. No function here takes a mean over successes alone.

mod buckets;
mod holm;
mod ranks;
mod survival;

pub use buckets::{BOUNDS, Bucket};
pub use holm::holm;
pub use ranks::{Magnitude, a12, mann_whitney, stratified};
pub use survival::{Step, Survival};

/// The time of an event, or the time until which it had not happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The time or the number of tests.
    pub value: f64,
    /// Whether the event happened at `value`. If not, it had not happened by then.
    pub happened: bool,
}

impl Observation {
    /// An event at this time.
    pub fn event(value: f64) -> Self {
        Observation { value, happened: true }
    }

    /// An event that had not happened by this time.
    pub fn censored(value: f64) -> Self {
        Observation { value, happened: false }
    }

    /// The key for ranking: events that were not seen come last, and are equal.
    pub(super) fn rank(self) -> f64 {
        if self.happened { self.value } else { f64::INFINITY }
    }
}
