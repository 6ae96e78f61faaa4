//! Bugs against properties, with real child processes: matrices, resuming, and bad input.

#[path = "common/program.rs"]
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use program::{Run, command, end, run_at};
use serde_json::{Value, json};

/// Three faults of the stack machine, with budgets that no clock decides on.
const STACK: &str = "refine ifc stack --bugs stack-1,stack-7,stack-18 --tests 20000 --time 5m";

fn temporary() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

/// The report in a directory.
fn report(directory: &Path) -> Value {
    let text = fs::read_to_string(directory.join("report.json")).expect("there is a report");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The properties that see each bug, by their numbers.
fn seen_by(report: &Value) -> BTreeMap<String, Value> {
    let mutants = report["report"]["matrix"].as_array().expect("there is a matrix");
    let id = |mutant: &Value| {
        mutant["name"].as_str().and_then(|name| name.split(':').next()).unwrap_or_default().to_owned()
    };
    mutants.iter().map(|mutant| (id(mutant), mutant["killed_by"].clone())).collect()
}

fn cell_files(results: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(results.join("cells")).into_iter().flatten();
    let mut files: Vec<PathBuf> = listed.map(|file| file.expect("it can be listed").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

#[track_caller]
fn refused(directory: &Path, line: &str, code: i32, words: &[&str]) {
    let run = run_at(directory, line);
    assert_eq!((run.code, run.out.as_str()), (code, ""), "`{line}`: {}", run.err);
    assert_eq!(run.err.lines().count(), 1, "`{line}`: {}", run.err);
    for word in words {
        assert!(run.err.contains(word), "`{line}` does not say {word:?}: {}", run.err);
    }
}

#[test]
fn faults_of_a_machine_are_told_apart_by_their_properties_in_every_run_alike() {
    let here = temporary();
    for name in ["a", "b"] {
        let run = run_at(here.path(), &format!("{STACK} -o {name}"));
        assert!(matches!(run.code, 0 | 1), "{}", run.err);
        assert!(
            run.err.contains("bugs: 3, properties: 3, campaigns to run: 9, of at most 300 s each"),
            "{}",
            run.err
        );
        assert!(run.out.contains("Which property (column) sees which bug:\n  1  2  3\n"), "{}", run.out);
    }
    let [a, b] = ["a", "b"].map(|name| report(&here.path().join(name)));
    assert_eq!(a["report"], b["report"]);
    assert_eq!(cell_files(&here.path().join("a")).len(), 9);
    // A single step shows all three.
    for (bug, properties) in seen_by(&a) {
        assert!(properties.as_array().is_some_and(|all| all.contains(&json!(1))), "{bug}: {properties}");
    }
    let text = fs::read_to_string(here.path().join("a/report.txt")).expect("it is stored");
    assert!(text.contains("campaigns with mutagen, of at most 300 s or 20000 tests each: 9"), "{text}");
    let page = fs::read_to_string(here.path().join("a/report.html")).expect("it is stored");
    assert!(page.contains("<svg") && page.contains("stack-18"), "{page}");
    let lines = fs::read_to_string(here.path().join("a/campaigns.csv")).expect("it is stored");
    assert_eq!(lines.lines().count(), 10);
}

#[test]
fn validators_see_other_bugs_than_results_do() {
    let here = temporary();
    let properties = "validator/accept,validator/reject,interpreter-i32/results,interpreter-i32/memory";
    let line =
        format!("refine --bugs wasm-6,wasm-14 --properties {properties} --tests 20000 --time 5m --json -o a");
    let run = run_at(here.path(), &line);
    let printed: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}{}", run.out, run.err));
    assert_eq!(printed, report(&here.path().join("a")));
    let seen = seen_by(&printed);
    assert_eq!(seen["wasm-6"], json!([1, 2]), "i64.eqz takes an i32, and no i64 any more");
    assert_eq!(seen["wasm-14"], json!([3, 4]), "locals start at 1: results and what is stored are wrong");
    assert_eq!(printed["report"]["minimal_sets"], json!([[1, 3], [1, 4], [2, 3], [2, 4]]));
    // A validator runs nothing, so that it cannot show a bug of the interpreter.
    assert_eq!(printed["campaigns"].as_array().map(Vec::len), Some(6));
    assert_eq!(run.code, 0);
}

#[test]
fn a_lost_export_is_seen_since_exports_are_compared_and_called_by_their_names() {
    let here = temporary();
    let line =
        "refine --bugs wasm-z1 --properties interpreter-i32/results,interpreter/results,interpreter/exports";
    let run = run_at(here.path(), &format!("{line} --time 5m --tests 2000 -o a"));
    assert_eq!(seen_by(&report(&here.path().join("a")))["wasm-z1"], json!([2, 3]), "{}{}", run.out, run.err);
}

#[test]
fn what_one_property_finds_is_tried_with_the_others() {
    let here = temporary();
    // With one test, the second campaign finds nothing by itself.
    let run =
        run_at(here.path(), "refine ifc stack --bugs stack-7 --properties ssni --tests 20000 --time 5m -o a");
    assert_eq!(run.code, 0, "{}", run.err);
    let mut plan: Value =
        serde_json::from_str(&fs::read_to_string(here.path().join("a/plan.json")).expect("a plan"))
            .expect("JSON");
    plan["properties"] = json!(["ssni", "msni"]);
    fs::write(here.path().join("a/plan.json"), plan.to_string()).expect("it can be written");
    let found = cell_files(&here.path().join("a")).swap_remove(0);
    let mut other: Value =
        serde_json::from_str(&fs::read_to_string(&found).expect("a result")).expect("JSON");
    (other["planned_property"], other["outcome"]) = (json!("msni"), json!("timeout"));
    other.as_object_mut().expect("an object").remove("finding");
    fs::write(here.path().join("a/cells/stack-7@msni@mutagen@0.json"), other.to_string())
        .expect("it can be written");
    let run = run_at(here.path(), "refine -o a");
    let crossed = report(&here.path().join("a"))["crossed"].clone();
    assert_eq!(crossed, json!([{ "bug": "stack-7", "property": "msni", "found_by": "ssni" }]), "{}", run.err);
    assert!(
        run.out.contains("pairs killed only by what the campaign of another property found: 1"),
        "{}",
        run.out
    );
}

/// Waits until there are so many results.
fn wait_for_cells(child: &mut Child, results: &Path, count: usize) {
    while cell_files(results).len() < count {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended too early");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let here = temporary();
    let results = here.path().join("a");
    let words: Vec<&str> = STACK.split_whitespace().chain(["-j", "1", "-o", "a"]).collect();
    let mut child = command(here.path(), &words).spawn().expect("it can be run");
    wait_for_cells(&mut child, &results, 2);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let done: Vec<(PathBuf, Vec<u8>)> = cell_files(&results)
        .into_iter()
        .map(|file| (file.clone(), fs::read(file).expect("it is whole")))
        .collect();
    assert!(done.len() < 9, "it was killed before its end");
    assert!(!results.join("report.json").exists());

    // Without any flag, it goes on with what is stored.
    let Run { code, err, .. } = run_at(here.path(), "refine -o a");
    assert!(
        matches!(code, 0 | 1) && err.contains(&format!("{} of 9 cells are done already", done.len())),
        "{err}"
    );
    for (file, content) in done {
        assert_eq!(fs::read(&file).expect("it is there"), content, "{} was run again", file.display());
    }
    run_at(here.path(), &format!("{STACK} -o whole"));
    assert_eq!(report(&results)["report"], report(&here.path().join("whole"))["report"]);
}

#[test]
fn a_run_that_was_told_to_end_says_how_to_go_on_and_by_which_signal_it_ended() {
    let here = temporary();
    let words: Vec<&str> = STACK.split_whitespace().chain(["-j", "1", "-o", "a"]).collect();
    let mut child = command(here.path(), &words).spawn().expect("it can be run");
    wait_for_cells(&mut child, &here.path().join("a"), 1);
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.expect("there is `kill`").success());
    let Run { code, err, .. } = end(child);
    assert_eq!(code, 143, "{err}");
    assert!(err.contains("to go on: mutagen-wasm refine -o a"), "{err}");
}

#[test]
fn names_that_do_not_exist_are_refused_with_the_nearest() {
    let here = temporary();
    refused(here.path(), "refine --bugs wasm-99x", 2, &["no bug of the engines `wasm-99x`"]);
    refused(
        here.path(),
        "refine --bugs stack-7",
        2,
        &["`mutagen-wasm refine ifc stack` has those of that machine"],
    );
    refused(
        here.path(),
        "refine ifc stack --bugs wasm-6",
        2,
        &["no fault of the stack machine", "without `ifc`"],
    );
    let nearest = "did you mean `interpreter/memory`?";
    refused(here.path(), "refine --properties interpreter/memroy", 2, &["no property", nearest]);
    refused(here.path(), "refine ifc register --properties msni", 2, &["no property `msni`", "are ssni"]);
    refused(here.path(), "refine --strategy mutagne", 2, &["did you mean `mutagen`?"]);
    refused(here.path(), "refine ifc heap", 2, &["stack, register"]);
    assert_eq!(fs::read_dir(here.path()).expect("it can be listed").count(), 0, "nothing was written");
}

#[test]
fn budgets_of_zero_are_refused() {
    let here = temporary();
    refused(here.path(), "refine --time 0s", 2, &["more than no time"]);
    refused(here.path(), "refine --tests 0", 2, &["at least 1"]);
}

#[test]
fn a_directory_with_another_plan_is_left_alone() {
    let here = temporary();
    run_at(here.path(), "refine ifc stack --bugs stack-7 --properties ssni --tests 1000 -o a -q");
    refused(here.path(), "refine ifc stack --bugs stack-1 -o a -q", 4, &["holds another plan"]);
    refused(here.path(), "bench report a", 3, &["results on properties", "`mutagen-wasm refine -o a`"]);
    run_at(here.path(), "bench plan --task stack-7 -o b");
    refused(here.path(), "refine -o b -q", 3, &["results on strategies", "`mutagen-wasm bench report b`"]);
}
