//! Comparison of two sets of results, from before and after a change.

use crate::statistics::{Observation, a12, holm, mann_whitney, stratified};
use crate::{Measure, Summary, Table};

/// How the results changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The bug is found significantly sooner or more often.
    Better,
    /// The bug is found significantly later or less often.
    Worse,
    /// No significant difference.
    Same,
}

impl Change {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Change::Better => "better",
            Change::Worse => "worse",
            Change::Same => "same",
        }
    }

    fn of(p: f64, alpha: f64, a12: f64) -> Change {
        match p < alpha {
            true if a12 > 0.5 => Change::Better,
            true if a12 < 0.5 => Change::Worse,
            _ => Change::Same,
        }
    }
}

/// A strategy at a task, before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The task's id.
    pub task: String,
    /// The strategy's name.
    pub strategy: String,
    /// The results before the change, cut off at the limit that both share.
    pub before: Summary,
    /// The results after the change, cut off at the same limit.
    pub after: Summary,
    /// The probability that a run after the change is sooner than one before it.
    pub a12: f64,
    /// The p-value of this task alone.
    pub p: f64,
    /// The p-value corrected for the number of comparisons.
    pub corrected: f64,
    /// The conclusion.
    pub change: Change,
}

/// A strategy over all tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct Overall {
    /// The strategy's name.
    pub strategy: String,
    /// Tasks in which all trials found the bug, before and after.
    pub solved: [usize; 2],
    /// How many tasks were compared.
    pub tasks: usize,
    /// The mean A12 of its tasks.
    pub a12: f64,
    /// The p-value of all tasks together, corrected for the number of strategies.
    pub corrected: f64,
    /// The conclusion.
    pub change: Change,
}

/// Two sets of results.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The time limit that both share, in seconds.
    pub limit: f64,
    /// The measure that is compared.
    pub measure: Measure,
    /// Every strategy and task that both have.
    pub compared: Vec<Compared>,
    /// Every strategy over all of its tasks.
    pub overall: Vec<Overall>,
}

impl Comparison {
    /// Compares every task and strategy that both tables have. A p-value below `alpha` is significant.
    ///
    /// If the limits differ, the smaller one counts for both: a bug that was found later counts as not found.
    pub fn of(before: &Table, after: &Table, measure: Measure, alpha: f64) -> Comparison {
        // Compare each task and strategy on its own.
        let limit = before.plan.limit.min(after.plan.limit);
        let cut = |summary: &Summary| Summary { limit, ..summary.clone() };
        let mut compared: Vec<Compared> = Vec::new();
        for summary in &before.summaries {
            let Some(other) = after.get(&summary.task, &summary.strategy) else { continue };
            let (before, after) = (cut(summary), cut(other));
            let [was, is] = [&before, &after].map(|summary| summary.observations(measure));
            let Some(a12) = a12(&is, &was) else { continue };
            compared.push(Compared {
                task: summary.task.clone(),
                strategy: summary.strategy.clone(),
                p: mann_whitney(&is, &was),
                corrected: 1.0,
                change: Change::Same,
                before,
                after,
                a12,
            });
        }
        // Correct the p-values for the number of comparisons, and draw conclusions from these.
        let corrected = holm(&compared.iter().map(|one| one.p).collect::<Vec<_>>());
        for (one, corrected) in compared.iter_mut().zip(corrected) {
            (one.corrected, one.change) = (corrected, Change::of(corrected, alpha, one.a12));
        }
        let overall = overall(&compared, before, measure, alpha);
        Comparison { limit, measure, compared, overall }
    }

    /// Whether anything got significantly worse: a task, or a strategy over all its tasks.
    pub fn is_worse(&self) -> bool {
        let mut changes =
            self.compared.iter().map(|one| one.change).chain(self.overall.iter().map(|one| one.change));
        changes.any(|change| change == Change::Worse)
    }

    /// How many tasks changed like this.
    pub fn count(&self, change: Change) -> usize {
        self.compared.iter().filter(|one| one.change == change).count()
    }
}

fn overall(compared: &[Compared], before: &Table, measure: Measure, alpha: f64) -> Vec<Overall> {
    let mut all = Vec::new();
    let mut p_values = Vec::new();
    for strategy in before.strategies() {
        let mine: Vec<&Compared> = compared.iter().filter(|one| one.strategy == strategy).collect();
        if mine.is_empty() {
            continue;
        }
        let pairs: Vec<[Vec<Observation>; 2]> = mine
            .iter()
            .map(|one| [&one.after, &one.before].map(|summary| summary.observations(measure)))
            .collect();
        p_values.push(stratified(pairs.iter().map(|[is, was]| (&is[..], &was[..]))));
        let solved =
            |side: fn(&Compared) -> &Summary| mine.iter().filter(|one| side(one).is_solved()).count();
        all.push(Overall {
            strategy: strategy.to_owned(),
            solved: [solved(|one| &one.before), solved(|one| &one.after)],
            tasks: mine.len(),
            a12: mine.iter().map(|one| one.a12).sum::<f64>() / mine.len() as f64,
            corrected: 1.0,
            change: Change::Same,
        });
    }
    for (one, corrected) in all.iter_mut().zip(holm(&p_values)) {
        (one.corrected, one.change) = (corrected, Change::of(corrected, alpha, one.a12));
    }
    all
}
