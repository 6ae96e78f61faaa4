//! Tables for a terminal.

use crate::format::{p_value, seconds, short};
use crate::statistics::{Bucket, Magnitude};
use crate::summary::Measure;
use crate::totals::{Against, Totals};
use crate::{Change, Comparison, Summary, Table, Workload};

/// The results of every workload: a line per task, then a line per strategy.
///
/// Effects are relative to `baseline`, if the table has it.
pub fn terminal(table: &Table, baseline: &str) -> String {
    let sections = table.workloads().into_iter().map(|workload| section(table, workload, baseline));
    sections.collect::<Vec<_>>().join("\n")
}

fn section(table: &Table, workload: Workload, baseline: &str) -> String {
    let strategies: Vec<&str> =
        table.strategies().into_iter().filter(|name| !table.of_strategy(workload, name).is_empty()).collect();
    let mut grid = Grid::new([&["task"][..], &strategies].concat());
    for task in table.tasks(workload) {
        let cell = |name: &&str| table.get(task, name).map_or(String::new(), task_cell);
        grid.row([vec![task.to_owned()], strategies.iter().map(cell).collect()].concat());
    }
    format!(
        "{} (limit {}; found/trials, median time, median tests; - where fewer than half found it)\n{grid}\n{}",
        workload.title(),
        seconds(table.plan.limit),
        totals(table, workload, baseline)
    )
}

/// One cell: how often the bug was found, how soon, and after how many tests.
fn task_cell(summary: &Summary) -> String {
    if summary.runs() == 0 {
        return "not run".to_owned();
    }
    let broken = if summary.broken() > 0 { "!" } else { "" };
    let time = summary.median(Measure::Seconds).map_or("-".to_owned(), seconds);
    let tests = summary.median(Measure::Tests).map_or("-".to_owned(), short);
    let rate = format!("{}/{}{broken}", summary.found(), summary.runs());
    format!("{rate:<5} {time:>7} {tests:>6}")
}

/// A line per strategy: the number of tasks in each bucket, its speed, and its comparison with the baseline.
fn totals(table: &Table, workload: Workload, baseline: &str) -> Grid {
    let versus = format!("A12 against {baseline}");
    let buckets: Vec<String> = Bucket::all().into_iter().map(Bucket::name).collect();
    let mut header = vec!["strategy", "solved"];
    header.extend(buckets.iter().map(String::as_str));
    header.extend(["found", "broken", "tests/s", "passed/s", &versus]);
    let mut grid = Grid::new(header);
    for totals in Totals::all(table).iter().filter(|totals| totals.workload == workload) {
        let mut row = vec![totals.strategy.clone(), format!("{}/{}", totals.solved(), totals.tasks)];
        row.extend(totals.buckets.iter().map(|(_, count)| count.to_string()));
        row.extend([
            format!("{}/{}", totals.found, totals.runs),
            totals.broken.to_string(),
            short(totals.tests_per_second),
            short(totals.passed_per_second),
            against(table, totals, baseline),
        ]);
        grid.row(row);
    }
    grid
}

fn against(table: &Table, totals: &Totals, baseline: &str) -> String {
    match Against::of(table, totals.workload, &totals.strategy, baseline, Measure::Seconds) {
        Some(Against { a12, p }) if totals.strategy != baseline => {
            format!("{a12:.2} {}, p {}", Magnitude::of(a12).name(), p_value(p))
        }
        _ => String::new(),
    }
}

/// Two sets of results side by side. Tasks without a significant difference are only counted, unless `all` is
/// set.
pub fn comparison(comparison: &Comparison, all: bool) -> String {
    let mut grid = Grid::new(vec!["strategy", "task", "before", "after", "A12", "p", "p (Holm)", "change"]);
    for one in comparison.compared.iter().filter(|one| all || one.change != Change::Same) {
        grid.row(vec![
            one.strategy.clone(),
            one.task.clone(),
            task_cell(&one.before),
            task_cell(&one.after),
            format!("{:.2}", one.a12),
            p_value(one.p),
            p_value(one.corrected),
            one.change.name().to_owned(),
        ]);
    }
    let mut overall =
        Grid::new(vec!["strategy", "solved before", "after", "mean A12", "p (all tasks)", "change"]);
    for one in &comparison.overall {
        overall.row(vec![
            one.strategy.clone(),
            format!("{}/{}", one.solved[0], one.tasks),
            format!("{}/{}", one.solved[1], one.tasks),
            format!("{:.2} {}", one.a12, Magnitude::of(one.a12).name()),
            p_value(one.corrected),
            one.change.name().to_owned(),
        ]);
    }
    let measure = match comparison.measure {
        Measure::Seconds => "time",
        Measure::Tests => "tests",
    };
    format!(
        "{grid}{} better, {} worse, {} same (by {measure} to failure, limit {}; A12 above 0.5: sooner after)\n\n{overall}",
        comparison.count(Change::Better),
        comparison.count(Change::Worse),
        comparison.count(Change::Same),
        seconds(comparison.limit),
    )
}

/// Rows with aligned columns.
struct Grid {
    rows: Vec<Vec<String>>,
}

impl Grid {
    fn new(header: Vec<&str>) -> Self {
        Grid { rows: vec![header.into_iter().map(str::to_owned).collect()] }
    }

    fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl std::fmt::Display for Grid {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            writeln!(formatter, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}
