//! The output directory: nothing that is not ours is touched, and one run owns it.

#[path = "common/output.rs"]
mod output;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Barrier;

use mutagen_campaign::store::Disk;
use mutagen_campaign::{Earlier, Error, Finding, Spec, Store};
use output::{directory, files, findings, hunting, run_on};

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
    for folder in ["findings", "discrepancies", "corpus/ab", "unjudged", "reference"] {
        fs::create_dir_all(output.join(folder)).expect("it can be made");
    }
    let foreign =
        ["lock", "notes.txt", ".mine.part", "findings/.x.part", "corpus/ab/.y.part", "corpus/readme"];
    for name in foreign {
        fs::write(output.join(name), name).expect("it can be written");
    }
    let folders = ["findings", "corpus", "corpus/ab", "unjudged", "reference"];
    let unfinished = folders.map(|folder| format!("{folder}/.mutagen-begun.part"));
    for name in &unfinished {
        fs::write(output.join(name), "half").expect("it can be written");
    }
    let ran = run_on(Disk::default(), &hunting("wasm-3"), &output, Earlier::Refuse).expect("it runs");
    assert!(ran.stored.is_ok());
    for name in foreign {
        assert_eq!(fs::read_to_string(output.join(name)).expect("it is there"), name);
    }
    for name in &unfinished {
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
