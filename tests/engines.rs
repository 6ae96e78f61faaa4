//! Engines by name, including those of users, and campaigns that a file describes.

#[path = "common/program.rs"]
mod program;

use std::fs;
use std::process::Command;

use program::{program, run, run_in};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn engines_are_listed_with_version_role_and_features() {
    let listed = run("engines");
    assert_eq!((listed.code, listed.err.as_str()), (0, ""));
    for name in ["wasmi ", "wasmi-lazy ", "wasmtime ", "wasmtime-speed ", "tinywasm ", "dlr "] {
        assert!(listed.out.lines().any(|line| line.starts_with(name)), "{name}: {}", listed.out);
    }
    let engines = json(&run("engines --json").out);
    for engine in engines["engines"].as_array().expect("there are some") {
        if engine["available"] == false {
            assert!(engine["how_to_get"].as_str().is_some_and(|advice| !advice.is_empty()), "{engine}");
            continue;
        }
        assert!(engine["version"].as_str().is_some_and(|version| version.contains('.')), "{engine}");
        assert!(
            engine["features"].as_str().is_some_and(|features| features.contains("bulk-memory")),
            "{engine}"
        );
    }
}

#[test]
fn an_engine_in_a_process_of_its_own_says_what_it_says_in_this_one() {
    let judged = run_in(&std::env::temp_dir(), &["validate", "--target", "isolated:wasmi", "-"], b"(module)");
    assert_eq!(judged.out.trim(), "-: isolated:wasmi: accepted; wasmtime: accepted");
    let ran = run(
        "interpret --target isolated:wasmi-lazy --guidance random --fixes --tests 300 --first-opinion none --json -q",
    );
    let report = json(&ran.out);
    assert_eq!((ran.code, &report["tests"]), (0, &300.into()), "{}{}", ran.out, ran.err);
    assert!(report["passed"].as_u64().is_some_and(|passed| passed > 100), "{report}");
    let process = format!("process:{} serve-engine wasmi", program().display());
    let judged = run_in(&std::env::temp_dir(), &["validate", "--reference", &process, "-"], b"(module)");
    assert_eq!(judged.out.trim(), format!("-: wasmi: accepted; {process}: accepted"));
}

#[test]
fn v8_is_an_engine_where_there_is_a_node() {
    let engines = json(&run("engines --json").out);
    let listed = engines["engines"].as_array().expect("there are some");
    let node = listed.iter().find(|engine| engine["name"] == "node").expect("it is listed");
    if node["available"] == false {
        eprintln!("skipped: there is no Node on the PATH");
        let refused = run("interpret --reference node --nans raw --tests 1");
        assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{}", refused.err);
        return;
    }
    for flags in ["--reference node", "--target node-turbofan"] {
        let ran =
            run(&format!("interpret {flags} --nans raw --first-opinion none --fixes --tests 400 --json -q"));
        let report = json(&ran.out);
        assert_eq!((ran.code, &report["tests"]), (0, &400.into()), "{}{}", ran.out, ran.err);
        assert!(report["passed"].as_u64().is_some_and(|passed| passed > 200), "{report}");
    }
    let refused = run("interpret --reference node --tests 1");
    assert!(refused.code == 2 && refused.err.contains("add `--nans raw`"), "{}", refused.err);
}

#[test]
fn a_command_that_is_no_engine_is_refused_in_one_line() {
    let refused = run("validate --reference process:/no/such/command --tests 1");
    assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{}", refused.err);
    assert!(refused.err.contains("docs/engines-in-processes.md"), "{}", refused.err);
}

#[test]
fn a_command_that_a_file_names_is_started_only_if_the_user_says_so() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let started = directory.path().join("started");
    let command = format!("process:touch {}", started.display());
    let found = run_in(directory.path(), &["validate", "--bug", "wasm-6", "--json", "-q", "-o", "out"], b"");
    let mut spec = json(&found.out)["spec"].clone();
    spec["subject"]["engines"]["reference"] = command.as_str().into();
    fs::write(directory.path().join("spec.json"), spec.to_string()).expect("it can be written");
    let findings = fs::read_dir(directory.path().join("out/findings")).expect("there is one");
    let paths = findings.map(|entry| entry.expect("it can be read").path());
    let finding = paths.into_iter().find(|path| path.extension().is_some_and(|it| it == "json"));
    let finding = finding.expect("it is stored");
    let mut tampered = json(&fs::read_to_string(&finding).expect("it can be read"));
    tampered["reference_engine"] = command.as_str().into();
    fs::write(&finding, tampered.to_string()).expect("it can be written");
    let finding = finding.display().to_string();
    for words in
        [&["replay", &finding][..], &["run", "--spec", "spec.json"], &["report", "out", "--bundle", "b"]]
    {
        let refused = run_in(directory.path(), words, b"");
        assert!(!started.exists(), "{words:?} starts it: {}{}", refused.out, refused.err);
    }
    let refused = run_in(directory.path(), &["replay", &finding], b"");
    assert!(
        refused.code == 3 && refused.err.contains("--trust-commands"),
        "{}: {}",
        refused.code,
        refused.err
    );
    run_in(directory.path(), &["replay", &finding, "--trust-commands"], b"");
    assert!(started.exists(), "the user trusts it");
}

#[test]
fn every_engine_can_be_target_and_reference_and_is_named_in_what_is_shown() {
    for (target, reference) in
        [("wasmi-lazy", "wasmtime"), ("wasmi", "wasmtime-speed"), ("wasmtime-speed", "wasmi-lazy")]
    {
        let flags = format!("--target {target} --reference {reference}");
        let passed = run(&format!("interpret {flags} --fixes --tests 300"));
        assert_eq!(passed.code, 0, "{flags}: {}{}", passed.out, passed.err);
        assert!(passed.out.contains(&format!("of the time: {target} ")), "{}", passed.out);
        let judged = run_in(
            &std::env::temp_dir(),
            &["validate", "--target", target, "--reference", reference, "-"],
            b"(module)",
        );
        assert_eq!(judged.out.trim(), format!("-: {target}: accepted; {reference}: accepted"));
    }
}

#[test]
fn a_bug_is_found_in_lazily_translated_code_and_its_finding_names_the_engines() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let words = ["interpret", "--bug", "wasm-11", "--target", "wasmi-lazy", "-o", "out", "--json", "-q"];
    let found = run_in(directory.path(), &words, b"");
    assert_eq!(found.code, 1, "{}", found.err);
    let report = json(&found.out);
    assert_eq!(report["finding"]["target_engine"], "wasmi-lazy");
    assert_eq!(report["spec"]["subject"]["engines"]["reference"], "wasmtime");
    let file = report["finding"]["file"].as_str().expect("it is stored");
    let replayed = run_in(directory.path(), &["replay", file], b"");
    assert_eq!(replayed.code, 1);
    assert!(replayed.out.contains("wasmi-lazy: "), "{}", replayed.out);
}

#[test]
fn a_first_opinion_changes_nothing_but_the_work_of_the_reference() {
    let report = |flags: &str| {
        let ran = run(&format!("interpret --fixes --tests 1200 --seed 2 --json -q {flags}"));
        assert_eq!(ran.code, 0, "{flags}: {}", ran.err);
        json(&ran.out)
    };
    let (with, without) = (report(""), report("--first-opinion none"));
    for field in ["tests", "passed", "discarded", "inconclusive", "labels", "figures", "groups"] {
        assert_eq!(with[field], without[field], "{field}");
    }
    assert_eq!(
        (&without["first_opinion"], &with["spec"]["subject"]["engines"]["first_opinion"]),
        (&Value::Null, &"dlr,tinywasm".into())
    );
    let counts = &with["first_opinion"];
    let count = |name: &str| counts[name].as_u64().expect("it is a number");
    assert!(count("agreed") * 20 > count("asked") * 19 && count("asked") > 1000, "{counts}");
    assert!(count("checked") > 0 && count("contradicted") == 0, "{counts}");
    let told = run("interpret --fixes --tests 300 -q").out;
    assert!(told.contains("first opinion: dlr or tinywasm agreed on "), "{told}");
}

#[test]
fn known_faults_of_an_engine_that_is_not_woven_do_not_show_with_fixes() {
    let module = b"(module (func (export \"f\") (result i32) (local funcref) (ref.is_null (local.get 0))))";
    let judged = |more: &[&str]| {
        let words = ["interpret", "--target", "tinywasm", "--nans", "raw", "-"];
        run_in(&std::env::temp_dir(), &[&words[..], more].concat(), module)
    };
    let (plain, repaired) = (judged(&[]), judged(&["--fixes"]));
    assert_eq!((plain.code, repaired.code), (1, 0), "{}{}", plain.out, repaired.out);
}

#[test]
fn a_finding_says_how_all_engines_vote() {
    let found = run("interpret --bug wasm-11 --json -q");
    let finding = &json(&found.out)["finding"];
    assert_eq!(finding["votes"]["odd_one_out"], "target", "{finding}");
    let voters = finding["votes"]["sides"][1]["engines"].as_array().expect("they are listed");
    // V8 votes, too, where there is a Node.
    for name in ["wasmtime", "wasmtime-speed", "tinywasm", "dlr"] {
        assert!(voters.contains(&name.into()), "{voters:?}");
    }
    let shown = run("interpret --bug wasm-11 -q").out;
    assert!(
        shown.contains("votes:      wasmi, wasmi-lazy: ") && shown.contains("the target is suspected"),
        "{shown}"
    );
}

#[test]
fn a_first_opinion_that_makes_no_sense_is_refused() {
    for (flags, reason) in [
        ("--first-opinion wasmi", "wasmi is target or reference already"),
        ("--first-opinion dlr,wasmtime", "wasmtime is target or reference already"),
        ("--first-opinion tinywasn", "did you mean `tinywasm`"),
        ("--target tinywasm", "tinywasm does not canonicalise every NaN: add `--nans raw`"),
        ("--reference tinywasm", "add `--nans raw`"),
        ("--target dlr", "dlr does not canonicalise every NaN: add `--nans raw`"),
    ] {
        let refused = run(&format!("interpret {flags} --tests 1"));
        assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{flags}: {}", refused.err);
        assert!(refused.err.contains(reason), "{flags}: {}", refused.err);
    }
    let raw = run(
        "interpret --target tinywasm --nans raw --property interpreter-i32 --features wasm1 --tests 300 --json -q",
    );
    // The target gives no opinion on itself.
    let named = &json(&raw.out)["spec"]["subject"]["engines"]["first_opinion"];
    assert_eq!((raw.code, named), (0, &"dlr".into()), "{}{}", raw.out, raw.err);
}

#[test]
fn an_unknown_engine_is_a_usage_error_that_suggests_the_nearest() {
    let refused = run("validate --target wasmii --tests 1");
    assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{}", refused.err);
    assert!(refused.err.contains("did you mean `wasmi`"), "{}", refused.err);
}

#[test]
fn a_bug_is_refused_where_it_cannot_be_injected() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for words in [
        &["validate", "--target", "wasmtime", "--bug", "wasm-6", "-"][..],
        &["validate", "--target", "wasmtime", "--bug", "wasm-6"],
    ] {
        let refused = run_in(directory.path(), words, b"(module)");
        assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{}{}", refused.out, refused.err);
        assert!(refused.err.contains("cannot be injected into wasmtime"), "{}", refused.err);
    }
}

#[test]
fn the_command_that_finds_it_again_names_the_modules_that_were_given() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let module = br#"(module (func (export "f") (param i32) (result i32) local.get 0 i32.const 3 i32.sub))"#;
    std::fs::write(directory.path().join("m.wat"), module).expect("it can be written");
    let words = ["interpret", "--bug", "wasm-11", "--guidance", "repro", "--input", "m.wat", "-q"];
    let found = run_in(directory.path(), &words, b"");
    let again = "run again with: mutagen-wasm interpret --bug wasm-11 --guidance repro --input m.wat";
    assert!(found.code == 1 && found.out.contains(again), "{}{}", found.out, found.err);
}

#[test]
fn a_path_that_is_no_text_costs_no_report() {
    use std::os::unix::ffi::OsStrExt;
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let output = std::ffi::OsStr::from_bytes(b"o\xff");
    let mut command =
        program::command(directory.path(), &["validate", "--bug", "wasm-4", "--json", "-q", "-o"]);
    let found = program::end(command.arg(output).spawn().expect("the program can be run"));
    assert_eq!(found.code, 1, "{}", found.err);
    assert_eq!(json(&found.out)["finding"]["kind"], "validity");
    assert!(directory.path().join(output).join("stats.json").exists());
}

#[test]
fn the_spec_of_a_report_runs_the_same_campaign_again() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for line in ["validate --bug wasm-4 --seed 3", "ifc stack --bug stack-7 --preset paper --seed 5"] {
        let first = json(&run(&format!("{line} --json -q")).out);
        std::fs::write(directory.path().join("spec.json"), first["spec"].to_string())
            .expect("it can be written");
        let again = run_in(directory.path(), &["run", "--spec", "spec.json", "--json", "-q"], b"");
        assert_eq!(again.code, 1, "{}", again.err);
        let again = json(&again.out);
        for field in ["spec", "tests", "passed", "discarded", "command", "property", "preset", "seed"] {
            assert_eq!(first[field], again[field], "{line}: {field}");
        }
        assert_eq!(first["finding"]["kind"], again["finding"]["kind"]);
    }
}

#[test]
fn a_file_that_is_no_spec_is_named_with_the_reason() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (text, reason) in [("", "no spec"), ("{\"format\": 1}", "no spec"), ("[]", "no spec")] {
        std::fs::write(directory.path().join("spec.json"), text).expect("it can be written");
        let refused = run_in(directory.path(), &["run", "--spec", "spec.json"], b"");
        assert_eq!((refused.code, refused.err.lines().count()), (3, 1), "{}", refused.err);
        assert!(refused.err.contains("spec.json: ") && refused.err.contains(reason), "{}", refused.err);
    }
}

#[test]
fn a_campaign_gives_up_when_too_many_tests_are_discarded() {
    let gave_up = run("validate --fixes --max-discard-ratio 1 --tests 100000 --json -q");
    let report = json(&gave_up.out);
    assert_eq!((gave_up.code, &report["outcome"]), (3, &"gave_up".into()), "{report}");
    assert_eq!(report["stop_reason"], "too many tests were discarded");
}

#[test]
fn a_binary_file_whose_first_byte_is_damaged_is_not_taken_for_text() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("m.wasm"), b"\x01asm\x01\0\0\0").expect("it can be written");
    let refused = run_in(directory.path(), &["validate", "m.wasm"], b"");
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("no binary module"), "{}", refused.err);
}

#[test]
fn nan_bits_can_be_compared_up_to_what_the_specification_leaves_open() {
    let raw = run("interpret --nans raw --fixes --tests 2000 --json -q");
    let report = json(&raw.out);
    assert_eq!((raw.code, &report["spec"]["subject"]["engines"]["nans"]), (0, &"raw".into()), "{report}");
}

#[test]
fn typed_modules_and_their_mutants_run_to_a_comparison_in_every_feature() {
    let line =
        "interpret --property interpreter --generator typed --features wasmi --fixes --tests 400 --json -q";
    let report = json(&run(line).out);
    let count = |name: &str| report[name].as_u64().expect("it is a number");
    assert_eq!((&report["outcome"], &report["generator"]), (&"passed".into(), &"typed".into()), "{report}");
    assert!(count("passed") * 10 >= count("tests") * 7, "{report}");
}

#[test]
fn a_finding_among_repaired_mutants_replays_as_it_was_run() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let line = "interpret --property interpreter --generator typed --bug wasm-11 -o out --json -q";
    let found = run_in(directory.path(), &line.split(' ').collect::<Vec<_>>(), b"");
    let report = json(&found.out);
    assert_eq!(found.code, 1, "{report}");
    let file = report["finding"]["file"].as_str().expect("it is stored");
    assert_eq!(run_in(directory.path(), &["replay", file], b"").code, 1);
    let refused = run("interpret --guidance smith --generator typed");
    assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{}", refused.err);
}

/// The example with an engine of one's own. Cargo builds it along with the tests.
fn own_engine(words: &[&str]) -> (Option<i32>, String) {
    let test = std::env::current_exe().expect("a test knows its own file");
    let directory = test.ancestors().nth(2).expect("tests lie two levels below the target directory");
    let output = Command::new(directory.join("examples/own_engine")).args(words).output();
    let output = output.expect("the example can be run");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn an_engine_of_ones_own_has_the_whole_program() {
    let (code, listed) = own_engine(&["engines"]);
    assert_eq!(code, Some(0));
    assert!(listed.contains("one-function") && listed.contains("an engine of one's own"), "{listed}");

    let hunt = ["validate", "--target", "one-function", "--direction", "both", "--json", "-q"];
    let (code, report) = own_engine(&hunt);
    let report = json(&report);
    assert_eq!(code, Some(1), "{report}");
    assert_eq!(report["finding"]["target_engine"], "one-function");
    assert!(report["finding"]["target"].as_str().is_some_and(|said| said.contains("more than one function")));
}

/// A module on which wasmi 2.0.0 as published is wrong: `wasm-f1`.
const WRONG: &str = r#"(module (func (export "f") (param f64 i32) (result f64) (local i32 f64)
    (i32.add (local.get 1) (i32.const 7))
    (select (f64.const 2) (local.get 0) (i32.eqz (local.get 2)))
    (local.set 3) (drop) (local.get 3)))"#;

#[test]
fn a_difference_has_votes_wherever_it_is_told() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    fs::write(directory.path().join("m.wat"), WRONG).expect("it can be written");
    let words = ["interpret", "m.wat", "--invoke", "f", "f64:5", "i32:1"];
    let judged = run_in(directory.path(), &words, b"");
    let line = judged.out.lines().last().expect("something is told");
    assert!(judged.code == 1 && line.starts_with("m.wat: votes: wasmi, wasmi-lazy: "), "{}", judged.out);
    assert!(line.contains("tinywasm, dlr") && line.ends_with("the target is suspected"), "{line}");

    let words = ["interpret", "--guidance", "repro", "--input", "m.wat", "-o", "out", "-q", "--json"];
    let report = json(&run_in(directory.path(), &words, b"").out);
    let file = report["finding"]["file"].as_str().expect("it is stored");
    let replayed = run_in(directory.path(), &["replay", file], b"");
    let last = replayed.out.lines().last().expect("something is told");
    assert!(replayed.code == 1 && last.starts_with("votes: wasmi, wasmi-lazy: "), "{}", replayed.out);

    let invalid = b"(module (func (result i32)))";
    let words = ["validate", "--third-opinion", "dlr", "-"];
    let agreed = run_in(directory.path(), &words, invalid);
    assert!(agreed.code == 0 && agreed.out.lines().count() == 1, "{}", agreed.out);
}

#[test]
fn a_difference_that_is_met_while_a_bug_is_hunted_has_votes() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    // No bug can be injected into tinywasm, which is wrong here as published. So it is the reference of a hunt.
    let locals = r#"(module (func (export "f") (result i32) (local funcref) (ref.is_null (local.get 0))))"#;
    fs::write(directory.path().join("n.wat"), locals).expect("it can be written");
    let words = "interpret --bug wasm-11 --reference tinywasm --nans raw --features wasm2 --property interpreter \
                 --first-opinion none --guidance repro --input n.wat -o out --json -q";
    let report = json(&run_in(directory.path(), &words.split_whitespace().collect::<Vec<_>>(), b"").out);
    let file = report["discrepancies"]["files"][0].as_str().expect("it is stored");
    let stored = fs::read_to_string(directory.path().join(file));
    let stored = json(&stored.expect("it can be read"));
    assert_eq!(stored["votes"]["odd_one_out"], "reference", "{stored}");
}

#[test]
fn an_engine_that_is_not_compiled_says_in_one_line_how_it_is_had() {
    let listed = run("engines").out;
    for (name, feature, is_compiled) in [
        ("wasmtime-pulley", "pulley", cfg!(feature = "pulley")),
        ("wasmi-1", "wasmi-1", cfg!(feature = "wasmi-1")),
        ("stitch", "stitch", cfg!(feature = "stitch")),
        ("sf-nano-jit", "sf-nano", cfg!(feature = "sf-nano")),
    ] {
        let advice = format!("build it with `--features {feature}`");
        assert!(listed.contains(&format!("\n{name} ")), "{name} is not in {listed}");
        if is_compiled {
            continue;
        }
        assert!(listed.contains(&format!("not in this program: {advice}")), "{listed}");
        let refused = run(&format!("interpret --target {name} --nans raw --tests 1"));
        assert_eq!(refused.err.lines().count(), 1, "{name}: {}{}", refused.out, refused.err);
        assert!(refused.code != 0 && refused.err.contains(&advice), "{name}: {}", refused.err);
    }
}

#[test]
fn a_way_to_run_wasmtime_is_compared_with_another_engine_unless_one_is_named() {
    let reference = |flags: &str| {
        let report = json(&run(&format!("interpret {flags} --fixes --tests 20 --json -q")).out);
        report["spec"]["subject"]["engines"]["reference"].clone()
    };
    assert_eq!(reference("--target wasmtime-speed"), "wasmi");
    assert_eq!(reference("--target wasmi-lazy"), "wasmtime");
    assert_eq!(reference("--target wasmtime-speed --reference wasmtime"), "wasmtime");
}
