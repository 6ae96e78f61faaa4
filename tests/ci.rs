//! The recipe for the CI of an engine: the script, the workflow around it, and the program with an engine of one's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[path = "common/program.rs"]
mod program;

use program::{command, run_at, run_in};
use serde_json::Value;

/// Short campaigns that find nothing: the published engine with its fixes.
const QUIET: &str = "--tests 300 --features wasm1 --fixes";

/// A directory with the results of a hunt in `out`.
fn hunted() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    assert_eq!(run_at(place.path(), "interpret --bug wasm-11 -o out").code, 1);
    place
}

fn example(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ci").join(file)
}

/// Runs the script for CI in this directory.
fn test_engine(place: &Path, flags: &str) -> program::Run {
    test_since(place, flags, None)
}

/// The same, for what has changed since a commit.
fn test_since(place: &Path, flags: &str, since: Option<&str>) -> program::Run {
    let program = command(place, &[]).get_program().to_owned();
    let mut script = Command::new("sh");
    script
        .arg(example("test-engine"))
        .arg(program)
        .arg("testing")
        .args(flags.split_whitespace())
        .current_dir(place)
        .env_remove("GITHUB_ACTIONS")
        .env_remove("CHANGED_SINCE")
        .envs(since.map(|since| ("CHANGED_SINCE", since)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    program::end(script.spawn().expect("there is a shell"))
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
    let flags = QUIET;
    // What was repaired stays repaired, and what was known is repaired as well.
    let fine = test_engine(place.path(), flags);
    assert_eq!(fine.code, 0, "{}{}", fine.out, fine.err);
    assert!(fine.out.contains("::notice file=testing/known/one.json"), "{}", fine.out);
    for report in ["validate.md", "interpret.sarif", "interpret.xml"] {
        assert!(testing.join("reports").join(report).is_file(), "{report}");
    }
    // GitHub takes both reports of a change only if they are told apart.
    let category = |command: &str| {
        let text = fs::read_to_string(testing.join("reports").join(command).with_extension("sarif"));
        let log: Value = serde_json::from_str(&text.expect("it is there")).expect("it is JSON");
        log["runs"][0]["automationDetails"]["id"].as_str().expect("it has one").to_owned()
    };
    assert_eq!(category("validate"), "mutagen-wasm/validator/wasmi/");
    assert_ne!(category("validate"), category("interpret"));
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

/// git in this directory.
fn git(place: &Path, words: &str) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=test", "-c", "user.email=test@example.org"]).args(words.split_whitespace());
    let output = git.current_dir(place).output().expect("there is git");
    assert!(output.status.success(), "git {words}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text").trim().to_owned()
}

/// The source files of the target with what the corpus of a campaign reaches in them.
fn reached(place: &Path, results: &str) -> Vec<(String, u64)> {
    let run = run_at(place, &format!("coverage {results} --json"));
    let told: Value = serde_json::from_str(&run.out).expect("it is JSON");
    let files = told["files"].as_array().expect("it has files").iter();
    files
        .map(|file| {
            let name =
                file["file"].as_str().expect("it has a name").split_once('/').expect("it is in a package").1;
            let functions = file["functions"]["reached"].as_u64().expect("it is a number");
            (name.to_owned(), functions + file["lines"]["reached"].as_u64().expect("it is a number"))
        })
        .collect()
}

#[test]
fn a_campaign_to_which_no_change_matters_is_left_out() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let flags = QUIET;
    let first = test_engine(place.path(), flags);
    assert_eq!(first.code, 0, "{}{}", first.out, first.err);
    git(place.path(), "init -q");
    fs::write(place.path().join(".gitignore"), "testing/results\ntesting/reports\n")
        .expect("it can be written");
    git(place.path(), "add .");
    git(place.path(), "commit -q -m first");
    let base = git(place.path(), "rev-parse HEAD");
    let change = |file: &str| {
        let path = place.path().join(file);
        fs::create_dir_all(path.parent().expect("it is in a directory")).expect("it can be made");
        fs::write(path, "changed").expect("it can be written");
        git(place.path(), "add .");
        let run = test_since(place.path(), flags, Some(&base));
        assert_eq!(run.code, 0, "{file}: {}{}", run.out, run.err);
        git(place.path(), "reset -q --hard");
        ["validate", "interpret"].map(|name| !run.out.contains(&format!("test-engine: {name} is left out")))
    };
    assert_eq!(change("README.md"), [false, false], "texts matter to nobody");
    assert_eq!(change("engine/src/new.rs"), [true, true], "nothing is known of a new file");
    assert_eq!(change("engine/Cargo.toml"), [true, true]);
    // A file that running reaches and validating does not.
    let (validated, run) = (
        reached(place.path(), "testing/results/validate"),
        reached(place.path(), "testing/results/interpret"),
    );
    let is_reached =
        |files: &[(String, u64)], name: &str| files.iter().any(|(file, count)| file == name && *count > 0);
    let unique = |name: &str| run.iter().filter(|(file, _)| file == name).count() == 1;
    let (name, _) = run
        .iter()
        .find(|(name, count)| *count > 0 && unique(name) && !is_reached(&validated, name))
        .expect("the interpreter has files of its own");
    assert_eq!(change(&format!("crates/engine/{name}")), [false, true], "{name}");
    // Where there are no probes, the repository says what matters.
    fs::write(place.path().join("testing/parts"), "validate crates/validator/*\ninterpret crates/*\n")
        .expect("it can be written");
    git(place.path(), "add .");
    git(place.path(), "commit -q -m parts");
    let base_with_parts = git(place.path(), "rev-parse HEAD");
    fs::create_dir_all(place.path().join("crates/loop")).expect("it can be made");
    fs::write(place.path().join("crates/loop/lib.rs"), "changed").expect("it can be written");
    git(place.path(), "add .");
    let run = test_since(place.path(), flags, Some(&base_with_parts));
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(
        run.out.contains("validate is left out") && !run.out.contains("interpret is left out"),
        "{}",
        run.out
    );
    // A commit that nobody knows is no reason to test nothing.
    assert_eq!(test_since(place.path(), flags, Some("nowhere")).code, 3);
}

#[test]
fn results_of_another_version_are_where_a_new_campaign_starts() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let flags = QUIET;
    assert_eq!(test_engine(place.path(), flags).code, 0);
    // A plot with other columns, and an engine with other features.
    fs::write(place.path().join("testing/results/validate/plot.csv"), "seconds,tests\n1,2\n")
        .expect("it is there");
    let again = test_engine(place.path(), flags);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    assert!(again.err.contains("results/validate cannot be gone on with"), "{}", again.err);
    assert!(!again.err.contains("results/interpret cannot be gone on with"), "{}", again.err);
    assert!(place.path().join("testing/results/validate.old/plot.csv").exists());
    let other = test_engine(place.path(), &QUIET.replace("wasm1", "wasm2"));
    assert_eq!(other.code, 0, "{}{}", other.out, other.err);
    assert_eq!(other.err.matches("cannot be gone on with").count(), 2, "{}", other.err);
}

#[test]
fn the_workflow_calls_the_script_as_it_is_to_be_called() {
    let workflow = fs::read_to_string(example("workflow.yml")).expect("it is there");
    let line = workflow.lines().find_map(|line| line.trim().strip_prefix("- run: sh testing/test-engine "));
    let words: Vec<&str> = line.expect("it calls the script").split_whitespace().collect();
    let script = fs::read_to_string(example("test-engine")).expect("it is there");
    let usage =
        script.lines().find_map(|line| line.split("usage: test-engine ").nth(1)).expect("it says how");
    assert_eq!(usage.trim_end_matches("\" >&2"), "PROGRAM DIRECTORY [FLAG...]");
    let [program, directory, flags @ ..] = &words[..] else { panic!("{words:?}") };
    assert_eq!((*program, *directory), ("testing/program/target/release/program", "testing"));
    // What is kept, and what is written for others, lies in that directory.
    for path in ["path: testing/results", "testing/reports", "testing/results/*/findings"] {
        assert!(workflow.contains(path), "{path}");
    }
    assert!(script.contains("${CHANGED_SINCE:-}") && workflow.contains("CHANGED_SINCE: ${{"));
    // The program takes the flags, and is built where the workflow looks for it.
    let manifest = fs::read_to_string(example("program/Cargo.toml")).expect("it is there");
    assert!(
        manifest.contains("name = \"program\"")
            && workflow.contains("--manifest-path testing/program/Cargo.toml")
    );
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    let flags = flags.join(" ").replace("70s", "1s");
    for name in ["validate", "interpret"] {
        let words = format!("{name} {flags} --tests 20 --features wasm1 --keep-going -q -o {name}");
        let ran =
            Command::new(built("ci_program")).args(words.split_whitespace()).current_dir(&place).output();
        let ran = ran.expect("the example can be run");
        assert_eq!(ran.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

/// An example. Cargo builds them along with the tests.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    test.ancestors()
        .nth(2)
        .expect("tests lie two levels below the target directory")
        .join("examples")
        .join(name)
}

/// What the compiler calls this system.
fn system() -> String {
    let output = Command::new("rustc").args(["--print", "host-tuple"]).output().expect("there is rustc");
    String::from_utf8(output.stdout).expect("it is text").trim().to_owned()
}

#[test]
fn the_dependencies_of_the_example_program_are_packages_of_this_project() {
    let place = tempfile::tempdir().expect("a temporary directory can be made");
    fs::create_dir(place.path().join("src")).expect("it can be made");
    fs::copy(example("program/src/main.rs"), place.path().join("src/main.rs")).expect("it is there");
    let manifest = fs::read_to_string(example("program/Cargo.toml")).expect("it is there");
    // The same packages, from here.
    let root = env!("CARGO_MANIFEST_DIR");
    let here = manifest
        .replace(
            "mutagen-wasm = { git = \"https://example.org/mutagen-wasm\" }",
            &format!("mutagen-wasm = {{ path = {root:?} }}"),
        )
        .replace(
            "mutagen-oracles = { git = \"https://example.org/mutagen-wasm\" }",
            &format!("mutagen-oracles = {{ path = \"{root}/oracles\" }}"),
        );
    assert!(!here.contains("example.org"), "{here}");
    fs::write(place.path().join("Cargo.toml"), here).expect("it can be written");
    fs::copy(Path::new(root).join("Cargo.lock"), place.path().join("Cargo.lock")).expect("it is there");
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1"])
        // Packages for other systems were never downloaded.
        .args(["--filter-platform", &system()])
        .current_dir(&place)
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&metadata.stderr).into_owned();
    assert!(metadata.status.success(), "{said}");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("it is JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    for name in ["program", "mutagen-wasm", "mutagen-oracles"] {
        assert_eq!(packages.iter().filter(|package| package["name"] == name).count(), 1, "{name}");
    }
}
