//! What becomes of the modules during which workers died: groups, names, tests that nobody had the time to judge.

#[path = "common/faults.rs"]
mod faults;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use faults::{crashing_engine, directory, json, signal, wait_until, write};
use mutagen_bugs::{CRASH, Witness, fixes};
use program::{end, program, run_at};
use serde_json::Value;

/// A function that ends with this instruction, after others that the instruction does not need.
fn module(number: usize, instruction: &str) -> String {
    let ty = &instruction[..3];
    let before = format!("{ty}.const {number} drop ").repeat(number);
    let second = if instruction.contains("rot") { "local.get 0" } else { "" };
    format!(
        "(module (func (export \"f\") (param {ty}) (result {ty}) {before} local.get 0 {second} {instruction}))"
    )
}

/// A directory with modules, by the name of their files.
fn seeds<'a>(directory: &Path, modules: impl IntoIterator<Item = (&'a str, String)>) {
    fs::create_dir(directory.join("seeds")).expect("there is space");
    for (name, text) in modules {
        write(&directory.join(format!("seeds/{name}.wat")), text);
    }
}

fn groups(report: &Value) -> &[Value] {
    report["groups"].as_array().expect("a list")
}

/// How many findings are stored.
fn findings(directory: &Path) -> usize {
    let files = fs::read_dir(directory.join("out/findings")).expect("it is there").flatten();
    files.filter(|file| file.path().extension().is_some_and(|end| end == "json")).count()
}

/// The finding that is the exemplar of a group.
fn exemplar(directory: &Path, group: &Value) -> Value {
    let file = directory.join(group["file"].as_str().expect("it is stored"));
    json(&fs::read_to_string(file).expect("it is stored"))
}

#[test]
fn two_bugs_that_end_the_process_by_the_same_signal_are_two_groups_if_nobody_knows_where() {
    let here = directory();
    write(&here.path().join("unknown"), "");
    let both = ["f64.floor", "i64.clz"];
    let numbers = [1, 2];
    let names = ["a", "b", "c", "d"];
    let modules = numbers.iter().flat_map(|number| both.map(|instruction| module(*number, instruction)));
    seeds(here.path(), names.into_iter().zip(modules));
    let line = "interpret --target crashing --fixes --features wasm1 --property interpreter --guidance repro --input seeds";
    let run = crashing_engine(here.path(), &format!("{line} -o out --json -q"));
    let report = json(&run.out);
    assert_eq!(run.code, 1, "{}", run.err);
    let [one, other] = groups(&report) else { panic!("{report:#}") };
    for (group, instruction) in [one, other].into_iter().zip(both) {
        let finding = exemplar(here.path(), group);
        let text = finding["wat"].as_str().expect("a text");
        assert!(text.contains(instruction), "{instruction}: {text}");
        let count = (&group["message"], &group["count"]);
        assert_eq!(count, (&"crashing died of SIGSEGV".into(), &2.into()), "{report:#}");
        assert_eq!(finding["functions"].as_array().map_or(0, Vec::len), 0, "{finding:#}");
    }
}

#[test]
fn a_worker_that_dies_loses_the_count_of_no_test() {
    let here = directory();
    let line = "interpret --target crashing --fixes --features wasm1 --property interpreter-i32 --seed 2 --no-keep-going";
    let limits = "--hang-limit 500ms --memory-limit 128";
    let campaign = |tests: &str| {
        let run = crashing_engine(here.path(), &format!("{line} {limits} {tests} --json -q"));
        (run.code, json(&run.out)["tests"].as_u64().expect("a number"))
    };
    let (code, tests) = campaign("--time 60s");
    assert_eq!(code, 1);
    assert!(tests > 0, "the first test ends the process already");
    // It is the next test that ends the process: those before it are counted, and no other.
    let count = |tests: u64| campaign(&format!("--tests {tests}"));
    assert_eq!(count(tests), (0, tests));
    assert_eq!(count(tests + 1), (1, tests));
}

#[test]
fn a_group_of_deaths_that_the_user_knows_is_no_finding() {
    let here = directory();
    seeds(here.path(), [("a", module(1, "i32.rotl")), ("b", module(2, "i32.rotl"))]);
    let line = "interpret --target crashing --fixes --features wasm1 --property interpreter --guidance repro --input seeds";
    let first = json(&crashing_engine(here.path(), &format!("{line} -o out --json -q")).out);
    let [group] = groups(&first) else { panic!("{first:#}") };
    let shape = group["shape"].as_str().expect("a shape");
    let known = format!("[[known]]\nshape = \"{shape}\"\nreason = \"reported\"\ndate = 2026-11-18\n");
    write(&here.path().join("out/known.toml"), known);
    let run = crashing_engine(here.path(), &format!("{line} --fresh -o out --json -q"));
    let report = json(&run.out);
    assert_eq!((run.code, &report["outcome"]), (0, &"passed".into()), "{report:#}");
    let [group] = groups(&report) else { panic!("{report:#}") };
    assert_eq!((&group["count"], &group["silenced"]), (&2.into(), &"reported (2026-11-18)".into()));
    assert_eq!(report["deaths"]["target"], 2);
    assert_eq!(findings(here.path()), 0);
}

#[test]
fn tests_that_nobody_had_the_time_to_judge_are_stored_and_judged_by_the_next_run() {
    let here = directory();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    seeds(
        here.path(),
        names.into_iter().enumerate().map(|(number, name)| (name, module(number, "i64.rotl"))),
    );
    let line = "interpret --target crashing --fixes --features wasm1 --property interpreter -o out --json -q";
    let unjudged = || {
        let files = fs::read_dir(here.path().join("out/unjudged")).into_iter().flatten().flatten();
        files.filter(|file| file.path().extension().is_some_and(|end| end == "json")).count()
    };
    // Each of them takes seconds to judge, and more to shrink.
    let words = format!("{line} --generator derived --input seeds --time 1h --hang-limit 2s");
    let campaign = Command::new(program().with_file_name("examples").join("crashing_engine"))
        .args(words.split_whitespace())
        .current_dir(here.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it is compiled");
    let process = campaign.id();
    // Three of them have died.
    wait_until(|| {
        let stats = fs::read_to_string(here.path().join("out/stats.json")).unwrap_or_default();
        stats.contains("\"running\"")
    });
    std::thread::sleep(Duration::from_secs(8));
    let told = Instant::now();
    signal("-TERM", process);
    let run = end(campaign);
    assert!(told.elapsed() < Duration::from_secs(20), "{:?}", told.elapsed());
    let report = json(&run.out);
    let left = unjudged();
    assert!(left > 1, "{report:#}");
    assert_eq!(report["deaths"]["unjudged"], left, "{report:#}");
    // A quick machine has judged some by then.
    let counted =
        |report: &Value| -> u64 { groups(report).iter().filter_map(|group| group["count"].as_u64()).sum() };
    let judged = counted(&report);

    let words = "--generator derived --resume --tests 1 --hang-limit 300ms --seed 2";
    let run = crashing_engine(here.path(), &format!("{line} {words}"));
    let report = json(&run.out);
    assert_eq!((run.code, unjudged()), (1, 0), "{report:#} {}", run.err);
    assert_eq!(report["deaths"]["target"], left, "{report:#}");
    // Where exactly a hang is ended is up to the machine, so there may be several groups of them.
    assert!(groups(&report).iter().all(|group| group["kind"] == "hang"), "{report:#}");
    assert_eq!(counted(&report), judged + left as u64, "{report:#}");
}

#[test]
fn modules_that_end_the_published_engine_are_named_after_the_fix_that_helps() {
    let here = directory();
    let ends = fixes().flat_map(|fix| fix.witnesses.iter().map(move |witness| (fix.id, witness)));
    // That of wasm-f7 does so for one argument only, with which nobody calls it here.
    let ends = ends.filter(|(fix, witness)| witness.off == CRASH && *fix != "wasm-f7");
    let ends: Vec<_> = ends.collect();
    assert!(ends.len() >= 4, "{}", ends.len());
    // Each of them is shrunk with many processes.
    std::thread::scope(|scope| {
        for (fix, witness) in ends {
            let directory = here.path();
            scope.spawn(move || assert_named(directory, fix, witness));
        }
    });
}

/// Tests a witness without its fix, and asserts that what is found is named after that.
fn assert_named(directory: &Path, fix: &str, witness: &Witness) {
    write(&directory.join(format!("{fix}.wat")), witness.module);
    // Memory that was never written may hold the right bits by chance, in one process but not in many.
    let mut told = Vec::new();
    for attempt in 0..ATTEMPTS {
        let output = format!("out-{fix}-{attempt}");
        let line = format!(
            "interpret --property interpreter --first-opinion none --guidance repro --input {fix}.wat --features {} -o {output} --json -q",
            witness.features
        );
        let run = run_at(directory, &line);
        let report = json(&run.out);
        let named = groups(&report).iter().find(|group| group["fix"] == fix);
        let Some(group) = named.filter(|_| run.code == 1) else {
            told.push(format!("{} {} {}", run.code, report["groups"], report["labels"]));
            continue;
        };
        let finding = exemplar(directory, group);
        // Stale bits that are taken for a reference may also pass for another value.
        if finding["kind"] == "crash" {
            let functions = finding["functions"].as_array().map_or(0, Vec::len);
            assert!(functions > 0, "{fix}: {finding:#}");
        }
        return;
    }
    panic!("{fix} is never named: {told:#?}");
}

/// How many processes test a witness at most.
const ATTEMPTS: usize = 8;

#[test]
fn a_module_that_ends_the_reference_is_stored_apart_and_is_no_finding() {
    let here = directory();
    seeds(here.path(), [("a", module(1, "i32.rotl"))]);
    let line = "interpret --target wasmi --reference crashing --fixes --features wasm1 --property interpreter --first-opinion none";
    let run =
        crashing_engine(here.path(), &format!("{line} --guidance repro --input seeds -o out --json -q"));
    let report = json(&run.out);
    assert_eq!((run.code, groups(&report).len()), (0, 0), "{report:#} {}", run.err);
    assert_eq!((&report["deaths"]["reference"], &report["deaths"]["target"]), (&1.into(), &0.into()));
    assert_eq!(findings(here.path()), 0);
    let stored = fs::read_dir(here.path().join("out/reference")).expect("it is there").flatten();
    let files: Vec<PathBuf> = stored.map(|file| file.path()).collect();
    let text = files.iter().find(|file| file.extension().is_some_and(|end| end == "wat"));
    let text = fs::read_to_string(text.expect("there is one")).expect("it can be read");
    assert!(text.contains("i32.rotl"), "{text}");
}

/// A module on which wasmi 2.0.0 as published differs from the reference, whatever it is called with (wasm-f1).
const DIFFERS: &str = r#"(module (func (export "f") (param f64 i32) (result f64) (local i32 f64)
    (i32.add (local.get 1) (i32.const 7))
    (select (f64.const 2) (local.get 0) (i32.eqz (local.get 2)))
    (local.set 3) (drop) (local.get 3)))"#;

/// The same without times and places.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.contains("second") && name != "file");
            fields.values_mut().for_each(without_times);
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}

#[test]
fn a_campaign_that_keeps_going_has_the_same_groups_with_and_without_a_supervisor() {
    let here = directory();
    write(&here.path().join("differs.wat"), DIFFERS);
    let line = "interpret --property interpreter --generator derived --features wasm1 --input differs.wat";
    let [with, without] = ["", "--no-supervisor"].map(|flag| {
        let run = run_at(
            here.path(),
            &format!("{line} --tests 60 --seed 3 -o out --fresh --keep-going --json -q {flag}"),
        );
        assert_eq!(run.code, 1, "{}", run.err);
        let mut report = json(&run.out);
        without_times(&mut report);
        ["groups", "tests", "passed", "discarded", "labels", "unsorted"].map(|name| report[name].clone())
    });
    assert!(!with[0].as_array().expect("a list").is_empty());
    assert_eq!(with, without);
}

#[test]
fn the_next_run_need_not_wait_long_for_the_workers_of_a_supervisor_that_was_killed() {
    let here = directory();
    write(&here.path().join("sleeps.wat"), module(1, "f32.ceil"));
    let line = "interpret --target crashing --fixes --features wasm1 --property interpreter -o out --json -q";
    let words = format!("{line} --generator derived --input sleeps.wat --time 1h --hang-limit 60s");
    let campaign = Command::new(program().with_file_name("examples").join("crashing_engine"))
        .args(words.split_whitespace())
        .current_dir(here.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it is compiled");
    wait_until(|| here.path().join("out/run.json").exists());
    // Its worker asks an engine that never answers.
    std::thread::sleep(Duration::from_secs(2));
    signal("-KILL", campaign.id());
    end(campaign);
    let run =
        crashing_engine(here.path(), &format!("{line} --generator derived --resume --tests 1 --seed 2"));
    // There is nothing in the corpus to derive modules from, but nobody is in the way.
    assert_eq!(json(&run.out)["outcome"], "gave_up", "{}", run.err);
}

#[test]
fn a_finding_of_another_kind_whose_module_ends_the_process_is_replayed_with_a_word() {
    let here = directory();
    seeds(here.path(), [("a", module(1, "i32.rotl"))]);
    let line = "interpret --target crashing --fixes --features wasm1 --property interpreter --guidance repro --input seeds";
    let report = json(&crashing_engine(here.path(), &format!("{line} -o out --json -q")).out);
    let [group] = groups(&report) else { panic!("{report:#}") };
    let mut finding = exemplar(here.path(), group);
    finding["kind"] = "result".into();
    write(&here.path().join("result.json"), finding.to_string());
    let run = crashing_engine(here.path(), "replay result.json");
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert_eq!(run.out.trim(), "the target died of SIGSEGV", "{}", run.err);
}

#[test]
#[ignore = "takes two minutes: `cargo test --release --test deaths -- --ignored` runs it"]
fn a_bug_that_keeps_ending_workers_leaves_the_campaign_time_for_others() {
    let here = directory();
    let line = "interpret --target crashing --fixes --features wasm1 --property interpreter-i32";
    let run = crashing_engine(
        here.path(),
        &format!("{line} --tests 20000 --seed 6 --hang-limit 500ms --memory-limit 128 -o out --json -q"),
    );
    let report = json(&run.out);
    let deaths = report["deaths"]["target"].as_u64().expect("workers died");
    let ways = groups(&report).len() as u64;
    // Ten each until it is known that they keep coming, and few after that.
    assert!(ways > 2 && deaths < 20 * ways, "{deaths} deaths in {ways} groups: {report:#}");
    // What a worker that died left out is in no label, but it is counted.
    assert!(report["discarded"].as_u64().is_some_and(|skipped| skipped > 100), "{report:#}");
    assert_eq!(report["tests"], 20_000);
}

/// What is asked of the engine that dies, in a process of its own.
const ISOLATED: &str =
    "--fixes --features wasm1 --property interpreter --guidance repro --input seeds -o out --json -q";

#[test]
fn an_engine_that_dies_in_a_process_of_its_own_is_a_finding_and_takes_no_worker_along() {
    let here = directory();
    seeds(
        here.path(),
        [("a", module(1, "i32.rotl")), ("b", module(2, "i32.ctz")), ("c", module(3, "i32.eqz"))],
    );
    let line = format!("interpret --target isolated:crashing --first-opinion none {ISOLATED}");
    let run = crashing_engine(here.path(), &line);
    let report = json(&run.out);
    assert_eq!(run.code, 1, "{report:#} {}", run.err);
    let messages: Vec<String> = groups(&report).iter().map(|group| group["message"].to_string()).collect();
    assert_eq!(messages.len(), 2, "{report:#}");
    assert!(messages.iter().all(|message| message.contains("panicked: its process ended: ")), "{messages:?}");
    assert!(report["deaths"].is_null() || report["deaths"]["target"] == 0, "{report:#}");
}

#[test]
fn a_first_opinion_that_dies_in_a_process_of_its_own_is_no_opinion() {
    let here = directory();
    seeds(here.path(), [("a", module(1, "i32.rotl")), ("b", module(2, "i32.eqz"))]);
    let line = format!("interpret --first-opinion isolated:crashing {ISOLATED}");
    let run = crashing_engine(here.path(), &line);
    let report = json(&run.out);
    assert_eq!((run.code, groups(&report).len()), (0, 0), "{report:#} {}", run.err);
    assert_eq!((&report["tests"], &report["first_opinion"]["agreed"]), (&2.into(), &1.into()), "{report:#}");
    assert!(report["deaths"].is_null() || report["deaths"]["first_opinion"] == 0, "{report:#}");
}

#[test]
fn a_voter_that_dies_has_no_vote_and_harms_nobody() {
    let here = directory();
    let dies =
        DIFFERS.replace("(i32.add (local.get 1) (i32.const 7))", "(i32.rotl (local.get 1) (i32.const 7))");
    for (name, text, votes) in [("lives.wat", DIFFERS, true), ("dies.wat", &dies, false)] {
        write(&here.path().join(name), text);
        let run = crashing_engine(here.path(), &format!("interpret {name} --invoke f f64:5 i32:1"));
        let line = run.out.lines().last().expect("something is told");
        assert!(run.code == 1 && line.contains("votes: ") && line.contains("tinywasm, dlr"), "{}", run.out);
        assert_eq!(line.contains("isolated:crashing"), votes, "{line}");
    }
}
