//! Guidances on the command line: all of them by name, and the special features of some.

#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};

use program::{Run, run, run_at};
use serde_json::Value;
use tempfile::TempDir;

const GUIDANCES: [&str; 9] =
    ["mutagen", "random", "smallcheck", "fuzzchick", "zest", "crowbar", "perffuzz", "smith", "smith-zest"];

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err))
}

#[track_caller]
fn assert_refused(line: &str, code: i32, parts: &[&str]) {
    let run = run(line);
    assert_eq!((run.code, run.out.as_str(), run.err.lines().count()), (code, "", 1), "`{line}`: {}", run.err);
    for part in parts {
        assert!(run.err.contains(part), "`{line}`: `{part}` is not in: {}", run.err);
    }
}

#[test]
fn the_help_of_every_campaign_lists_the_guidances_with_a_line_each() {
    for command in ["validate", "interpret", "ifc stack", "ifc register"] {
        let help = run(&format!("{command} --help")).out;
        for guidance in GUIDANCES.iter().chain(&["repro", "afl"]) {
            let line = help.lines().find_map(|line| line.trim().strip_prefix(&format!("- {guidance}:")));
            let about_modules = guidance.starts_with("smith") || *guidance == "repro";
            assert_eq!(
                line.is_some_and(|line| line.len() > 10),
                !(about_modules && command.starts_with("ifc")),
                "`{command}` about {guidance}: {help}"
            );
        }
    }
}

#[test]
fn every_guidance_runs_every_campaign_that_it_is_for() {
    for guidance in GUIDANCES {
        let machines = if guidance.starts_with("smith") { &[][..] } else { &["ifc stack", "ifc register"] };
        for command in ["validate", "interpret"].iter().chain(machines) {
            let run = run(&format!("{command} --guidance {guidance} --tests 200 --json -q"));
            let json = json(&run);
            // wasmi has bugs of its own, and so few tests may all be discarded.
            let codes = if json["passed"] == 0 { [1, 3] } else { [0, 1] };
            assert!(codes.contains(&run.code), "{command}, {guidance}: {} {}", run.code, run.err);
            assert_eq!(json["guidance"], guidance);
            assert!(json["tests"].as_u64().is_some_and(|tests| tests > 0), "{command}, {guidance}");
        }
    }
}

#[test]
fn guidances_find_what_is_injected() {
    for line in [
        "ifc stack --bug stack-7 --guidance fuzzchick --tests 200000",
        "ifc stack --bug stack-1 --guidance zest --tests 200000",
        "ifc stack --bug stack-1 --generator smart --guidance random --tests 100000",
        "interpret --bug wasm-14 --guidance random --tests 300000",
    ] {
        assert_eq!(run(line).code, 1, "{line}");
    }
}

#[test]
fn what_a_guidance_cannot_do_is_refused_in_one_line() {
    assert_refused("ifc stack --guidance smith", 2, &["smith", "mutagen, random"]);
    assert_refused("ifc register --guidance repro", 2, &["repro", "mutagen, random"]);
    assert_refused("ifc stack --guidance zest --preset paper", 2, &["zest has no preset `paper`"]);
    assert_refused("validate --guidance perffuzz --switch fuel", 2, &["uses no fuel", "interpret"]);
    assert_refused("ifc stack --guidance perffuzz --switch fuel", 2, &["uses no fuel"]);
    assert_refused(
        "interpret --guidance smith --property invocation",
        2,
        &["whole modules", "--property interpreter"],
    );
    assert_refused("validate --guidance zest --switch fifo", 2, &["zest has no switch `fifo`", "only-valid"]);
    assert_refused("validate --guidance repro --switch fifo", 2, &["repro has no switches"]);
    assert_refused("validate --guidance repro", 3, &["--input"]);
}

#[test]
fn modules_from_wasm_smith_have_their_exports_called_and_none_is_refused() {
    let json = json(&run("interpret --guidance smith-zest --bug wasm-13 --tests 100 --json -q"));
    assert_eq!((&json["property"], &json["refused_modules"]), (&"interpreter".into(), &0.into()));
    assert!(json["figures"]["levels"]["known probes"].as_u64() > Some(1000), "{json}");
}

/// The number of modules in a directory and below it.
fn modules_below(directory: &Path) -> usize {
    let entries =
        fs::read_dir(directory).expect("it is there").map(|entry| entry.expect("it is there").path());
    entries.map(|path| if path.is_dir() { modules_below(&path) } else { 1 }).sum()
}

#[test]
fn findings_and_corpus_are_tested_again_by_repro_and_stand_only_with_the_bug() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    assert_eq!(run_at(directory.path(), "validate --bug wasm-6 -o out -q").code, 1);
    let corpus = modules_below(&directory.path().join("out/corpus"));

    let again = run_at(directory.path(), "validate --bug wasm-6 --guidance repro --input out --json -q");
    assert_eq!(again.code, 1, "{}", again.err);
    let again = json(&again);
    let replayed = again["replayed"].as_array().expect("it is a list");
    assert_eq!(replayed.len(), corpus + 1, "each module once, although the finding has text and binary");
    let failed: Vec<&Value> = replayed.iter().filter(|file| file["outcome"] == "failed").collect();
    assert_eq!(failed.len(), 1, "{again}");
    assert!(failed[0]["file"].as_str().is_some_and(|file| file.starts_with("out/findings/")), "{again}");
    assert_eq!(again["stop_reason"], "everything was tested");

    let fixed = run_at(directory.path(), "validate --guidance repro --input out/findings");
    assert_eq!(fixed.code, 0, "{}{}", fixed.out, fixed.err);
    assert!(fixed.out.lines().next().is_some_and(|line| line.ends_with(".wasm: discarded")), "{}", fixed.out);
}

/// A module that wasm-6 lets pass.
const WITNESS: &str = "(module (func i32.const 0 i64.eqz drop))";

/// A directory with these files.
fn directory_with(files: &[(&str, &[u8])]) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (name, content) in files {
        fs::write(directory.path().join(name), content).expect("it can be written");
    }
    directory
}

/// The findings that are stored in an output directory, in the order of their names.
fn findings(output: &Path) -> Vec<Value> {
    let files = fs::read_dir(output.join("findings")).expect("it is there");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it can be listed").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file: &PathBuf| {
        serde_json::from_str(&fs::read_to_string(file).expect("it is there")).expect("it is JSON")
    };
    files.iter().map(read).collect()
}

#[test]
fn files_that_repro_cannot_use_are_named_and_the_others_are_tested() {
    let directory = directory_with(&[
        ("broken.wat", b"(module (func"),
        ("cut-off.wasm", b"\0asm\x01\0\0\0\x01\x7f"),
        ("witness.wat", WITNESS.as_bytes()),
    ]);
    let with = |flags: &str| run_at(directory.path(), &format!("validate --guidance repro -q {flags}"));
    let all = with("--bug wasm-6 --input missing.wasm --input .");
    assert_eq!(all.code, 1, "a finding counts more than what cannot be used: {}{}", all.out, all.err);
    let reasons =
        ["missing.wasm: No such file", "broken.wat: ", "cut-off.wasm: this property cannot be tested"];
    assert_eq!(all.err.lines().count(), reasons.len(), "{}", all.err);
    for reason in reasons {
        assert!(all.err.contains(reason), "`{reason}` is not in: {}", all.err);
    }
    assert!(all.out.contains("witness.wat: failed"), "{}", all.out);

    for unusable in ["missing.wasm", "broken.wat", "cut-off.wasm"] {
        let some = with(&format!("--input {unusable} --input witness.wat"));
        assert_eq!((some.code, some.err.lines().count()), (3, 1), "{unusable}: {}", some.err);
        assert!(some.out.contains("witness.wat: discarded"), "{}", some.out);
        let none = with(&format!("--input {unusable} -o out"));
        assert_eq!((none.code, none.out.as_str(), none.err.lines().count()), (3, "", 2), "{}", none.err);
        assert!(none.err.contains(unusable) && none.err.contains("--input"), "{}", none.err);
        assert!(!directory.path().join("out").exists(), "nothing was begun");
    }
    assert_eq!(with("--input witness.wat").code, 0);
}

#[test]
fn every_finding_of_repro_is_stored_and_the_first_is_shrunk() {
    let second = "(module (memory 7) (func i32.const 1 i64.eqz drop))";
    let third = "(module (memory 9) (func i32.const 1 i64.eqz drop))";
    let directory = directory_with(&[
        ("1.wat", b"(module (memory 5) (func i32.const 1 i64.eqz drop))"),
        ("2.wat", second.as_bytes()),
        ("3.wat", third.as_bytes()),
        ("4.wat", b"(module)"),
    ]);
    let found = run_at(directory.path(), "validate --bug wasm-6 --guidance repro --input . -q -o out");
    assert_eq!(found.code, 1, "{}{}", found.out, found.err);
    let stored = findings(&directory.path().join("out"));
    let texts: Vec<&str> = stored.iter().filter_map(|finding| finding["wat"].as_str()).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    for (memory, expected) in [(5, 0), (7, 1), (9, 1)] {
        let count = texts.iter().filter(|text| text.contains(&format!("{memory})"))).count();
        assert_eq!(count, expected, "memory of {memory} pages: {texts:?}");
    }
    let again =
        run_at(directory.path(), "validate --bug wasm-6 --guidance repro --input out/findings --json -q");
    let again = json(&again);
    let outcomes = again["replayed"].as_array().expect("it is a list").iter().map(|file| &file["outcome"]);
    assert!(outcomes.clone().all(|outcome| outcome == "failed") && outcomes.count() == 3, "{again}");
}

#[test]
fn a_finding_about_arguments_is_tested_again_with_those_of_its_record() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let line = "interpret --property invocation --bug wasm-r3";
    let found = run_at(directory.path(), &format!("{line} --json -q -o out"));
    assert_eq!(found.code, 1, "{}", found.err);
    let file = json(&found)["finding"]["file"].as_str().map(|file| directory.path().join(file));
    let file = file.expect("it is stored");
    let mut record = findings(&directory.path().join("out")).remove(0);
    let again = || run_at(directory.path(), &format!("{line} --guidance repro --input out/findings -q")).code;

    // The bug: a call with too few arguments is accepted.
    for (arguments, code) in [(&["i32:7", "f32:1.5"][..], 0), (&["i32:7"], 1), (&["i64:7"], 0), (&[], 1)] {
        record["calls"][0]["arguments"] = arguments.into();
        fs::write(&file, record.to_string()).expect("it can be written");
        assert_eq!(again(), code, "{arguments:?}");
    }
    fs::write(&file, "{}").expect("it can be written");
    assert_eq!(again(), 3, "without its arguments it would be another question");
}

#[test]
fn input_that_cannot_be_used_does_not_keep_a_campaign_from_running() {
    let directory = directory_with(&[("broken.wat", b"(module"), ("witness.wat", WITNESS.as_bytes())]);
    for (bug, code) in [("--bug wasm-6", 1), ("", 3)] {
        let line = format!(
            "validate {bug} --input missing.wasm --input broken.wat --input witness.wat --tests 1 -q"
        );
        let run = run_at(directory.path(), &line);
        assert_eq!((run.code, run.err.lines().count()), (code, 2), "{}{}", run.out, run.err);
        assert!(run.err.contains("missing.wasm: ") && run.err.contains("broken.wat: "), "{}", run.err);
    }
    let nothing = run_at(directory.path(), "validate --input missing.wasm --tests 1 -q");
    assert_eq!((nothing.code, nothing.out.as_str()), (3, ""), "{}", nothing.err);
    assert!(nothing.err.contains("none of the modules"), "{}", nothing.err);
}

#[test]
fn other_guidances_begin_with_the_input() {
    let directory = directory_with(&[("witness.wat", WITNESS.as_bytes())]);
    for guidance in ["mutagen", "random", "zest"] {
        let line =
            format!("validate --bug wasm-6 --guidance {guidance} --input witness.wat --tests 1 --json -q");
        let found = run_at(directory.path(), &line);
        assert_eq!(found.code, 1, "{guidance}: {}{}", found.out, found.err);
    }
}

#[test]
fn perffuzz_shows_and_stores_the_slowest_modules() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    // With an injected bug, the real bugs of wasmi are repaired.
    let line = "interpret --bug wasm-x1 --guidance perffuzz --switch fuel --tests 3000 -q -o out";
    let shown = run_at(directory.path(), line);
    assert!(shown.out.contains("slowest, in fuel: "), "{}{}", shown.out, shown.err);
    let stored: Vec<String> = fs::read_dir(directory.path().join("out/slowest"))
        .expect("it is there")
        .map(|file| file.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(stored.len() >= 4 && stored.len().is_multiple_of(2), "text and binary: {stored:?}");

    let stats = fs::read_to_string(directory.path().join("out/stats.json")).expect("it is there");
    let stats: Value = serde_json::from_str(&stats).expect("it is JSON");
    let slowest = stats["slowest"].as_array().expect("it is a list");
    assert_eq!(slowest.len() * 2, stored.len());
    let amounts: Vec<u64> = slowest.iter().filter_map(|slow| slow["amount"].as_u64()).collect();
    assert!(amounts.is_sorted_by(|more, less| more > less) && amounts[0] > 0, "{amounts:?}");
    assert!(slowest[0]["wat"].as_str().is_some_and(|wat| wat.contains("(module")), "{stats}");

    let machines = json(&run("ifc stack --guidance perffuzz --tests 1000 --json -q"));
    assert!(
        machines["slowest"][0]["value"].as_str().is_some_and(|value| value.contains("State")),
        "{machines}"
    );
}
