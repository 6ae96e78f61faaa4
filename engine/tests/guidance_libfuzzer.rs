//! libFuzzer as a guidance. Without a `clang++` that has it these tests say so and check nothing else.

use mutagen_engine::{Campaign, Guidance, LibFuzzer, StopReason};
use mutagen_engine_demos::{Demo, search_tree};
use std::path::PathBuf;

/// The directories of this process's libFuzzers.
fn directories() -> Vec<PathBuf> {
    let prefix = format!("mutagen-libfuzzer-{}-", std::process::id());
    let entries = std::fs::read_dir(std::env::temp_dir()).expect("it can be listed").flatten();
    entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains(&prefix)).collect()
}

#[test]
fn libfuzzer_follows_the_probes_to_a_bug_and_leaves_nothing_behind() {
    type Case = <search_tree::Bug as Demo>::Case;
    let mut guidance = LibFuzzer::<Case>::new(3);
    if let Some(trouble) = guidance.trouble() {
        eprintln!("SKIPPED: {trouble}");
        return;
    }
    // Without a bug: all tests pass or are discarded, libFuzzer asked for all of them but the example.
    let example = Case { tree: search_tree::Tree::Leaf, operation: search_tree::Operation::Delete(1) };
    let mut property = |case: &Case| search_tree::Bug::check(None, case);
    let report = Campaign::new(3).tests(5000).examples(vec![example]).run(&mut guidance, &mut property);
    assert_eq!(
        (report.stop, report.failed, report.tests),
        (StopReason::TestsDone, 0, 5000),
        "{:?}",
        report.trouble
    );
    assert_eq!(report.figures.counts["asked for by libFuzzer"], 4999);
    assert!(guidance.known() > 20, "{:?}", report.figures);
    assert_eq!(directories().len(), 1, "it works in a directory of its own");
    drop(guidance);
    assert!(directories().is_empty(), "which goes with it");
    // With one.
    let bug = Some(search_tree::Bug::InsertDoesNotUpdate);
    let report = Campaign::new(3)
        .tests(3_000_000)
        .run(&mut LibFuzzer::<Case>::new(3), &mut |case: &Case| search_tree::Bug::check(bug, case));
    assert_eq!((report.stop, report.failed), (StopReason::Found, 1), "{:?}", report.trouble);
}
