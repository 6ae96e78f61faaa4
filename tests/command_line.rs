//! The contract of the command line: exit codes, one clear line for bad input, JSON, stored findings.

#[path = "common/program.rs"]
mod program;

use program::{run, run_at, run_in};
use serde_json::Value;

/// Bad input: the code, one line on standard error that has all these words, and nothing on standard output.
#[track_caller]
fn assert_refused(line: &str, code: i32, words: &[&str]) {
    let run = run(line);
    assert_eq!(run.code, code, "`{line}`: {}", run.err);
    assert_eq!((run.out.as_str(), run.err.lines().count()), ("", 1), "`{line}`: {}", run.err);
    for word in words {
        assert!(run.err.contains(word), "`{line}`: `{word}` is not in: {}", run.err);
    }
    assert!(!run.err.contains("panicked") && !run.err.contains("internal error"), "`{line}`: {}", run.err);
}

#[test]
fn bugs_list_shows_every_bug_once() {
    let listed = run("bugs list");
    assert_eq!(listed.code, 0);
    let ids: Vec<&str> = listed.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let woven = ["wasm-1", "wasm-15", "wasm-15b", "wasm-r4", "wasm-x1", "wasm-x34", "wasm-y20", "wasm-f4"];
    let faults = ["stack-1", "stack-20", "register-1", "register-33"];
    for id in woven.iter().chain(&faults) {
        assert_eq!(ids.iter().filter(|listed| *listed == id).count(), 1, "{id}");
    }
    assert_eq!(run("bugs").out, listed.out);
}

#[test]
fn bugs_show_tells_the_story_and_the_witness() {
    let shown = run("bugs show wasm-6");
    assert_eq!(shown.code, 0);
    for part in [
        "i64.eqz takes an i32",
        "Table 2",
        "wasmparser 0.228.0",
        "without the bug: accepted; with it: rejected",
    ] {
        assert!(shown.out.contains(part), "`{part}` is not in: {}", shown.out);
    }
}

#[test]
fn an_unknown_bug_is_a_usage_error_that_suggests_the_nearest() {
    assert_refused("bugs show wasm-66", 2, &["wasm-66", "did you mean `wasm-6`"]);
    assert_refused("validate --bug wasm6", 2, &["did you mean `wasm-6`"]);
    assert_refused("ifc stack --bug stak-2", 2, &["did you mean `stack-2`"]);
}

#[test]
fn a_bug_of_something_else_is_a_usage_error_that_says_of_what() {
    assert_refused(
        "ifc stack --bug register-1",
        2,
        &["register machine", "`mutagen-wasm ifc register --bug register-1`"],
    );
    assert_refused("ifc register --bug wasm-3", 2, &["validator", "`mutagen-wasm validate --bug wasm-3`"]);
    assert_refused("validate --bug wasm-11", 2, &["interpreter", "`mutagen-wasm interpret --bug wasm-11`"]);
    let about_arguments = "`mutagen-wasm interpret --bug wasm-r3`";
    assert_refused("validate --bug wasm-r3", 2, &[about_arguments]);
    assert_refused("interpret --property interpreter-i32 --bug wasm-r3", 2, &[about_arguments]);
    assert_refused("validate --bug stack-1", 2, &["stack machine", "`mutagen-wasm ifc stack --bug stack-1`"]);
}

#[test]
fn nonsense_on_the_command_line_is_a_usage_error() {
    assert_refused("ifc stack --switch triee", 2, &["triee", "trie"]);
    assert_refused("ifc stack --guidance magic", 2, &["magic", "mutagen"]);
    assert_refused("ifc register --time 0s", 2, &["time"]);
    assert_refused("validat", 2, &["a similar subcommand exists: 'validate'"]);
    assert_refused("interpret --signature i32", 2, &["signature"]);
    assert_refused("validate --resume", 2, &["--output"]);
}

#[test]
fn given_modules_are_judged_by_both_engines() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let valid = br#"(module (func (export "f") (param i32) (result i32) local.get 0 i32.const 3 i32.sub))"#;
    let judged = run_in(directory.path(), &["validate", "-"], valid);
    assert_eq!((judged.code, judged.out.trim()), (0, "-: wasmi: accepted; wasmtime: accepted"));
    let called = run_in(directory.path(), &["interpret", "-", "--invoke", "f", "i32:5"], valid);
    assert_eq!(called.code, 0, "{}", called.err);
    assert!(called.out.contains("call \"f\" with [i32:5]: both returned [i32:2]"), "{}", called.out);
    let broken =
        run_in(directory.path(), &["interpret", "--bug", "wasm-11", "-", "--invoke", "f", "i32:5"], valid);
    assert_eq!(broken.code, 1);
    assert!(broken.out.contains("wasmi returned [i32:8]; wasmtime returned [i32:2]"), "{}", broken.out);
}

#[test]
fn known_bugs_of_the_target_are_repaired_when_asked_for_and_findings_remember_that() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    // The witness of wasm-f2: wasmi as published panics.
    let module = br#"(module (memory 2) (func (export "f") (param i32) (local i32)
        (local.set 1 (i32.add (local.get 0) (i32.const 1)))
        (i32.store offset=70000 (local.get 1) (local.get 1))))"#;
    std::fs::write(directory.path().join("module.wat"), module).expect("it can be written");
    let judge = |flags: &[&str]| run_in(directory.path(), &[&["interpret"], flags].concat(), b"").code;
    assert_eq!((judge(&["module.wat"]), judge(&["module.wat", "--fixes"])), (1, 0));

    let repro =
        ["--guidance", "repro", "--property", "interpreter", "--input", "module.wat", "-q", "-o", "out"];
    assert_eq!((judge(&repro), judge(&[&repro[..], &["--fixes", "--fresh"]].concat())), (1, 0));
    let stored = std::fs::read_dir(directory.path().join("out.old-1/findings")).expect("it is there");
    let file = stored
        .map(|entry| entry.expect("it can be listed").path())
        .find(|path| path.extension().is_some_and(|extension| extension == "json"))
        .expect("a finding is stored");
    let replay = || run_in(directory.path(), &["replay", file.to_str().expect("it is text")], b"").code;
    assert_eq!(replay(), 1);
    let text = std::fs::read_to_string(&file).expect("it can be read");
    std::fs::write(&file, text.replace("\"fixes\": false", "\"fixes\": true")).expect("it can be written");
    assert_eq!(replay(), 0, "what was found with the fixes is asked again with them");
}

#[test]
fn a_long_loop_is_inconclusive_and_takes_no_native_stack() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let looping = br#"(module (func (export "f") (loop (br 0))))"#;
    let run = run_in(directory.path(), &["interpret", "-"], looping);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("inconclusive"), "{}", run.out);
}

#[test]
fn a_random_seed_is_another_one_each_time_and_is_told() {
    let seed = || {
        let drawn = run("validate --fixes --tests 20 --json --seed random");
        let report: Value = serde_json::from_str(&drawn.out).expect("the report is JSON");
        let seed = report["spec"]["seed"].as_u64().expect("it is a number");
        assert!(drawn.err.contains(&format!("the seed is {seed}")), "{}", drawn.err);
        seed
    };
    assert_ne!(seed(), seed());
}

#[test]
fn json_has_every_field_of_the_contract() {
    let run = run("validate --bug wasm-4 --json -q");
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    let json: Value = serde_json::from_str(&run.out).expect("standard output is one JSON object");
    let fields = "command property bug guidance preset seed outcome discrepancies stop_reason tests passed discarded \
                  inconclusive seconds tests_per_second finding";
    for field in fields.split_whitespace() {
        assert!(!json[field].is_null(), "`{field}` is missing: {json}");
    }
    for field in ["tests", "seconds", "kind", "target", "reference", "wat"] {
        assert!(!json["finding"][field].is_null(), "`finding.{field}` is missing: {json}");
    }
    assert_eq!((&json["outcome"], &json["bug"]), (&"finding".into(), &"wasm-4".into()));
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let tests = |seed: u32| {
        let run = run(&format!("validate --bug wasm-6 --json -q --seed {seed}"));
        let json: Value = serde_json::from_str(&run.out).expect("standard output is one JSON object");
        (json["tests"].clone(), json["finding"]["wat"].clone())
    };
    assert_eq!(tests(1), tests(1));
    assert!((2..6).any(|seed| tests(seed).0 != tests(1).0));
}

/// The numbers of a progress line, in this order: seconds, tests, per second, passed, discarded, interesting,
/// queue, paths, resets, inconclusive.
fn numbers_of(line: &str) -> Vec<u64> {
    let parts = line.split(|character: char| !character.is_ascii_digit()).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().expect("digits are a number")).collect()
}

#[test]
fn a_campaign_shows_its_progress_in_plain_lines_where_there_is_no_terminal() {
    for line in [
        "validate --tests 1000",
        "interpret --fixes --tests 1000 -j 3",
        "ifc stack --tests 1000 --guidance zest",
    ] {
        let run = run(line);
        let shown = run.err.lines().last().expect("there is a line at the end");
        let words = "s: tests (/s), passed, discarded, interesting, queue , paths , resets, inconclusive";
        let without_numbers: String = shown.chars().filter(|character| !character.is_ascii_digit()).collect();
        assert_eq!(
            without_numbers.split_whitespace().collect::<Vec<_>>().join(" "),
            words,
            "{line}: {shown}"
        );

        let [_, tests, _, passed, discarded, interesting, queue, paths, _, inconclusive] =
            numbers_of(shown)[..]
        else {
            panic!("{line}: {shown}");
        };
        assert_eq!((tests, passed + discarded), (1000, 1000), "{line}: {shown}");
        assert!(interesting > 0 && queue > 0 && paths > 0 && inconclusive <= discarded, "{line}: {shown}");
    }
}

#[test]
fn progress_counts_what_is_inconclusive_and_is_not_shown_if_nobody_wants_it() {
    // Each function is called with a few lists of arguments; a loop runs out of fuel.
    let line = "interpret --generator derived --tests 4000 --seed 1";
    let json: Value = serde_json::from_str(&run(&format!("{line} --json -q")).out).expect("it is JSON");
    assert!(json["inconclusive"].as_u64().is_some_and(|tests| tests > 0), "{json}");
    let shown = run(line).err;
    assert_eq!(numbers_of(&shown).last().copied(), json["inconclusive"].as_u64(), "{shown}");
    assert_eq!(run(&format!("{line} -q")).err, "");
}

#[test]
fn findings_are_stored_and_replay_from_their_file_alone() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let hunt = ["validate", "--bug", "wasm-6", "-o", "out", "-q"];
    assert_eq!(run_in(directory.path(), &hunt, b"").code, 1);
    let findings = std::fs::read_dir(directory.path().join("out/findings")).expect("it is there");
    let mut findings: Vec<_> = findings.map(|file| file.expect("it can be listed").path()).collect();
    let explained = directory.path().join("out/findings/README.md");
    assert!(
        std::fs::read_to_string(&explained).is_ok_and(|text| text.contains("mutagen-wasm replay NAME.json"))
    );
    findings.retain(|file| *file != explained);
    assert_eq!(findings.len(), 3, "wat, wasm and json");
    let file = findings.pop().expect("there are some");
    let replayed = run_in(directory.path(), &["replay", file.to_str().expect("it is text")], b"");
    assert_eq!(replayed.code, 1, "{}{}", replayed.out, replayed.err);
    assert!(replayed.out.contains("differ"), "{}", replayed.out);
    for file in ["run.json", "stats.json"] {
        let text = std::fs::read_to_string(directory.path().join("out").join(file)).expect("it is there");
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{file}");
    }

    assert_eq!(run_in(directory.path(), &hunt, b"").code, 4, "earlier results are not overwritten");
    let resumed = run_in(directory.path(), &[&hunt[..], &["--resume"]].concat(), b"");
    assert_eq!(resumed.code, 1, "{}", resumed.err);
    let fresh = run_in(directory.path(), &[&hunt[..], &["--fresh"]].concat(), b"");
    assert_eq!(fresh.code, 1, "{}", fresh.err);
    assert!(directory.path().join("out.old-1/findings").exists(), "earlier results are moved, not deleted");
}

#[test]
fn counters_go_on_when_a_run_is_resumed() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let hunt = ["validate", "--fixes", "--tests", "300", "-o", "out", "-q"];
    assert_eq!(run_in(directory.path(), &hunt, b"").code, 0);
    assert_eq!(run_in(directory.path(), &[&hunt[..], &["--resume"]].concat(), b"").code, 0);
    let stats = std::fs::read(directory.path().join("out/stats.json")).expect("it is there");
    let stats: Value = serde_json::from_slice(&stats).expect("it is JSON");
    assert_eq!(
        (&stats["tests"], &stats["total"]["tests"], &stats["total"]["runs"]),
        (&300.into(), &600.into(), &2.into())
    );
}

#[test]
fn a_file_that_is_no_finding_is_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("x.json"), "{").expect("it can be written");
    let run = run_in(directory.path(), &["replay", "x.json"], b"");
    assert_eq!(run.code, 3);
    assert!(run.err.contains("x.json") && run.err.contains("no finding"), "{}", run.err);
}

#[test]
fn a_leak_shows_both_states_and_the_wrong_rule() {
    let run = run("ifc stack --bug stack-2");
    assert_eq!(run.code, 1);
    for part in [
        "the observer sees",
        "Wrong rule entry: BCall, pc: should be L1 ∨ P, is P.",
        "run again with: mutagen-wasm ifc stack --bug stack-2",
    ] {
        assert!(run.out.contains(part), "`{part}` is not in: {}", run.out);
    }
}

#[test]
fn correct_machines_do_not_leak() {
    for line in ["ifc stack --tests 20000 --generator smart --guidance random", "ifc register --tests 5000"] {
        let run = run(line);
        assert_eq!(run.code, 0, "`{line}`: {}", run.out);
    }
}

/// The finding that a campaign prints, without its times, and the command that it prints to run it again.
fn shown(line: &str) -> (String, String) {
    let run = run(line);
    assert_eq!(run.code, 1, "`{line}`: {}", run.err);
    let again = run.out.lines().find_map(|line| line.strip_prefix("run again with: mutagen-wasm "));
    let finding = run.out.lines().take_while(|line| !line.starts_with("run again"));
    (finding.collect::<Vec<_>>().join("\n"), again.expect("a command is shown").to_owned())
}

#[test]
fn the_command_shown_with_a_finding_gives_the_same_finding() {
    let line = "interpret --bug wasm-11 --signature i32,i64:i32 --generator derived --seed 3 -q";
    let (finding, again) = shown(line);
    assert!(finding.contains("(param i32 i64)"), "{finding}");
    assert_eq!(shown(&again).0, finding);
}

#[test]
fn a_generator_is_refused_where_there_is_no_choice() {
    assert_refused("interpret --property invocation --generator typed", 2, &["no choice", "--generator"]);
    assert_refused("interpret --guidance smith --generator derived", 2, &["no choice", "--generator"]);
    assert_refused("validate --guidance smith --generator typed", 2, &["no choice", "--generator"]);
}

#[test]
fn leaks_are_stored_and_replay_from_their_file() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let found = run_at(directory.path(), "ifc stack --bug stack-2 --seed 5 --json -q -o out");
    assert_eq!(found.code, 1, "{}", found.err);
    let json: Value = serde_json::from_str(&found.out).expect("it is JSON");
    let file = json["finding"]["file"].as_str().expect("there is a file");
    let stored = std::fs::read_to_string(directory.path().join("out/stats.json")).expect("it is there");
    assert_eq!(serde_json::from_str::<Value>(&stored).expect("it is JSON"), json);
    let text =
        std::fs::read_to_string(directory.path().join(file).with_extension("txt")).expect("it is there");

    let again = run_at(directory.path(), &format!("replay {file}"));
    assert_eq!(again.code, 1, "{}", again.err);
    assert!(again.out.contains(text.trim_end()), "{}", again.out);
    let refused = run_at(directory.path(), "ifc stack --bug stack-2 -o out");
    assert_eq!(refused.code, 4, "{}", refused.err);
    let fresh = run_at(directory.path(), "ifc stack --tests 300 -o out --fresh");
    assert_eq!(fresh.code, 0, "{}", fresh.err);
    assert!(directory.path().join("out.old-1").join("run.json").exists(), "earlier results are kept");
}

#[test]
fn the_size_of_generated_states_can_be_set() {
    let discarded = |size: u32| {
        let line = format!("ifc stack --guidance random --tests 3000 --json -q --switch max-size={size}");
        serde_json::from_str::<Value>(&run(&line).out).expect("it is JSON")["discarded"].clone()
    };
    assert_ne!(discarded(2), discarded(9));
}

#[test]
fn a_fix_is_no_bug_to_hunt_and_another_campaign_is_not_resumed() {
    let refused = run("interpret --bug wasm-f1 --tests 10");
    assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{}", refused.err);
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    assert_eq!(run_at(directory.path(), "validate --tests 100 -q -o out").code, 0);
    let other = run_at(directory.path(), "validate --bug wasm-4 --tests 100 -q -o out --resume");
    assert_eq!(other.code, 2, "{}", other.err);
    assert!(other.err.contains("another campaign"), "{}", other.err);
    assert_eq!(run_at(directory.path(), "validate --tests 100 -q -o out --resume").code, 0);
}

#[test]
fn a_campaign_says_where_its_time_went() {
    for line in ["interpret --fixes", "interpret --fixes --property interpreter", "validate --direction both"]
    {
        let json: Value =
            serde_json::from_str(&run(&format!("{line} --tests 2000 --json -q")).out).expect("it is JSON");
        for part in ["target", "reference", "loop"] {
            assert!(json["seconds_in"][part].as_f64().is_some_and(|seconds| seconds > 0.0), "{line}: {json}");
        }
        assert!(run(&format!("{line} --tests 2000 -q")).out.contains("of the time: wasmi"), "{line}");
    }
}

#[test]
fn given_modules_are_called_with_arguments_that_follow_from_the_seed() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let module = r#"(module (func (export "f") (param i64) (result i64) local.get 0))"#;
    std::fs::write(directory.path().join("module.wat"), module).expect("it can be written");
    let judged = |seed: u32| run_at(directory.path(), &format!("interpret module.wat --seed {seed}")).out;
    assert_eq!(judged(1), judged(1));
    assert_ne!(judged(1), judged(2));
}

#[test]
fn a_campaign_that_stores_its_results_goes_on_after_a_finding_unless_a_bug_is_hunted() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    // The witness of wasm-f2: wasmi as published panics.
    let module = r#"(module (memory 2) (func (export "f") (param i32) (local i32)
        (local.set 1 (i32.add (local.get 0) (i32.const 1)))
        (i32.store offset=70000 (local.get 1) (local.get 1))))"#;
    std::fs::write(directory.path().join("m.wat"), module).expect("it can be written");
    let tests = |flags: &str| {
        let line = format!("interpret --property interpreter --input m.wat --tests 50 --json -q {flags}");
        let run = run_at(directory.path(), &line);
        assert_eq!(run.code, 1, "{}", run.err);
        let json: Value = serde_json::from_str(&run.out).expect("it is JSON");
        assert_eq!(json["groups"][0]["fix"], "wasm-f2", "{json}");
        json["tests"].as_u64()
    };
    assert_eq!(tests(""), Some(1));
    assert_eq!(tests("--keep-going"), Some(50));
    assert_eq!(tests("-o a"), Some(50));
    assert_eq!(tests("-o b --no-keep-going"), Some(1));
    let hunted = run_at(directory.path(), "validate --bug wasm-6 -o c -q --json");
    let json: Value = serde_json::from_str(&hunted.out).expect("it is JSON");
    assert_eq!(json["stop_reason"], "found");
    assert_refused("validate --known k.toml --tests 1", 2, &["--keep-going"]);
    assert_refused("validate --known k.toml --keep-going --tests 1", 3, &["k.toml"]);
}
