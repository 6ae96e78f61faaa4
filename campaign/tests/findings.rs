//! The file of a finding is enough to replay it.

use std::path::{Path, PathBuf};

use mutagen_bugs::Bug;
use mutagen_campaign::{Budget, Earlier, Executable, Finding, Ran, Setup, Spec, Stored, replay, run};
use mutagen_oracles::{Registry, on_stack};
use mutagen_wasm_ast::Module;

fn hunting(id: &str) -> Spec {
    let spec = Spec::hunting(&Bug::find(id).expect("it exists")).expect("it is a bug");
    Spec { budget: Budget { tests: Some(200_000), ..Budget::default() }, ..spec }
}

fn run_into(spec: &Spec, directory: &Path) -> Ran {
    let engines = Registry::default();
    let setup = Setup { output: Some((directory.to_owned(), Earlier::Refuse)), ..Setup::new(&engines) };
    on_stack(|| run(spec, setup)).expect("there is a thread").expect("it runs")
}

fn read(file: &Path) -> Finding {
    match Finding::read(file).expect("it can be read") {
        Stored::Finding(finding) => finding,
        Stored::Command(words) => panic!("not a finding: {words:?}"),
    }
}

/// Whether the finding still stands.
fn stands(finding: &Finding) -> bool {
    let program = Executable::this().expect("it runs");
    on_stack(|| replay(finding, &Registry::default(), &program))
        .expect("there is a thread")
        .expect("it replays")
        .stands()
}

#[test]
fn findings_of_engines_and_machines_replay_from_their_file_alone_also_after_several_jobs() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (id, jobs) in [("wasm-3", 1), ("wasm-3", 2), ("stack-7", 1), ("stack-7", 2), ("register-14", 2)] {
        let output = directory.path().join(format!("{id}-{jobs}"));
        let ran = run_into(&Spec { jobs, ..hunting(id) }, &output);
        assert!(ran.stored.is_ok());
        let found = ran.report.finding.unwrap_or_else(|| panic!("{id} is found"));
        let finding = read(&found.file.expect("it is stored"));
        assert_eq!(finding, found.finding, "{id}");
        assert!(stands(&finding), "{id}");
    }
}

#[test]
fn a_finding_stands_only_with_its_bug() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for id in ["wasm-3", "stack-7"] {
        let ran = run_into(&hunting(id), &directory.path().join(id));
        let mut finding = ran.report.finding.expect("it is found").finding;
        match &mut finding {
            Finding::Module(module) => module.bug = None,
            Finding::Leak(leak) => leak.bug = None,
        }
        assert!(!stands(&finding), "{id}");
    }
}

/// A finding as version 0.1.0 stored it before findings had a case and engines a name.
const OLD: &str = r#"{ "format": 1, "version": "0.1.0", "property": "interpreter-i32", "bug": "wasm-11", "fixes": false,
    "features": "mutable-global", "kind": "result", "question": "", "part": "result 0", "target": "", "reference": "",
    "calls": [{ "export": "f", "arguments": ["i32:5"] }], "wasm": "WASM", "wat": "" }"#;

#[test]
fn findings_of_older_versions_still_replay() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let text =
        r#"(module (func (export "f") (param i32) (result i32) (i32.sub (local.get 0) (i32.const 3))))"#;
    let module = Module::from_text(text).expect("it is a module").encode();
    let hexadecimal: String = module.iter().map(|byte| format!("{byte:02x}")).collect();
    let file = directory.path().join("old.json");
    std::fs::write(&file, OLD.replace("WASM", &hexadecimal)).expect("it can be written");
    assert!(stands(&read(&file)));

    let leak = r#"{ "command": "ifc", "arguments": ["ifc", "stack", "--bug", "stack-7"], "kind": "leak" }"#;
    std::fs::write(&file, leak).expect("it can be written");
    let Stored::Command(words) = Finding::read(&file).expect("it can be read") else {
        panic!("it is a command")
    };
    assert_eq!(words, ["ifc", "stack", "--bug", "stack-7"]);
}

/// A finding of format 3: two calls, of which the second takes the result of the first, and a host function that returns 5.
/// Bug wasm-11 changes subtraction.
const HISTORY: &str = r#"{ "case": "module", "format": 3, "version": "0.1.0", "property": "interpreter", "bug": "wasm-11",
    "fixes": false, "features": "mutable-global", "kind": "result", "question": "", "part": "result 0", "target": "",
    "reference": "", "calls": [{ "export": "h", "arguments": [] },
    { "export": "f", "arguments": ["result 0 of call 0, or i32:0"] }],
    "hosts": [{ "turns": [[{ "return": ["i32:5"] }, { "write": { "memory": 0, "address": 1, "bytes": [7] } }]],
    "repeats": true }], "host": "import 0 with []; it returns [i32:5]", "wasm": "WASM", "wat": "(module)" }"#;

#[test]
fn a_finding_holds_its_calls_and_what_host_functions_do_and_shows_both() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("history.json");
    let text = r#"(module (import "" "" (func $h (result i32))) (memory (export "m") 1)
        (func (export "h") (result i32) (call $h))
        (func (export "f") (param i32) (result i32)
            (if (i32.ne (local.get 0) (i32.const 5)) (then unreachable))
            (if (i32.ne (i32.load8_u (i32.const 1)) (i32.const 7)) (then unreachable))
            (i32.sub (local.get 0) (i32.const 3))))"#;
    let module = Module::from_text(text).expect("it is a module").encode();
    let hexadecimal: String = module.iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(&file, HISTORY.replace("WASM", &hexadecimal)).expect("it can be written");
    let finding = read(&file);
    assert!(stands(&finding));
    let shown = finding.shown();
    assert!(shown.contains("call 1:     \"f\" with [result 0 of call 0, or i32:0]"), "{shown}");
    assert!(shown.contains("host:       import 0 with []; it returns [i32:5]"), "{shown}");
    // Without the host's behaviour the function traps in both engines.
    let Finding::Module(mut without) = finding else { panic!("it is a module") };
    without.hosts.clear();
    assert!(!stands(&Finding::Module(without)));
    // Format 2 is the same without hosts.
    let two = HISTORY.replace("WASM", &hexadecimal).replace("\"format\": 3", "\"format\": 2");
    std::fs::write(&file, two).expect("it can be written");
    assert!(stands(&read(&file)));
}

#[test]
fn files_that_are_no_findings_are_named_with_the_reason() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file: PathBuf = directory.path().join("finding.json");
    let cases = [
        ("", "no finding"),
        ("{}", "no finding"),
        (r#"{ "format": 7 }"#, "format 7"),
        (r#"{ "command": "ifc", "arguments": null }"#, "-j 1"),
        (&OLD.replace("WASM", "0g"), "not hexadecimal"),
        (&OLD.replace("mutable-global", "gc"), "gc"),
    ];
    for (text, reason) in cases {
        std::fs::write(&file, text).expect("it can be written");
        let error = Finding::read(&file).expect_err("it is none").to_string();
        assert!(error.contains("finding.json: ") && error.contains(reason), "{text}: {error}");
    }
}
