//! Sorting, with the budgets and results of the paper.

mod common;

use common::sorting::{Element, Sort, five, four, six, sort, sorted};
use common::{conjectures_of, sets_of, survivors_of};
use mutagen_refine::{RefineReport, Word};

fn run<T: Element>(sort: Sort<T>) -> RefineReport {
    sort.run().expect("a report")
}

/// The minimal sets of the six properties with so many mutants and tests.
fn minimal<T: Element>(mutants: usize, tests: usize) -> Vec<String> {
    sets_of(&run(six::<T>().mutants(mutants).tests(tests)))
}

#[test]
fn five_properties_leave_three_survivors() {
    let report = run(five::<Word<2>>());
    assert_eq!(report.tests().iter().map(|tests| tests.count).sum::<usize>(), 20_000);
    let survivors: Vec<(usize, &str)> =
        report.survivors().map(|mutant| (mutant, &*report.matrix().mutants()[mutant])).collect();
    assert_eq!(
        survivors,
        [
            (3527, "sort([0, 0, 1]) = [0, 1, 1]"),
            (3542, "sort([0, 1, 0]) = [0, 1, 1]"),
            (3572, "sort([1, 0, 0]) = [0, 1, 1]")
        ]
    );
    assert_eq!(report.analysis().strongest().score(), 99);
    assert_eq!(sets_of(&report), ["{1,2,3}", "{1,2,4}"]);
    assert_eq!(
        conjectures_of(&report),
        [("{3} = {4}".into(), 3849, 151), ("{1,3} ==> {5}".into(), 3926, 74)]
    );
    let survivors: Vec<usize> = (0..5).map(|property| 4000 - report.matrix().kills(property)).collect();
    assert_eq!(survivors, [2414, 168, 151, 151, 1422]);
    assert_eq!(report.analysis().classes.len(), 14);
}

#[test]
fn counting_elements_makes_the_specification_complete() {
    let report = run(four::<Word<2>>());
    assert!(report.is_complete());
    assert_eq!(sets_of(&report), ["{1,4}"]);
    assert_eq!(conjectures_of(&report), [("{4} ==> {2,3}".into(), 3990, 10)]);
    assert_eq!(report.analysis().classes.len(), 10);
}

#[test]
fn small_budgets_make_properties_look_complete() {
    let report = run(five::<Word<2>>().mutants(500).tests(1000));
    assert!(report.is_complete());
    assert_eq!(sets_of(&report), ["{1,2,3}", "{1,2,4}", "{2,3,5}", "{2,4,5}"]);
}

#[test]
fn the_survivor_appears_once_the_budgets_have_grown() {
    for (mutants, complete) in
        [(500, true), (750, true), (1125, true), (1687, true), (2530, true), (3795, false)]
    {
        let report = run(five::<Word<2>>().mutants(mutants).tests(2 * mutants));
        assert_eq!(report.is_complete(), complete, "{mutants} mutants");
    }
}

#[test]
fn six_properties_have_three_minimal_sets() {
    let report = run(six::<Word<2>>());
    assert!(report.is_complete());
    assert_eq!(sets_of(&report), ["{6}", "{1,4}", "{1,5}"]);
    assert_eq!(conjectures_of(&report), [("{4} = {5}".into(), 3990, 10), ("{4} ==> {2,3}".into(), 3990, 10)]);
}

#[test]
fn small_element_types_converge_soon() {
    let (converged, open) = (["{6}", "{1,4}", "{1,5}"], ["{6}", "{1,4}", "{1,5}", "{1,2,3}"]);
    assert_eq!(minimal::<bool>(1000, 1000), converged);
    assert_eq!(minimal::<Word<1>>(1000, 1000), open);
    assert_eq!(minimal::<Word<1>>(2000, 2000), converged);
    assert_eq!(minimal::<Word<2>>(1000, 1000), open);
}

#[test]
fn large_element_types_need_more_tests() {
    assert_eq!(minimal::<Word<3>>(4000, 4000), ["{6}", "{1,5}", "{1,2,4}"]);
    assert_eq!(minimal::<i64>(4000, 4000), ["{6}", "{1,5}", "{1,2,4}"]);
    assert_eq!(minimal::<i64>(4000, 100_000), ["{6}", "{1,4}", "{1,5}"]);
}

#[test]
fn a_mutant_of_our_own_survives_what_no_small_mutant_survives() {
    let append_largest = |list: Vec<Word<2>>| {
        let mut list = sorted(list);
        list.push(Word::LARGEST);
        list
    };
    let report = run(six().mutant("sort, and append the largest", Box::new(append_largest)));
    assert_eq!(report.mutants().count, 4001);
    assert_eq!(sets_of(&report), ["{1,4}", "{1,5}", "{2,6}", "{3,6}", "{4,6}", "{5,6}"]);
    let insertion = conjectures_of(&report).into_iter().find(|(text, ..)| text == "{6} ==> {1}");
    assert_eq!(insertion, Some(("{6} ==> {1}".into(), 4000, 1)));
}

/// With the budgets of FitSpec's tutorial.
fn tutorial() -> Sort<i64> {
    sort().mutants(500).tests(1000)
}

fn empty(sort: Sort<i64>) -> Sort<i64> {
    sort.property("empty", |sort, ()| sort(vec![]).is_empty())
}

fn singleton(sort: Sort<i64>) -> Sort<i64> {
    sort.property("singleton", |sort, x: i64| sort(vec![x]) == [x])
}

fn length(sort: Sort<i64>) -> Sort<i64> {
    sort.property("length", |sort, xs: Vec<i64>| sort(xs.clone()).len() == xs.len())
}

fn elements(sort: Sort<i64>) -> Sort<i64> {
    sort.property("elements", |sort, (x, xs): (i64, Vec<i64>)| {
        sort(xs.clone()).contains(&x) == xs.contains(&x)
    })
}

#[test]
fn the_steps_of_the_tutorial_leave_fewer_and_fewer_survivors() {
    let smallest = |report: &RefineReport| {
        let (survivors, first) = survivors_of(report);
        (survivors, first.map_or("", |(_, name)| name).to_owned())
    };
    let two = run(singleton(empty(tutorial())));
    assert_eq!(smallest(&two), (134, "sort([0, 0]) = []".into()));
    assert_eq!(two.analysis().strongest().score(), 73);

    let three = run(length(singleton(empty(tutorial()))));
    assert_eq!(smallest(&three), (12, "sort([0, 0]) = [0, 1]".into()));
    assert_eq!(sets_of(&three), ["{2,3}"]);
    assert_eq!(conjectures_of(&three), [("{3} ==> {1}".into(), 475, 25)]);

    let others = run(elements(length(singleton(tutorial()))));
    assert_eq!(smallest(&others), (2, "sort([0, 1]) = [1, 0]".into()));
    assert!(conjectures_of(&others).iter().any(|(text, ..)| text == "{2,3} ==> {1}"), "{others}");
}
