//! What the machine may do to a campaign: set its clock, and run out of memory.

#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use program::{command, end};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A library that gives programs another time of day (Debian's package `faketime`).
const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

#[test]
fn a_clock_that_is_set_while_a_campaign_runs_does_not_change_how_long_it_runs() {
    if !Path::new(FAKETIME).exists() {
        eprintln!("skipped: the Debian package `faketime` is not installed");
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let clock = directory.path().join("clock");
    fs::write(&clock, "+0").expect("there is space");
    let child =
        command(directory.path(), &["interpret", "--fixes", "--time", "3s", "--json", "-q", "-o", "out"])
            .env("LD_PRELOAD", FAKETIME)
            .env("FAKETIME_TIMESTAMP_FILE", &clock)
            .env("FAKETIME_NO_CACHE", "1")
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .spawn()
            .expect("the program can be run");
    // A day back, a year on, and steps in both directions.
    for time in ["-1d", "+1y", "-3h", "+40d", "-2y", "+0"] {
        std::thread::sleep(Duration::from_millis(400));
        fs::write(&clock, time).expect("there is space");
    }
    let run = end(child);
    let report = json(&run.out);
    assert_eq!((run.code, &report["outcome"]), (0, &Value::from("passed")), "{}", run.err);
    // Each of the steps is longer than an hour.
    let seconds = report["seconds"].as_f64().expect("a number");
    assert!((3.0..3600.0).contains(&seconds), "{seconds}");
    let plot = fs::read_to_string(directory.path().join("out/plot.csv")).expect("it is stored");
    let times = plot.lines().skip(1).map(|row| row.split(',').next().expect("a column").parse::<f64>());
    let times: Vec<f64> = times.map(|time| time.expect("a number")).collect();
    assert!(times.is_sorted() && times.iter().all(|time| (0.0..3600.0).contains(time)), "{times:?}");
}

/// The processes that a process has started.
fn children(process: &Child) -> Vec<String> {
    let id = process.id();
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let lists = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn readiness_to_be_ended(process: &str) -> Option<i32> {
    fs::read_to_string(format!("/proc/{process}/oom_score_adj")).ok()?.trim().parse().ok()
}

#[test]
fn a_machine_without_memory_ends_a_worker_before_its_supervisor() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let mut campaign = command(directory.path(), &["interpret", "--fixes", "--time", "1h", "-q"])
        .spawn()
        .expect("the program can be run");
    let own = readiness_to_be_ended("self").expect("Linux has it");
    // Once its worker has read its order, or never.
    let worker = (0..600).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        children(&campaign)
            .iter()
            .filter_map(|child| readiness_to_be_ended(child))
            .find(|worker| *worker == 1000)
    });
    let supervisor = readiness_to_be_ended(&campaign.id().to_string());
    let told = Command::new("kill").args(["-TERM", &campaign.id().to_string()]).status();
    assert!(told.expect("there is `kill`").success());
    campaign.wait().expect("it ends");
    assert_eq!((worker, supervisor), (Some(1000), Some(own)));
}
