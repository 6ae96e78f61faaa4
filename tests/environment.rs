//! Environment variables for flags, shell completions and manual pages.

#[path = "common/program.rs"]
mod program;

use std::fs;

use program::{Run, command, end, run, run_at};

/// Runs the program with the words of a line and these variables.
fn run_with(variables: &[(&str, &str)], line: &str) -> Run {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let words: Vec<&str> = line.split_whitespace().collect();
    let child = command(directory.path(), &words).envs(variables.iter().copied()).spawn();
    end(child.expect("the program can be run"))
}

#[test]
fn a_variable_stands_for_a_flag_and_the_flag_goes_first() {
    let Run { code, out, err } = run_with(
        &[("MUTAGEN_TESTS", "7"), ("MUTAGEN_QUIET", "yes"), ("MUTAGEN_SEED", "5")],
        "validate --json",
    );
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("\"tests\":7,") && out.contains("\"seed\":5,"), "{out}");
    let Run { out, .. } = run_with(&[("MUTAGEN_TESTS", "7")], "validate --json -q --tests 9");
    assert!(out.contains("\"tests\":9,"), "{out}");
    let Run { out, .. } =
        run_with(&[("MUTAGEN_KEEP_GOING", "1")], "validate --json -q --tests 9 --no-keep-going");
    assert!(!out.contains("\"keep_going\":true"), "{out}");
    let Run { out, .. } = run_with(&[("MUTAGEN_KEEP_GOING", "1")], "validate --json -q --tests 9");
    assert!(out.contains("\"keep_going\":true"), "{out}");
}

#[test]
fn a_wrong_value_of_a_variable_is_an_error_of_its_flag() {
    let Run { code, err, .. } = run_with(&[("MUTAGEN_TESTS", "many")], "validate");
    assert_eq!(code, 2);
    assert!(err.contains("invalid value 'many' for '--tests <N>'"), "{err}");
}

#[test]
fn an_unknown_variable_is_warned_of_and_those_of_builds_are_known() {
    let set = [("MUTAGEN_TESST", "7"), ("MUTAGEN_EXTRA_BUGS", "x"), ("MUTAGEN_WEAVING", "x")];
    let Run { code, err, .. } = run_with(&set, "bugs list");
    assert_eq!(code, 0);
    assert!(
        err.starts_with("warning: the environment variable MUTAGEN_TESST is unknown, and ignored"),
        "{err}"
    );
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[test]
fn a_campaign_from_a_file_reads_no_variables() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let Run { out, .. } = run_at(directory.path(), "validate --tests 6 --json -q");
    let spec = out.split("\"spec\":").nth(1).and_then(|rest| rest.split(",\"command\"").next());
    fs::write(directory.path().join("spec.json"), spec.expect("the report has the spec")).expect("ok");
    let mut child = command(directory.path(), &["run", "--spec", "spec.json", "--json", "-q"]);
    child.env("MUTAGEN_TESTS", "9").env("MUTAGEN_OUTPUT", "out").env("MUTAGEN_SEED", "3");
    let Run { code, out: again, err } = end(child.spawn().expect("the program can be run"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(again.contains("\"tests\":6,") && again.contains("\"seed\":0,"), "{again}");
    assert!(!directory.path().join("out").exists());
}

#[test]
fn the_output_of_campaigns_is_not_that_of_other_commands() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let run_there = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut child = command(directory.path(), &words);
        child.env("MUTAGEN_OUTPUT", "out").env("MUTAGEN_SERVE", "0").env("MUTAGEN_JSON", "1");
        end(child.spawn().expect("the program can be run"))
    };
    let Run { code, out, err } = run_there("validate --tests 200 -q");
    assert_eq!((code, out.starts_with('{')), (0, true), "{err}");
    let is_there = |path: &str| directory.path().join(path).exists();
    assert!(is_there("out/run.json") && is_there("out/report.html"));
    // What other commands make of the same flag would be something else.
    fs::write(directory.path().join("a.wat"), "(module)").expect("it can be written");
    for line in ["validate a.wat", "interpret a.wat", "man"] {
        let Run { code, out, err } = run_there(line);
        assert_eq!((code, err.as_str()), (0, ""), "{line}");
        assert!(!out.is_empty(), "{line}");
    }
    let Run { code, out, .. } = run_there("report out");
    assert!(code == 0 && out.starts_with("# Report of a campaign"), "{out}");
    let Run { code, out, err } = run_there("cmin out --dry-run");
    assert!(code == 0 && out.contains(" modules, "), "{out}{err}");
}

#[test]
fn shells_and_manuals_know_every_command() {
    let Run { out: help, .. } = run("--help");
    let commands: Vec<&str> = help
        .split("Commands:\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next())
        .expect("the help lists them")
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let Run { code, out, .. } = run(&format!("completions {shell}"));
        assert_eq!(code, 0);
        assert!(commands.iter().all(|name| out.contains(name)), "{shell}");
    }
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let Run { code, .. } = run_at(directory.path(), "man -o pages");
    assert_eq!(code, 0);
    for name in commands {
        let page = fs::read_to_string(directory.path().join(format!("pages/mutagen-wasm-{name}.1")));
        assert!(page.expect("there is a page").contains(".SH SYNOPSIS"), "{name}");
    }
    let pages = fs::read_dir(directory.path().join("pages")).expect("it is there");
    for page in pages.map(|page| page.expect("it is there").path()) {
        let mut man = std::process::Command::new("man");
        man.args(["--warnings", "-l"]).arg(&page).env("MANPAGER", "cat").env("LC_ALL", "C");
        // Small systems have a program of this name that says that there are no manuals.
        let shown =
            man.output().ok().filter(|shown| !shown.stdout.starts_with(b"This system has been minimized"));
        let Some(shown) = shown else {
            eprintln!("SKIPPED: there is no man");
            break;
        };
        assert!(shown.stderr.is_empty(), "{}: {}", page.display(), String::from_utf8_lossy(&shown.stderr));
        assert!(String::from_utf8_lossy(&shown.stdout).contains("SYNOPSIS"), "{}", page.display());
    }
    let Run { out, .. } = run("man");
    assert!(out.contains(".TH mutagen-wasm 1"), "{out}");
}

/// What bash offers for the last of these words, with the script of this program. `None` if there is no bash.
fn offered_by_bash(script: &std::path::Path, words: &[&str]) -> Option<Vec<String>> {
    let asked = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); \
                 $(complete -p mutagen-wasm | grep -o ' -F [^ ]*' | cut -c5-) mutagen-wasm \"${COMP_WORDS[COMP_CWORD]}\" \
                 \"${COMP_WORDS[COMP_CWORD-1]}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = std::process::Command::new("bash");
    let output = bash.args(["--norc", "-c", asked, "bash"]).arg(script).args(words).output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: there is no bash");
        return None;
    };
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_flags_and_the_names_of_values() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let script = directory.path().join("completions.bash");
    fs::write(&script, run("completions bash").out).expect("it can be written");
    for (line, expected) in [
        ("cov", &["coverage"][..]),
        ("interpret --prop", &["--property"]),
        ("interpret --guidance mut", &["mutagen"]),
        ("interpret --target wasmi-", &["wasmi-lazy"]),
        ("interpret --first-opinion no", &["none"]),
        ("validate --bug wasm-15", &["wasm-15", "wasm-15b"]),
        ("bugs show stack-20", &["stack-20"]),
        ("bench run --sui", &["--suite"]),
        ("report out --format s", &["sarif"]),
    ] {
        let words: Vec<&str> = std::iter::once("mutagen-wasm").chain(line.split(' ')).collect();
        let Some(offered) = offered_by_bash(&script, &words) else { return };
        assert_eq!(offered, expected, "{line}");
    }
}
