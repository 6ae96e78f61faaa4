//! Storing, with every step of it failing once: nothing that was found is lost.
//!
//! A program of its own, because campaigns on functions switch the probes of the machines off for the whole process.

#[path = "common/output.rs"]
mod output;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mutagen_campaign::Earlier;
use mutagen_campaign::store::{Disk, Step};
use output::{directory, findings, hunting, run_on};

/// The steps that matter here. Those of the corpus are thousands, and nothing in it is a result.
fn matters(path: &Path) -> bool {
    !path.components().any(|part| part.as_os_str() == "corpus")
}

/// What a fault does.
#[derive(Clone, Copy, PartialEq)]
enum Then {
    /// Nothing is written any more: the process was killed.
    Dead,
    /// The next steps succeed: the disk was full for a moment.
    Goes,
}

/// A disk on which the step with this number fails.
fn failing_at(number: usize, then: Then) -> Disk {
    let steps = AtomicUsize::new(0);
    Disk::faulty(move |_, path| {
        if !matters(path) {
            return Ok(());
        }
        let step = steps.fetch_add(1, Ordering::Relaxed);
        let fails = step == number || then == Then::Dead && step > number;
        if fails { Err(io::Error::from_raw_os_error(28)) } else { Ok(()) }
    })
}

#[test]
fn a_kill_or_a_full_disk_at_any_step_loses_no_finding_that_was_complete() {
    for id in ["stack-7", "wasm-3"] {
        let spec = hunting(id);
        // The steps of a run in which nothing fails.
        let log: Arc<Mutex<Vec<(Step, PathBuf)>>> = Arc::default();
        let noting = Arc::clone(&log);
        let whole = directory();
        let disk = Disk::faulty(move |step, path| {
            if matters(path) {
                noting.lock().expect("nobody panicked").push((step, path.to_owned()));
            }
            Ok(())
        });
        let ran = run_on(disk, &spec, &whole.path().join("out"), Earlier::Refuse).expect("it runs");
        assert!(
            ran.stored.is_ok() && ran.report.finding.is_some(),
            "{id}: {:?} {:?}",
            ran.stored,
            ran.report
        );
        let log = log.lock().expect("nobody panicked").clone();
        let is_json = |path: &Path| path.extension().is_some_and(|extension| extension == "json");
        let stored = |(step, path): &(Step, PathBuf)| {
            *step == Step::SyncName && is_json(path) && path.to_string_lossy().contains("findings")
        };
        let complete = log.iter().position(stored).expect("the finding is stored");
        let begun =
            |(_, path): &(Step, PathBuf)| path.parent().is_some_and(|parent| parent.ends_with("findings"));
        let begun = log.iter().position(begun).expect("the finding is stored");
        assert!(log.len() > complete + 5 && log.len() < 200, "{}", log.len());
        for (number, then) in (0..log.len()).flat_map(|number| [(number, Then::Dead), (number, Then::Goes)]) {
            let here = directory();
            let output = here.path().join("out");
            let ran = run_on(failing_at(number, then), &spec, &output, Earlier::Refuse);
            let (step, path) = &log[number];
            let place = format!("{id}, step {number}: {step:?} of {}", path.display());
            match ran {
                // Before the first test.
                Err(error) => assert!(number < complete && findings(&output).is_empty(), "{place}: {error}"),
                Ok(ran) => {
                    assert!(
                        number < begun || ran.report.finding.is_some(),
                        "{place}: it is told all the same"
                    );
                    assert!(ran.stored.is_err() || *step == Step::Remove, "{place}: the failure is told");
                }
            }
            if number > complete {
                assert!(!findings(&output).is_empty(), "{place}: the finding is lost");
            }
            for file in ["run.json", "stats.json"] {
                if let Ok(text) = fs::read(output.join(file)) {
                    serde_json::from_slice::<serde_json::Value>(&text)
                        .unwrap_or_else(|error| panic!("{place}: {error}"));
                }
            }
        }
    }
}

#[test]
fn a_full_disk_ends_the_campaign_at_once() {
    let here = directory();
    // Only the corpus cannot be stored, so that the run could go on to its end.
    let disk = Disk::faulty(|step, path| match step {
        Step::Write if !matters(path) => Err(io::Error::from_raw_os_error(28)),
        _ => Ok(()),
    });
    let mut spec = hunting("wasm-3");
    (spec.bug, spec.budget.tests) = (None, Some(100_000));
    let ran = run_on(disk, &spec, &here.path().join("out"), Earlier::Refuse).expect("it runs");
    assert!(ran.report.tests < 1000, "{}", ran.report.tests);
    let error = ran.stored.expect_err("the corpus is not stored").to_string();
    assert!(error.contains("cannot store") && error.contains("corpus"), "{error}");
}
