//! What the race promises: fair trials that repeat, results that can be stopped and resumed, and a page.

use mutagen_engine::{Source, Verdict};
use mutagen_engine_demos::{Demo, lambda, red_black_tree, search_tree, sorted_list};
use mutagen_race::{BugOfDemo, Contender, Race, Results, Smart, Standings, bugs, hunt, page};
use std::path::Path;
use std::time::Duration;

const EASY: BugOfDemo = BugOfDemo::SearchTree(search_tree::Bug::InsertForgetsTheRest);
/// So long that only a contender that never finds the bug would notice.
const LONG: Duration = Duration::from_secs(600);

fn race(limit: Duration) -> Race {
    Race { contenders: vec![Contender::Mutagen], bugs: vec![EASY], seeds: 5, limit, misses: 2, pause: None }
}

#[test]
fn there_are_38_bugs_with_different_names() {
    let mut names: Vec<_> = bugs().into_iter().map(|bug| (bug.program(), bug.name())).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 38);
}

#[test]
fn every_contender_finds_an_easy_bug_and_the_same_seed_takes_the_same_tests() {
    for contender in Contender::ALL {
        let [first, again] = [1, 1].map(|seed| hunt(contender, EASY, seed, LONG));
        assert!(first.found && first.tests > 0, "{contender}");
        assert_eq!(first.tests, again.tests, "{contender}");
        let other = (2..12).any(|seed| hunt(contender, EASY, seed, LONG).tests != first.tests);
        assert!(other, "{contender}: seeds make no difference");
    }
}

/// The share of values by hand of which the property says something.
fn valid<D: Demo<Case: Smart>>() -> f64 {
    let source = &mut Source::seeded(5);
    let mut is_valid = |size| {
        let verdict = D::check(None, &D::Case::smart(source, size)).verdict;
        assert!(!matches!(verdict, Verdict::Failed(_)), "{}: the correct program fails", D::NAME);
        verdict == Verdict::Passed
    };
    (0..2000).filter(|test| is_valid(test % 11)).count() as f64 / 2000.0
}

#[test]
fn values_by_hand_satisfy_the_precondition() {
    assert_eq!(valid::<sorted_list::Bug>(), 1.0);
    assert_eq!(valid::<search_tree::Bug>(), 1.0);
    assert_eq!(valid::<red_black_tree::Bug>(), 1.0);
    // A term must also have something to reduce.
    assert!(valid::<lambda::Bug>() > 0.3, "{}", valid::<lambda::Bug>());
}

#[test]
fn a_contender_that_always_misses_is_left_out() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let results =
        race(Duration::ZERO).run(&directory.path().join("trials.csv"), |_, _, _| ()).expect("it runs");
    assert_eq!(results.rows.iter().map(|row| row.trial.found).collect::<Vec<_>>(), [false, false]);
}

#[test]
fn a_race_goes_on_where_it_was_and_only_with_the_same_limit() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("trials.csv");
    let three = Race { seeds: 3, ..race(LONG) }.run(&file, |_, _, _| ()).expect("it runs");
    let stored = Results::read(&file).expect("it was written");
    let five = race(LONG).run(&file, |_, _, _| ()).expect("it goes on");
    assert_eq!((three.rows.len(), five.rows.len()), (3, 5));
    assert_eq!(stored.rows, five.rows[..3], "trials that are there are not run again");
    let error =
        race(Duration::from_secs(1)).run(&file, |_, _, _| ()).expect_err("the limits differ").to_string();
    assert!(error.contains("600 s") && error.contains("1 s"), "{error}");
}

#[test]
fn a_damaged_file_is_named_with_its_line() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("trials.csv");
    race(Duration::ZERO).run(&file, |_, _, _| ()).expect("it runs");
    let text = std::fs::read_to_string(&file).expect("it was written") + "nonsense\n";
    std::fs::write(&file, text).expect("it can be written");
    let error = Results::read(&file).expect_err("the last line is wrong").to_string();
    assert!(error.contains("trials.csv, line 4: `nonsense`"), "{error}");
    assert_eq!(Results::read(Path::new("not there")).expect("an empty race"), Results::default());
}

#[test]
fn standings_count_what_was_missed_as_the_limit_and_the_page_shows_all() {
    let text = "program,bug,contender,seed,limit,found,tests,seconds\n\
                search tree,InsertDuplicates,mutagen,0,10,true,100,0.001\n\
                search tree,InsertDuplicates,mutagen,1,10,true,300,0.003\n\
                search tree,InsertDuplicates,bolero,0,10,true,7,0.5\n\
                search tree,InsertDuplicates,bolero,1,10,false,900,10.2\n";
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("trials.csv");
    std::fs::write(&file, text).expect("it can be written");
    let standings = Standings::new(&Results::read(&file).expect("it can be read"));
    let [mutagen, bolero] = &standings.standings()[..] else { panic!("two took part") };
    assert_eq!((mutagen.solved, mutagen.found, bolero.solved, bolero.found), (1, 1, 0, 1));
    assert!((mutagen.seconds - 0.002).abs() < 1e-9 && (mutagen.tests - 200.0).abs() < 1e-9, "{mutagen:?}");
    assert!((bolero.seconds - 5.25).abs() < 1e-9, "{bolero:?}");
    assert_eq!(
        (&mutagen.buckets[..], &bolero.buckets[..]),
        (&[0, 1, 0, 0, 0, 0][..], &[0, 0, 0, 0, 0, 1][..])
    );
    let html = page(&standings);
    for part in [
        "search tree: InsertDuplicates",
        "2/2, 200 tests, 2.0 ms",
        "1/2, 454 tests, 5.2 s",
        "prefers-color-scheme: dark",
    ] {
        assert!(html.contains(part), "`{part}` is missing");
    }
}
