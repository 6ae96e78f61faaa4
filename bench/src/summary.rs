//! All trials of a strategy at a task, in a few numbers.

use crate::statistics::{Bucket, Observation, Survival};
use crate::{Cell, Plan, Trial, TrialOutcome, Workload};

/// The quantity that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Seconds until the bug is found.
    Seconds,
    /// Tests until the bug is found. This number does not depend on the machine or its load.
    Tests,
}

impl Measure {
    /// The trials as observations of this measure.
    pub fn of(self, trials: &[Trial], limit: f64) -> Vec<Observation> {
        let observe = |trial: &Trial| match self {
            Measure::Seconds => trial.seconds_to_failure(limit),
            Measure::Tests => trial.tests_to_failure(limit),
        };
        trials.iter().map(observe).collect()
    }
}

/// All trials of a strategy at a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The task's id.
    pub task: String,
    /// The strategy's name.
    pub strategy: String,
    /// The time limit in seconds.
    pub limit: f64,
    /// How many trials were planned.
    pub planned: usize,
    /// The trials that were run.
    pub trials: Vec<Trial>,
}

impl Summary {
    /// How many trials were run.
    pub fn runs(&self) -> usize {
        self.trials.len()
    }

    /// How many trials found the bug in time.
    pub fn found(&self) -> usize {
        self.trials.iter().filter(|trial| trial.found_within(self.limit)).count()
    }

    /// The share of trials that found the bug. The papers call it failure rate, since a property fails when
    /// the bug is found.
    pub fn failure_rate(&self) -> Option<f64> {
        (self.runs() > 0).then(|| self.found() as f64 / self.runs() as f64)
    }

    /// Trials that crashed, hung, or could not be read.
    pub fn broken(&self) -> usize {
        self.trials.iter().filter(|trial| trial.outcome.is_broken()).count()
    }

    /// How many trials ended like this.
    pub fn ended(&self, outcome: TrialOutcome) -> usize {
        self.trials.iter().filter(|trial| trial.outcome == outcome).count()
    }

    /// The trials as observations of this measure.
    pub fn observations(&self, measure: Measure) -> Vec<Observation> {
        measure.of(&self.trials, self.limit)
    }

    /// The share of trials that have not found the bug, over time or tests.
    pub fn survival(&self, measure: Measure) -> Survival {
        Survival::of(&self.observations(measure))
    }

    /// The median over all trials, time-outs included. `None` if fewer than half found the bug.
    pub fn median(&self, measure: Measure) -> Option<f64> {
        self.survival(measure).median()
    }

    /// The mean time to failure as the papers take it: a time-out counts as the limit, so this is a lower
    /// bound if [`failure_rate`](Summary::failure_rate) is below 1.
    pub fn mean_seconds(&self) -> Option<f64> {
        (self.runs() > 0).then(|| self.survival(Measure::Seconds).restricted_mean(self.limit))
    }

    /// The mean number of tests of the trials that found the bug, as the papers take it. It means little
    /// without the [`failure_rate`](Summary::failure_rate).
    pub fn mean_tests_of_found(&self) -> Option<f64> {
        let found = self.trials.iter().filter(|trial| trial.found_within(self.limit));
        let tests: u64 = found.map(|trial| trial.tests).sum();
        (self.found() > 0).then(|| tests as f64 / self.found() as f64)
    }

    /// How well the strategy does at the task. The task is solved if every planned trial was run and found
    /// the bug.
    pub fn bucket(&self) -> Option<Bucket> {
        self.mean_seconds().map(|mean| Bucket::of(self.found(), self.planned, mean))
    }

    /// Whether every planned trial was run and found the bug.
    pub fn is_solved(&self) -> bool {
        self.found() == self.planned && self.planned > 0
    }

    /// The workload of the task.
    pub fn workload(&self) -> Workload {
        Workload::of(&self.task)
    }
}

/// Every summary of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The plan.
    pub plan: Plan,
    /// One summary per task and strategy, ordered by task, then by strategy, as in the plan.
    pub summaries: Vec<Summary>,
}

impl Table {
    /// Sorts trials by task and strategy. Trials that are not in the plan are left out.
    pub fn of(plan: &Plan, trials: &[Trial]) -> Table {
        let cells = plan.cells();
        let mut summaries = Vec::new();
        for task in &plan.tasks {
            for strategy in plan.strategies.iter().map(|strategy| &strategy.name) {
                let here = |cell: &Cell| cell.task == *task && cell.strategy == *strategy;
                let planned = cells.iter().filter(|cell| here(cell)).count();
                let mut trials: Vec<Trial> =
                    trials.iter().filter(|trial| here(&trial.cell)).cloned().collect();
                trials.sort_by_key(|trial| trial.cell.trial);
                trials.dedup_by_key(|trial| trial.cell.trial);
                if planned > 0 {
                    summaries.push(Summary {
                        task: task.clone(),
                        strategy: strategy.clone(),
                        limit: plan.limit,
                        planned,
                        trials,
                    });
                }
            }
        }
        Table { plan: plan.clone(), summaries }
    }

    /// All trials.
    pub fn trials(&self) -> impl Iterator<Item = &Trial> {
        self.summaries.iter().flat_map(|summary| &summary.trials)
    }

    /// The summary of a strategy at a task.
    pub fn get(&self, task: &str, strategy: &str) -> Option<&Summary> {
        self.summaries.iter().find(|summary| summary.task == task && summary.strategy == strategy)
    }

    /// The names of the strategies.
    pub fn strategies(&self) -> Vec<&str> {
        self.plan.strategies.iter().map(|strategy| strategy.name.as_str()).collect()
    }

    /// The workloads that have tasks here.
    pub fn workloads(&self) -> Vec<Workload> {
        Workload::ALL.into_iter().filter(|workload| !self.tasks(*workload).is_empty()).collect()
    }

    /// The tasks of a workload.
    pub fn tasks(&self, workload: Workload) -> Vec<&str> {
        self.plan.tasks.iter().map(String::as_str).filter(|task| Workload::of(task) == workload).collect()
    }

    /// The summaries of a strategy at a workload.
    pub fn of_strategy<'a>(&'a self, workload: Workload, strategy: &'a str) -> Vec<&'a Summary> {
        let wanted = |summary: &&Summary| summary.workload() == workload && summary.strategy == strategy;
        self.summaries.iter().filter(wanted).collect()
    }
}
