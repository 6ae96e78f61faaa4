//! Mutants that are woven into a crate too large to be listed case by case.

mod common;

use common::arithmetic::{SWITCHES, laws};
use mutagen_refine::{Error, Fate, RefineReport};

/// What the properties say about a mutant.
fn fates(report: &RefineReport, mutant: &str) -> Vec<Fate> {
    let matrix = report.matrix();
    let index = matrix.mutants().iter().position(|name| name == mutant).expect("there is such a mutant");
    (0..matrix.properties().len()).map(|property| matrix.cell(property, index)).collect()
}

#[test]
fn a_bug_of_the_catalogue_is_a_mutant_beside_those_of_cases() {
    let report = laws().mutants(200).tests(400).mutants_by_switch(SWITCHES).run().expect("a report");
    assert_eq!(report.mutants().count, 202);
    assert_eq!(fates(&report, "wasm-x19"), [Fate::Survived, Fate::Killed, Fate::Survived]);
    // The law of `ctz` is not about 0, where the bug is.
    assert_eq!(fates(&report, "wasm-x31"), [Fate::Survived; 3]);
    assert!(report.survivors().any(|mutant| report.matrix().mutants()[mutant] == "wasm-x31"));
}

#[test]
fn a_law_that_is_added_kills_the_bug_that_survived() {
    let refine = laws().property("ctz of 0", |(_, ctz), ()| ctz(0) == 32);
    let report = refine.mutants(0).tests(400).mutants_by_switch(SWITCHES).run().expect("a report");
    assert_eq!(fates(&report, "wasm-x31")[3], Fate::Killed);
    assert!(report.is_complete(), "{report}");
    assert_eq!(report.minimal_sets()[0].to_string(), "{2,4}");
}

#[test]
fn the_switch_is_off_again_after_the_run() {
    laws().mutants(0).tests(10).mutants_by_switch(SWITCHES).run().expect("a report");
    assert_eq!(wasmi_core::wasm::i32_ctz(0), 32);
}

#[test]
fn a_switch_whose_code_no_test_reaches_is_named() {
    let report = laws().mutants(0).tests(50).mutants_by_switch(["wasm-x19", "wasm-6"]).run();
    let text = report.expect("one of the two is reached").to_string();
    assert!(text.contains("  no test reaches the code behind wasm-6\n"), "{text}");
}

#[test]
fn switches_that_change_nothing_at_all_are_refused() {
    let run = laws().mutants(10).tests(50).mutants_by_switch(["wasm-6", "no-such-bug"]).run();
    assert_eq!(run, Err(Error::NotReached("wasm-6, no-such-bug".to_owned())));
    let message = run.expect_err("nothing is reached").to_string();
    assert!(
        message.starts_with("no test reaches the code behind wasm-6, no-such-bug: check the ids"),
        "{message}"
    );
}
