//! `--guidance afl`. Without `afl-fuzz`, what needs it is skipped, and says so.

#[path = "common/program.rs"]
mod program;

use mutagen_engine::Afl;
use program::{command, end, run, run_at};
use serde_json::Value;

/// Whether AFL is there. If not, the test says that it is skipped.
fn has_afl() -> bool {
    let installed = Afl::require();
    if let Err(error) = &installed {
        eprintln!("SKIPPED: {error}");
    }
    installed.is_ok()
}

#[test]
fn afl_finds_an_injected_bug_and_the_finding_is_shrunk_stored_and_replays() {
    if !has_afl() {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let line =
        "ifc stack --bug stack-1 --generator smart --guidance afl --seed 1 --tests 300000 --json -q -o out";
    let found = run_at(directory.path(), line);
    assert_eq!(found.code, 1, "{}{}", found.out, found.err);
    let json: Value = serde_json::from_str(&found.out).expect("it is one object");
    assert_eq!((&json["guidance"], &json["outcome"]), (&"afl".into(), &"finding".into()));
    assert!(json["figures"]["counts"]["asked for by afl-fuzz"].as_u64() >= Some(1), "{json}");
    let file = json["finding"]["file"].as_str().expect("it is stored");
    assert_eq!(run_at(directory.path(), &format!("replay {file}")).code, 1);
}

#[test]
fn afl_tests_modules_and_stops_when_its_tests_are_done() {
    if !has_afl() {
        return;
    }
    let run = run("validate --guidance afl --tests 300 --json -q");
    // wasmi has bugs of its own.
    assert!([0, 1].contains(&run.code), "{}{}", run.out, run.err);
    let json: Value = serde_json::from_str(&run.out).expect("it is one object");
    assert!(
        json["tests"].as_u64() <= Some(300) && json["figures"]["levels"]["known probes"].as_u64() > Some(50),
        "{json}"
    );
}

#[test]
fn afl_tests_what_modules_compute() {
    if !has_afl() {
        return;
    }
    let run = run("interpret --guidance afl --seed 2 --tests 300 --json -q");
    // So few tests may all be discarded.
    assert!([0, 1, 3].contains(&run.code), "{}{}", run.out, run.err);
    let json: Value = serde_json::from_str(&run.out).expect("it is one object");
    let asked_for = json["figures"]["counts"]["asked for by afl-fuzz"].as_u64();
    assert!(
        json["guidance"] == "afl"
            && asked_for >= Some(1)
            && json["figures"]["levels"]["known probes"].as_u64() > Some(50),
        "{json}"
    );
}

#[test]
fn without_afl_one_sentence_says_how_to_get_it() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let words = ["validate", "--guidance", "afl", "--tests", "10", "-o", "out"];
    let child =
        command(directory.path(), &words).env("PATH", directory.path()).spawn().expect("it can be run");
    let run = end(child);
    assert_eq!((run.code, run.out.as_str(), run.err.lines().count()), (3, "", 1), "{}", run.err);
    assert!(run.err.contains("apt-get install afl++"), "{}", run.err);
    assert!(!directory.path().join("out").exists(), "nothing was begun");
}
