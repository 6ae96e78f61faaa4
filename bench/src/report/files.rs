//! Files for programs: CSV and JSON of every cell and every aggregate.

use serde_json::{Map, Value, json};

use crate::statistics::{Magnitude, a12, mann_whitney};
use crate::{Against, Measure, Summary, Table, Totals, Trial, Workload, bugs_over_time, solved_times};

/// A row: names and values, in order.
pub(crate) type Row = Vec<(&'static str, Value)>;

/// Every trial, one line each.
pub fn cells_csv(table: &Table) -> String {
    csv(table.trials().map(cell))
}

/// Every strategy at every task, one line each.
pub fn summaries_csv(table: &Table, baseline: &str) -> String {
    csv(table.summaries.iter().map(|one| summary(one, table, baseline)))
}

/// Every strategy at every workload, one line each.
pub fn totals_csv(table: &Table, baseline: &str) -> String {
    csv(Totals::all(table).iter().map(|one| totals(one, table, baseline)))
}

/// Every point of the curves, one line each.
pub fn curves_csv(table: &Table) -> String {
    csv(curves(table).into_iter())
}

/// Everything as one object.
pub fn json(table: &Table, baseline: &str) -> Value {
    let objects = |rows: &mut dyn Iterator<Item = Row>| -> Value {
        rows.map(|row| row.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
            .collect()
    };
    json!({
        "plan": table.plan,
        "baseline": baseline,
        "cells": objects(&mut table.trials().map(cell)),
        "summaries": objects(&mut table.summaries.iter().map(|one| summary(one, table, baseline))),
        "totals": objects(&mut Totals::all(table).iter().map(|one| totals(one, table, baseline))),
        "curves": objects(&mut curves(table).into_iter()),
    })
}

fn cell(trial: &Trial) -> Row {
    let (cell, host) = (&trial.cell, &trial.host);
    vec![
        ("workload", json!(Workload::of(&cell.task).name())),
        ("task", json!(cell.task)),
        ("property", json!(trial.property)),
        ("strategy", json!(cell.strategy)),
        ("trial", json!(cell.trial)),
        ("seed", json!(cell.seed)),
        ("limit", json!(cell.limit)),
        ("outcome", json!(trial.outcome)),
        ("found", json!(trial.found_within(cell.limit))),
        ("tests", json!(trial.tests)),
        ("passed", json!(trial.passed)),
        ("discarded", json!(trial.discarded)),
        ("inconclusive", json!(trial.inconclusive)),
        ("seconds", json!(trial.seconds)),
        ("discrepancies", json!(trial.discrepancies)),
        ("version", json!(trial.version)),
        ("build", json!(trial.build)),
        ("host", json!(host.name)),
        ("processor", json!(host.processor)),
        ("cores", json!(host.cores)),
        ("system", json!(host.system)),
        ("jobs", json!(host.jobs)),
        ("load", json!(host.load)),
        ("started", json!(host.started)),
        ("note", json!(trial.note)),
    ]
}

fn summary(summary: &Summary, table: &Table, baseline: &str) -> Row {
    let other = table.get(&summary.task, baseline).filter(|other| other.strategy != summary.strategy);
    let against = |measure| {
        let [mine, theirs] = [summary, other?].map(|one| one.observations(measure));
        Some((a12(&mine, &theirs)?, mann_whitney(&mine, &theirs)))
    };
    let (by_time, by_tests) = (against(Measure::Seconds), against(Measure::Tests));
    vec![
        ("workload", json!(summary.workload().name())),
        ("task", json!(summary.task)),
        ("strategy", json!(summary.strategy)),
        ("limit", json!(summary.limit)),
        ("planned", json!(summary.planned)),
        ("trials", json!(summary.runs())),
        ("found", json!(summary.found())),
        ("failure_rate", json!(summary.failure_rate())),
        ("broken", json!(summary.broken())),
        ("bucket", json!(summary.bucket().map(|bucket| bucket.name()))),
        ("median_seconds", json!(summary.median(Measure::Seconds))),
        ("mean_seconds_with_timeouts_as_limit", json!(summary.mean_seconds())),
        ("median_tests", json!(summary.median(Measure::Tests))),
        ("mean_tests_of_found", json!(summary.mean_tests_of_found())),
        ("a12_seconds", json!(by_time.map(|(a12, _)| a12))),
        ("magnitude_seconds", json!(by_time.map(|(a12, _)| Magnitude::of(a12).name()))),
        ("p_seconds", json!(by_time.map(|(_, p)| p))),
        ("a12_tests", json!(by_tests.map(|(a12, _)| a12))),
        ("magnitude_tests", json!(by_tests.map(|(a12, _)| Magnitude::of(a12).name()))),
        ("p_tests", json!(by_tests.map(|(_, p)| p))),
    ]
}

fn totals(totals: &Totals, table: &Table, baseline: &str) -> Row {
    let against = (totals.strategy != baseline)
        .then(|| Against::of(table, totals.workload, &totals.strategy, baseline, Measure::Seconds))
        .flatten();
    let mut row = vec![
        ("workload", json!(totals.workload.name())),
        ("strategy", json!(totals.strategy)),
        ("tasks", json!(totals.tasks)),
        ("solved", json!(totals.solved())),
        ("planned", json!(totals.planned)),
        ("trials", json!(totals.runs)),
        ("found", json!(totals.found)),
        ("broken", json!(totals.broken)),
        ("discrepancies", json!(totals.discrepancies)),
        ("tests_per_second", json!(totals.tests_per_second)),
        ("passed_per_second", json!(totals.passed_per_second)),
        ("mean_a12_seconds", json!(against.map(|against| against.a12))),
        ("p_all_tasks", json!(against.map(|against| against.p))),
    ];
    row.extend(totals.buckets.iter().map(|(bucket, tasks)| (bucket.key(), json!(tasks))));
    row
}

/// The points of the curves: the number of bugs found by each time, and the time in which each number of
/// tasks is solved.
fn curves(table: &Table) -> Vec<Row> {
    let mut rows = Vec::new();
    for Totals { workload, strategy, .. } in Totals::all(table) {
        let mut point = |curve: &str, seconds: f64, tasks: f64| {
            rows.push(curve_point(workload, &strategy, curve, seconds, tasks));
        };
        for (seconds, bugs) in bugs_over_time(table, workload, &strategy) {
            point("bugs over time", seconds, bugs);
        }
        for (number, seconds) in solved_times(table, workload, &strategy).into_iter().enumerate() {
            point("solved tasks", seconds, number as f64 + 1.0);
        }
    }
    rows
}

fn curve_point(workload: Workload, strategy: &str, curve: &str, seconds: f64, tasks: f64) -> Row {
    vec![
        ("workload", json!(workload.name())),
        ("strategy", json!(strategy)),
        ("curve", json!(curve)),
        ("seconds", json!(seconds)),
        ("tasks", json!(tasks)),
    ]
}

/// Rows as lines, with a line of their names first.
pub(crate) fn csv(rows: impl Iterator<Item = Row>) -> String {
    let mut text = String::new();
    for row in rows {
        if text.is_empty() {
            text += &line(row.iter().map(|(name, _)| (*name).to_owned()));
        }
        text += &line(row.iter().map(|(_, value)| field(value)));
    }
    text
}

fn line(fields: impl Iterator<Item = String>) -> String {
    fields.collect::<Vec<_>>().join(",") + "\n"
}

/// A CSV field: empty for null, quoted where necessary.
fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"', '\n', '\r']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
