//! The tables of the page: strategies at a glance, tests to failure (Table 3), speed (Table 4).

use super::markup::{escape, table};
use crate::format::{p_value, seconds, short, whole};
use crate::statistics::{Magnitude, a12, mann_whitney};
use crate::{Against, Measure, Published, Summary, Table, Task, Totals, Workload, published, throughput};

/// One row per strategy: the tasks it solves, and its comparison with the baseline over all tasks.
pub fn glance(all: &Table, workload: Workload, baseline: &str) -> String {
    let header = [
        "strategy",
        "tasks solved",
        "trials that found the bug",
        "broken trials",
        "discrepancies met",
        "A12 by time",
        "p",
    ];
    let row = |totals: &Totals| {
        let against = Against::of(all, workload, &totals.strategy, baseline, Measure::Seconds)
            .filter(|_| totals.strategy != baseline);
        vec![
            escape(&totals.strategy),
            format!("{} of {}", totals.solved(), totals.tasks),
            format!("{} of {}", totals.found, totals.runs),
            totals.broken.to_string(),
            totals.discrepancies.to_string(),
            match against {
                Some(against) => effect(against.a12),
                None if totals.strategy == baseline => "baseline".to_owned(),
                None => String::new(),
            },
            against.map_or(String::new(), |against| p_value(against.p)),
        ]
    };
    table(&header.map(str::to_owned), &totals(all, workload).iter().map(row).collect::<Vec<_>>())
}

/// Tests to failure of every task, and the effect against the baseline. The last columns have the published
/// numbers.
pub fn tests_to_failure(all: &Table, workload: Workload, baseline: &str) -> String {
    let strategies: Vec<String> = totals(all, workload).into_iter().map(|totals| totals.strategy).collect();
    let tools = tools_with(workload, |row| row.tests.is_some());
    let mut header = vec!["task".to_owned()];
    header.extend(strategies.iter().map(|name| escape(name)));
    header.extend(tools.iter().map(|tool| format!("{} (published)", escape(tool))));
    let titles = Task::all();
    let row = |task: &&str| {
        let known = titles.iter().find(|known| known.id == **task);
        let title =
            known.map_or(String::new(), |known| format!("<br><small>{}</small>", escape(&known.title)));
        let ours = strategies.iter().map(|name| tests_cell(all, task, name, baseline));
        let theirs = tools.iter().map(|tool| published_tests(tool, task));
        [escape(task) + &title].into_iter().chain(ours).chain(theirs).collect()
    };
    table(&header, &all.tasks(workload).iter().map(row).collect::<Vec<Vec<String>>>())
}

/// Tests per second: all tests, and those that were not discarded.
pub fn speed(all: &Table, workload: Workload) -> String {
    let header = ["strategy", "tests/s", "passed/s", "passed"];
    let share = |tests: f64, passed: f64| {
        if tests > 0.0 { format!("{:.1} %", 100.0 * passed / tests) } else { String::new() }
    };
    let ours = totals(all, workload).into_iter().map(|totals| {
        let (tests, passed) = (totals.tests_per_second, totals.passed_per_second);
        vec![escape(&totals.strategy), whole(tests), whole(passed), share(tests, passed)]
    });
    let theirs = throughput().into_iter().filter(|row| row.workload == workload).map(|row| {
        vec![
            format!("{} (published, {})", escape(row.tool), escape(row.study)),
            whole(row.tests),
            row.passed.map_or(String::new(), whole),
            row.passed.map_or(String::new(), |passed| share(row.tests, passed)),
        ]
    });
    table(&header.map(str::to_owned), &ours.chain(theirs).collect::<Vec<_>>())
}

/// Trials that did not run as they should, with the reason. `None` if all did.
pub fn broken(all: &Table) -> Option<String> {
    let row = |trial: &crate::Trial| {
        let cell = &trial.cell;
        vec![
            escape(&cell.task),
            escape(&cell.strategy),
            cell.trial.to_string(),
            trial.outcome.name().to_owned(),
            escape(&trial.note),
        ]
    };
    let rows: Vec<_> = all.trials().filter(|trial| trial.outcome.is_broken()).map(row).collect();
    let header = ["task", "strategy", "trial", "outcome", "reason"].map(str::to_owned);
    (!rows.is_empty()).then(|| table(&header, &rows))
}

/// The published tools with a result of this kind at this workload, in the order of the data.
pub fn tools_with(workload: Workload, has: impl Fn(&Published) -> bool) -> Vec<&'static str> {
    let mut tools = Vec::new();
    for row in published().iter().filter(|row| Workload::of(row.task) == workload && has(row)) {
        if !tools.contains(&row.tool) {
            tools.push(row.tool);
        }
    }
    tools
}

fn totals(all: &Table, workload: Workload) -> Vec<Totals> {
    Totals::all(all).into_iter().filter(|totals| totals.workload == workload).collect()
}

/// The mean over the trials that found the bug, the number of these trials, and the effect.
fn tests_cell(all: &Table, task: &str, strategy: &str, baseline: &str) -> String {
    let Some(summary) = all.get(task, strategy).filter(|summary| summary.runs() > 0) else {
        return String::new();
    };
    let mean = summary.mean_tests_of_found().map_or("-".to_owned(), whole);
    let rate = format!("{}/{}", summary.found(), summary.runs());
    let versus = all.get(task, baseline).filter(|_| strategy != baseline);
    let effect = versus.and_then(|other| task_effect(summary, other)).unwrap_or_default();
    format!("{mean} <small>{rate}</small>{effect}")
}

fn task_effect(mine: &Summary, theirs: &Summary) -> Option<String> {
    let [mine, theirs] = [mine, theirs].map(|summary| summary.observations(Measure::Tests));
    let a12 = a12(&mine, &theirs)?;
    let sure = if mann_whitney(&mine, &theirs) < 0.05 { "*" } else { "" };
    Some(format!("<br><small>{}{sure}</small>", effect(a12)))
}

fn effect(a12: f64) -> String {
    format!("{a12:.2} {}", Magnitude::of(a12).name())
}

fn published_tests(tool: &str, task: &str) -> String {
    let row = published().into_iter().find(|row| row.tool == tool && row.task == task && row.tests.is_some());
    row.map_or(String::new(), |row| {
        let rate =
            row.failure_rate.map_or(String::new(), |rate| format!(" <small>{:.0} %</small>", rate * 100.0));
        row.tests.map_or("-".to_owned(), whole) + &rate
    })
}

/// When, where and with what the results were made, as rows of a table.
pub fn provenance(all: &Table) -> String {
    let distinct = |of: fn(&crate::Trial) -> String| {
        let mut values: Vec<String> = all.trials().map(of).collect();
        values.sort();
        values.dedup();
        escape(&values.join("; "))
    };
    let loads: Vec<f64> = all.trials().filter_map(|trial| trial.host.load).collect();
    let (low, high) =
        loads.iter().fold((f64::MAX, f64::MIN), |(low, high), load| (low.min(*load), high.max(*load)));
    let load = if loads.is_empty() { "unknown".to_owned() } else { format!("{low:.1} to {high:.1}") };
    let mut started: Vec<&str> = all.trials().map(|trial| trial.host.started.as_str()).collect();
    started.sort_unstable();
    let dates = [started.first(), started.last()].map(|date| date.copied().unwrap_or("never"));
    let planned: usize = all.summaries.iter().map(|summary| summary.planned).sum();
    let rows = [
        ("suite", escape(&all.plan.suite)),
        ("cells", format!("{} of {planned} run", all.trials().count())),
        ("limit", seconds(all.plan.limit)),
        ("trials", escape(&trials(all))),
        ("from, to", escape(&dates.join(", "))),
        ("processor", distinct(|trial| trial.host.processor.clone())),
        (
            "cores; cells at once",
            distinct(|trial| format!("{} cores, {} at once", trial.host.cores, trial.host.jobs)),
        ),
        ("system", distinct(|trial| trial.host.system.clone())),
        ("load before a cell", load),
        ("version, build", distinct(|trial| format!("{} {}", trial.version, trial.build))),
        ("tests in all", short(all.trials().map(|trial| trial.tests as f64).sum())),
    ];
    table(&["of".to_owned(), "this run".to_owned()], &rows.map(|(name, value)| vec![name.to_owned(), value]))
}

fn trials(all: &Table) -> String {
    let each = all.plan.strategies.iter().map(|one| format!("{} {}", one.name, one.trials.unwrap_or(0)));
    each.collect::<Vec<_>>().join("; ")
}
