//! Properties inside `cargo test`.

use std::process::{Command, Output};

#[mutagen_engine::test]
fn addition_commutes(left: i32, right: &i32) -> bool {
    left.wrapping_add(*right) == right.wrapping_add(left)
}

#[mutagen_engine::test(tests = 200, seed = 5)]
fn discards_are_fine(list: &Vec<u8>) -> Option<bool> {
    (list.len() > 1).then(|| list[0] == list[0])
}

#[mutagen_engine::test]
#[should_panic(expected = "counterexample: [\n    7,\n]")]
fn counterexamples_are_shrunk(list: &Vec<u8>) {
    assert!(!list.iter().any(|n| *n >= 7));
}

#[mutagen_engine::test(tests = 300)]
#[should_panic(expected = "all 300 tests were discarded")]
fn a_property_that_discards_everything_was_not_tested(_: bool) -> Option<bool> {
    None
}

#[mutagen_engine::test(tests = 77)]
#[should_panic(expected = "MUTAGEN_SEED=0 MUTAGEN_TESTS=77 cargo test failures_say_how_to_rerun")]
fn failures_say_how_to_rerun(_: u8) -> Result<(), String> {
    Err("always".into())
}

#[mutagen_engine::test]
#[should_panic(expected = "labels: long, odd")]
fn failures_show_the_labels_of_the_counterexample(list: Vec<u8>) -> mutagen_engine::Outcome {
    mutagen_engine::Outcome::from(list.len() < 3)
        .labelled_if(list.len() > 2, "long")
        .labelled_if(list.len() % 2 == 1, "odd")
}

/// Runs one test of this program in a process of its own.
fn run(test: &str, variable: &str, value: &str) -> Output {
    let program = std::env::current_exe().expect("a test knows where it is");
    let arguments = ["--exact", test, "--nocapture"];
    Command::new(program).args(arguments).env(variable, value).output().expect("a test can be run")
}

#[test]
fn the_environment_sets_the_number_of_tests() {
    let output = run("addition_commutes", "MUTAGEN_TESTS", "42");
    assert!(String::from_utf8_lossy(&output.stdout).contains("42 passed"), "{output:?}");
}

#[test]
fn a_bad_environment_gives_a_clear_message() {
    for variable in ["MUTAGEN_TESTS", "MUTAGEN_SEED"] {
        let output = run("addition_commutes", variable, "many");
        assert!(!output.status.success());
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(&format!("{variable} must be a whole number")), "{text}");
    }
}
