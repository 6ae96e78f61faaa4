//! `plot.csv`: how a campaign went over time, for others' tools.

use std::fs;
use std::os::unix::fs::symlink;

use mutagen_campaign::store::Disk;
use mutagen_campaign::{Beside, Earlier, Plot, Progress, Row, SecondsIn};

#[path = "common/output.rs"]
mod output;

use output::{directory, hunting, run_on};

fn progress(seconds: f64, tests: u64) -> Progress {
    Progress {
        seconds,
        tests,
        passed: tests / 2,
        discarded: tests / 4,
        queued: 3,
        known: 100,
        ..Progress::default()
    }
}

fn row(seconds: f64, tests: u64) -> Row {
    let seconds_in = Some(SecondsIn { target: seconds / 2.0, reference: seconds / 4.0, rest: seconds / 4.0 });
    Row::new(&progress(seconds, tests), &Beside { corpus: 7, findings: 2, groups: 1, seconds_in })
}

#[test]
fn a_campaign_leaves_rows_that_end_with_what_its_report_says() {
    let place = directory();
    let spec = mutagen_campaign::Spec { keep_going: true, bug: None, ..hunting("wasm-11") };
    let spec = mutagen_campaign::Spec {
        budget: mutagen_campaign::Budget { tests: Some(2_000), ..Default::default() },
        ..spec
    };
    let ran = run_on(Disk::default(), &spec, &place.path().join("out"), Earlier::Refuse).expect("it runs");
    assert!(ran.stored.is_ok());
    let rows = Plot::read(&place.path().join("out")).expect("it can be read");
    assert!(rows.len() >= 2, "{rows:?}");
    assert!(
        rows.windows(2).all(|pair| pair[0].seconds <= pair[1].seconds && pair[0].tests <= pair[1].tests),
        "{rows:?}"
    );
    let last = rows.last().expect("there are rows");
    assert_eq!(
        (last.tests, last.passed, last.discarded),
        (ran.report.tests, ran.report.passed, ran.report.discarded)
    );
    assert!(last.corpus > 0 && last.known > 0 && last.seconds_in_target > 0.0, "{last:?}");
    assert!(last.probes > 1_000 && rows.windows(2).all(|pair| pair[0].probes <= pair[1].probes), "{rows:?}");
}

#[test]
fn time_never_runs_back_although_a_report_ends_before_the_last_row() {
    let place = directory();
    let mut plot = Plot::open(&Disk::default(), place.path()).expect("it can be made");
    plot.add(row(30.3, 1_000)).expect("it can be stored");
    plot.add(row(30.0, 1_006)).expect("it can be stored");
    let rows = Plot::read(place.path()).expect("it can be read");
    assert_eq!((rows[1].seconds, rows[1].tests), (30.3, 1_006));
}

#[test]
fn a_resumed_campaign_appends_and_goes_on_counting() {
    let place = directory();
    let mut first = Plot::open(&Disk::default(), place.path()).expect("it can be made");
    assert!(first.is_due(), "the first row comes at once");
    first.add(row(10.0, 1_000)).expect("it can be stored");
    assert!(!first.is_due());
    drop(first);
    let mut second = Plot::open(&Disk::default(), place.path()).expect("it can be read");
    second.add(row(5.0, 400)).expect("it can be stored");
    let rows = Plot::read(place.path()).expect("it can be read");
    assert_eq!(
        rows.iter().map(|row| (row.seconds, row.tests)).collect::<Vec<_>>(),
        [(10.0, 1_000), (15.0, 1_400)]
    );
    assert_eq!((rows[1].tests_per_second, rows[1].seconds_in_target, rows[1].groups), (80.0, 7.5, 1));
    let text = fs::read_to_string(place.path().join(Plot::FILE)).expect("it is there");
    assert_eq!(text.matches("seconds,tests").count(), 1, "the header stands once:\n{text}");
}

#[test]
fn probes_do_not_fall_when_a_campaign_is_resumed() {
    let place = directory();
    let with_probes = |seconds, probes| {
        let progress = Progress { probes, ..progress(seconds, 100) };
        Row::new(&progress, &Beside { corpus: 7, findings: 0, groups: 0, seconds_in: None })
    };
    let mut first = Plot::open(&Disk::default(), place.path()).expect("it can be made");
    first.add(with_probes(10.0, 5_000)).expect("it can be stored");
    drop(first);
    let mut second = Plot::open(&Disk::default(), place.path()).expect("it can be read");
    // The corpus is being read again, and then there is more.
    for probes in [0, 3_000, 5_100] {
        second.add(with_probes(1.0, probes)).expect("it can be stored");
    }
    let rows = Plot::read(place.path()).expect("it can be read");
    assert_eq!(rows.iter().map(|row| row.probes).collect::<Vec<_>>(), [5_000, 5_000, 5_000, 5_100]);
}

#[test]
fn half_a_row_of_a_killed_campaign_is_cut_off() {
    let place = directory();
    let file = place.path().join(Plot::FILE);
    let mut plot = Plot::open(&Disk::default(), place.path()).expect("it can be made");
    plot.add(row(10.0, 1_000)).expect("it can be stored");
    let whole = fs::read_to_string(&file).expect("it is there");
    fs::write(&file, format!("{whole}20.0,20")).expect("it can be written");
    let mut plot = Plot::open(&Disk::default(), place.path()).expect("it can be read");
    plot.add(row(1.0, 10)).expect("it can be stored");
    let text = fs::read_to_string(&file).expect("it is there");
    assert!(text.starts_with(&whole) && text[whole.len()..].starts_with("11.000,1010,"), "{text}");
}

#[test]
fn a_link_is_not_followed_and_a_foreign_file_is_not_touched() {
    let place = directory();
    let (file, other) = (place.path().join(Plot::FILE), place.path().join("precious"));
    fs::write(&other, "precious").expect("it can be written");
    symlink(&other, &file).expect("it can be made");
    assert!(Plot::open(&Disk::default(), place.path()).is_err());
    fs::remove_file(&file).expect("it can be removed");
    fs::write(&file, "a,b\n1,2\n").expect("it can be written");
    let error = Plot::open(&Disk::default(), place.path()).expect_err("it is no plot").to_string();
    assert!(error.contains("plot.csv") && error.contains("move it away"), "{error}");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "a,b\n1,2\n");
    assert_eq!(fs::read_to_string(&other).expect("it is there"), "precious");
}
