//! What others do with reports: cargo runs the stand-alone test of a finding, and the official schema checks SARIF. Both are
//! compiled outside of this workspace, once; the second run takes seconds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mutagen_bugs::{Edit, entries};
use mutagen_campaign::{GroupResult, ModuleFinding};
use mutagen_oracles::{HostAction, HostPlan, Registry, Value, on_stack};
use mutagen_report::{Format, bundle};

#[path = "common/finding.rs"]
mod finding;

/// Where things of these tests are compiled, beside what the workspace compiles.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside")
}

/// cargo, outside of this workspace: nothing is woven.
fn cargo(directory: &Path) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(directory).env("CARGO_TARGET_DIR", target());
    for variable in ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"] {
        cargo.env_remove(variable);
    }
    cargo
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn bundled(place: &Path, name: &str, group: GroupResult) -> PathBuf {
    let results = finding::results(vec![group]);
    let written =
        on_stack(|| bundle(&results, &Registry::default(), &place.join(name))).expect("there is a thread");
    written.expect("it can be written").remove(0)
}

/// What makes cargo take a copy of a published package in which a fix of the catalogue is on.
fn repaired(fix: &str, place: &Path, package: &Path) -> String {
    let entry = entries().iter().find(|entry| entry.id == fix).expect("it is in the catalogue");
    let output =
        cargo(package).args(["metadata", "--offline", "--format-version", "1"]).output().expect("cargo runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    let packages = metadata["packages"].as_array().expect("there are packages");
    let published =
        packages.iter().find(|package| package["name"] == entry.package).expect("it is a dependency");
    let source = Path::new(published["manifest_path"].as_str().expect("it has a manifest"))
        .parent()
        .expect("it is in a directory");
    let copy = place.join(fix);
    copy_all(source, &copy);
    entry.edits.iter().for_each(|edit| apply(edit, &copy));
    format!("patch.crates-io.{}.path={copy:?}", entry.package)
}

fn apply(edit: &Edit, package: &Path) {
    let file = package.join(edit.file);
    let text = fs::read_to_string(&file).expect("the file is there");
    let inserted = edit.text.replace("$bug", "true");
    let both = if edit.after { [edit.anchor, &inserted] } else { [&inserted, edit.anchor] };
    assert_eq!(text.matches(edit.anchor).count(), 1, "the anchor is there once");
    fs::write(file, text.replace(edit.anchor, &both.join(" "))).expect("it can be written");
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it can be made");
    for entry in fs::read_dir(from).expect("it can be listed") {
        let entry = entry.expect("it can be listed");
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_all(&entry.path(), &place)
        } else {
            fs::copy(entry.path(), place).map(|_| ()).expect("it can be copied")
        }
    }
}

/// Runs the test of a package.
fn test(package: &Path) -> Output {
    cargo(package).args(["test", "--offline", "--quiet"]).output().expect("cargo runs")
}

/// The same, with a repaired package.
fn test_patched(package: &Path, patch: &str) -> Output {
    cargo(package).args(["test", "--offline", "--quiet", "--config", patch]).output().expect("cargo runs")
}

#[test]
fn the_stand_alone_test_fails_on_the_bug_and_passes_with_its_fix_or_without_the_injected_bug() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let real = bundled(place.path(), "real", finding::of_witness("wasm-f1"));
    let published = test(&real);
    assert!(!published.status.success(), "{}", said(&published));
    assert!(said(&published).contains("the_calls_do_what_they_should"), "{}", said(&published));
    assert!(said(&published).contains("f64:0x4000000000000000"), "{}", said(&published));
    let patch = repaired("wasm-f1", place.path(), &real);
    let fixed = test_patched(&real, &patch);
    assert!(fixed.status.success(), "{}", said(&fixed));
    // With imports it is the same.
    let imports = bundled(place.path(), "imports", finding::judged(with_imports()));
    let published = test(&imports);
    assert!(
        !published.status.success() && said(&published).contains("f64:0x4000000000000000"),
        "{}",
        said(&published)
    );
    let fixed = test_patched(&imports, &patch);
    assert!(fixed.status.success(), "{}", said(&fixed));
    // The published engine has no bug that this program injected.
    let injected = test(&bundled(place.path(), "injected", finding::of_witness("wasm-11")));
    assert!(injected.status.success(), "{}", said(&injected));
}

/// Asserts that the test of a finding fails with the published engine and passes with a fix.
#[track_caller]
fn fails_until(fix: &str, group: GroupResult, words: &str) {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let package = bundled(place.path(), "published", group);
    let published = test(&package);
    assert!(!published.status.success() && said(&published).contains(words), "{fix}: {}", said(&published));
    let fixed = test_patched(&package, &repaired(fix, place.path(), &package));
    assert!(fixed.status.success(), "{fix}: {}", said(&fixed));
}

#[test]
fn the_stand_alone_test_of_a_crash_ends_its_process_until_the_crash_is_repaired() {
    fails_until("wasm-f8", finding::crash_of_witness("wasm-f8"), "signal: 6");
}

#[test]
fn the_stand_alone_test_of_an_invalid_module_fails_until_the_engine_rejects_it() {
    fails_until("wasm-f9", finding::of_witness("wasm-f9"), "the_module_is_rejected");
}

/// A module that leaves something behind, which the bug `wasm-11` changes.
fn leaving(exports: &str, body: &str, argument: &str) -> GroupResult {
    let wat = format!("(module {exports} (func (export \"f\") (param i32) {body}))");
    finding::finding_of(Some("wasm-11".into()), "wasm2", &wat, Some("f"), &[argument])
}

/// Findings whose tests have the forms that no published bug gives.
fn other_forms() -> Vec<(&'static str, GroupResult)> {
    let memory = leaving(
        "(memory (export \"m\") 1)",
        "(i32.store8 (i32.const 4) (i32.sub (local.get 0) (i32.const 1)))",
        "i32:5",
    );
    let global = leaving(
        "(global $g (export \"g\") (mut i32) (i32.const 0))",
        "(global.set $g (i32.sub (local.get 0) (i32.const 1)))",
        "i32:5",
    );
    let element = leaving(
        "(table $t (export \"t\") 4 funcref) (func $other (export \"other\"))",
        "(table.set $t (i32.sub (local.get 0) (i32.const 1)) (ref.func $other))",
        "i32:2",
    );
    for (group, kind) in [(&memory, "memory"), (&global, "global"), (&element, "table")] {
        assert_eq!(group.group.kind, kind);
    }
    let start = finding::crash("wasm1", "(module (func unreachable) (start 0))", None, &[]);
    let endless = finding::crash("wasm1", "(module (func $f (export \"f\") (call $f)))", Some("f"), &[]);
    let draft = finding::draft("wasm1", "(module (func (export \"f\")))", None, &[]);
    let valid = ModuleFinding { kind: "validity".into(), question: "validate".into(), ..draft };
    let valid = finding::group_of(mutagen_campaign::Finding::Module(Box::new(valid)));
    vec![
        ("memory", memory),
        ("global", global),
        ("element", element),
        ("start", start),
        ("endless", endless),
        ("valid", valid),
    ]
}

#[test]
fn stand_alone_tests_of_every_form_compile_and_pass_where_the_engine_is_right() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    for (name, group) in other_forms() {
        let package = bundled(place.path(), name, group);
        let passes = test(&package);
        assert!(passes.status.success(), "{name}: {}", said(&passes));
        // What they assert is looked at: another value does not pass.
        let file = package.join("tests/finding.rs");
        let text = fs::read_to_string(&file).expect("it is there");
        let (right, wrong) = match name {
            "memory" => ("Some(4));", "Some(6));"),
            "global" => ("\"i32:4\"", "\"i32:6\""),
            "element" => ("Some(\"a reference\")", "Some(\"null\")"),
            "start" => ("UnreachableCodeReached", "StackOverflow"),
            "endless" => ("StackOverflow", "UnreachableCodeReached"),
            _ => ("assert!(is_valid()", "assert!(!is_valid()"),
        };
        assert_eq!(text.matches(right).count(), 1, "{name}: {right} in {text}");
        fs::write(&file, text.replace(right, wrong)).expect("it can be written");
        let fails = test(&package);
        assert!(!fails.status.success() && said(&fails).contains("panicked"), "{name}: {}", said(&fails));
    }
}

/// Runs a script with the runner of the published wasmi, or of a repaired one. `None` if its packages cannot be had.
fn run_script(runner: &Path, script: &Path, patch: Option<&str>) -> Option<Output> {
    let mut run = cargo(runner);
    run.args(["run", "--quiet"]).args(patch.into_iter().flat_map(|patch| ["--config", patch]));
    let ran = run.arg("--").arg(script).output().expect("cargo runs");
    if said(&ran).contains("failed to download") || said(&ran).contains("failed to get `") {
        eprintln!("SKIPPED: cargo cannot get the packages of report/wast: {}", said(&ran));
        return None;
    }
    Some(ran)
}

#[test]
fn scripts_of_every_form_are_taken_by_the_runner_of_an_engine_and_fail_where_it_has_the_bug() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    // A copy: a repaired package is none of its lock file.
    let runner = place.path().join("runner");
    copy_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("wast"), &runner);
    for (fix, group) in [
        ("wasm-f1", finding::of_witness("wasm-f1")),
        ("wasm-f1", finding::judged(scriptable())),
        ("wasm-f8", finding::crash_of_witness("wasm-f8")),
    ] {
        let directory = place.path().join("out");
        let script = bundled(&directory, "real", group).join("finding.wast");
        let Some(published) = run_script(&runner, &script, None) else { return };
        assert!(!published.status.success(), "{fix}: {}", said(&published));
        let patch = repaired(fix, &directory, &runner);
        let fixed = run_script(&runner, &script, Some(&patch)).expect("its packages are there");
        assert!(fixed.status.success(), "{fix}: {}", said(&fixed));
        fs::remove_dir_all(directory).expect("it can be removed");
    }
    let mut forms = other_forms();
    forms.push(("invalid", finding::of_witness("wasm-3")));
    forms.push(("malformed", malformed()));
    for (name, form) in [
        ("invalid", "(assert_invalid"),
        ("malformed", "(assert_malformed"),
        ("start", "(assert_trap\n(module"),
        ("endless", "(assert_exhaustion (invoke"),
        ("element", "(invoke \"is_null\""),
        ("memory", "(invoke \"load\""),
        ("global", "(assert_return (get \"g\")"),
        ("valid", "(module"),
    ] {
        let place_of = forms.iter().position(|(known, _)| *known == name).expect("there is one");
        let script = bundled(place.path(), name, forms.swap_remove(place_of).1).join("finding.wast");
        let text = fs::read_to_string(&script).expect("it is there");
        assert!(text.contains(form), "{name}: {text}");
        let passes = run_script(&runner, &script, None).expect("its packages are there");
        assert!(passes.status.success(), "{name}: {}\n{text}", said(&passes));
    }
}

/// Bytes that are no module, accepted by a target.
fn malformed() -> GroupResult {
    let wasm = b"\0asm\x01\0\0\0\x01\x05\x01".to_vec();
    let finding = ModuleFinding {
        kind: "validity".into(),
        part: "validity".into(),
        question: "validate".into(),
        target: "accepted".into(),
        reference: "rejected".into(),
        wasm,
        wat: ";; the module cannot be printed".into(),
        ..finding::draft("wasm1", "(module)", None, &[])
    };
    finding::group_of(mutagen_campaign::Finding::Module(Box::new(finding)))
}

/// `wasm-f1` with imports that a module of a script can stand for.
fn scriptable() -> ModuleFinding {
    let wat = r#"(module
        (import "a" "b" (func $b (param i32) (result i32 f32)))
        (import "a" "m" (memory 1 3))
        (import "a" "b" (func $c))
        (func (export "f") (param f64 i32) (result f64) (local i32 f64)
            (drop (drop (call $b (i32.const 3))))
            (call $c)
            (i32.add (local.get 1) (i32.const 7))
            (select (f64.const 2) (local.get 0) (i32.eqz (local.get 2)))
            (local.set 3)
            (drop)
            (local.get 3)))"#;
    let actions = vec![
        HostAction::Write { memory: 0, address: 8, bytes: vec![5, 1, 0, 0] },
        HostAction::GrowMemory { memory: 0, pages: 1 },
        HostAction::Return(vec![Value::I32(4), Value::F32(5)]),
    ];
    let hosts = vec![HostPlan { turns: vec![actions], repeats: true }];
    ModuleFinding { hosts, ..finding::draft("wasm2", wat, Some("f"), &["f64:5", "i32:1"]) }
}

/// `wasm-f1` in a module whose imports do everything that imports can do.
fn with_imports() -> ModuleFinding {
    let wat = r#"(module
        (import "a" "b" (func $b (param i32) (result i32 f32)))
        (import "a" "m" (memory 1 3))
        (import "a" "g" (global $g (mut i64)))
        (import "a" "t" (table $t 2 5 funcref))
        (import "a" "b" (func $c))
        (global $own (export "own") (mut i32) (i32.const 0))
        (func (export "back") (global.set $own (i32.const 77)))
        (func (export "f") (param f64 i32) (result f64) (local i32 f64)
            (drop (drop (call $b (i32.const 3))))
            (call $c)
            (i32.add (local.get 1) (i32.const 7))
            (select (f64.const 2) (local.get 0) (i32.eqz (local.get 2)))
            (local.set 3)
            (drop)
            (local.get 3)))"#;
    let actions = vec![
        HostAction::Write { memory: 0, address: 8, bytes: vec![5, 1, 0, 0] },
        HostAction::GrowMemory { memory: 0, pages: 1 },
        HostAction::SetGlobal { global: 0, value: Value::I64(9) },
        HostAction::SetGlobal { global: 1, value: Value::I32(9) },
        HostAction::SetElement { table: 0, index: 1, value: Value::FuncRef(None) },
        HostAction::GrowTable { table: 0, elements: 2, value: Value::FuncRef(None) },
        HostAction::Call { function: 0, arguments: Vec::new() },
        HostAction::Return(vec![Value::I32(4), Value::F32(5)]),
    ];
    let hosts = vec![HostPlan { turns: vec![actions], repeats: true }];
    let draft = finding::draft("wasm2", wat, Some("f"), &["f64:5", "i32:1"]);
    ModuleFinding { hosts, ..draft }
}

#[test]
fn the_test_of_a_compiler_uses_its_crate_and_fails_only_where_it_differs() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    // The reference is wrong here, so that the test of an engine without a bug fails.
    let swapped = ModuleFinding {
        target_engine: "wasmtime".into(),
        reference_engine: "wasmi".into(),
        ..with_imports()
    };
    let package = bundled(place.path(), "compiler", finding::judged(swapped));
    let wrong = test(&package);
    assert!(!wrong.status.success(), "{}", said(&wrong));
    assert!(said(&wrong).contains("the_calls_do_what_they_should"), "{}", said(&wrong));
    // With the right value in place of the wrong one, it passes.
    let file = package.join("tests/finding.rs");
    let text = fs::read_to_string(&file).expect("it is there");
    let (wrong, right) = ("Ok(vec![\"f64:0x4000000000000000\"", "Ok(vec![\"f64:0x4014000000000000\"");
    let (wrong, right) = if text.contains(wrong) { (wrong, right) } else { (right, wrong) };
    assert_eq!(text.matches(wrong).count(), 1, "{text}");
    fs::write(&file, text.replace(wrong, right)).expect("it can be written");
    let passes = test(&package);
    assert!(passes.status.success(), "{}", said(&passes));
}

#[test]
fn sarif_fits_its_official_schema() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let mut silenced = finding::of_witness("wasm-f2");
    silenced.group.silenced = Some("reported, number 7 (2026-11-18)".into());
    let mut stored = finding::of_witness("wasm-6");
    stored.group.file = Some("a directory/findings/100%.json".into());
    let groups = vec![finding::of_witness("wasm-f1"), silenced, stored];
    for (name, results) in [("groups", finding::results(groups)), ("none", finding::results(Vec::new()))] {
        let file = place.path().join(format!("{name}.sarif"));
        fs::write(&file, Format::Sarif.render(&results)).expect("it can be written");
        let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
        let checked = cargo(&schema)
            .args(["run", "--locked", "--quiet", "--"])
            .arg(&file)
            .output()
            .expect("cargo runs");
        if said(&checked).contains("failed to download") || said(&checked).contains("failed to get `") {
            eprintln!("skipped: cargo cannot get the packages of report/schema: {}", said(&checked));
            return;
        }
        assert!(checked.status.success(), "{}", said(&checked));
        assert!(said(&checked).contains("1 runs are SARIF"), "{}", said(&checked));
    }
}
