//! The statements of the README are true.

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
        // Injected bugs are found. The other commands find nothing, or a real bug of wasmi.
        let expected: &[i32] = match command {
            _ if command.contains("--bug") => &[1],
            _ if command.starts_with("interpret") => &[0, 1],
            _ => &[0],
        };
        assert!(expected.contains(&run.code), "`{command}` ends with {}: {}{}", run.code, run.out, run.err);
    }
}

/// The module that is found first depends on the build, since probes depend on how the compiler laid the
/// engine out. The difference that it shows does not.
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
    let answer = format!("-: wasmi: {}; wasmtime: {}", says("wasmi:"), says("wasmtime:"));
    // Who else votes depends on the machine.
    let votes = format!(
        "-: votes: wasmi, wasmi-lazy: {} (1 vote); wasmtime, wasmtime-speed, tinywasm, dlr",
        says("wasmi:")
    );
    let (first, second) = judged.out.split_once('\n').expect("two lines are told");
    assert_eq!(first, answer);
    assert!(second.starts_with(&votes) && second.trim_end().ends_with("the target is suspected"), "{second}");

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
