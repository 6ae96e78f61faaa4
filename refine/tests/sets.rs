//! Sets and sets of sets, with the budgets and results of the paper.

mod common;

use common::sets::{
    initial, library, power_and_partitions, sets_of_sets, sets_of_sets_defined, strengthened, with_subset,
};
use common::{conjectures_of, sets_of, survivors_of};
use mutagen_refine::{Refine, RefineReport, UnderTest};

fn counts<S: UnderTest>(subject: &S, sizes: usize) -> Vec<usize> {
    let mutations = subject.mutations();
    (0..sizes).map(|size| mutations.tier(size).count()).collect()
}

fn run<S: UnderTest>(refine: Refine<S>) -> RefineReport {
    refine.run().expect("a report")
}

fn tests(report: &RefineReport) -> usize {
    report.tests().iter().map(|tests| tests.count).sum()
}

#[test]
fn the_mutants_of_six_functions_have_the_known_sizes() {
    assert_eq!(counts(&library(), 7), [1, 3, 14, 58, 212, 764, 2591]);
}

#[test]
fn the_first_properties_of_sets_say_too_little_about_subsets() {
    let report = run(initial());
    assert_eq!(
        report.tests().iter().map(|tests| tests.count).collect::<Vec<_>>(),
        [64, 64, 1024, 1024, 256, 256, 256, 256]
    );
    assert!(report.tests().iter().all(|tests| tests.exhausted));
    assert_eq!(survivors_of(&report), (49, Some((4, "subset({0}, {}) = true"))));
    assert_eq!(report.analysis().strongest().score(), 93);
    assert_eq!(sets_of(&report), ["{1,2,3,4,5}", "{1,2,3,4,6}"]);
    assert_eq!(
        conjectures_of(&report),
        [
            ("{3} ==> {7}".into(), 342, 408),
            ("{4} ==> {8}".into(), 236, 514),
            ("{3,6} ==> {5}".into(), 547, 203),
            ("{3,4,5} = {3,4,6}".into(), 569, 181),
        ]
    );
    assert_eq!(report.analysis().classes.len(), 128);
}

#[test]
fn a_law_of_subsets_leaves_insertion_and_deletion_open() {
    let report = run(with_subset());
    assert_eq!(tests(&report), 2432);
    assert_eq!(survivors_of(&report), (31, Some((35, "delete(0, {}) = {1}"))));
    assert!(report.is_minimal() && report.analysis().strongest().score() == 95);
}

#[test]
fn strong_laws_of_insertion_and_deletion_complete_the_specification_of_sets() {
    let report = run(strengthened());
    assert_eq!(tests(&report), 2816);
    assert!(report.is_complete() && report.is_minimal());
    assert_eq!(conjectures_of(&report), []);
}

#[test]
fn the_mutants_of_power_sets_and_partitions_have_the_known_sizes() {
    assert_eq!(
        counts(&power_and_partitions(), 14),
        [1, 2, 3, 10, 25, 54, 125, 284, 622, 1341, 2875, 6097, 12_775, 26_528]
    );
}

#[test]
fn two_and_three_properties_of_partitions_leave_hundreds_of_survivors() {
    for (properties, mutants, survivors, smallest) in
        [(2, 28_815, 2542, "partitions({}) = {}"), (3, 19_210, 459, "partitions({}) = {{{}}}")]
    {
        let report = run(sets_of_sets(properties).mutants(mutants));
        let (count, first) = survivors_of(&report);
        assert_eq!((count, first.map(|(_, name)| name)), (survivors, Some(smallest)));
    }
}

#[test]
fn two_properties_define_power_sets_and_partitions() {
    let report = run(sets_of_sets_defined().mutants(2000).tests(20_000));
    assert!(report.is_complete() && report.is_minimal(), "{report}");
}

#[test]
fn four_properties_of_partitions_leave_six_survivors() {
    let report = run(sets_of_sets(4).mutants(19_210).tests(1500));
    assert_eq!(tests(&report), 304);
    let (survivors, smallest) = survivors_of(&report);
    assert_eq!((survivors, smallest.map(|(_, name)| name)), (6, Some("partitions({0, 1}) = {{{0, 1}}}")));
    assert_eq!(sets_of(&report), ["{1,3,4}"]);
    assert!(conjectures_of(&report).contains(&("{4} ==> {2}".into(), 13_829, 5381)), "{report}");
}
