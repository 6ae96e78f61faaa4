//! A catalogue that is wrong stops the build with file and line. The wrapper is called as cargo calls it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const GOOD: &str = r#"id = "extra-1"
kind = "bug"
title = "a title"
subsystem = "interpreter"
origin = "this test"
story = "A story."
package = "wasmi_core"
version = "2.0.0"

[[edit]]
file = "src/lib.rs"
anchor = "fn anchor() {"
matches = 1
where = "after"
text = "if $bug { return; }"

[[witness]]
features = "wasm1"
module = "(module)"
off = "accepted"
on = "rejected"
"#;

/// The project whose wrapper is tested.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the crate lies in the project")
}

/// Compiles a stand-in for a woven package, with `entry` in an extra catalogue directory.
fn weave(package: &str, version: &str, entry: &str) -> (Output, TempDir) {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let write = |file: &str, text: &str| {
        let path = directory.path().join(file);
        std::fs::create_dir_all(path.parent().expect("it is inside the directory")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    };
    write("package/src/lib.rs", "pub fn anchor() {}\n");
    write("extra/extra.toml", entry);
    write("out/.keep", "");
    let output = Command::new(project().join("weave/rustc"))
        .arg(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
        .args([
            "--crate-name",
            &package.replace('-', "_"),
            "--crate-type=lib",
            "--emit=dep-info,metadata",
            "--out-dir",
        ])
        .arg(directory.path().join("out"))
        .arg(directory.path().join("package/src/lib.rs"))
        .env("CARGO_PKG_NAME", package)
        .env("CARGO_PKG_VERSION", version)
        .env("CARGO_MANIFEST_DIR", directory.path().join("package"))
        .env("MUTAGEN_EXTRA_BUGS", directory.path().join("extra"))
        .output()
        .expect("the wrapper can be run");
    (output, directory)
}

/// What the wrapper says about an entry. `wasmi_ir` is woven, and no entry of the project's own catalogue edits it.
#[track_caller]
fn assert_refused(entry: &str, expected: &[&str]) {
    let (output, _directory) = weave("wasmi_ir", "2.0.0", entry);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    for part in expected {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

fn for_wasmi_ir() -> String {
    GOOD.replace("wasmi_core", "wasmi_ir")
}

#[test]
fn a_good_entry_is_woven_in() {
    let (output, directory) = weave("wasmi_ir", "2.0.0", &for_wasmi_ir());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let woven =
        std::fs::read_to_string(directory.path().join("woven/package/src/lib.rs")).expect("a copy was made");
    assert!(woven.starts_with("pub fn anchor() { if crate::mutagen_hook::bug("), "{woven}");
    let dep_info = std::fs::read_to_string(directory.path().join("out/wasmi_ir.d")).expect("rustc wrote it");
    assert!(
        dep_info.contains("extra/extra.toml") && dep_info.contains("# env-dep:MUTAGEN_EXTRA_BUGS="),
        "{dep_info}"
    );
}

#[test]
fn an_anchor_that_is_not_there_names_bug_file_anchor_and_count() {
    let entry = for_wasmi_ir().replace("fn anchor() {", "fn gone() {");
    assert_refused(
        &entry,
        &["extra-1", "extra.toml:10", "package/src/lib.rs", "`fn gone() {`", "0 times", "expected 1"],
    );
}

#[test]
fn an_anchor_that_stands_too_often_is_ambiguous() {
    let entry = for_wasmi_ir().replace("fn anchor() {", "n");
    assert_refused(&entry, &["extra-1", "`n`", "2 times", "expected 1"]);
}

#[test]
fn an_entry_that_does_not_parse_is_named_with_its_line() {
    assert_refused(&GOOD.replace("title = \"a title\"", "title = "), &["extra.toml:3:", "a string"]);
    assert_refused(&GOOD.replace("[[edit]]", "[[edit"), &["extra.toml:10:", "`]]` is missing"]);
    assert_refused(&GOOD.replace("\"A story.\"", "\"A story."), &["extra.toml:6:", "no closing"]);
}

#[test]
fn an_unknown_package_is_named_with_the_known_ones() {
    assert_refused(
        &GOOD.replace("wasmi_core", "wasmtime"),
        &["extra.toml:7:", "unknown package `wasmtime`", "wasmparser"],
    );
}

#[test]
fn an_id_that_is_taken_names_both_files() {
    assert_refused(
        &GOOD.replace("extra-1", "wasm-6"),
        &["extra.toml:1:", "`wasm-6` is taken by", "wasm-6.toml"],
    );
}

#[test]
fn an_id_whose_number_is_reserved_is_refused() {
    let unlucky = "extra-9ewg2r0";
    assert_eq!(mutagen_weave::number(unlucky), 0);
    assert_refused(&for_wasmi_ir().replace("extra-1", unlucky), &["extra.toml:1:", unlucky, "reserved"]);
}

#[test]
fn a_missing_field_is_named_with_the_line_of_its_table() {
    assert_refused(&GOOD.replace("title = \"a title\"\n", ""), &["extra.toml:1:", "`title` is missing"]);
    assert_refused(&GOOD.replace("matches = 1\n", ""), &["extra.toml:10:", "`matches` is missing"]);
    assert_refused(
        GOOD.split("[[witness]]").next().expect("it is there"),
        &["extra.toml:", "no [[witness]]"],
    );
}

#[test]
fn an_unknown_field_or_table_is_named_with_its_line() {
    assert_refused(&GOOD.replace("title", "tilte"), &["extra.toml:", "`title` is missing"]);
    assert_refused(
        &GOOD.replace("matches = 1", "matches = 1\ncolour = \"red\""),
        &["extra.toml:14:", "`colour`"],
    );
    assert_refused(&GOOD.replace("[[witness]]", "[[wittness]]"), &["extra.toml:17:", "`wittness`"]);
}

#[test]
fn an_entry_for_another_version_of_the_package_is_refused() {
    let entry = for_wasmi_ir().replace("version = \"2.0.0\"", "version = \"2.0.1\"");
    assert_refused(&entry, &["extra-1", "2.0.1"]);
}

#[test]
fn another_version_of_a_woven_package_is_refused_with_the_command_that_helps() {
    let (output, _directory) = weave("wasmi_core", "2.0.1", GOOD);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(message.contains("cargo update -p wasmi_core@2.0.1 --precise 2.0.0"), "{message}");
    let (output, _directory) = weave("wasmparser", "0.228.1", GOOD);
    assert!(!output.status.success());
}

#[test]
fn other_release_lines_of_wasmparser_stay_plain() {
    let (output, directory) = weave("wasmparser", "0.254.2", GOOD);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!directory.path().join("woven").exists());
}
