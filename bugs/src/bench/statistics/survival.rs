//! The Kaplan-Meier estimate: which share of runs has not found the bug by a given time.

use super::Observation;

/// A time at which something happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// When.
    pub at: f64,
    /// The share that is left afterwards.
    pub left: f64,
}

/// The share of runs in which it has not happened yet, over time.
///
/// ```
/// use mutagen_bugs::bench::statistics::{Observation, Survival};
///
/// let runs = [Observation::event(1.0), Observation::event(3.0), Observation::censored(20.0)];
/// let survival = Survival::of(&runs);
/// assert_eq!(survival.median(), Some(3.0));
/// assert!((survival.restricted_mean(20.0) - (1.0 + 3.0 + 20.0) / 3.0).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Survival {
    steps: Vec<Step>,
}

impl Survival {
    /// The estimate from these observations.
    pub fn of(observations: &[Observation]) -> Self {
        let mut ordered = observations.to_vec();
        ordered.sort_by(|one, other| one.value.total_cmp(&other.value));
        let (mut left, mut at_risk, mut steps) = (1.0, ordered.len(), Vec::new());
        for together in ordered.chunk_by(|one, other| one.value == other.value) {
            let happened = together.iter().filter(|observation| observation.happened).count();
            if happened > 0 {
                left *= 1.0 - happened as f64 / at_risk as f64;
                steps.push(Step { at: together[0].value, left });
            }
            // Those cut off at the same time were at risk until then.
            at_risk -= together.len();
        }
        Survival { steps }
    }

    /// The times at which something happened, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The share that is left after `time`.
    pub fn at(&self, time: f64) -> f64 {
        self.steps.iter().take_while(|step| step.at <= time).last().map_or(1.0, |step| step.left)
    }

    /// When half of them are done; none if that was not seen.
    pub fn median(&self) -> Option<f64> {
        // A little above one half, since products of fractions are not exact.
        self.steps.iter().find(|step| step.left <= 0.5 + 1e-9).map(|step| step.at)
    }

    /// The mean if everything that had not happened by `limit` had happened then: the area under the curve. A lower bound
    /// of the true mean where runs were cut off.
    pub fn restricted_mean(&self, limit: f64) -> f64 {
        let (mut area, mut since, mut left) = (0.0, 0.0, 1.0);
        for step in self.steps.iter().take_while(|step| step.at <= limit) {
            area += left * (step.at - since);
            (since, left) = (step.at, step.left);
        }
        area + left * (limit - since)
    }
}
