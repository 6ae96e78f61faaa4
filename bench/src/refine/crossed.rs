//! What one property found, tested with the others.

use mutagen_campaign::fails_on;
use mutagen_oracles::Registry;
use serde::Serialize;

use crate::{Cell, Error, Trial, TrialOutcome};

/// A property that fails on what the campaign of another property found, although its own campaign found nothing.
///
/// Campaigns are searches with a budget, and each meets other tests. A property that sees a bug should not seem blind
/// only because its search was too short. So every property is tested on all that is known of a bug.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Crossed {
    /// The bug.
    pub bug: String,
    /// The property that fails.
    pub property: String,
    /// The property whose campaign found the test.
    pub found_by: String,
}

impl Crossed {
    /// Tests every property that found nothing on the findings of the others.
    ///
    /// Call it [on a stack](mutagen_oracles::on_stack) of known size: engines need one.
    ///
    /// # Errors
    ///
    /// If a cell makes no sense, or an engine refuses its settings.
    pub fn all(trials: &[Trial], engines: &Registry) -> Result<Vec<Crossed>, Error> {
        let is_open = |trial: &&Trial| trial.outcome != TrialOutcome::Found && !trial.outcome.is_broken();
        let each = trials.iter().filter(is_open).map(|trial| Self::of(&trial.cell, trials, engines));
        each.filter_map(Result::transpose).collect()
    }

    fn of(cell: &Cell, trials: &[Trial], engines: &Registry) -> Result<Option<Crossed>, Error> {
        let spec = cell.spec()?;
        for trial in trials.iter().filter(|trial| trial.cell.task == cell.task) {
            if let (Some(finding), Some(found_by), Some(property)) =
                (&trial.finding, &trial.cell.property, &cell.property)
                && fails_on(&spec, finding, engines)? == Some(true)
            {
                let (bug, property, found_by) = (cell.task.clone(), property.clone(), found_by.clone());
                return Ok(Some(Crossed { bug, property, found_by }));
            }
        }
        Ok(None)
    }
}
