//! The output directory: nothing that was found is lost, whatever fails, and nothing that is not ours is touched.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use mutagen_bugs::Bug;
use mutagen_campaign::store::{Disk, Step};
use mutagen_campaign::{Budget, Earlier, Error, Finding, Ran, Setup, Spec, Store, Stored, run};
use mutagen_oracles::{Registry, on_stack};
use tempfile::TempDir;

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

fn hunting(id: &str) -> Spec {
    let spec = Spec::hunting(&Bug::find(id).expect("it exists")).expect("it is a bug");
    Spec { budget: Budget { tests: Some(200_000), ..Budget::default() }, ..spec }
}

fn run_on(disk: Disk, spec: &Spec, output: &Path, earlier: Earlier) -> Result<Ran, Error> {
    let engines = Registry::default();
    let setup = Setup { output: Some((output.to_owned(), earlier)), disk, ..Setup::new(&engines) };
    on_stack(|| run(spec, setup)).expect("there is a thread")
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(directory) else { return Vec::new() };
    files.map(|file| file.expect("it can be listed").path()).collect()
}

/// The findings that can be read. Every JSON file must be whole.
fn findings(output: &Path) -> Vec<Finding> {
    let is_json = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "json");
    let whole = |file: PathBuf| match Finding::read(&file) {
        Ok(Stored::Finding(finding)) => finding,
        other => panic!("{}: {other:?}", file.display()),
    };
    files(&output.join("findings")).into_iter().filter(is_json).map(whole).collect()
}

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
    for id in ["wasm-3", "stack-7"] {
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

/// Refuses to open, and says why.
#[track_caller]
fn refused(output: &Path, words: &str) {
    let error = Store::open(output, Earlier::Refuse).expect_err("it is refused").to_string();
    assert!(error.contains(words), "{error}");
}

#[test]
fn nothing_is_written_through_a_link() {
    let here = directory();
    let (output, elsewhere) = (here.path().join("out"), here.path().join("elsewhere"));
    let precious = here.path().join("precious");
    fs::write(&precious, "precious").expect("it can be written");
    fs::create_dir(&elsewhere).expect("it can be made");
    for name in ["findings", "discrepancies", "corpus"] {
        fs::create_dir_all(&output).expect("it can be made");
        symlink(&elsewhere, output.join(name)).expect("it can be made");
        refused(&output, "link");
        fs::remove_dir_all(&output).expect("it can be removed");
    }
    fs::create_dir(&output).expect("it can be made");
    symlink(&precious, output.join("lock")).expect("it can be made");
    refused(&output, "link");
    fs::remove_file(output.join("lock")).expect("it is there");
    // Results replace a link; they do not follow it.
    for name in ["stats.json", "run.json"] {
        symlink(&precious, output.join(name)).expect("it can be made");
    }
    let ran = run_on(Disk::default(), &hunting("wasm-3"), &output, Earlier::Resume);
    assert!(ran.is_err(), "a linked run.json is no manifest");
    fs::remove_file(output.join("run.json")).expect("it is there");
    fs::remove_file(output.join("stats.json")).expect("it is there");
    symlink(&precious, output.join("stats.json")).expect("it can be made");
    let ran = run_on(Disk::default(), &hunting("wasm-3"), &output, Earlier::Refuse).expect("it runs");
    assert!(ran.stored.is_ok());
    assert!(fs::symlink_metadata(output.join("stats.json")).expect("it is there").is_file());
    assert_eq!(fs::read_to_string(&precious).expect("it is there"), "precious");
    assert_eq!(files(&elsewhere), [] as [PathBuf; 0]);
}

#[test]
fn files_that_are_not_ours_stay_as_they_are() {
    let here = directory();
    let output = here.path().join("out");
    for folder in ["findings", "discrepancies", "corpus/ab"] {
        fs::create_dir_all(output.join(folder)).expect("it can be made");
    }
    let foreign =
        ["lock", "notes.txt", ".mine.part", "findings/.x.part", "corpus/ab/.y.part", "corpus/readme"];
    for name in foreign {
        fs::write(output.join(name), name).expect("it can be written");
    }
    let unfinished = ["findings/.mutagen-a.part", "corpus/.mutagen-b.part", "corpus/ab/.mutagen-c.part"];
    for name in unfinished {
        fs::write(output.join(name), "half").expect("it can be written");
    }
    let ran = run_on(Disk::default(), &hunting("wasm-3"), &output, Earlier::Refuse).expect("it runs");
    assert!(ran.stored.is_ok());
    for name in foreign {
        assert_eq!(fs::read_to_string(output.join(name)).expect("it is there"), name);
    }
    for name in unfinished {
        assert!(!output.join(name).exists(), "{name}");
    }
}

#[test]
fn of_two_runs_that_start_afresh_at_once_one_runs() {
    let here = directory();
    let output = here.path().join("out");
    for _ in 0..100 {
        fs::create_dir_all(&output).expect("it can be made");
        fs::write(output.join("run.json"), "{}").expect("it can be written");
        let barrier = Barrier::new(2);
        let start = || {
            barrier.wait();
            let store = Store::open(&output, Earlier::MoveAside);
            // Whoever runs goes on while the other tries.
            barrier.wait();
            store.map(|_| ())
        };
        let (one, two) = std::thread::scope(|scope| {
            let [one, two] = [scope.spawn(start), scope.spawn(start)];
            (one.join().expect("no panic"), two.join().expect("no panic"))
        });
        let busy = |result: &Result<(), Error>| matches!(result, Err(Error::Busy(_)));
        assert!(one.is_ok() != two.is_ok() && (busy(&one) || busy(&two)), "{one:?}, {two:?}");
    }
    let asides =
        files(here.path()).into_iter().filter(|path| path.to_string_lossy().contains(".old-")).count();
    assert_eq!(asides, 100, "earlier results are moved, not deleted");
}

#[test]
fn findings_of_many_workers_are_all_stored() {
    let here = directory();
    let output = here.path().join("out");
    let ran = run_on(Disk::default(), &Spec { jobs: 32, ..hunting("wasm-11") }, &output, Earlier::Refuse);
    let report = ran.expect("it runs").report;
    assert!(!report.groups.is_empty());
    let stored: BTreeSet<String> = findings(&output).iter().map(Finding::file_name).collect();
    for group in &report.groups {
        let file = group.file.as_ref().expect("it is stored");
        let name = file.file_stem().expect("it has a name").to_string_lossy().into_owned();
        assert!(stored.contains(&name), "{name}");
    }
    let met: u64 = report.groups.iter().map(|group| group.count).sum();
    let failed = report.tests - report.passed - report.discarded;
    assert_eq!(met + report.unsorted, failed, "each finding is in a group");
}

#[test]
fn a_resumed_corpus_is_small_takes_a_part_of_the_budget_and_odd_files_in_it_are_left_out() {
    let here = directory();
    let output = here.path().join("out");
    let mut spec = hunting("wasm-3");
    (spec.bug, spec.budget.tests) = (None, Some(20_000));
    let first = run_on(Disk::default(), &spec, &output, Earlier::Refuse).expect("it runs").report;
    let modules = || -> Vec<PathBuf> {
        files(&output.join("corpus")).iter().flat_map(|folder| files(folder)).collect()
    };
    let kept = modules().len() as u64;
    assert!(kept > 10 && kept < first.figures.counts["interesting"], "{kept}");
    // A pipe, an endless device, a link, a broken name and a huge file.
    let folder = output.join("corpus/00");
    fs::create_dir_all(&folder).expect("it can be made");
    let made = std::process::Command::new("mkfifo").arg(folder.join("0000000000000001.wasm")).status();
    assert!(made.expect("there is mkfifo").success());
    symlink("/dev/zero", folder.join("0000000000000002.wasm")).expect("it can be made");
    symlink(&output, folder.join("loop")).expect("it can be made");
    fs::write(folder.join("0000000000000003.wasm"), "another content").expect("it can be written");
    let huge = fs::File::create(folder.join("0000000000000004.wasm")).expect("it can be made");
    huge.set_len(10 << 30).expect("the system has sparse files");
    spec.budget.tests = Some(200);
    let resumed = run_on(Disk::default(), &spec, &output, Earlier::Resume).expect("it runs").report;
    assert_eq!(resumed.tests, 200);
    let generated = resumed.figures.counts.get("generated").copied().unwrap_or(0);
    assert!(generated > 0, "something new is made: {:?}", resumed.figures.counts);
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(output.join("run.json")).expect("it is there")).expect("it is JSON");
    assert_eq!(manifest["resumed_with"], kept);
}
