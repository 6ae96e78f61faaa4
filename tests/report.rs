//! Reports of campaigns, through the program: forms, bundles, the page, the recipe for CI.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[path = "common/program.rs"]
mod program;

use program::{command, run_at, run_in};
use serde_json::Value;

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

/// A directory with the results of a hunt in `out`.
fn hunted() -> tempfile::TempDir {
    let place = directory();
    assert_eq!(run_at(place.path(), "interpret --bug wasm-11 -o out").code, 1);
    place
}

#[test]
fn a_report_has_every_form_on_standard_output_or_in_a_file() {
    let place = hunted();
    let markdown = run_at(place.path(), "report out");
    assert_eq!(markdown.code, 0, "{}", markdown.err);
    assert!(
        markdown.out.contains("i32.sub") && markdown.out.contains("mutagen-wasm replay out/findings/"),
        "{}",
        markdown.out
    );
    let sarif: Value =
        serde_json::from_str(&run_at(place.path(), "report out --format sarif").out).expect("it is JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "result");
    let file = run_at(place.path(), "report out --format junit -o findings.xml");
    assert_eq!((file.code, file.out.as_str()), (0, ""));
    assert!(
        fs::read_to_string(place.path().join("findings.xml"))
            .expect("it is there")
            .contains("<failure type=\"result\"")
    );
    assert!(run_at(place.path(), "report out --format html").out.starts_with("<!DOCTYPE html>"));
    assert!(
        fs::read_to_string(place.path().join("out/report.html"))
            .expect("the campaign wrote it")
            .contains("i32.sub")
    );
    assert!(
        fs::read_to_string(place.path().join("out/plot.csv"))
            .expect("the campaign wrote it")
            .starts_with("seconds,tests,")
    );
}

#[test]
fn a_bundle_goes_to_a_new_directory() {
    let place = hunted();
    let first = run_at(place.path(), "report out --bundle bundle");
    assert_eq!(first.code, 0, "{}", first.err);
    let group = PathBuf::from(first.out.trim());
    for file in [
        "README.md",
        "module.wat",
        "module.wasm",
        "finding.wast",
        "finding.json",
        "Cargo.toml",
        "tests/finding.rs",
    ] {
        assert!(place.path().join(&group).join(file).is_file(), "{file}");
    }
    let again = run_at(place.path(), &format!("replay {}/finding.json", group.display()));
    assert_eq!(again.code, 1, "{}", again.err);
    let second = run_at(place.path(), "report out --bundle bundle");
    assert_eq!((second.code, second.err.lines().count()), (4, 1), "{}", second.err);
}

#[test]
fn what_is_no_output_directory_is_refused_in_one_line() {
    let place = directory();
    for (line, code, words) in [
        ("report nowhere", 3, "no output directory"),
        ("report .", 3, "no output directory"),
        ("report . --format pdf", 2, "markdown"),
        ("report . --bundle a --format html", 2, "cannot be used with"),
        ("interpret --serve 0", 2, "--output"),
        ("interpret --tests 1 -o out --serve nowhere:x", 2, "cannot serve at `nowhere:x`"),
    ] {
        let run = run_at(place.path(), line);
        assert_eq!((run.code, run.err.lines().count()), (code, 1), "`{line}`: {}", run.err);
        assert!(run.err.contains(words), "`{line}`: {}", run.err);
    }
}

#[test]
fn a_killed_campaign_is_reported_with_what_it_had() {
    let place = directory();
    let words = ["interpret", "--time", "5m", "-o", "out", "-q"];
    let mut child =
        command(place.path(), &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    while !place.path().join("out/report.html").exists() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let running = run_at(place.path(), "report out");
    child.kill().and_then(|()| child.wait()).expect("it can be killed");
    assert!(running.out.contains("still running"), "{}{}", running.out, running.err);
    let killed = run_at(place.path(), "report out --format html");
    assert!(killed.out.contains("killed before it could end"), "{}{}", killed.out, killed.err);
    assert!(killed.out.contains("<figure id=\"tests\">"), "there is a plot");
    assert!(run_at(place.path(), "report out --format junit").out.contains("<error message=\"killed"));
}

#[test]
fn annotations_come_in_the_ci_of_github_alone() {
    let place = hunted();
    let said = |value: &str| {
        let output = command(place.path(), &["report", "out", "-o", "report.md"])
            .env("GITHUB_ACTIONS", value)
            .output();
        String::from_utf8(output.expect("it runs").stderr).expect("it is text")
    };
    assert!(said("true").starts_with("::error file=out/findings/result-"), "{}", said("true"));
    assert_eq!(said(""), "");
}

/// Runs the script for CI in this directory.
fn test_engine(place: &Path, flags: &str) -> program::Run {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ci/test-engine");
    let program = command(place, &[]).get_program().to_owned();
    let child = Command::new("sh")
        .arg(script)
        .arg(program)
        .arg("testing")
        .args(flags.split_whitespace())
        .current_dir(place)
        .env_remove("GITHUB_ACTIONS")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    program::end(child.expect("there is a shell"))
}

/// A finding of a bug that is no longer there: the file says nothing of the bug.
fn repaired(finding: &Path) -> String {
    let mut finding: Value =
        serde_json::from_str(&fs::read_to_string(finding).expect("it is there")).expect("it is JSON");
    finding["bug"] = Value::Null;
    finding.to_string()
}

#[test]
fn the_recipe_for_ci_tells_regressions_and_findings_from_what_is_known_and_repaired() {
    let place = hunted();
    let is_json = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    let findings = fs::read_dir(place.path().join("out/findings")).expect("it is there");
    let finding = findings.map(|file| file.expect("it is there").path()).find(is_json).expect("it was found");
    let testing = place.path().join("testing");
    for folder in ["regressions", "known"] {
        fs::create_dir_all(testing.join(folder)).expect("it can be made");
        fs::write(testing.join(folder).join("one.json"), repaired(&finding)).expect("it can be written");
    }
    let flags = "--tests 300 --features wasm1";
    // What was repaired stays repaired, and what was known is repaired as well.
    let fine = test_engine(place.path(), flags);
    assert_eq!(fine.code, 0, "{}{}", fine.out, fine.err);
    assert!(fine.out.contains("::notice file=testing/known/one.json"), "{}", fine.out);
    for report in ["validate.md", "interpret.sarif", "interpret.xml"] {
        assert!(testing.join("reports").join(report).is_file(), "{report}");
    }
    // The second run goes on with the corpus of the first.
    fs::copy(&finding, testing.join("regressions/one.json")).expect("it can be copied");
    let back = test_engine(place.path(), flags);
    assert_eq!(back.code, 1, "{}{}", back.out, back.err);
    assert!(
        back.out.contains("::error file=testing/regressions/one.json,title=A repaired bug is back"),
        "{}",
        back.out
    );
    let totals = run_at(place.path(), "report testing/results/interpret");
    assert!(totals.out.contains("2 runs"), "{}", totals.out);
    // A new bug is found.
    fs::remove_dir_all(&testing).expect("it can be removed");
    let found = test_engine(place.path(), "--tests 20000 --bug wasm-6");
    assert_eq!(found.code, 1, "{}{}", found.out, found.err);
    let unusable = run_in(place.path(), &["report", "testing/results/validate"], b"");
    assert!(unusable.out.contains("i64.eqz"), "{}", unusable.out);
    fs::create_dir_all(testing.join("regressions")).expect("it can be made");
    fs::write(testing.join("regressions/broken.json"), "{").expect("it can be written");
    assert_eq!(test_engine(place.path(), flags).code, 3);
}
