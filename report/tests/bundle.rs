//! What an engine's maintainer gets: scripts that fail on the bug and pass without it, and directories that are whole.

use std::fs;
use std::path::Path;

use mutagen_campaign::{GroupResult, Results};
use mutagen_oracles::{Registry, on_stack};
use mutagen_report::{WASMI_FEATURES, bundle};

#[path = "common/finding.rs"]
mod finding;
#[path = "common/runner.rs"]
mod runner;

/// Writes the bundle of one group. Returns its directory and what holds it.
fn bundled(group: GroupResult) -> (tempfile::TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let written = written(&finding::results(vec![group]), &place.path().join("bundle"));
    let [directory] = &written[..] else { panic!("there is one group: {written:?}") };
    let directory = directory.clone();
    (place, directory)
}

fn written(results: &Results, output: &Path) -> Vec<std::path::PathBuf> {
    let written = on_stack(|| bundle(results, &Registry::default(), output)).expect("there is a thread");
    written.unwrap_or_else(|error| panic!("{error}"))
}

fn text(directory: &Path, file: &str) -> String {
    fs::read_to_string(directory.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[track_caller]
fn fails_on_the_bug_alone(group: GroupResult, bug: &'static str) {
    let (_place, directory) = bundled(group);
    let script = text(&directory, "finding.wast");
    let with = runner::run(&script, &[bug]);
    assert!(with.is_err(), "{bug}: {with:?}\n{script}");
    let without = runner::run(&script, &[]);
    assert!(without.as_ref().is_ok_and(|assertions| *assertions > 0), "{bug}: {without:?}\n{script}");
}

#[test]
fn the_script_of_a_hunted_bug_fails_with_the_bug_and_passes_without_it() {
    for bug in ["wasm-6", "wasm-11"] {
        let output = tempfile::tempdir().expect("a temporary directory can be made");
        let results = finding::hunt(bug, &output.path().join("out"));
        let group = results.groups.into_iter().next().expect("the bug is found");
        fails_on_the_bug_alone(group, bug);
    }
}

#[test]
fn the_script_of_a_bug_of_the_published_engine_fails_as_published_and_passes_with_its_fix() {
    for fix in ["wasm-f1", "wasm-f2"] {
        let (_place, directory) = bundled(finding::of_witness(fix));
        let script = text(&directory, "finding.wast");
        assert!(runner::run(&script, &[]).is_err(), "{fix}: {script}");
        assert_eq!(runner::run(&script, &[fix]), Ok(1), "{fix}: {script}");
    }
}

#[test]
fn differences_in_what_is_left_behind_are_seen_by_scripts() {
    let stores = "(module (memory (export \"m\") 1) (func (export \"f\") (i32.store8 offset=4 (i32.const 8) (i32.const 7))))";
    let memory = finding::finding_of(Some("wasm-x11".into()), "wasm1", stores, Some("f"), &[]);
    assert_eq!(memory.group.kind, "memory");
    fails_on_the_bug_alone(memory, "wasm-x11");
}

#[test]
fn a_bundle_says_what_is_right_where_to_look_and_how_to_see_it_again() {
    let (_place, directory) = bundled(finding::of_witness("wasm-f1"));
    let readme = text(&directory, "README.md");
    for words in [
        "wasmi 2.0.0",
        "wasmtime 48.0.8",
        "section 4.4.4 Parametric Instructions",
        "mutagen-wasm replay finding.json",
        "Met once",
        "f64:2.0",
        "portable-dispatch",
    ] {
        assert!(readme.contains(words), "{words} is missing in\n{readme}");
    }
    assert!(!readme.contains("was injected"), "{readme}");
    let wasm = fs::read(directory.join("module.wasm")).expect("it is there");
    let wat = text(&directory, "module.wat");
    assert_eq!(mutagen_wasm_ast::Module::assemble(wat.as_bytes()).expect("it is a module"), wasm);
}

#[test]
fn a_module_with_imports_is_given_with_the_reason_why_there_is_no_assertion() {
    let calls = "(module (import \"a\" \"b\" (func)) (func (export \"f\") (param i32) (result i32) (i32.sub (i32.const 0) (local.get 0))))";
    let (_place, directory) =
        bundled(finding::finding_of(Some("wasm-11".into()), "wasm1", calls, Some("f"), &["i32:5"]));
    let script = text(&directory, "finding.wast");
    assert!(script.contains(";; there is no assertion: the module has 1 imports"), "{script}");
    assert!(script.contains("(module"), "{script}");
    assert!(!directory.join("Cargo.toml").exists(), "a test that asserts nothing is not written");
}

#[test]
fn a_bundle_is_written_as_a_whole_and_never_over_something() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let output = place.path().join("bundle");
    let results = finding::results(vec![finding::of_witness("wasm-f1")]);
    assert_eq!(written(&results, &output).len(), 1);
    let again = on_stack(|| bundle(&results, &Registry::default(), &output)).expect("there is a thread");
    let error = again.expect_err("the place is taken").to_string();
    assert!(error.contains("is there already"), "{error}");
    let left: Vec<_> = fs::read_dir(place.path()).expect("it can be listed").collect();
    assert_eq!(left.len(), 1, "nothing unfinished is left: {left:?}");
}

#[test]
fn the_test_asks_for_the_features_with_which_the_engine_is_compiled_here() {
    let manifest = include_str!("../../Cargo.toml");
    let start = manifest.find("\nwasmi = {").expect("it is a dependency");
    let entry = &manifest[start..][..manifest[start..].find("\n] }").expect("it ends")];
    for feature in WASMI_FEATURES {
        assert!(entry.contains(&format!("\"{feature}\"")), "{feature} is not in {entry}");
    }
    assert_eq!(entry.matches("\", \"").count() + 2, WASMI_FEATURES.len(), "{entry}");
}
