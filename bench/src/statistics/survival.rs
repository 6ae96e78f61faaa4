//! The Kaplan-Meier estimate: the share of runs that have not found the bug by a given time.

use super::Observation;

/// A step of the curve, at a time at which events happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The time.
    pub at: f64,
    /// The share of runs that is left afterwards.
    pub left: f64,
}

/// The share of runs in which the event has not happened yet, over time.
///
/// ```
/// use mutagen_bench::statistics::{Observation, Survival};
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
        // At each time, the share shrinks by the fraction of runs at risk in which the event happens.
        for together in ordered.chunk_by(|one, other| one.value == other.value) {
            let happened = together.iter().filter(|observation| observation.happened).count();
            if happened > 0 {
                left *= 1.0 - happened as f64 / at_risk as f64;
                steps.push(Step { at: together[0].value, left });
            }
            // Runs that were cut off at this time were at risk until now.
            at_risk -= together.len();
        }
        Survival { steps }
    }

    /// The times at which events happened, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The share of runs that is left after `time`.
    pub fn at(&self, time: f64) -> f64 {
        self.steps.iter().take_while(|step| step.at <= time).last().map_or(1.0, |step| step.left)
    }

    /// The time by which the event has happened in half of the runs. `None` if the observations end before
    /// that.
    pub fn median(&self) -> Option<f64> {
        // The bound is a little above one half, since products of fractions are not exact.
        self.steps.iter().find(|step| step.left <= 0.5 + 1e-9).map(|step| step.at)
    }

    /// The mean time if every event that had not happened by `limit` had happened then: the area under the
    /// curve. It is a lower bound of the true mean if runs were cut off.
    pub fn restricted_mean(&self, limit: f64) -> f64 {
        let (mut area, mut since, mut left) = (0.0, 0.0, 1.0);
        for step in self.steps.iter().take_while(|step| step.at <= limit) {
            area += left * (step.at - since);
            (since, left) = (step.at, step.left);
        }
        area + left * (limit - since)
    }
}
