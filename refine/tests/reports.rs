//! What reports say, as text, as JSON and as a page.

mod common;

use common::sorting::{five, sort, sorted};
use mutagen_refine::{Refine, RefineReport, Word, function};

fn two_negations() -> RefineReport {
    Refine::new(function("not", |p: bool| !p))
        .property("twice", |not, p: bool| not(not(p)) == p)
        .property("is <defined>", |not, p: bool| {
            not(p);
        })
        .run()
        .expect("a report")
}

#[test]
fn the_text_is_what_the_readme_shows() {
    let report = five::<Word<2>>().run().expect("a report").to_string();
    assert!(include_str!("../README.md").contains(&report), "{report}");
}

#[test]
fn an_exhaustive_report_is_not_apparent() {
    assert_eq!(
        two_negations().to_string(),
        "Incomplete and non-minimal specification based on
  2 test cases for each of properties 1 and 2 (test cases exhausted)
  for each of 3 mutant variations (exhausted)

  1 twice: 1 survivor
  2 is <defined>: 3 survivors

1 survivor (66% killed), smallest:
  not(false) = false; not(true) = true

minimal property subsets: {1}
No conjectures.
"
    );
}

#[test]
fn the_long_text_has_all_classes() {
    let text = format!("{:#}", two_negations());
    assert!(text.contains("  {1}  1 (34%)  not(false) = false; not(true) = true\n"), "{text}");
    assert!(text.contains("  {}  3 (100%)  not(false) = false\n"), "{text}");
}

#[test]
fn json_has_everything() {
    let json = two_negations().to_json();
    assert_eq!(json["complete"], false);
    assert_eq!(json["exhaustive"], true);
    assert_eq!(json["properties"][0]["name"], "twice");
    assert_eq!(json["properties"][0]["tests"]["count"], 2);
    assert_eq!(json["minimal_sets"], serde_json::json!([[1]]));
    assert_eq!(json["implied"], serde_json::json!([2]));
    assert_eq!(json["survivors"], serde_json::json!(["not(false) = false; not(true) = true"]));
    assert_eq!(json["matrix"][0]["killed_by"], serde_json::json!([1]));
    let conjectures = five::<Word<2>>().run().expect("a report").to_json()["conjectures"].clone();
    assert_eq!(
        conjectures[0],
        serde_json::json!({
            "left": [3], "relation": "equals", "right": [4],
            "killed": 3849, "survivors": 151, "score": 96, "strength": "weak",
        })
    );
}

#[test]
fn the_page_draws_a_cell_for_each_property_and_mutant() {
    let page = two_negations().to_html("Not & <friends>");
    assert!(page.contains("<title>Not &amp; &lt;friends&gt;</title>"));
    assert!(page.contains("2 is &lt;defined&gt;"));
    assert_eq!(page.matches("<rect class=\"killed\"").count(), 2);
    assert_eq!(page.matches("<rect class=\"survived\"").count(), 4);
}

#[test]
fn many_mutants_share_the_columns_of_the_page() {
    let report = five::<Word<2>>().run().expect("a report");
    let page = report.to_html("sort");
    assert!(
        page.matches("<rect").count() < 5 * 32,
        "at most as many columns as there are sets of properties"
    );
    assert!(page.contains("3 mutants, the first: sort([0, 0, 1]) = [0, 1, 1]"));
}

#[test]
fn the_same_configuration_gives_the_same_report() {
    let run = || five::<Word<2>>().mutants(700).tests(900).run().expect("a report");
    assert_eq!(run(), run());
}

#[test]
fn only_tests_that_a_mutant_can_change_are_run_and_nothing_is_missed() {
    let ran = five::<Word<2>>().mutants(600).tests(300).run().expect("a report");
    let subject = function("sort", sorted::<Word<2>>);
    // The same mutants, given as functions about which nothing is known: they take all tests.
    let given = subject.mutants().values().skip(1).take(600).fold(
        five::<Word<2>>().mutants(0).tests(300),
        |refine, cases| {
            let changed = move |list: Vec<Word<2>>| {
                let case = cases.iter().find(|((arguments,), _)| *arguments == list);
                case.map_or_else(|| sorted(list.clone()), |(_, result)| result.clone())
            };
            refine.mutant("given", Box::new(changed))
        },
    );
    let given = given.run().expect("a report");
    for property in 0..5 {
        for mutant in 0..600 {
            let cells = [ran.matrix().cell(property, mutant), given.matrix().cell(property, mutant)];
            assert_eq!(cells[0], cells[1], "property {property}, {}", ran.matrix().mutants()[mutant]);
        }
    }
}

#[test]
fn a_small_run_that_grows_ends_as_a_large_run_does() {
    let time = std::time::Duration::from_secs(60);
    let and = || {
        Refine::new(function("and", |p: bool, q: bool| p && q))
            .property("commutative", |and, (p, q): (bool, bool)| and(p, q) == and(q, p))
            .property("idempotent", |and, p: bool| and(p, p) == p)
    };
    let grown = and().mutants(2).tests(2).grow_for(time).run().expect("a report");
    let large = and().run().expect("a report");
    assert!(grown.is_exhaustive());
    assert_eq!(grown, large);
}

#[test]
fn what_is_discarded_is_no_failure_and_what_panics_is_one() {
    let report = sort::<Word<2>>()
        .property("nothing", |_, _: Vec<Word<2>>| None::<bool>)
        .property("not empty", |sort, x: Word<2>| assert!(sort(vec![x]).len() == 1))
        .mutants(10)
        .tests(10)
        .run()
        .expect("a report");
    // Of the first ten mutants, sort([0]) = [] and sort([1]) = [].
    assert_eq!((report.matrix().kills(0), report.matrix().kills(1)), (0, 2));
}
