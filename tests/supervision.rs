//! What a supervised campaign survives: engines that end their process, workers and supervisors that are killed.

#[path = "common/faults.rs"]
mod faults;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use faults::{crashing_engine, directory, json, signal, start, wait_until};
use program::{Run, command, end, run_at};
use serde_json::Value;

/// Runs a campaign of `examples/crashing_engine.rs` on its engine.
fn crashing(directory: &Path, line: &str) -> Run {
    // Far enough apart: what takes memory for ever takes time as well, more of it on a busy machine.
    let limits = "--target crashing --fixes --hang-limit 500ms --memory-limit 128";
    crashing_engine(directory, &format!("interpret {limits} {line}"))
}

/// A module whose only instruction of interest is this one.
fn module(instruction: &str) -> String {
    let ty = &instruction[..3];
    format!(
        "(module (memory 1) (func (export \"f\") (param {ty}) (result {ty}) local.get 0 {} {instruction}))",
        if instruction.ends_with("rotl") || instruction.ends_with("rotr") { "local.get 0" } else { "" }
    )
}

/// The instructions that the engine dies of, with what is said about it.
const DEADLY: [(&str, &str); 6] = [
    ("i32.rotl", "crashing died of SIGSEGV"),
    ("i32.rotr", "crashing died of SIGABRT"),
    ("i32.clz", "crashing overflowed its stack"),
    ("i32.ctz", "crashing ended the process with exit code 7"),
    ("i64.rotl", "crashing gave no answer within 500ms of processor time"),
    ("i64.rotr", "crashing took more than 128 MiB of memory"),
];

#[test]
fn every_way_to_die_is_blamed_on_the_module_that_has_it() {
    let directory = directory();
    let seeds = directory.path().join("seeds");
    fs::create_dir(&seeds).expect("there is space");
    for (instruction, _) in DEADLY {
        fs::write(seeds.join(format!("{instruction}.wat")), module(instruction)).expect("there is space");
    }
    let run = crashing(
        directory.path(),
        "--property interpreter --generator derived --features wasm1 --input seeds --tests 6 -o out --json -q",
    );
    assert_eq!(run.code, 1, "{}", run.err);
    let report = json(&run.out);
    let groups = report["groups"].as_array().expect("a list");
    for (instruction, said) in DEADLY {
        let of: Vec<&Value> = groups.iter().filter(|group| group["message"] == said).collect();
        let [group] = of[..] else { panic!("{said}: {groups:#?}") };
        let file = directory.path().join(group["file"].as_str().expect("it is stored"));
        let text = fs::read_to_string(file.with_extension("wat")).expect("it is stored");
        assert!(text.contains(instruction), "{said}: {text}");
        for (other, _) in DEADLY.iter().filter(|(other, _)| *other != instruction) {
            assert!(!text.contains(other), "{said}: {text}");
        }
    }
    assert_eq!(report["deaths"]["unexplained"], 0);
    // Those who take the place of the dead know the groups, and have met them at no other time.
    let seconds = |moment: &Value| moment["seconds"].as_f64().expect("a number");
    for group in groups {
        let (first, last) = (seconds(&group["first"]), seconds(&group["last"]));
        assert!(first <= last && last <= seconds(&report), "{group:#} {}", report["seconds"]);
    }
}

#[test]
fn deaths_that_cannot_be_shrunk_are_in_the_group_of_those_at_the_same_site() {
    let directory = directory();
    let seeds = directory.path().join("seeds");
    fs::create_dir(&seeds).expect("there is space");
    for (name, before) in [("short", ""), ("long", "f64.neg")] {
        let text =
            format!("(module (func (export \"f\") (param f64) (result f64) local.get 0 {before} f64.ceil))");
        fs::write(seeds.join(format!("{name}.wat")), text).expect("there is space");
    }
    let run = crashing(
        directory.path(),
        "--property interpreter --features wasm1 --guidance repro --input seeds -o out --json -q",
    );
    let report = json(&run.out);
    let groups = report["groups"].as_array().expect("a list");
    let [group] = &groups[..] else { panic!("{report:#} {}", run.err) };
    assert_eq!((&group["message"], &group["count"]), (&"crashing died of SIGABRT".into(), &2.into()));
    assert_eq!(report["deaths"]["target"], 2, "{report:#}");
}

/// A module whose last instruction is this one. Other numbers give modules of other shapes.
fn numbered_module(number: usize, instruction: &str) -> String {
    let ty = &instruction[..3];
    let digits = (0..usize::BITS - number.leading_zeros())
        .map(|digit| if number >> digit & 1 == 1 { "i32.popcnt " } else { "nop " });
    let chain: String = digits.collect();
    let operand = if ty == "i64" { "i64.extend_i32_u" } else { "" };
    let second = if instruction.ends_with("rotl") || instruction.ends_with("rotr") {
        format!("{ty}.const 1")
    } else {
        String::new()
    };
    format!(
        "(module (func (export \"f\") (param i32) (result {ty}) local.get 0 {chain} {operand} {second} {instruction}))"
    )
}

#[test]
fn all_deaths_of_one_campaign_are_survived_and_counted_in_the_group_of_their_way_to_die() {
    // SUPERVISION_DEATHS=1000 makes it the long run.
    let deaths =
        std::env::var("SUPERVISION_DEATHS").ok().and_then(|text| text.parse().ok()).unwrap_or(12_usize);
    let directory = directory();
    let seeds = directory.path().join("seeds");
    fs::create_dir(&seeds).expect("there is space");
    for number in 0..deaths {
        let (instruction, _) = DEADLY[number % DEADLY.len()];
        fs::write(seeds.join(format!("{number}.wat")), numbered_module(number + 1, instruction))
            .expect("there is space");
    }
    let run = crashing(
        directory.path(),
        "--property interpreter --features wasm1 --guidance repro --input seeds -o out --json -q",
    );
    let report = json(&run.out);
    assert_eq!((run.code, &report["outcome"]), (1, &Value::from("finding")), "{}", run.err);
    let died = &report["deaths"];
    assert_eq!(
        (&died["target"], &died["unexplained"]),
        (&Value::from(deaths), &Value::from(0)),
        "{report:#}"
    );
    for (way, (_, said)) in DEADLY.iter().enumerate() {
        let of = |group: &&Value| group["message"] == *said;
        let counts =
            report["groups"].as_array().expect("a list").iter().filter(of).map(|group| &group["count"]);
        let expected = (way..deaths).step_by(DEADLY.len()).count();
        assert_eq!(counts.collect::<Vec<_>>(), [&Value::from(expected)], "{said}: {report:#}");
    }
}

#[test]
fn a_campaign_that_is_resumed_goes_on_after_many_deaths_and_counts_them() {
    let directory = directory();
    let wanted = 40;
    let (mut deaths, mut tests, mut runs) = (0, 0, 0);
    while deaths < wanted {
        let resume = if runs == 0 { "" } else { "--resume" };
        let line = "--property interpreter-i32 --features wasm1 --tests 4000 -o out --json -q";
        let run = crashing(directory.path(), &format!("{line} --seed {runs} {resume}"));
        let report = json(&run.out);
        assert_eq!((run.code, &report["outcome"]), (1, &Value::from("finding")), "{}", run.err);
        let met = report["groups"].as_array().expect("a list").iter().map(|group| group["count"].as_u64());
        let target = report["deaths"]["target"].as_u64().expect("workers died");
        deaths += target;
        runs += 1;
        // All deaths are in a group, those of earlier runs included.
        assert_eq!(met.sum::<Option<u64>>(), Some(deaths), "{report:#}");
        tests += report["tests"].as_u64().expect("a number");
        assert_eq!(report["total"]["tests"], tests, "no run is forgotten");
    }
    assert!(tests > deaths, "{tests} tests");
    // What a worker has told counts also if it dies: the sum of all workers never falls.
    let plot = fs::read_to_string(directory.path().join("out/plot.csv")).expect("it is stored");
    let told = plot.lines().skip(1).map(|row| row.split(',').nth(1).and_then(|tests| tests.parse().ok()));
    let told: Vec<u64> = told.collect::<Option<_>>().expect("numbers");
    assert!(told.len() > 2 && told.is_sorted() && told.last() == Some(&tests), "{told:?}");
    let stats = json(&fs::read_to_string(directory.path().join("out/stats.json")).expect("it is stored"));
    let mut said: Vec<&str> = Vec::new();
    for group in stats["groups"].as_array().expect("a list") {
        assert!(
            ["crash", "hang", "out-of-memory"].contains(&group["kind"].as_str().expect("a word")),
            "{group}"
        );
        said.push(group["message"].as_str().expect("a sentence"));
    }
    let all = said.len();
    said.sort_unstable();
    said.dedup();
    assert_eq!(said.len(), all, "there is one group for each way to die: {stats:#}");
}

#[test]
fn without_keep_going_a_death_ends_the_campaign_as_a_finding_that_replays() {
    let directory = directory();
    let run = crashing(
        directory.path(),
        "--property interpreter-i32 --features wasm1 --seed 1 --no-keep-going --time 60s -o out --json -q",
    );
    assert_eq!(run.code, 1, "{}", run.err);
    let finding = &json(&run.out)["finding"];
    let file = finding["file"].as_str().expect("it is stored").to_owned();
    assert!(
        ["crash", "hang", "out-of-memory"].contains(&finding["kind"].as_str().expect("a word")),
        "{finding}"
    );
    let replayed = crashing_engine(directory.path(), &format!("replay {file}"));
    assert_eq!(replayed.code, 1, "{}", replayed.err);
    assert!(replayed.out.starts_with("the target "), "{}", replayed.out);
    // The program itself has no such engine, and says so.
    assert_eq!(run_at(directory.path(), &format!("replay {file}")).code, 3);
}

#[test]
fn workers_that_die_again_and_again_with_no_test_to_blame_end_the_campaign() {
    let directory = directory();
    // A module is barred after a death, so it takes several.
    let seeds = directory.path().join("seeds");
    fs::create_dir(&seeds).expect("there is space");
    for number in 0..8 {
        let text = format!("(module (func (export \"f\") (result f32) f32.const {number} f32.nearest))");
        fs::write(seeds.join(format!("{number}.wat")), text).expect("there is space");
    }
    let run = crashing(
        directory.path(),
        "--property interpreter --generator derived --features wasm1 --input seeds --time 60s -o out --json -q",
    );
    let report = json(&run.out);
    assert_eq!((run.code, &report["outcome"]), (3, &Value::from("gave_up")), "{report:#} {}", run.err);
    let reason = report["stop_reason"].as_str().expect("a sentence");
    assert!(reason.starts_with("a worker died 5 times in a row, and no test is to blame"), "{reason}");
    // Workers are started again before it is known of what the last one died, so there may be some more.
    let deaths = &report["deaths"];
    assert!(deaths["unexplained"].as_u64().is_some_and(|deaths| (5..8).contains(&deaths)), "{deaths}");
    assert_eq!((&deaths["target"], &deaths["reference"]), (&Value::from(0), &Value::from(0)));
}

#[test]
fn an_engine_that_writes_over_the_notes_of_its_worker_brings_nobody_down_and_no_test_is_blamed() {
    let directory = directory();
    fs::write(directory.path().join("seed.wat"), module("f32.trunc")).expect("there is space");
    let run = crashing(
        directory.path(),
        "--property interpreter --generator derived --features wasm1 --input seed.wat --tests 50 -o out --json -q",
    );
    let report = json(&run.out);
    assert_eq!((run.code, &report["outcome"]), (3, &Value::from("gave_up")), "{report:#} {}", run.err);
    let deaths = &report["deaths"];
    assert_eq!((&deaths["target"], &deaths["reference"]), (&Value::from(0), &Value::from(0)), "{report:#}");
    assert!(deaths["unexplained"].as_u64().is_some_and(|deaths| deaths >= 5), "{deaths}");
    assert_eq!(report["groups"], Value::Array(Vec::new()));
}

#[test]
fn a_campaign_is_the_same_with_and_without_a_supervisor() {
    for line in [
        "interpret --fixes --tests 3000 --seed 5 --json -q",
        "validate --tests 20000 --seed 5 --json -q",
        "interpret --bug wasm-14 --seed 1 --json -q",
    ] {
        let directory = directory();
        let [with, without] = ["", "--no-supervisor"].map(|flag| {
            let mut report = json(&run_at(directory.path(), &format!("{line} {flag}")).out);
            without_times(&mut report);
            report
        });
        assert_eq!(with, without, "{line}");
    }
}

fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.contains("second"));
            fields.values_mut().for_each(without_times);
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// The processes that a process has started.
fn children(process: u32) -> Vec<u32> {
    let tasks = format!("/proc/{process}/task/{process}/children");
    let own = fs::read_to_string(tasks).unwrap_or_default();
    // Any thread may have started one.
    let others = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let others = others.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    let all: String = others.fold(own, |all, one| all + " " + &one);
    let mut all: Vec<u32> = all.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn kill(process: u32) {
    // It may have ended by itself.
    let _ = Command::new("kill").args(["-9", &process.to_string()]).stderr(Stdio::null()).status();
}

#[test]
fn workers_and_supervisors_that_are_killed_at_any_moment_lose_nothing() {
    let directory = directory();
    // SUPERVISION_KILLS=300 makes it the long run.
    let kills = std::env::var("SUPERVISION_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(12_u64);
    // Something is found as soon as a worker begins.
    fs::write(directory.path().join("differs.wat"), DIFFERS).expect("there is space");
    let (mut found, mut files) = (Vec::new(), Vec::new());
    for number in 0..kills {
        let resume = if number == 0 { "--fresh" } else { "--resume" };
        let seed = number.to_string();
        let line = "interpret --property interpreter --generator derived --features wasm1 --input differs.wat --time 1h -q -o out -j 2";
        let words: Vec<&str> = line.split(' ').chain(["--seed", &seed, resume]).collect();
        let child = command(directory.path(), &words).spawn().expect("the program can be run");
        // Moments that are spread over start, search and shrinking.
        std::thread::sleep(Duration::from_millis(100 + number * 7919 % 1500));
        let workers = children(child.id());
        if number % 3 == 0 {
            kill(child.id());
        } else {
            workers.iter().take(1 + number as usize % 2).for_each(|worker| kill(*worker));
            std::thread::sleep(Duration::from_millis(number * 104_729 % 700));
            let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
            assert!(sent.expect("there is `kill`").success());
        }
        let run = end(child);
        assert!([-1, 1, 143].contains(&run.code), "{}: {}", run.code, run.err);
        found = keeps_everything(&directory.path().join("out"), &found);
        files = keeps_files(&directory.path().join("out"), &files);
    }
    assert!(!found.is_empty() && !files.is_empty(), "nothing was found, so nothing could be lost");
}

/// Checks that what the spec and the plot say can be read, and that no exemplar is gone unless its group has another one. Returns
/// the groups with their exemplars.
fn keeps_files(output: &Path, before: &[(String, String)]) -> Vec<(String, String)> {
    // It may have been killed before it began.
    let Ok(text) = fs::read_to_string(output.join("run.json")) else { return before.to_vec() };
    assert!(json(&text).is_object());
    let plot = fs::read_to_string(output.join("plot.csv")).unwrap_or_default();
    let columns = plot.lines().next().map_or(0, |names| names.split(',').count());
    // A row that was being written when the run was killed is cut off by the next one.
    let rows = plot.split_inclusive('\n').filter(|row| row.ends_with('\n'));
    rows.for_each(|row| assert_eq!(row.split(',').count(), columns, "{row}"));
    let Ok(text) = fs::read_to_string(output.join("stats.json")) else { return before.to_vec() };
    let groups = json(&text)["groups"].as_array().cloned().unwrap_or_default();
    let pair =
        |group: &Value| Some((group["shape"].as_str()?.to_owned(), group["file"].as_str()?.to_owned()));
    let now: Vec<(String, String)> = groups.iter().filter_map(pair).collect();
    for (shape, file) in before {
        let is_there = output.join("findings").join(Path::new(file).file_name().expect("a name")).exists();
        let has_other = now.iter().any(|(known, other)| known == shape && other != file);
        assert!(is_there || has_other, "{file} of {shape} is lost: {now:?}");
    }
    now
}

/// The one worker of a campaign, once it is there.
fn worker_of(campaign: &Child) -> u32 {
    let mut worker = None;
    wait_until(|| {
        worker = children(campaign.id()).first().copied();
        worker.is_some()
    });
    worker.expect("it was waited for")
}

#[test]
fn a_worker_that_somebody_stops_is_not_to_blame_and_does_not_keep_the_campaign_from_ending() {
    let directory = directory();
    let mut campaign = start(directory.path(), &["interpret", "--hang-limit", "300ms"]);
    let worker = worker_of(&campaign);
    signal("-STOP", worker);
    // Much longer than one that sleeps in an engine may take.
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(worker_of(&campaign), worker, "it is waited for");
    signal("-TERM", campaign.id());
    wait_until(|| campaign.try_wait().expect("it can be waited for").is_some());
    let run = end(campaign);
    assert_eq!(run.code, 143, "{}", run.err);
    let report = json(&run.out);
    assert_eq!((&report["outcome"], &report["groups"]), (&"interrupted".into(), &Value::Array(Vec::new())));
    assert_eq!(report["deaths"]["target"], 0, "{report:#}");
}

#[test]
fn a_worker_that_cannot_be_replaced_at_once_is_replaced_later_and_nothing_is_lost() {
    let directory = directory();
    let mut campaign = start(directory.path(), &["interpret"]);
    let first = worker_of(&campaign);
    let process = campaign.id().to_string();
    let allow = |files: u32| {
        let changed =
            Command::new("prlimit").args(["--pid", &process, &format!("--nofile={files}:")]).status();
        assert!(changed.expect("there is `prlimit`").success());
    };
    // Enough for its own results, and too few for the pipes of another worker.
    let open = fs::read_dir(format!("/proc/{}/fd", campaign.id())).expect("it runs").flatten();
    let open: Vec<u32> = open.filter_map(|file| file.file_name().to_str()?.parse().ok()).collect();
    allow((0..).filter(|number| !open.contains(number)).nth(2).expect("numbers do not end"));
    kill(first);
    wait_until(|| !children(campaign.id()).contains(&first));
    // Long enough for a try that fails.
    std::thread::sleep(Duration::from_millis(300));
    assert!(campaign.try_wait().expect("it can be waited for").is_none(), "the campaign goes on");
    allow(1024);
    assert_ne!(worker_of(&campaign), first);
    let stats = directory.path().join("out/stats.json");
    let tests = || json(&fs::read_to_string(&stats).expect("it is stored"))["tests"].as_u64();
    let before = tests();
    wait_until(|| tests() > before);
    signal("-TERM", campaign.id());
    let run = end(campaign);
    assert_eq!(run.code, 143, "{}", run.err);
    assert_eq!(json(&run.out)["deaths"]["target"], 0, "{}", run.out);
}

/// Checks that every file can be read, and that the groups that were there still are. Returns all groups.
fn keeps_everything(output: &Path, before: &[String]) -> Vec<String> {
    // The workers of a supervisor that was killed end soon after it.
    std::thread::sleep(Duration::from_millis(300));
    for entry in fs::read_dir(output.join("findings")).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            json(&fs::read_to_string(&path).expect("it can be read"));
            assert!(path.with_extension("wasm").exists() && path.with_extension("wat").exists());
        }
    }
    let Ok(text) = fs::read_to_string(output.join("stats.json")) else { return before.to_vec() };
    let groups = json(&text)["groups"].as_array().cloned().unwrap_or_default();
    let name = |group: &Value| group["fix"].as_str().or(group["shape"].as_str()).expect("a name").to_owned();
    let now: Vec<String> = groups.iter().map(name).collect();
    for group in before {
        assert!(now.contains(group), "{group} is lost: {now:?}");
    }
    for group in &groups {
        if let Some(file) = group["file"].as_str() {
            let file = output.join("findings").join(Path::new(file).file_name().expect("a name"));
            assert!(file.exists(), "{} is lost", file.display());
        }
    }
    now
}

/// A module on which wasmi 2.0.0 as published differs from the reference, whatever it is called with (wasm-f1).
const DIFFERS: &str = r#"(module (func (export "f") (param f64 i32) (result f64) (local i32 f64)
    (i32.add (local.get 1) (i32.const 7))
    (select (f64.const 2) (local.get 0) (i32.eqz (local.get 2)))
    (local.set 3) (drop) (local.get 3)))"#;

/// How long a campaign that was told to end may take before it counts as one that does not end.
const LONGEST_END: Duration = Duration::from_secs(60);

#[test]
fn what_a_killed_run_left_unsorted_is_sorted_without_another_search() {
    let directory = directory();
    let (seeds, stats) = (directory.path().join("seeds"), directory.path().join("out/stats.json"));
    fs::create_dir(&seeds).expect("there is space");
    fs::write(seeds.join("differs.wat"), DIFFERS).expect("there is space");
    let line = "interpret --property interpreter --generator derived --features wasm1 -o out -q";
    let first = run_at(directory.path(), &format!("{line} --input seeds --tests 1"));
    assert_eq!(first.code, 1, "{}", first.err);
    // As if the run had been killed after it stored the finding, and before it sorted it.
    let mut report = json(&fs::read_to_string(&stats).expect("it is stored"));
    report["groups"] = Value::Array(Vec::new());
    fs::write(&stats, report.to_string()).expect("there is space");
    fs::remove_dir_all(directory.path().join("out/corpus")).ok();

    let words: Vec<&str> = line.split_whitespace().chain(["--resume", "--time", "1h"]).collect();
    let mut child = command(directory.path(), &words).spawn().expect("the program can be run");
    while json(&fs::read_to_string(&stats).expect("it is stored"))["outcome"] != "running" {
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.expect("there is `kill`").success());
    let told = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if told.elapsed() > LONGEST_END {
            kill(child.id());
            panic!("the campaign goes on after it was told to end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let report = json(&fs::read_to_string(&stats).expect("it is stored"));
    assert_eq!(report["groups"][0]["fix"], "wasm-f1", "{report:#}");
}
