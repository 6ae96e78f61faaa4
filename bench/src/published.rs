//! The results that the papers report. The numbers are in `bench/published/`.

use crate::Workload;

const BUGS: &str = include_str!("../published/bugs.csv");
const THROUGHPUT: &str = include_str!("../published/throughput.csv");

/// A paper's result of one tool at one task.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The study: `mutagen-2022` or `fuzzchick-2019`.
    pub study: &'static str,
    /// The id of the task in this project.
    pub task: &'static str,
    /// The tool's name in the paper.
    pub tool: &'static str,
    /// The number of runs.
    pub runs: u32,
    /// The share of runs that found the bug, if published.
    pub failure_rate: Option<f64>,
    /// The mean time to failure, if published; runs that hit the limit count as the limit.
    pub seconds: Option<f64>,
    /// The mean number of tests of the runs that found the bug, if published.
    pub tests: Option<f64>,
}

/// A paper's result on the speed of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Throughput {
    /// The study.
    pub study: &'static str,
    /// The workload that was tested.
    pub workload: Workload,
    /// The tool's name in the paper.
    pub tool: &'static str,
    /// Tests per second.
    pub tests: f64,
    /// Tests per second that were not discarded, if published.
    pub passed: Option<f64>,
}

/// Every published result at a single task.
///
/// ```
/// use mutagen_bench::published;
///
/// let find = |task, tool| published().into_iter().find(|row| (row.task, row.tool) == (task, tool)).unwrap();
/// assert_eq!(find("stack-18", "MUTAGEN").tests, Some(123_401.0));
/// assert_eq!(find("wasm-11", "QuickCheck").failure_rate, Some(0.7));
/// ```
pub fn published() -> Vec<Published> {
    let row = |fields: Vec<&'static str>| match fields[..] {
        [study, task, tool, runs, failure_rate, seconds, tests] => Some(Published {
            study,
            task,
            tool,
            runs: runs.parse().ok()?,
            failure_rate: failure_rate.parse().ok(),
            seconds: seconds.parse().ok(),
            tests: tests.parse().ok(),
        }),
        _ => None,
    };
    rows(BUGS).filter_map(row).collect()
}

/// Every published speed.
pub fn throughput() -> Vec<Throughput> {
    let row = |fields: Vec<&'static str>| match fields[..] {
        [study, workload, tool, tests, passed] => Some(Throughput {
            study,
            workload: Workload::ALL.into_iter().find(|known| known.name() == workload)?,
            tool,
            tests: tests.parse().ok()?,
            passed: passed.parse().ok(),
        }),
        _ => None,
    };
    rows(THROUGHPUT).filter_map(row).collect()
}

/// Our strategy that does the same as a published tool, if there is one.
pub fn counterpart(tool: &str) -> Option<&'static str> {
    match tool {
        "MUTAGEN" => Some("mutagen/paper"),
        "MUTAGEN without FIFO" => Some("mutagen/paper,no-fifo"),
        "MUTAGEN without reset" => Some("mutagen/paper,no-reset"),
        "FuzzChick" | "FuzzChick 2019" => Some("fuzzchick"),
        "Crowbar style" => Some("crowbar"),
        "QuickCheck" | "QuickChick" => Some("random"),
        _ => None,
    }
}

/// The lines below the heading, without comments, split at commas. No name contains a comma.
fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;

    #[test]
    fn every_line_is_read_and_is_about_a_task() {
        assert_eq!(published().len(), rows(BUGS).count());
        assert_eq!(throughput().len(), rows(THROUGHPUT).count());
        for row in published() {
            assert!(Task::find(row.task).is_ok(), "{}", row.task);
            assert!(row.failure_rate != Some(0.0) || row.seconds.is_none(), "{row:?}");
        }
    }

    #[test]
    fn every_bug_of_the_papers_has_published_results() {
        let has =
            |study: &str, task: &str| published().iter().any(|row| row.study == study && row.task == task);
        assert!((1..=15).all(|number| has("mutagen-2022", &format!("wasm-{number}"))));
        assert!((1..=20).all(|number| has("mutagen-2022", &format!("stack-{number}"))));
        assert!((1..=33).all(|number| has("fuzzchick-2019", &format!("register-{number}"))));
    }
}
