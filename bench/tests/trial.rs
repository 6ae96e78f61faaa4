//! The outcome of each way in which a process ends, and which files count as results.

use mutagen_bench::{Cell, Ended, Trial, TrialOutcome};
use serde_json::{Value, json};

#[path = "common/said.rs"]
mod said;

fn cell() -> Cell {
    Cell::new("wasm-6", "mutagen", 1, 20.0)
}

/// The report of a campaign.
fn said() -> Value {
    let mut said = said::of(&cell());
    said["something"] = "new".into();
    said
}

fn judge(ended: Ended, stdout: &str, stderr: &str) -> Trial {
    Trial::judge(cell(), ended, stdout, stderr).expect("it is a result")
}

#[test]
fn a_finding_of_the_campaign_is_success_with_its_own_tests_and_seconds() {
    let mut said = said();
    said["outcome"] = "finding".into();
    said["finding"] = said::finding("validity", 40, 0.5);
    let trial = judge(Ended::Exited(1), &said.to_string(), "");
    assert_eq!(
        (trial.outcome, trial.tests, trial.seconds, trial.note.as_str()),
        (TrialOutcome::Found, 40, 0.5, "validity")
    );
    assert_eq!((trial.passed, trial.discarded, trial.inconclusive, trial.discrepancies), (300, 700, 4, 2));
    assert!(trial.found_within(20.0) && !trial.found_within(0.4));
}

#[test]
fn discrepancies_of_the_unmodified_engines_are_no_success() {
    let trial = judge(Ended::Exited(0), &said().to_string(), "");
    assert_eq!((trial.outcome, trial.tests, trial.discrepancies), (TrialOutcome::Timeout, 1000, 2));
    assert!(!trial.seconds_to_failure(20.0).happened);
    assert_eq!((trial.tests_to_failure(20.0).happened, trial.tests_to_failure(20.0).value), (false, 1000.0));
}

#[test]
fn a_campaign_that_gave_up_would_not_have_found_it_later() {
    let mut said = said();
    (said["outcome"], said["seconds"]) = ("gave_up".into(), 0.1.into());
    let trial = judge(Ended::Exited(3), &said.to_string(), "");
    assert_eq!(trial.outcome, TrialOutcome::Timeout, "it discarded everything, for its whole time");
    said["spec"]["budget"]["max_discard_ratio"] = 3.into();
    let trial = judge(Ended::Exited(3), &said.to_string(), "");
    assert_eq!(trial.outcome, TrialOutcome::GaveUp);
    assert_eq!(
        (trial.seconds_to_failure(20.0).value, trial.tests_to_failure(20.0).value),
        (20.0, f64::INFINITY)
    );
}

#[test]
fn a_process_that_dies_hangs_or_says_nothing_is_an_outcome_with_a_reason() {
    let overflow = judge(Ended::Killed(6), "", "thread 'main' has\noverflowed its stack\n");
    assert_eq!(
        (overflow.outcome, overflow.note.as_str()),
        (TrialOutcome::Crashed, "signal 6: thread 'main' has overflowed its stack")
    );
    assert_eq!(judge(Ended::Hung, "", "").outcome, TrialOutcome::Hung);
    assert_eq!(
        judge(Ended::Exited(70), "", "error: internal error").note,
        "exit status 70: error: internal error"
    );
    assert_eq!(judge(Ended::Exited(1), " \n", "").outcome, TrialOutcome::Crashed);
    let refused = judge(Ended::Exited(2), "", "error: smith makes WebAssembly modules");
    assert_eq!(
        (refused.outcome, refused.note.as_str()),
        (TrialOutcome::Refused, "error: smith makes WebAssembly modules")
    );
    let talkative = judge(Ended::Killed(11), "", &"x".repeat(1_000_000));
    assert!(talkative.note.len() < 1000);
}

#[test]
fn what_makes_no_sense_is_unreadable() {
    let half = said().to_string();
    assert_eq!(judge(Ended::Exited(0), &half[..half.len() / 2], "").outcome, TrialOutcome::Unreadable);
    for (field, value) in
        [("seed", json!(5)), ("bug", json!("wasm-7")), ("bug", Value::Null), ("tests", json!("many"))]
    {
        let mut other = said();
        other[field] = value;
        assert_eq!(
            judge(Ended::Exited(0), &other.to_string(), "").outcome,
            TrialOutcome::Unreadable,
            "{field}"
        );
    }
}

#[test]
fn an_interrupted_process_leaves_its_cell_open() {
    assert_eq!(Trial::judge(cell(), Ended::Exited(130), &said().to_string(), ""), None);
}

#[test]
fn a_result_is_read_back_as_it_was() {
    let trial = judge(Ended::Exited(0), &said().to_string(), "");
    let text = serde_json::to_string(&trial).expect("it can be written");
    assert_eq!(Trial::read(&text, &cell()).expect("it was just written"), trial);
}

#[test]
fn a_result_of_another_cell_plan_or_form_is_refused_with_the_reason() {
    let text =
        serde_json::to_string(&judge(Ended::Exited(0), &said().to_string(), "")).expect("it can be written");
    let refused = |text: &str, cell: &Cell| Trial::read(text, cell).expect_err("it is no result").to_string();
    assert!(
        refused(&text, &Cell::new("wasm-6", "mutagen", 2, 20.0)).contains("another plan: wasm-6@mutagen@1")
    );
    assert!(refused(&text, &Cell::new("wasm-6", "mutagen", 1, 60.0)).contains("limit 20 s"));
    assert!(refused(&text.replace("\"format\":1", "\"format\":2"), &cell()).contains("form 2"));
    assert!(refused(&text[..text.len() - 9], &cell()).contains("not a whole result"));
    assert!(refused("[]", &cell()).contains("not a whole result"));
}
