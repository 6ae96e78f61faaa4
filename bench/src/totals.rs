//! Totals over all tasks of a workload.

use crate::statistics::{Bucket, Observation, Survival, a12, stratified};
use crate::{Measure, Summary, Table, Workload};

/// A strategy at all tasks of a workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// The workload.
    pub workload: Workload,
    /// The strategy's name.
    pub strategy: String,
    /// How many tasks it was tried at.
    pub tasks: usize,
    /// How many trials were planned.
    pub planned: usize,
    /// How many trials were run.
    pub runs: usize,
    /// How many trials found the bug.
    pub found: usize,
    /// How many trials crashed, hung or could not be read.
    pub broken: usize,
    /// The number of differences between the unmodified engines that were met, over all trials.
    pub discrepancies: u64,
    /// Tests per second.
    pub tests_per_second: f64,
    /// Tests per second that passed.
    pub passed_per_second: f64,
    /// How many tasks are in each bucket, the best first.
    pub buckets: Vec<(Bucket, usize)>,
}

impl Totals {
    /// Adds up the tasks of a workload.
    pub fn of(table: &Table, workload: Workload, strategy: &str) -> Totals {
        let summaries = table.of_strategy(workload, strategy);
        let trials = || summaries.iter().flat_map(|summary| &summary.trials);
        let seconds: f64 = trials().map(|trial| trial.seconds).sum();
        let per_second = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        let in_bucket = |bucket| summaries.iter().filter(|summary| summary.bucket() == Some(bucket)).count();
        Totals {
            workload,
            strategy: strategy.to_owned(),
            tasks: summaries.len(),
            planned: summaries.iter().map(|summary| summary.planned).sum(),
            runs: trials().count(),
            found: summaries.iter().map(|summary| summary.found()).sum(),
            broken: summaries.iter().map(|summary| summary.broken()).sum(),
            discrepancies: trials().map(|trial| trial.discrepancies).sum(),
            tests_per_second: per_second(trials().map(|trial| trial.tests).sum()),
            passed_per_second: per_second(trials().map(|trial| trial.passed).sum()),
            buckets: Bucket::all().into_iter().map(|bucket| (bucket, in_bucket(bucket))).collect(),
        }
    }

    /// The totals of every workload and strategy, ordered by workload.
    pub fn all(table: &Table) -> Vec<Totals> {
        let of_workload =
            |workload| table.strategies().into_iter().map(move |name| Totals::of(table, workload, name));
        let all = table.workloads().into_iter().flat_map(of_workload);
        all.filter(|totals| totals.tasks > 0).collect()
    }

    /// The number of tasks at which every planned trial found the bug.
    pub fn solved(&self) -> usize {
        self.buckets
            .iter()
            .filter(|(bucket, _)| matches!(bucket, Bucket::Solved(_)))
            .map(|(_, count)| count)
            .sum()
    }
}

/// How a strategy compares with another over all tasks of a workload that both tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Against {
    /// The probability that it is sooner than the other, as a mean over tasks.
    pub a12: f64,
    /// The two-sided p-value of all tasks together.
    pub p: f64,
}

impl Against {
    /// Compares a strategy with a baseline. `None` if they have no task in common.
    pub fn of(
        table: &Table,
        workload: Workload,
        strategy: &str,
        baseline: &str,
        measure: Measure,
    ) -> Option<Against> {
        let pair = |summary: &&Summary| -> Option<[Vec<Observation>; 2]> {
            let other = table.get(&summary.task, baseline)?;
            let both = [summary.observations(measure), other.observations(measure)];
            both.iter().all(|side| !side.is_empty()).then_some(both)
        };
        let summaries = table.of_strategy(workload, strategy);
        let pairs: Vec<_> = summaries.iter().filter_map(pair).collect();
        let effects: Vec<f64> = pairs.iter().filter_map(|[mine, theirs]| a12(mine, theirs)).collect();
        (!effects.is_empty()).then(|| Against {
            a12: effects.iter().sum::<f64>() / effects.len() as f64,
            p: stratified(pairs.iter().map(|[mine, theirs]| (&mine[..], &theirs[..]))),
        })
    }
}

/// The mean number of bugs of a workload that a strategy has found by each time: the sum over tasks of the
/// share of trials that have found the bug. There is one step for each time at which a trial found a bug.
pub fn bugs_over_time(table: &Table, workload: Workload, strategy: &str) -> Vec<(f64, f64)> {
    let survivals: Vec<Survival> = table
        .of_strategy(workload, strategy)
        .iter()
        .map(|summary| summary.survival(Measure::Seconds))
        .collect();
    let mut times: Vec<f64> = survivals.iter().flat_map(Survival::steps).map(|step| step.at).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let found_by = |time: f64| survivals.iter().map(|survival| 1.0 - survival.at(time)).sum();
    times.into_iter().map(|time| (time, found_by(time))).collect()
}

/// The mean times of the tasks that a strategy solves, the fastest first: the points of a cactus plot.
pub fn solved_times(table: &Table, workload: Workload, strategy: &str) -> Vec<f64> {
    let summaries = table.of_strategy(workload, strategy);
    let solved = summaries.iter().filter(|summary| summary.is_solved());
    let mut times: Vec<f64> = solved.filter_map(|summary| summary.mean_seconds()).collect();
    times.sort_by(f64::total_cmp);
    times
}
