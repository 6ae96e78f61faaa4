//! Plans: the cells of a benchmark.

use std::str::FromStr;
use std::time::Duration;

use mutagen_campaign::Spec;
use mutagen_engine::stable;
use serde::{Deserialize, Serialize};

use crate::{NamedProperty, PlannedStrategy, StoredError, Suite, Task, Unknown};

/// The format version of a stored plan. It is raised when older programs cannot read the new format.
const FORMAT: u32 = 1;

/// The cells to run: a pure function of a suite and a wish.
///
/// ```
/// use mutagen_bench::{Plan, Suite, Wish};
///
/// let wish = Wish { tasks: vec!["stack-1*".into()], trials: Some(2), ..Wish::default() };
/// let plan = Plan::of(Suite::find("paper-ifc")?, &wish)?;
/// assert_eq!((plan.tasks.len(), plan.cells().len()), (11, 11 * 2 * plan.strategies.len()));
/// # Ok::<(), mutagen_bench::Unknown>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    format: u32,
    /// The suite that the plan is based on.
    pub suite: String,
    /// The time limit of a trial, in seconds.
    pub limit: f64,
    /// The ids of the tasks.
    pub tasks: Vec<String>,
    /// The strategies, each with its number of trials.
    pub strategies: Vec<PlannedStrategy>,
    /// The names of the properties that are tested at every task. Without any, each task has its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<String>,
    /// The number of tests after which a trial ends, besides the time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<u64>,
}

/// The changes that a user wants to a suite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// Patterns of tasks; if empty, those of the suite.
    pub tasks: Vec<String>,
    /// Strategies; if empty, those of the suite.
    pub strategies: Vec<PlannedStrategy>,
    /// The number of trials of every strategy that does not state its own.
    pub trials: Option<u32>,
    /// The time limit of a trial.
    pub time: Option<Duration>,
}

impl Plan {
    /// The plan of a suite without changes.
    ///
    /// # Panics
    ///
    /// If a suite has a task or strategy that does not exist. The tests make sure that none has.
    pub fn of_suite(suite: &Suite) -> Plan {
        Plan::of(suite, &Wish::default()).unwrap_or_else(|unknown| panic!("suite {}: {unknown}", suite.name))
    }

    /// The plan of a suite, changed as wished.
    ///
    /// # Errors
    ///
    /// If a task or strategy does not exist. The error names it and the nearest one that exists.
    pub fn of(suite: &Suite, wish: &Wish) -> Result<Plan, Unknown> {
        let patterns: Vec<&str> = match wish.tasks.as_slice() {
            [] => suite.tasks.to_vec(),
            patterns => patterns.iter().map(String::as_str).collect(),
        };
        let wanted: Vec<Vec<Task>> = patterns.into_iter().map(Task::matching).collect::<Result<_, _>>()?;
        let wanted: Vec<Task> = wanted.into_iter().flatten().collect();
        // Every task once, in the order of the catalogue.
        let tasks =
            Task::all().into_iter().filter(|task| wanted.contains(task)).map(|task| task.id).collect();
        let strategies = match wish.strategies.as_slice() {
            // Trials given on the command line override those of the suite.
            [] => suite.planned()?.into_iter().map(|strategy| with_trials(&strategy, wish.trials)).collect(),
            wished => wished.to_vec(),
        };
        let usual = wish.trials.unwrap_or(suite.trials);
        let mut plan = Plan {
            format: FORMAT,
            suite: suite.name.to_owned(),
            limit: wish.time.unwrap_or(suite.time).as_secs_f64(),
            tasks,
            strategies: Vec::new(),
            properties: Vec::new(),
            tests: None,
        };
        // Add each strategy once, and refuse one that was asked for but can hunt none of the tasks.
        let wished = !wish.strategies.is_empty();
        for strategy in strategies {
            if wished && !wanted.iter().any(|task| strategy.suits(task)) {
                return Err(strategy.suits_no_task());
            }
            let strategy = PlannedStrategy { trials: strategy.trials.or(Some(usual)), ..strategy };
            if plan.strategies.iter().all(|known| known.name != strategy.name) {
                plan.strategies.push(strategy);
            }
        }
        Ok(plan)
    }

    /// The plan that crosses tasks with properties: one trial each, with one strategy.
    pub(crate) fn crossing(
        tasks: Vec<String>,
        properties: Vec<String>,
        strategy: &PlannedStrategy,
        limit: Duration,
        tests: Option<u64>,
    ) -> Plan {
        let strategies = vec![PlannedStrategy { trials: Some(1), ..strategy.clone() }];
        let (format, suite, limit) = (FORMAT, "refine".to_owned(), limit.as_secs_f64());
        Plan { format, suite, limit, tasks, strategies, properties, tests }
    }

    /// Every cell, in the order in which they are run: the first trial of every task and strategy, then the
    /// second, and so on. So a run that is cut short has tried everything about equally often.
    pub fn cells(&self) -> Vec<Cell> {
        let known = Task::all();
        let tasks: Vec<&Task> = known.iter().filter(|task| self.tasks.contains(&task.id)).collect();
        let most = self.strategies.iter().map(PlannedStrategy::planned).max().unwrap_or(0);
        let mut cells = Vec::new();
        for trial in 0..most {
            for task in &tasks {
                for strategy in self.strategies.iter().filter(|strategy| trial < strategy.planned()) {
                    cells.extend(self.cells_at(task, strategy, trial));
                }
            }
        }
        cells
    }

    /// The cells of a trial at a task: one for each property that can show the bug, or only one if none is named.
    fn cells_at(&self, task: &Task, strategy: &PlannedStrategy, trial: u32) -> Vec<Cell> {
        let cell = Cell { test_limit: self.tests, ..Cell::new(&task.id, &strategy.name, trial, self.limit) };
        if self.properties.is_empty() {
            return if strategy.suits(task) { vec![cell] } else { Vec::new() };
        }
        let shows = |name: &&String| {
            let task = name.parse().ok().and_then(|property: NamedProperty| property.on(task));
            task.is_some_and(|task| strategy.suits(&task))
        };
        let on = |name: &String| Cell { property: Some(name.clone()), ..cell.clone() };
        self.properties.iter().filter(shows).map(on).collect()
    }

    /// The cells of one part, in the same order. All strategies at one trial of a task are in the same part:
    /// they are compared with each other, so they should run on the same machine.
    ///
    /// ```
    /// use mutagen_bench::{Plan, Suite};
    ///
    /// let plan = Plan::of_suite(Suite::find("smoke")?);
    /// let first = plan.cells_of("0/3".parse()?);
    /// assert_eq!(first[0].strategy, "mutagen");
    /// assert_eq!((&first[1].task, first[1].trial), (&first[0].task, first[0].trial));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cells_of(&self, shard: Shard) -> Vec<Cell> {
        let cells = self.cells();
        let together = |one: &Cell, next: &Cell| (&one.task, one.trial) == (&next.task, next.trial);
        shard.of(cells.chunk_by(together).collect()).concat()
    }

    /// Reads a stored plan.
    ///
    /// # Errors
    ///
    /// If the plan cannot be used. The error says why.
    pub fn read(text: &str) -> Result<Plan, StoredError> {
        let plan: Plan = serde_json::from_str(text).map_err(StoredError::NotAPlan)?;
        if plan.format != FORMAT {
            return Err(StoredError::Format { found: plan.format, known: FORMAT });
        }
        if !(plan.limit > 0.0 && Duration::try_from_secs_f64(plan.limit).is_ok()) {
            return Err(StoredError::Limit);
        }
        for task in &plan.tasks {
            Task::find(task)?;
        }
        for strategy in &plan.strategies {
            strategy.name.parse::<PlannedStrategy>()?;
        }
        for property in &plan.properties {
            property.parse::<NamedProperty>()?;
        }
        Ok(plan)
    }
}

impl PlannedStrategy {
    /// The number of trials in a plan.
    fn planned(&self) -> u32 {
        self.trials.unwrap_or(0)
    }
}

fn with_trials(strategy: &PlannedStrategy, trials: Option<u32>) -> PlannedStrategy {
    PlannedStrategy { trials: trials.or(strategy.trials), ..strategy.clone() }
}

/// One seeded run: task x strategy x trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The task's id.
    pub task: String,
    /// The property, if it is not the task's own.
    #[serde(rename = "planned_property", default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The strategy's name.
    pub strategy: String,
    /// The number of the trial, from 0.
    pub trial: u32,
    /// The seed, which is derived from the name.
    pub seed: u64,
    /// The time limit, in seconds.
    pub limit: f64,
    /// The number of tests after which it ends, if it does not find the bug before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_limit: Option<u64>,
}

impl Cell {
    /// The cell of a trial.
    ///
    /// ```
    /// use mutagen_bench::Cell;
    ///
    /// let cell = Cell::new("wasm-6", "mutagen/paper", 2, 20.0);
    /// assert_eq!(cell.name(), "wasm-6@mutagen_paper@2");
    /// assert_eq!(cell.seed, Cell::new("wasm-6", "mutagen/paper", 2, 60.0).seed);
    /// assert_ne!(cell.seed, Cell::new("wasm-6", "mutagen/paper", 3, 20.0).seed);
    /// assert_eq!(Cell::new("stack-1", "random,generator=smart", 0, 20.0).name(), "stack-1@random,generator=smart@0");
    /// ```
    pub fn new(task: &str, strategy: &str, trial: u32, limit: f64) -> Cell {
        let (task, strategy) = (task.to_owned(), strategy.to_owned());
        let mut cell = Cell { task, property: None, strategy, trial, seed: 0, limit, test_limit: None };
        // All properties of a task have the same seed: those that differ only in what they compare run the same tests.
        cell.seed = seed(&cell.name());
        cell
    }

    /// Its name, which is also the name of its file.
    pub fn name(&self) -> String {
        let property = self.property.as_ref().map(|name| format!("@{name}")).unwrap_or_default();
        format!("{}{property}@{}@{}", self.task, self.strategy, self.trial).replace('/', "_")
    }

    /// The campaign that it runs.
    ///
    /// # Errors
    ///
    /// If the task, property or strategy does not exist, or they do not go together.
    pub fn spec(&self) -> Result<Spec, Unknown> {
        let strategy: PlannedStrategy = self.strategy.parse()?;
        let mut task = Some(Task::find(&self.task)?);
        if let Some(name) = &self.property {
            let property: NamedProperty = name.parse()?;
            task = task.and_then(|task| property.on(&task));
        }
        let spec = task.and_then(|task| strategy.spec(&task));
        let mut spec = spec.ok_or_else(|| strategy.suits_no_task())?;
        (spec.seed, spec.budget.tests) = (self.seed, self.test_limit);
        // Whole milliseconds, as on the command line.
        spec.budget.time = Some(Duration::from_millis((self.limit * 1000.0).ceil() as u64));
        Ok(spec)
    }
}

/// A seed that is derived from the name alone. It has 32 bits, so that every JSON parser reads it exactly.
fn seed(name: &str) -> u64 {
    stable::spread(stable::hash(name.as_bytes())) >> 32
}

/// Part `index` of `count`: the items whose position, divided by `count`, leaves the remainder `index`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 0.
    pub index: usize,
    /// The number of parts.
    pub count: usize,
}

impl Shard {
    /// The items of a list that belong to this part.
    ///
    /// ```
    /// use mutagen_bench::Shard;
    ///
    /// let shard: Shard = "1/3".parse()?;
    /// assert_eq!(shard.of(vec!["a", "b", "c", "d", "e"]), ["b", "e"]);
    /// assert!("3/3".parse::<Shard>().is_err());
    /// # Ok::<(), mutagen_bench::NotAShard>(())
    /// ```
    pub fn of<T>(self, all: Vec<T>) -> Vec<T> {
        let mine = |(number, _): &(usize, T)| number % self.count == self.index;
        all.into_iter().enumerate().filter(mine).map(|(_, item)| item).collect()
    }
}

/// The text does not name a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a shard is K/N with K from 0 to N-1, such as 0/3")]
pub struct NotAShard;

impl FromStr for Shard {
    type Err = NotAShard;

    fn from_str(text: &str) -> Result<Self, NotAShard> {
        let numbers =
            text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if index < count => Ok(Shard { index, count }),
            _ => Err(NotAShard),
        }
    }
}
