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

/// A copy of the published wasmi, with a fix of the catalogue.
fn repaired(fix: &str, place: &Path, package: &Path) -> PathBuf {
    let output =
        cargo(package).args(["metadata", "--offline", "--format-version", "1"]).output().expect("cargo runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    let packages = metadata["packages"].as_array().expect("there are packages");
    let wasmi = packages.iter().find(|package| package["name"] == "wasmi").expect("it is a dependency");
    let source = Path::new(wasmi["manifest_path"].as_str().expect("it has a manifest"))
        .parent()
        .expect("it is in a directory");
    let copy = place.join("wasmi");
    copy_all(source, &copy);
    let entry = entries().iter().find(|entry| entry.id == fix).expect("it is in the catalogue");
    entry.edits.iter().for_each(|edit| apply(edit, &copy));
    copy
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

#[test]
fn the_stand_alone_test_fails_on_the_bug_and_passes_with_its_fix_or_without_the_injected_bug() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let real = bundled(place.path(), "real", finding::of_witness("wasm-f1"));
    let test =
        |package: &Path| cargo(package).args(["test", "--offline", "--quiet"]).output().expect("cargo runs");
    let published = test(&real);
    assert!(!published.status.success(), "{}", said(&published));
    assert!(said(&published).contains("the_calls_do_what_they_should"), "{}", said(&published));
    assert!(said(&published).contains("f64:0x4000000000000000"), "{}", said(&published));
    let patch = format!("patch.crates-io.wasmi.path={:?}", repaired("wasm-f1", place.path(), &real));
    let fixed =
        cargo(&real).args(["test", "--offline", "--quiet", "--config", &patch]).output().expect("cargo runs");
    assert!(fixed.status.success(), "{}", said(&fixed));
    // With imports it is the same.
    let imports = bundled(place.path(), "imports", finding::judged(with_imports()));
    let published = test(&imports);
    assert!(
        !published.status.success() && said(&published).contains("f64:0x4000000000000000"),
        "{}",
        said(&published)
    );
    let fixed = cargo(&imports)
        .args(["test", "--offline", "--quiet", "--config", &patch])
        .output()
        .expect("cargo runs");
    assert!(fixed.status.success(), "{}", said(&fixed));
    // The published engine has no bug that this program injected.
    let injected = test(&bundled(place.path(), "injected", finding::of_witness("wasm-11")));
    assert!(injected.status.success(), "{}", said(&injected));
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
    let test = || cargo(&package).args(["test", "--offline", "--quiet"]).output().expect("cargo runs");
    let wrong = test();
    assert!(!wrong.status.success(), "{}", said(&wrong));
    assert!(said(&wrong).contains("the_calls_do_what_they_should"), "{}", said(&wrong));
    // With the right value in place of the wrong one, it passes.
    let file = package.join("tests/finding.rs");
    let text = fs::read_to_string(&file).expect("it is there");
    let (wrong, right) = ("Ok(vec![\"f64:0x4000000000000000\"", "Ok(vec![\"f64:0x4014000000000000\"");
    let (wrong, right) = if text.contains(wrong) { (wrong, right) } else { (right, wrong) };
    assert_eq!(text.matches(wrong).count(), 1, "{text}");
    fs::write(&file, text.replace(wrong, right)).expect("it can be written");
    let passes = test();
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
