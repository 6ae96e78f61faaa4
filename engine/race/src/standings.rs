//! What the trials add up to.

use crate::{BugOfDemo, Contender, Results};

/// The trials of one contender on one bug.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// How many trials there were.
    pub trials: usize,
    /// How many of them found the bug.
    pub found: usize,
    /// The median number of tests; a trial in vain counts with the tests that it ran.
    pub tests: f64,
    /// The median time in seconds; a trial in vain counts as the limit.
    pub seconds: f64,
}

impl Cell {
    /// Whether every trial found the bug.
    pub fn is_solved(&self) -> bool {
        self.trials > 0 && self.found == self.trials
    }
}

/// One contender in all.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Who.
    pub contender: Contender,
    /// How many bugs were found by every trial.
    pub solved: usize,
    /// How many bugs were found by at least one trial.
    pub found: usize,
    /// The geometric mean over all bugs of the median times, in seconds.
    pub seconds: f64,
    /// The geometric mean over all bugs of the median numbers of tests.
    pub tests: f64,
    /// How many bugs were solved in a median time below each of [`Standings::BUCKETS`] and not below the one before it;
    /// then how many were not solved.
    pub buckets: Vec<usize>,
}

/// All cells of a race.
#[derive(Clone, Debug)]
pub struct Standings {
    /// Who took part, in order.
    pub contenders: Vec<Contender>,
    /// What was hunted, each with the cells of the contenders, `None` where nothing was run.
    pub bugs: Vec<(BugOfDemo, Vec<Option<Cell>>)>,
    /// The longest that a trial could take, in seconds.
    pub limit: f64,
}

impl Standings {
    /// Bounds of time by which solved bugs are counted, in seconds.
    pub const BUCKETS: [f64; 5] = [0.001, 0.01, 0.1, 1.0, f64::INFINITY];

    /// Those of all bugs for which there are trials.
    pub fn new(results: &Results) -> Self {
        let contenders: Vec<Contender> = Contender::ALL
            .into_iter()
            .filter(|one| results.rows.iter().any(|row| row.contender == *one))
            .collect();
        let cells = |bug: BugOfDemo| {
            let name = bug.name();
            contenders.iter().map(|&one| cell(results, bug.program(), &name, one)).collect::<Vec<_>>()
        };
        let bugs = crate::bugs().into_iter().map(|bug| (bug, cells(bug)));
        let bugs = bugs.filter(|(_, cells)| cells.iter().any(Option::is_some)).collect();
        let limit = results.rows.iter().map(|row| row.limit).fold(0.0, f64::max);
        Standings { contenders, bugs, limit }
    }

    /// Each contender in all, in order.
    pub fn standings(&self) -> Vec<Standing> {
        let standing = |(place, &contender): (usize, &Contender)| {
            let cells: Vec<&Cell> = self.bugs.iter().filter_map(|(_, cells)| cells[place].as_ref()).collect();
            Standing {
                contender,
                solved: cells.iter().filter(|cell| cell.is_solved()).count(),
                found: cells.iter().filter(|cell| cell.found > 0).count(),
                seconds: geometric_mean(cells.iter().map(|cell| cell.seconds)),
                tests: geometric_mean(cells.iter().map(|cell| cell.tests)),
                buckets: buckets(&cells),
            }
        };
        self.contenders.iter().enumerate().map(standing).collect()
    }
}

fn cell(results: &Results, program: &str, bug: &str, contender: Contender) -> Option<Cell> {
    let rows: Vec<_> = results.of(program, bug, contender).collect();
    let tests = median(rows.iter().map(|row| row.trial.tests as f64))?;
    let seconds = median(rows.iter().map(|row| if row.trial.found { row.trial.seconds } else { row.limit }))?;
    Some(Cell {
        trials: rows.len(),
        found: rows.iter().filter(|row| row.trial.found).count(),
        tests,
        seconds,
    })
}

fn buckets(cells: &[&Cell]) -> Vec<usize> {
    let mut counts = vec![0; Standings::BUCKETS.len() + 1];
    for cell in cells {
        let bucket = Standings::BUCKETS.iter().position(|bound| cell.is_solved() && cell.seconds < *bound);
        counts[bucket.unwrap_or(Standings::BUCKETS.len())] += 1;
    }
    counts
}

/// The middle one; of an even number, the mean of the middle two.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get(sorted.len().checked_sub(1)? / 2)?;
    Some((lower + upper) / 2.0)
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.map(|value| value.max(1e-9).ln()).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), Some(2.5));
        assert_eq!(median([].into_iter()), None);
    }

    #[test]
    fn the_geometric_mean_multiplies() {
        assert!((geometric_mean([1.0, 100.0].into_iter()) - 10.0).abs() < 1e-9);
    }
}
