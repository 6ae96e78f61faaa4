//! Campaigns and benchmarks whose workers meet, through the whole program: in a directory, and with the feature `hub` at a real
//! NATS server.

#[path = "common/program.rs"]
mod program;
#[cfg(feature = "hub")]
#[path = "../exchange/tests/common/server.rs"]
#[allow(dead_code, reason = "not all test programs need all of it")]
mod server;

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use program::{Run, run};

/// Starts the program without waiting for its end.
fn started(words: &str) -> Child {
    let mut command = program::command(&std::env::temp_dir(), &words.split(' ').collect::<Vec<_>>());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program can be started")
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(300), "never: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What `campaign status` says.
fn status(place: &str) -> serde_json::Value {
    let Run { code, out, err } = run(&format!("campaign status {place} --json"));
    assert_eq!(code, 0, "{err}");
    json(&out)
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
    let second = run(&format!("validate --tests 3000 --seed 2 {place} --json -q"));
    let received = json(&second.out)["shared"]["received"].as_u64().expect("it is a number");
    assert!(received > 50, "{received} of {modules}: {}", second.err);
    let told = status(place);
    assert_eq!(told["tests"], 6000);
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
    let shapes: Vec<serde_json::Value> =
        [1, 1, 2].map(|seed| json(&hunt(seed).out)["groups"][0]["shape"].clone()).into();
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
    let shared = folder.join("results");
    let told = run(&format!("bench report {} {place}", shared.display()));
    assert_eq!(told.code, 0, "{}", told.err);
    // Numbers of tests depend on the seed of the cell alone, unless its time was up.
    let tests = |directory: &Path| {
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
    };
    let (alone, shared) = (tests(&alone), tests(&shared));
    assert_eq!(shared.len(), 10);
    for (one, other) in alone.iter().zip(&shared) {
        assert_eq!((&one.0, &one.1, &one.2), (&other.0, &other.1, &other.2));
        // A slow machine may find nothing in time, in either of them.
        assert!(one.3 == other.3 || one.3.is_none() || other.3.is_none(), "{one:?} {other:?}");
    }
    assert!(alone.iter().filter(|trial| trial.3.is_some()).count() >= 4, "{alone:?}");
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

#[cfg(feature = "hub")]
mod hub {
    use super::{directory, server};

    fn place() -> Option<(server::Server, String)> {
        let server = server::Server::start(&[])?;
        let place = format!("--hub {}", server.address());
        Some((server, place))
    }

    #[test]
    fn campaigns_meet_at_a_server() {
        let Some((_server, place)) = place() else { return };
        super::campaigns_meet(&place, directory().path());
    }

    #[test]
    fn findings_meet_at_a_server() {
        let Some((_server, place)) = place() else { return };
        super::findings_meet(&format!("{place} --campaign bugs"), directory().path());
    }

    #[test]
    fn cells_meet_at_a_server() {
        let Some((_server, place)) = place() else { return };
        super::cells_meet(&place, directory().path());
    }
}
