//! Faults of signals, limits, words, environments and engines: one clear answer, the documented exit code, no panic, and no
//! campaign that waits for ever.

#[path = "common/faults.rs"]
mod faults;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use faults::{assert_refused, crashing_engine, directory, json, shell, signal, start, write};
use program::{command, end, run_at};
use serde_json::Value;
use tempfile::TempDir;

/// D1: the signals that `faults` leaves out.
#[test]
fn a_stopped_campaign_goes_on_and_a_second_interrupt_does_no_harm() {
    let here = directory();
    let child = start(here.path(), &["validate"]);
    signal("-STOP", child.id());
    std::thread::sleep(Duration::from_millis(200));
    signal("-CONT", child.id());
    signal("-PIPE", child.id());
    std::thread::sleep(Duration::from_millis(200));
    signal("-TERM", child.id());
    // It may be gone by now.
    let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
    let run = end(child);
    assert_eq!(run.code, 143, "{}", run.err);
    json(&fs::read_to_string(here.path().join("out/stats.json")).expect("it is there"));
}

/// D4, D5, D6 and D9: little memory, stack, files, processes and processors.
#[test]
fn scarce_resources_end_in_the_same_finding_or_in_one_clear_line() {
    let here = directory();
    let mut found = 0;
    for limit in [
        "ulimit -v 8000000",
        "ulimit -v 1000000",
        "ulimit -v 300000",
        "ulimit -s 512",
        "ulimit -n 16",
        "taskset -p -c 0 $$ >/dev/null",
    ] {
        let run = shell(here.path(), &format!("{limit}; exec $P validate --bug wasm-6 -q --json"));
        match run.code {
            1 => {
                assert_eq!(json(&run.out)["finding"]["kind"], "validity", "{limit}");
                found += 1;
            }
            code => assert!(
                (2..=5).contains(&code) && !run.err.is_empty() && !run.err.contains("panicked"),
                "{limit}: {code} {}{}",
                run.out,
                run.err
            ),
        }
    }
    assert!(found >= 4, "{found}");
    let few = shell(here.path(), "ulimit -n 4; exec $P validate --bug wasm-6 -q");
    assert!(few.err.starts_with("error: cannot start a worker: Too many open files"), "{}", few.err);
    assert!(few.err.lines().count() == 1 && few.err.contains("--no-supervisor"), "{}", few.err);
    let many = run_at(here.path(), "validate --bug wasm-6 -q --json -j 64");
    assert_eq!(many.code, 1, "more jobs than processors: {}", many.err);
}

/// D6: the system gives few processes and threads, which it does to root only if root becomes somebody else.
#[test]
fn a_system_without_processes_is_named_and_no_panic_is_shown() {
    let here = directory();
    if shell(here.path(), "chmod 755 . && setpriv --reuid 54321 --clear-groups prlimit --nproc=9 true").code
        != 0
    {
        eprintln!("not tested: only root can become another user");
        return;
    }
    let program = PathBuf::from(command(here.path(), &[]).get_program());
    fs::copy(program, here.path().join("program")).expect("there is space");
    for most in 1..8 {
        let few = format!("setpriv --reuid 54321 --clear-groups prlimit --nproc={most}");
        let run = shell(here.path(), &format!("{few} ./program validate --bug wasm-6 -q --json"));
        assert!([1, 3].contains(&run.code), "{most}: {} {}{}", run.code, run.out, run.err);
        assert!(!run.err.contains("internal error"), "{most}: {}", run.err);
        if run.code == 3 {
            assert!((run.out + &run.err).contains("Resource temporarily unavailable"), "{most}");
        }
    }
}

/// E5 to E8: words of the command line.
#[test]
fn odd_words_on_the_command_line_are_refused_before_anything_is_made() {
    let here = directory();
    let cases: [(&str, &[&str]); 17] = [
        ("--seed -1", &["--seed", "from 0 to 18446744073709551615"]),
        ("--seed 18446744073709551616", &["--seed", "from 0 to 18446744073709551615"]),
        ("--seed abc", &["--seed", "from 0"]),
        ("--seed=", &["--seed", "from 0"]),
        ("--seed", &["--seed", "a value is required"]),
        ("--seed 1 --seed 2", &["--seed", "multiple times"]),
        ("--bug=", &["no bug ``", "bugs list"]),
        ("--bug wasm-4 --bug wasm-4", &["--bug", "multiple times"]),
        ("--bug wasm-4,wasm-5", &["did you mean `wasm-4`"]),
        ("--bug stack-1", &["stack machine"]),
        ("--resume --fresh", &["--resume", "--fresh"]),
        ("--nonsense", &["--nonsense"]),
        ("--tests 0", &["--tests", "at least 1"]),
        ("--tests -5", &["--tests", "at least 1"]),
        ("--tests 18446744073709551616", &["--tests"]),
        ("--time 1e308s", &["--time", "30s"]),
        ("--time 10x", &["--time", "30s"]),
    ];
    for (line, words) in cases {
        let run = run_at(here.path(), &format!("validate -o out {line}"));
        assert_refused(&run, 2, words);
        assert_eq!((run.out.as_str(), run.err.lines().count()), ("", 1), "{line}: {}", run.err);
    }
    assert_eq!(fs::read_dir(here.path()).expect("it is there").count(), 0, "nothing was begun");
    // The ends of the range are seeds, and whichever of two budgets is spent first ends a campaign.
    for seed in ["0", "18446744073709551615"] {
        let run =
            run_at(here.path(), &format!("validate --fixes --tests 200 --time 1h -q --json --seed {seed}"));
        assert_eq!((run.code, &json(&run.out)["tests"]), (0, &Value::from(200)), "{}", run.err);
    }
}

/// E9: settings of shells and systems.
#[test]
fn the_environment_changes_neither_what_is_found_nor_where_it_is_stored() {
    let here = directory();
    let other = directory();
    let other = other.path().display();
    for setting in [
        format!("export TMPDIR={other}"),
        "export NO_COLOR=1 RUST_BACKTRACE=full".to_owned(),
        "unset HOME TMPDIR PATH LANG; export LC_ALL=C".to_owned(),
    ] {
        let run =
            shell(here.path(), &format!("{setting}; exec $P ifc stack --bug stack-7 -q --fresh -o out"));
        assert_eq!((run.code, run.err.as_str()), (1, ""), "{setting}");
        assert!(!run.out.contains('\x1b'), "{setting}");
    }
    assert_eq!(fs::read_dir(other.to_string()).expect("it is there").count(), 0, "nothing is left there");
}

/// A directory with a module for each of these instructions of `examples/crashing_engine.rs`.
fn modules_with(instructions: &[&str]) -> TempDir {
    let here = directory();
    let seeds = here.path().join("seeds");
    fs::create_dir(&seeds).expect("there is space");
    for instruction in instructions {
        let text =
            format!("(module (func (export \"f\") (param f32) (result f32) local.get 0 {instruction}))");
        write(&seeds.join(format!("{instruction}.wat")), text);
    }
    here
}

/// D2 and D3: the ways to end and to stop that `supervision` leaves out.
#[test]
fn an_engine_that_exits_as_if_all_were_well_or_sleeps_for_ever_is_blamed() {
    let here = modules_with(&["f32.floor", "f32.ceil"]);
    let run = crashing_engine(
        here.path(),
        "interpret --target crashing --fixes --hang-limit 200ms --property interpreter --features wasm1 \
         --guidance repro --input seeds -o out --json -q",
    );
    assert_eq!(run.code, 1, "{}", run.err);
    let report = json(&run.out);
    let groups = report["groups"].as_array().expect("a list").iter();
    let mut said: Vec<&str> = groups.filter_map(|group| group["message"].as_str()).collect();
    said.sort_unstable();
    let sleeps = "crashing gave no answer within 200ms of processor time";
    assert_eq!(said, ["crashing ended the process with exit code 0", sleeps], "{report:#}");
    assert_eq!(report["deaths"]["target"], 2, "{report:#}");
}

/// D3: more than a supervisor keeps of one line.
#[test]
fn an_engine_that_writes_without_end_is_in_nobodys_way() {
    let here = modules_with(&["f32.sqrt"]);
    let run = crashing_engine(
        here.path(),
        "interpret --target crashing --fixes --property interpreter --features wasm1 --guidance repro --input seeds \
         -o out --json -q",
    );
    let report = json(&run.out);
    assert_eq!((run.code, &report["deaths"]), (0, &Value::Null), "{report:#} {}", run.err);
    assert_eq!(report["replayed"][0]["outcome"], "passed", "{report:#}");
}

/// D2: nothing that can be blamed, but it would take for ever.
#[test]
fn a_worker_that_computes_for_ever_between_two_questions_is_ended() {
    let here = directory();
    let run = crashing_engine(
        here.path(),
        "interpret --target stuck --fixes --hang-limit 20ms --property interpreter-i32 --features wasm1 \
         --tests 100 -o out --json -q",
    );
    let report = json(&run.out);
    assert_eq!((run.code, &report["outcome"]), (3, &Value::from("gave_up")), "{report:#} {}", run.err);
    let reason = report["stop_reason"].as_str().expect("a sentence");
    assert!(reason.contains("it got nowhere within 400ms of processor time"), "{reason}");
}

/// F6: no test is to blame for what all of them together took.
#[test]
fn an_engine_that_leaks_memory_has_its_workers_replaced_and_no_test_is_blamed() {
    let here = directory();
    let run = crashing_engine(
        here.path(),
        "interpret --target leaking --fixes --property interpreter-i32 --features wasm1 --memory-limit 256 \
         --tests 20000 -o out --json -q",
    );
    let report = json(&run.out);
    assert!([0, 3].contains(&run.code), "{}: {report:#} {}", run.code, run.err);
    assert_eq!(report["finding"], Value::Null, "{report:#}");
    assert!(report["deaths"]["unexplained"].as_u64().is_some_and(|deaths| deaths > 0), "{report:#}");
}

/// D2 and F7: a reference that never answers is ended, and is no finding about the target.
#[test]
fn a_reference_that_takes_for_ever_is_ended_and_is_no_finding() {
    let here = directory();
    let text = "(module (func (export \"f\") (param i64) (result i64) local.get 0 local.get 0 i64.rotl))";
    write(&here.path().join("slow.wat"), text);
    let run = crashing_engine(
        here.path(),
        "interpret --target wasmi --reference crashing --first-opinion none --fixes --hang-limit 200ms --property interpreter \
         --generator derived --features wasm1 --input slow.wat --tests 1 -o out --json -q",
    );
    let report = json(&run.out);
    assert_eq!(report["finding"], Value::Null, "{report:#}");
    assert_eq!(report["deaths"]["reference"], 1, "{report:#}");
    assert_ne!(run.code, 1, "{}", run.err);
}
