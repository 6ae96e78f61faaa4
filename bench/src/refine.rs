//! Are the properties enough? The bugs of the catalogue are the mutants, and a campaign for each bug and property is
//! the test.
//!
//! A pair is killed if its campaign finds the bug. It is also killed if the property fails on what the campaign of
//! another property found: then the property sees the bug, and only its search was too short. See [`Crossed`].
//!
//! ```
//! use mutagen_bench::{Workload, refine};
//!
//! let plan = refine::plan(Workload::Stack, &refine::Wish { bugs: vec!["stack-1?".into()], ..Default::default() })?;
//! assert_eq!((plan.tasks.len(), plan.properties.join(" ")), (10, "ssni msni eeni".to_owned()));
//! assert_eq!(plan.cells()[1].name(), "stack-10@msni@mutagen@0");
//! # Ok::<(), mutagen_bench::Unknown>(())
//! ```

mod crossed;
mod files;

use std::path::PathBuf;
use std::time::Duration;

use mutagen_refine::{Fate, KillMatrix, RefineReport};

use crate::pattern::fits;
use crate::{
    CellStore, Error, NamedProperty, Plan, PlannedStrategy, Task, Trial, TrialOutcome, Unknown, Workload,
};

pub use crossed::Crossed;
pub use files::{csv, json};

/// What is to be refined. The default is everything, with the default strategy and budget.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// Patterns of bugs; if empty, all of the workload.
    pub bugs: Vec<String>,
    /// Names or patterns of properties; if empty, the usual ones of the workload.
    pub properties: Vec<String>,
    /// The strategy of every campaign; if there is none, `mutagen`.
    pub strategy: Option<PlannedStrategy>,
    /// The time limit of a campaign; if there is none, [`TIME`].
    pub time: Option<Duration>,
    /// The number of tests of a campaign, besides the time limit.
    pub tests: Option<u64>,
}

/// The time limit of a campaign, if none is given.
pub const TIME: Duration = Duration::from_secs(5);

/// With fewer bugs than this, properties that have nothing to do with each other often see the same ones.
const FEW: usize = 20;

/// The plan: a cell for each bug and each property that can show it.
///
/// # Errors
///
/// If a bug, property or strategy does not exist. The error names the nearest one.
pub fn plan(workload: Workload, wish: &Wish) -> Result<Plan, Unknown> {
    let all: Vec<Task> = Task::all().into_iter().filter(|task| task.workload() == workload).collect();
    for pattern in &wish.bugs {
        if !all.iter().any(|task| fits(pattern, &task.id)) {
            return Err(no_bug(pattern, workload, &all));
        }
    }
    let wanted =
        |task: &Task| wish.bugs.is_empty() || wish.bugs.iter().any(|pattern| fits(pattern, &task.id));
    let tasks: Vec<Task> = all.into_iter().filter(wanted).collect();
    let mut properties: Vec<NamedProperty> = Vec::new();
    for pattern in &wish.properties {
        let matching = NamedProperty::matching(pattern, workload)?;
        properties.extend(
            matching.into_iter().filter(|property| !properties.contains(property)).collect::<Vec<_>>(),
        );
    }
    if wish.properties.is_empty() {
        properties = NamedProperty::usual(workload);
    }
    let strategy = match &wish.strategy {
        Some(strategy) => strategy.clone(),
        None => "mutagen".parse()?,
    };
    if !tasks.iter().any(|task| strategy.suits(task)) {
        return Err(strategy.suits_no_task());
    }
    let names = properties.iter().map(NamedProperty::to_string).collect();
    let ids = tasks.into_iter().map(|task| task.id).collect();
    Ok(Plan::crossing(ids, names, &strategy, wish.time.unwrap_or(TIME), wish.tests))
}

fn no_bug(pattern: &str, workload: Workload, all: &[Task]) -> Unknown {
    let elsewhere = Task::matching(pattern).ok().and_then(|tasks| Some(tasks.first()?.workload()));
    let hint = match elsewhere {
        Some(Workload::Wasm) => "`mutagen-wasm refine` without `ifc` has those of the engines".to_owned(),
        Some(other) => format!("`mutagen-wasm refine ifc {}` has those of that machine", other.name()),
        None => "`mutagen-wasm bugs list` shows all bugs".to_owned(),
    };
    let kind = match workload {
        Workload::Wasm => "bug of the engines",
        Workload::Stack => "fault of the stack machine",
        Workload::Register => "fault of the register machine",
    };
    Unknown::new(kind, pattern, all.iter().map(|task| task.id.as_str()), hint)
}

/// The plan that is stored in a directory, and its results so far.
///
/// # Errors
///
/// If there is no plan, or it is about strategies.
pub fn stored(store: &CellStore) -> Result<Option<Plan>, Error> {
    of_properties(store.plan()?, store.directory())
}

/// The same plan, which was found in this place.
///
/// # Errors
///
/// If it is about strategies.
pub fn of_properties(plan: Option<Plan>, place: impl Into<PathBuf>) -> Result<Option<Plan>, Error> {
    match plan {
        Some(plan) if plan.properties.is_empty() => Err(Error::OfStrategies(place.into())),
        plan => Ok(plan),
    }
}

/// The report on the results of a plan. Cells that were not run, or whose process broke down, are unknown.
///
/// # Errors
///
/// If the plan has no bugs or properties, or so many that nobody would read the result.
pub fn report(plan: &Plan, trials: &[Trial], crossed: &[Crossed]) -> Result<RefineReport, Error> {
    let planned = plan.cells();
    let mut matrix = KillMatrix::new(&plan.properties);
    for task in plan.tasks.iter().filter_map(|id| Task::find(id).ok()) {
        let fate = |property: &String| {
            let is_here = |bug: &str, other: Option<&String>| bug == task.id && other == Some(property);
            let is_planned = planned.iter().any(|cell| is_here(&cell.task, cell.property.as_ref()));
            let trial = trials.iter().find(|trial| is_here(&trial.cell.task, trial.cell.property.as_ref()));
            match trial {
                _ if crossed.iter().any(|one| is_here(&one.bug, Some(&one.property))) => Fate::Killed,
                _ if !is_planned => Fate::Survived,
                Some(trial) if trial.outcome == TrialOutcome::Found => Fate::Killed,
                Some(trial) if !trial.outcome.is_broken() => Fate::Survived,
                _ => Fate::Unknown,
            }
        };
        matrix.push(format!("{}: {}", task.id, task.title), plan.properties.iter().map(fate));
    }
    let report = RefineReport::of(matrix)?;
    Ok(about(plan, trials, crossed).into_iter().fold(report, RefineReport::with_about))
}

/// What the report is based on, in words.
fn about(plan: &Plan, trials: &[Trial], crossed: &[Crossed]) -> Vec<String> {
    let cells = plan.cells().len();
    let strategies: Vec<&str> = plan.strategies.iter().map(|strategy| strategy.name.as_str()).collect();
    let tests = plan.tests.map(|tests| format!(" or {tests} tests")).unwrap_or_default();
    let mut lines = vec![format!(
        "campaigns with {}, of at most {} s{tests} each: {cells}",
        strategies.join(", "),
        plan.limit
    )];
    let run: u64 = trials.iter().map(|trial| trial.tests).sum();
    lines.push(format!("tests in all: {run}"));
    let pairs = plan.tasks.len() * plan.properties.len();
    if cells < pairs {
        lines.push(format!(
            "pairs without a campaign, because that property cannot show that bug: {}",
            pairs - cells
        ));
    }
    if plan.tasks.len() < FEW {
        lines.push(format!("fewer than {FEW} bugs, so that conjectures may hold by accident"));
    }
    if !crossed.is_empty() {
        lines.push(format!(
            "pairs killed only by what the campaign of another property found: {}",
            crossed.len()
        ));
    }
    lines
}
