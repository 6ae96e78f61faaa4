//! Campaigns and benchmarks whose workers meet, through the whole program: in a directory, and with the feature `hub` at a real
//! NATS server.

#[cfg(feature = "hub")]
#[path = "sharing/hub.rs"]
mod hub;
#[path = "common/program.rs"]
mod program;
#[cfg(feature = "hub")]
#[path = "../exchange/tests/common/server.rs"]
#[allow(dead_code, reason = "not all test programs need all of it")]
mod server;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use mutagen_exchange::{CampaignName, Entry, Place};
use program::{Run, run};

/// Starts the program without waiting for its end.
fn started(words: &str) -> Child {
    let mut command = program::command(&std::env::temp_dir(), &words.split(' ').collect::<Vec<_>>());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("the program can be started")
}

/// The worker processes of a campaign.
#[cfg(feature = "hub")]
fn workers_of(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    lists.collect::<String>().split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Starts the program, and keeps what it says besides its results.
#[cfg(feature = "hub")]
fn started_telling(words: &str) -> Child {
    let mut command = program::command(&std::env::temp_dir(), &words.split(' ').collect::<Vec<_>>());
    command.stdin(Stdio::null()).spawn().expect("the program can be started")
}

fn eventually(what: &str, holds: impl FnMut() -> bool) {
    wait_until(Duration::from_secs(300), what, holds);
}

fn wait_until(longest: Duration, what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < longest, "never: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What `campaign status` says. `None` if nobody has joined yet.
fn early_status(place: &str) -> Option<serde_json::Value> {
    let Run { code, out, err } = run(&format!("campaign status {place} --json"));
    assert!(code == 0 || code == 3 && err.contains("there is no campaign"), "{err}");
    (code == 0).then(|| json(&out))
}

fn status(place: &str) -> serde_json::Value {
    early_status(place).expect("somebody has joined")
}

/// How many modules all workers have published.
#[cfg(feature = "hub")]
fn corpus_of(place: &str) -> u64 {
    early_status(place).and_then(|status| status["corpus"].as_u64()).unwrap_or(0)
}

fn modules_of(directory: &Path) -> usize {
    fs::read_dir(directory).map_or(0, |files| files.count())
}

/// The tests for a place where workers can meet.
fn campaigns_meet(place: &str, folder: &Path) {
    // A first worker fills the corpus. A second one gets it, and both are seen.
    let first = run(&format!("validate --tests 3000 --seed 1 {place} --json -q"));
    assert_eq!(first.code, 0, "{}", first.err);
    assert_eq!(json(&first.out)["shared"]["received"], 0);
    let corpus = folder.join("corpus");
    let told = run(&format!("campaign corpus {place} -o {}", corpus.display()));
    assert_eq!(told.code, 0, "{}", told.err);
    let modules = modules_of(&corpus);
    assert!(modules > 50, "{modules}");
    let second = run(&format!("validate --tests 20000 --seed 2 {place} --json -q"));
    let received = json(&second.out)["shared"]["received"].as_u64().expect("it is a number");
    assert!(received > 50, "{received} of {modules}: {}", second.err);
    let told = status(place);
    assert_eq!(told["tests"], 23_000);
    assert!(told["corpus"].as_u64().expect("it is a number") >= modules as u64);
    assert_eq!(told["workers"].as_array().map(Vec::len), Some(2));
    // One that does something else is refused, and hears why.
    let other = run(&format!("validate --tests 10 --features wasm1 {place}"));
    assert_eq!(other.code, 4);
    assert!(other.err.contains("spec.subject.engines.features is"), "{}", other.err);
    // A stop reaches a worker that runs, and one that joins later.
    let mut runs = started(&format!("validate --time 10m {place} -q"));
    eventually("it runs", || status(place)["running"] == 1);
    assert_eq!(run(&format!("campaign stop {place}")).code, 0);
    let mut ended = None;
    eventually("it stops", || {
        ended = runs.try_wait().expect("it can be asked");
        ended.is_some()
    });
    assert_eq!(ended.and_then(|status| status.code()), Some(0));
    assert_eq!(run(&format!("validate --time 10m {place} -q")).code, 0);
}

/// Findings of several workers come together, one of each shape.
fn findings_meet(place: &str, folder: &Path) {
    let hunt =
        |seed: u32| run(&format!("validate --bug wasm-6 --seed {seed} --tests 200000 {place} --json -q"));
    let shape = |seed| {
        let Run { code, out, err } = hunt(seed);
        assert_eq!(code, 1, "{err}");
        json(&out)["groups"][0]["shape"].clone()
    };
    let shapes: Vec<serde_json::Value> = [1, 1, 2].map(shape).into();
    let mut different = shapes.clone();
    different.sort_by_key(ToString::to_string);
    different.dedup();
    let found = folder.join("found");
    let told = run(&format!("campaign findings {place} -o {}", found.display()));
    assert_eq!(told.code, 1, "{}", told.err);
    assert_eq!(status(place)["findings"], different.len(), "{shapes:?}");
    assert_eq!(modules_of(&found), different.len());
    let file =
        fs::read_dir(&found).expect("it is there").next().expect("there is one").expect("it can be read");
    assert_eq!(run(&format!("replay {}", file.path().display())).code, 1);
}

/// The trials in a directory: task, strategy, number, and the tests to failure. These depend on the seed of the cell alone, unless
/// its time was up.
fn trials(directory: &Path) -> Vec<(String, String, String, Option<String>)> {
    let files = fs::read_dir(directory.join("cells")).expect("it is there");
    let mut trials: Vec<_> = files
        .map(|file| {
            json(&fs::read_to_string(file.expect("it can be listed").path()).expect("it can be read"))
        })
        .map(|trial| {
            let found = trial["outcome"] == "found";
            (
                trial["task"].to_string(),
                trial["strategy"].to_string(),
                trial["trial"].to_string(),
                found.then(|| trial["tests"].clone().to_string()),
            )
        })
        .collect();
    trials.sort();
    trials
}

/// Cells get one result each, although a worker is killed, and the same as alone.
fn cells_meet(place: &str, folder: &Path) {
    let plan = "--task wasm-6 --task stack-7 --strategy mutagen:3 --strategy random:2 --time 1s";
    let alone = folder.join("alone");
    assert_eq!(run(&format!("bench run {plan} -j 2 -q -o {}", alone.display())).code, 0);
    let mut killed = started(&format!("bench run {plan} -j 1 -q {place}"));
    eventually("it has a cell", || {
        let Run { code, .. } = run(&format!("bench report {} {place}", folder.join("early").display()));
        code == 0
    });
    killed.kill().and_then(|()| killed.wait()).expect("it can be killed");
    let mut others = [
        started(&format!("bench run {plan} -j 1 -q {place}")),
        started(&format!("bench run -j 1 -q {place}")),
    ];
    for other in &mut others {
        assert_eq!(other.wait().expect("it ends").code(), Some(0));
    }
    // Whoever looks sees how far the cells are, and is not told that a stop would end them.
    assert_eq!(status(place), serde_json::json!({ "cells": 10, "cells_done": 10 }));
    let stop = run(&format!("campaign stop {place}"));
    assert_eq!(stop.code, 3);
    assert!(stop.err.contains("is a benchmark or a kill matrix"), "{}", stop.err);
    let shared = folder.join("results");
    let told = run(&format!("bench report {} {place}", shared.display()));
    assert_eq!(told.code, 0, "{}", told.err);
    let (alone, shared) = (trials(&alone), trials(&shared));
    assert_eq!(shared.len(), 10);
    for (one, other) in alone.iter().zip(&shared) {
        assert_eq!((&one.0, &one.1, &one.2), (&other.0, &other.1, &other.2));
        // A slow machine may find nothing in time, in either of them.
        assert!(one.3 == other.3 || one.3.is_none() || other.3.is_none(), "{one:?} {other:?}");
    }
    assert!(alone.iter().filter(|trial| trial.3.is_some()).count() >= 4, "{alone:?}");
}

/// Pairs of states meet as modules do.
fn machines_meet(place: &str, folder: &Path) {
    let hunt = |seed: u32| run(&format!("ifc stack --tests 2000000 --seed {seed} {place} --json -q"));
    let first = hunt(1);
    assert_eq!(first.code, 0, "{}", first.err);
    let second = json(&hunt(2).out);
    assert!(second["shared"]["received"].as_u64().expect("it is a number") > 0, "{second}");
    let other = run(&format!("ifc register --tests 10 {place}"));
    assert_eq!(other.code, 4);
    assert!(other.err.contains("`stack` there and `register` here"), "{}", other.err);
    let corpus = folder.join("corpus");
    assert_eq!(run(&format!("campaign corpus {place} -o {}", corpus.display())).code, 0);
    let files: Vec<_> =
        fs::read_dir(&corpus).expect("it is there").map(|file| file.expect("a file")).collect();
    assert!(!files.is_empty() && files.iter().all(|file| file.path().extension() == Some("json".as_ref())));
}

/// Scenarios meet as modules do. The target is repaired: a finding would end the campaign.
fn interpreters_meet(place: &str) {
    let hunt = |seed: u32| run(&format!("interpret --fixes --tests 3000 --seed {seed} {place} --json -q"));
    let first = hunt(1);
    assert_eq!(first.code, 0, "{}", first.err);
    let second = json(&hunt(2).out);
    assert!(second["shared"]["received"].as_u64().expect("it is a number") > 20, "{second}");
    assert_eq!(second["shared"]["foreign"], 0);
}

/// Workers share the campaigns of a kill matrix, and each reports all of it.
fn a_matrix_is_shared(place: &str, folder: &Path) {
    let wish = "--bugs stack-1,stack-2,stack-3,stack-4 --properties ssni,eeni --tests 3000 --time 60s";
    let words = |at: &str| format!("refine ifc stack {wish} -j 1 --json -q -o {}", folder.join(at).display());
    let alone = run(&words("alone"));
    let one = started(&format!("{} {place}", words("one")));
    let other = run(&format!("{} {place}", words("other")));
    let one = one.wait_with_output().expect("it ends");
    assert_eq!((one.status.code(), other.code), (Some(alone.code), alone.code), "{}", other.err);
    assert_eq!(json(&other.out)["report"], json(&alone.out)["report"]);
    // A campaign cannot join them, and hears why.
    let stranger = run(&format!("ifc stack --tests 10 {place}"));
    assert_eq!(stranger.code, 4);
    assert!(stranger.err.contains("kind is `benchmark` there and `campaign` here"), "{}", stranger.err);
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

#[test]
fn campaigns_meet_in_a_directory() {
    let (place, folder) = (directory(), directory());
    campaigns_meet(&format!("--sync {}", place.path().display()), folder.path());
}

#[test]
fn findings_meet_in_a_directory() {
    let (place, folder) = (directory(), directory());
    findings_meet(&format!("--sync {} --campaign bugs", place.path().display()), folder.path());
}

#[test]
fn cells_meet_in_a_directory() {
    let (place, folder) = (directory(), directory());
    cells_meet(&format!("--sync {}", place.path().display()), folder.path());
}

#[test]
fn machines_meet_in_a_directory() {
    let (place, folder) = (directory(), directory());
    machines_meet(&format!("--sync {}", place.path().display()), folder.path());
}

#[test]
fn a_matrix_is_shared_in_a_directory() {
    let (place, folder) = (directory(), directory());
    a_matrix_is_shared(&format!("--sync {}", place.path().display()), folder.path());
}

#[test]
fn workers_on_a_machine_share_in_memory() {
    let Run { code, out, err } = run("ifc stack -j 3 --share --tests 600000 --seed 5 --json -q");
    assert_eq!(code, 0, "{err}");
    assert!(json(&out)["shared"]["received"].as_u64().expect("a number") > 0, "{out}");
}

#[test]
fn workers_of_one_campaign_share_if_they_are_told_to_and_one_worker_alone_runs_as_without() {
    let tests = |words: &str| {
        let Run { code, out, err } = run(&format!("validate --tests 4000 --seed 5 --json -q {words}"));
        assert_eq!(code, 0, "{err}");
        json(&out)
    };
    let (alone, shared) = (tests(""), tests("--share"));
    for field in ["tests", "passed", "discarded", "labels", "figures"] {
        assert_eq!(alone[field], shared[field], "{field}");
    }
    assert!(alone["shared"].is_null());
    assert_eq!(shared["shared"]["received"], 0);
    for how in ["", "--no-supervisor"] {
        let received =
            tests(&format!("--share -j 3 {how}"))["shared"]["received"].as_u64().expect("a number");
        assert!(received > 20, "{received} {how}");
    }
}

#[test]
fn interpreters_meet_in_a_directory() {
    let place = directory();
    interpreters_meet(&format!("--sync {}", place.path().display()));
}

#[test]
fn a_program_of_another_build_is_refused_and_still_reads_results() {
    let (place, folder) = (directory(), directory());
    let at = format!("--sync {}", place.path().display());
    let plan = format!("bench run --task stack-7 --strategy mutagen:1 --time 1s -q {at}");
    assert_eq!(run(&plan).code, 0);
    let terms = place.path().join("default/terms");
    let mut stored = json(&fs::read_to_string(&terms).expect("they are there"));
    stored["build"] = "another".into();
    fs::write(&terms, stored.to_string()).expect("it can be written");
    let refused = run(&plan);
    assert_eq!(refused.code, 4);
    assert!(refused.err.contains("build is `another` there and"), "{}", refused.err);
    let told = run(&format!("bench report {} {at}", folder.path().join("results").display()));
    assert_eq!(told.code, 0, "{}", told.err);
}

#[test]
fn whoever_runs_a_benchmark_again_tries_cells_again_that_were_tried_in_vain() {
    let place = directory();
    let at = format!("--sync {}", place.path().display());
    let plan = format!("bench run --task stack-7 --strategy mutagen:3 --time 1s {at}");
    assert_eq!(run(&plan).code, 0);
    // As if all three holders of a cell had been killed, an hour ago.
    let root = place.path().join("default");
    let result = fs::read_dir(root.join("results")).expect("it is there").next().expect("there is one");
    let result = result.expect("a file");
    let name = result.file_name().into_string().expect("a name");
    fs::remove_file(result.path()).expect("it can be removed");
    for tries in 1..=3 {
        let hold =
            fs::File::create(root.join("holds").join(format!("{name}.{tries}"))).expect("it can be made");
        hold.set_modified(SystemTime::now() - Duration::from_secs(3600)).expect("it has a time");
    }
    let again = run(&plan);
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(again.err.contains("1 of them were tried as often as allowed"), "{}", again.err);
    assert_eq!(fs::read_dir(root.join("results")).expect("it is there").count(), 3);
}

#[test]
fn cells_exchange_no_tests_whatever_the_environment_says() {
    let place = directory();
    let words = ["bench", "run", "--task", "wasm-6", "--strategy", "mutagen:2", "--time", "1s", "-q"];
    let mut command = program::command(&std::env::temp_dir(), &words);
    command.env("MUTAGEN_SYNC", place.path()).env("MUTAGEN_SHARE", "1");
    let ended = program::end(command.spawn().expect("it can be started"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    let root = place.path().join("default");
    assert_eq!(fs::read_dir(root.join("results")).expect("the cells are shared").count(), 2);
    assert!(!root.join("tests").exists() && !root.join("workers").exists());
}

#[test]
fn a_seed_that_is_named_is_used_and_else_one_is_drawn() {
    let place = directory();
    let seed = |words: &str| {
        let line = format!("validate --tests 20 {words} --sync {} --json -q", place.path().display());
        json(&run(&line).out)["spec"]["seed"].as_u64().expect("a number")
    };
    assert_eq!((seed("--seed 0"), seed("--seed 7")), (0, 7));
    assert!(seed("") > 0 && seed("") != seed(""));
}

#[test]
fn a_guidance_that_learns_nothing_says_that_it_shares_only_findings() {
    let said = |words: &str| run(&format!("validate --tests 20 --share -j 2 {words}")).err;
    assert!(said("--guidance random").contains("only findings are shared"));
    assert!(!said("").contains("only findings are shared"));
}

#[test]
fn tests_of_another_format_are_counted_and_left_out() {
    let place = directory();
    let words = format!("ifc stack --tests 20000 --sync {} --json -q", place.path().display());
    assert_eq!(run(&words).code, 0);
    let (at, name) = (Place::Directory(place.path().to_owned()), CampaignName::default());
    let terms =
        at.board(&name).and_then(|board| board.terms()).expect("it can be read").expect("there are some");
    let mut stranger = at.join(&name, &terms).expect("it can join");
    for bytes in [r#"{"format":2,"states":{}}"#, "[]", "what is this?"] {
        stranger.publish(Entry::test(bytes.into()));
    }
    stranger.finish(Duration::from_secs(60));
    assert_eq!(stranger.health().unsent, 0);
    let Run { code, out, err } = run(&words.replace("20000", "2000000"));
    assert_eq!(code, 0, "{err}");
    assert_eq!(json(&out)["shared"]["foreign"], 3, "{out}");
}

#[test]
fn systemd_understands_the_unit_of_the_documents() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/hub.md")).expect("it is there");
    let unit = text.split("```ini\n").nth(1).and_then(|rest| rest.split("```").next()).expect("there is one");
    let folder = directory();
    // The program of the unit is not installed here, and its secret is nowhere.
    let unit = unit.replace("/usr/local/bin/mutagen-wasm", "/bin/true");
    let file = folder.path().join("mutagen-wasm.service");
    fs::write(&file, unit).expect("it can be written");
    let Ok(verified) = std::process::Command::new("systemd-analyze").arg("verify").arg(&file).output() else {
        return writeln!(std::io::stderr(), "skipped: there is no systemd-analyze")
            .expect("there is an output");
    };
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && !said.contains("mutagen-wasm"), "{said}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = directory();
    let place = place.path().display();
    for (words, why) in [
        ("validate --hub nats://10.0.0.1 --tests 1".to_owned(), "--hub-secret"),
        ("validate --hub http://x --tests 1".to_owned(), "nats://"),
        ("validate --hub nats://hush@x --tests 1".to_owned(), "...@x"),
        (format!("validate --share --sync {place} --tests 1"), "--sync"),
        (format!("validate --sync {place} Cargo.toml"), "--sync"),
        (format!("validate --sync {place} --campaign A --tests 1"), "small letters"),
        (format!("bench run --shard 0/2 --sync {place}"), "--shard"),
        ("validate --share -j 2 --mutate-one-of 0 --tests 1".to_owned(), "--mutate-one-of"),
        ("campaign status".to_owned(), "--sync DIR or --hub URL"),
    ] {
        let Run { code, err, .. } = run(&words);
        assert_eq!(code, 2, "{words}: {err}");
        assert!(err.contains(why) && !err.contains("hush"), "{words}: {err}");
    }
    let Run { code, err, .. } = run(&format!("campaign status --sync {place} --campaign nobody"));
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("nobody"), "{err}");
    if cfg!(not(feature = "hub")) {
        let Run { code, err, .. } = run("validate --hub nats://localhost --tests 1");
        assert_eq!(code, 2, "{err}");
        assert!(err.contains("--features hub"), "{err}");
    }
}
