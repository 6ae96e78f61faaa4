//! What the README says is true.

#[path = "common/program.rs"]
mod program;

const README: &str = include_str!("../README.md");

/// The command lines of the README that can be run as they are, without `cargo run --release --`.
fn commands() -> impl Iterator<Item = &'static str> {
    README.lines().filter_map(|line| line.strip_prefix("$ cargo run --release -- "))
}

#[test]
fn the_commands_of_the_readme_do_what_it_says() {
    assert!(commands().count() >= 8);
    for command in commands() {
        let run = program::run(command);
        // What is injected is found; the rest of the commands find nothing, or a bug that wasmi really has.
        let expected: &[i32] = match command {
            _ if command.contains("--bug") => &[1],
            _ if command.starts_with("interpret") => &[0, 1],
            _ => &[0],
        };
        assert!(expected.contains(&run.code), "`{command}` ends with {}: {}{}", run.code, run.out, run.err);
    }
}

/// Which module is found first depends on the build, since probes depend on how the compiler laid the engine out. What it
/// shows does not.
#[test]
fn the_first_finding_of_the_readme_is_real_and_is_found_again() {
    let command = "validate --bug wasm-6";
    let block =
        README.split(&format!("$ cargo run --release -- {command}\n")).nth(1).expect("the README shows it");
    let shown = block.split("```").next().expect("a block ends");
    let (module, answers) = shown.split_once("asked:").expect("the README shows what was asked");
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let judged = program::run_in(directory.path(), &["validate", "--bug", "wasm-6", "-"], module.as_bytes());
    assert_eq!(judged.code, 1, "{}{}", judged.out, judged.err);
    let says = |engine: &str| {
        answers.lines().find_map(|line| line.strip_prefix(engine)).expect("both are shown").trim()
    };
    assert_eq!(judged.out.trim(), format!("-: wasmi: {}; wasmtime: {}", says("wasmi:"), says("wasmtime:")));

    let found = program::run(command).out;
    for part in [
        "asked:      validate",
        "differs in: validity",
        "wasmi:      accepted",
        "wasmtime:   rejected: type mismatch",
    ] {
        assert!(shown.contains(part) && found.contains(part), "`{part}` is not in: {found}");
    }
}

#[test]
fn the_exit_codes_of_the_readme_are_those_of_the_help() {
    let help = program::run("--help").out;
    let codes = help.split("Exit status:\n").nth(1).expect("the help lists them");
    let rows: Vec<String> = codes
        .lines()
        .filter_map(|line| {
            line.trim().split_once(' ').map(|(code, meaning)| format!("| {code} | {} |", meaning.trim()))
        })
        .collect();
    assert_eq!(rows.len(), 8, "{codes}");
    for row in rows {
        assert!(README.contains(&row), "the README lacks: {row}");
    }
}
