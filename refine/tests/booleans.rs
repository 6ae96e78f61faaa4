//! Functions of truth values: everything that exists is tried, so that results are exact.

mod common;

use common::{conjectures_of, sets_of};
use mutagen_refine::{Refine, RefineReport, function};

fn tests(report: &RefineReport) -> Vec<usize> {
    report.tests().iter().map(|tests| tests.count).collect()
}

fn survivors(report: &RefineReport) -> Vec<&str> {
    report.survivors().map(|mutant| &*report.matrix().mutants()[mutant]).collect()
}

#[test]
fn not_with_involution_difference_and_one_result_is_complete() {
    let report = Refine::new(function("not", |p: bool| !p))
        .property("involution", |not, p: bool| not(not(p)) == p)
        .property("another value", |not, p: bool| not(p) != p)
        .property("not true is false", |not, ()| !not(true))
        .run()
        .expect("a report");
    assert_eq!((tests(&report), report.mutants().count), (vec![2, 2, 1], 3));
    assert!(report.is_exhaustive() && report.is_complete() && !report.is_minimal());
    assert_eq!(sets_of(&report), ["{2}", "{1,3}"]);
    assert_eq!(conjectures_of(&report), [], "the only one has no survivors, and is hidden");
    assert!(report.to_string().starts_with("Complete but non-minimal specification"), "{report}");
}

#[test]
fn not_with_two_and_three_negations_leaves_the_identity() {
    let report = Refine::new(function("not", |p: bool| !p))
        .property("twice", |not, p: bool| not(not(p)) == p)
        .property("thrice", |not, p: bool| not(not(not(p))) == not(p))
        .run()
        .expect("a report");
    assert_eq!((tests(&report), report.mutants().count), (vec![2, 2], 3));
    assert_eq!(survivors(&report), ["not(false) = false; not(true) = true"]);
    assert_eq!(report.analysis().strongest().score(), 66);
    assert_eq!(sets_of(&report), ["{1}"]);
    assert!(report.to_string().ends_with("No conjectures.\n"), "{report}");
    let weakest = report.analysis().classes.last().expect("a class");
    assert_eq!((weakest.sets[0].to_string(), weakest.implied.to_string()), ("{}".into(), "{2}".into()));
}

#[test]
fn any_two_of_three_properties_of_not_are_enough() {
    let report = Refine::new(function("not", |p: bool| !p))
        .property("involution", |not, p: bool| not(not(p)) == p)
        .property("not true is false", |not, ()| !not(true))
        .property("not false is true", |not, ()| not(false))
        .run()
        .expect("a report");
    assert!(report.is_complete());
    assert_eq!(sets_of(&report), ["{1,2}", "{1,3}", "{2,3}"]);
    let killed: Vec<Vec<usize>> = report.to_json()["matrix"]
        .as_array()
        .expect("mutants")
        .iter()
        .map(|mutant| serde_json::from_value(mutant["killed_by"].clone()).expect("numbers"))
        .collect();
    assert_eq!(killed, [vec![1, 3], vec![1, 2], vec![2, 3]]);
}

#[test]
fn not_and_and_with_seven_properties_give_the_published_result() {
    let report = Refine::new((function("not", |p: bool| !p), function("and", |p: bool, q: bool| p && q)))
        .property("involution", |(not, _), p: bool| not(not(p)) == p)
        .property("commutative", |(_, and), (p, q): (bool, bool)| and(p, q) == and(q, p))
        .property("idempotent", |(_, and), p: bool| and(p, p) == p)
        .property("false", |(_, and), p: bool| !and(p, false))
        .property("associative", |(_, and), (p, q, r): (bool, bool, bool)| {
            and(p, and(q, r)) == and(and(p, q), r)
        })
        .property("contradiction", |(not, and), p: bool| !and(p, not(p)))
        .property("neutral", |(not, and), p: bool| and(p, not(false)) == p)
        .run()
        .expect("a report");
    assert_eq!(tests(&report), [2, 4, 2, 2, 8, 2, 2]);
    assert!(report.is_exhaustive() && report.is_complete() && !report.is_minimal());
    assert_eq!(report.mutants().count, 63);
    assert_eq!(sets_of(&report), ["{1,3,6}", "{1,4,7}", "{3,6,7}", "{4,6,7}"]);
    let survivors: Vec<usize> = (0..7).map(|property| 63 - report.matrix().kills(property)).collect();
    assert_eq!(survivors, [31, 31, 15, 15, 31, 15, 15]);
    assert_eq!(report.analysis().classes.len(), 50);
    let mut found = conjectures_of(&report);
    found.sort_by_key(|(_, killed, _)| *killed);
    let (mut texts, counts): (Vec<_>, Vec<_>) =
        found.into_iter().map(|(text, killed, alive)| (text, (killed, alive))).unzip();
    texts.sort();
    let mut expected = [
        "{3} ==> {5}",
        "{2,7} ==> {5}",
        "{2,4} ==> {5}",
        "{1,5,6} ==> {2}",
        "{6,7} ==> {1}",
        "{2,6,7} = {5,6,7}",
        "{1,2,4,6} = {1,4,5,6}",
        "{3,6} ==> {4}",
        "{4,7} ==> {2,3,5}",
    ];
    expected.sort();
    assert_eq!(texts, expected);
    assert_eq!(counts, [(48, 15), (56, 7), (56, 7), (59, 4), (60, 3), (61, 2), (61, 2), (61, 2), (62, 1)]);
}
