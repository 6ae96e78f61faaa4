//! Which cells there are.

use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bench::{Contender, Suite, Task, Unknown};

/// The form of a stored plan. Raised when an older program could not read a newer file.
const FORMAT: u32 = 1;

/// What is to be run: a pure function of what was wished for.
///
/// ```
/// use mutagen_bugs::bench::{Plan, Suite, Wish};
///
/// let wish = Wish { tasks: vec!["stack-1*".into()], trials: Some(2), ..Wish::default() };
/// let plan = Plan::of(Suite::find("paper-ifc")?, &wish)?;
/// assert_eq!((plan.tasks.len(), plan.cells().len()), (11, 11 * 2 * plan.strategies.len()));
/// # Ok::<(), mutagen_bugs::bench::Unknown>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    format: u32,
    /// The suite that it began with.
    pub suite: String,
    /// The time limit of a trial, in seconds.
    pub limit: f64,
    /// The ids of the tasks.
    pub tasks: Vec<String>,
    /// The strategies, each with its number of trials.
    pub strategies: Vec<Contender>,
}

/// What is to differ from the suite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// Patterns of tasks; none: those of the suite.
    pub tasks: Vec<String>,
    /// Strategies; none: those of the suite.
    pub strategies: Vec<Contender>,
    /// Trials of every strategy that does not say how many.
    pub trials: Option<u32>,
    /// The time limit of a trial.
    pub time: Option<Duration>,
}

impl Plan {
    /// The plan of a suite as it is.
    ///
    /// # Panics
    ///
    /// If a suite has a task or strategy that does not exist, which tests rule out.
    pub fn of_suite(suite: &Suite) -> Plan {
        Plan::of(suite, &Wish::default()).unwrap_or_else(|unknown| panic!("suite {}: {unknown}", suite.name))
    }

    /// The plan of a suite, changed as wished.
    ///
    /// # Errors
    ///
    /// Names the task or strategy that does not exist, and the nearest that does.
    pub fn of(suite: &Suite, wish: &Wish) -> Result<Plan, Unknown> {
        let patterns: Vec<&str> = match wish.tasks.as_slice() {
            [] => suite.tasks.to_vec(),
            patterns => patterns.iter().map(String::as_str).collect(),
        };
        let wanted: Vec<Vec<Task>> = patterns.into_iter().map(Task::matching).collect::<Result<_, _>>()?;
        let wanted: Vec<Task> = wanted.into_iter().flatten().collect();
        // In the order of the catalogue, each once.
        let tasks =
            Task::all().into_iter().filter(|task| wanted.contains(task)).map(|task| task.id).collect();
        let strategies = match wish.strategies.as_slice() {
            // Trials that were asked for on the command line go before those of the suite.
            [] => suite
                .contenders()?
                .into_iter()
                .map(|contender| with_trials(&contender, wish.trials))
                .collect(),
            wished => wished.to_vec(),
        };
        let usual = wish.trials.unwrap_or(suite.trials);
        let mut plan = Plan {
            format: FORMAT,
            suite: suite.name.to_owned(),
            limit: wish.time.unwrap_or(suite.time).as_secs_f64(),
            tasks,
            strategies: Vec::new(),
        };
        let wished = !wish.strategies.is_empty();
        for contender in strategies {
            if wished && !wanted.iter().any(|task| contender.suits(task)) {
                return Err(contender.suits_no_task());
            }
            let contender = Contender { trials: contender.trials.or(Some(usual)), ..contender };
            if plan.strategies.iter().all(|known| known.name != contender.name) {
                plan.strategies.push(contender);
            }
        }
        Ok(plan)
    }

    /// Every cell, in the order in which they are run: first one trial of everything, then the next, so that a run that
    /// is cut short has tried everything about equally often.
    pub fn cells(&self) -> Vec<Cell> {
        let known = Task::all();
        let tasks: Vec<&Task> = known.iter().filter(|task| self.tasks.contains(&task.id)).collect();
        let most = self.strategies.iter().map(Contender::planned).max().unwrap_or(0);
        let mut cells = Vec::new();
        for trial in 0..most {
            for task in &tasks {
                for strategy in &self.strategies {
                    if trial < strategy.planned() && strategy.suits(task) {
                        cells.push(Cell::new(&task.id, &strategy.name, trial, self.limit));
                    }
                }
            }
        }
        cells
    }

    /// The cells of one part, in the same order. All strategies at a trial of a task are in one part: they are compared with
    /// each other, and should be so on one machine.
    ///
    /// ```
    /// use mutagen_bugs::bench::{Plan, Suite};
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
    /// Says why it cannot be used.
    pub fn read(text: &str) -> Result<Plan, String> {
        let plan: Plan = serde_json::from_str(text).map_err(|error| format!("this is no plan: {error}"))?;
        if plan.format != FORMAT {
            return Err(format!("written in form {}, this program reads form {FORMAT}", plan.format));
        }
        if !(plan.limit.is_finite() && plan.limit > 0.0) {
            return Err("its time limit is not a positive number of seconds".to_owned());
        }
        for task in &plan.tasks {
            Task::find(task).map_err(|unknown| unknown.to_string())?;
        }
        for strategy in &plan.strategies {
            strategy.name.parse::<Contender>().map_err(|unknown| unknown.to_string())?;
        }
        Ok(plan)
    }
}

impl Contender {
    /// The number of trials in a plan.
    fn planned(&self) -> u32 {
        self.trials.unwrap_or(0)
    }
}

fn with_trials(contender: &Contender, trials: Option<u32>) -> Contender {
    Contender { trials: trials.or(contender.trials), ..contender.clone() }
}

/// One seeded run: task x strategy x trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The task's id.
    pub task: String,
    /// The strategy's name.
    pub strategy: String,
    /// The number of the trial, from 0.
    pub trial: u32,
    /// The seed, which follows from the name.
    pub seed: u64,
    /// The time limit, in seconds.
    pub limit: f64,
}

impl Cell {
    /// The cell of a trial.
    ///
    /// ```
    /// use mutagen_bugs::bench::Cell;
    ///
    /// let cell = Cell::new("wasm-6", "mutagen/paper", 2, 20.0);
    /// assert_eq!(cell.name(), "wasm-6@mutagen_paper@2");
    /// assert_eq!(cell.seed, Cell::new("wasm-6", "mutagen/paper", 2, 60.0).seed);
    /// assert_ne!(cell.seed, Cell::new("wasm-6", "mutagen/paper", 3, 20.0).seed);
    /// assert_eq!(Cell::new("stack-1", "random,generator=smart", 0, 20.0).name(), "stack-1@random,generator=smart@0");
    /// ```
    pub fn new(task: &str, strategy: &str, trial: u32, limit: f64) -> Cell {
        let mut cell = Cell { task: task.to_owned(), strategy: strategy.to_owned(), trial, seed: 0, limit };
        cell.seed = seed(&cell.name());
        cell
    }

    /// Its name, which is also that of its file.
    pub fn name(&self) -> String {
        format!("{}@{}@{}", self.task, self.strategy.replace('/', "_"), self.trial)
    }

    /// The words of the command line that runs it.
    ///
    /// # Errors
    ///
    /// Names the task or strategy that does not exist.
    pub fn command(&self) -> Result<Vec<String>, Unknown> {
        let mut words = self.strategy.parse::<Contender>()?.command(&Task::find(&self.task)?);
        // In milliseconds, since durations of the command line are whole numbers with a unit.
        let limit = format!("{}ms", (self.limit * 1000.0).ceil());
        for word in ["--seed", &self.seed.to_string(), "--time", &limit, "--json", "--quiet"] {
            words.push(word.to_owned());
        }
        Ok(words)
    }
}

/// A number that follows from the name alone: FNV-1a, then the last step of splitmix64 to spread neighbours. 32 bits,
/// so that every reader of JSON has it exactly.
fn seed(name: &str) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut bits = name.bytes().fold(0xcbf2_9ce4_8422_2325, fold);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) >> 32
}

/// Part `index` of `count`: what has a number that leaves this remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 0.
    pub index: usize,
    /// How many there are.
    pub count: usize,
}

impl Shard {
    /// The whole.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// What of a list belongs to this part.
    ///
    /// ```
    /// use mutagen_bugs::bench::Shard;
    ///
    /// let shard: Shard = "1/3".parse()?;
    /// assert_eq!(shard.of(vec!["a", "b", "c", "d", "e"]), ["b", "e"]);
    /// assert!("3/3".parse::<Shard>().is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn of<T>(self, all: Vec<T>) -> Vec<T> {
        let mine = |(number, _): &(usize, T)| number % self.count == self.index;
        all.into_iter().enumerate().filter(mine).map(|(_, item)| item).collect()
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if index < count => Ok(Shard { index, count }),
            _ => Err("a shard is K/N with K from 0 to N-1, such as 0/3".to_owned()),
        }
    }
}
