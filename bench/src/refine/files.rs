//! The report for programs.

use mutagen_refine::RefineReport;
use serde_json::{Value, json};

use super::Crossed;
use crate::report::{Row, csv as lines};
use crate::{Plan, Trial};

/// The report as JSON: the plan, the report of `mutagen-refine` with the whole matrix, every campaign with what it found, and
/// what one property found for another.
pub fn json(plan: &Plan, report: &RefineReport, trials: &[Trial], crossed: &[Crossed]) -> Value {
    json!({ "plan": plan, "report": report.to_json(), "campaigns": trials, "crossed": crossed })
}

/// A line for each campaign: what it was about, how it ended, and the kind of difference that was found.
pub fn csv(trials: &[Trial]) -> String {
    let row = |trial: &Trial| -> Row {
        vec![
            ("bug", json!(trial.cell.task)),
            ("property", json!(trial.cell.property)),
            ("outcome", json!(trial.outcome.name())),
            ("tests", json!(trial.tests)),
            ("seconds", json!(trial.seconds)),
            ("note", json!(trial.note)),
        ]
    };
    lines(trials.iter().map(row))
}
