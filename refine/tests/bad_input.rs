//! Each mistake gets one clear message.

use mutagen_engine::Listable;
use mutagen_refine::{Error, Fate, Function, KillMatrix, Refine, RefineReport, function};

type Not = Function<fn(bool) -> bool>;

fn not() -> Refine<Not> {
    Refine::new(function("not", |p: bool| !p))
}

fn message(result: Result<RefineReport, Error>) -> String {
    result.expect_err("a mistake").to_string()
}

#[test]
fn no_properties_are_refused() {
    assert_eq!(not().run(), Err(Error::NoProperties));
    assert_eq!(RefineReport::of(KillMatrix::default()), Err(Error::NoProperties));
}

#[test]
fn a_property_that_is_false_of_the_original_is_said_first() {
    let run = not()
        .property("fine", |not, p: bool| not(not(p)) == p)
        .property("wrong", |not, p: bool| not(p) == p || p)
        .run();
    let message = message(run);
    assert!(message.starts_with("property 2 (wrong) is false of the original functions"), "{message}");
    assert!(message.contains("counterexample: false"), "{message}");
}

#[test]
fn a_property_that_panics_with_the_original_is_said_first() {
    let run = not().property("loud", |_, p: bool| if p { panic!("too loud") } else { true }).run();
    let message = message(run);
    assert!(message.starts_with("property 1 (loud) panics with the original functions"), "{message}");
    assert!(message.contains("arguments: true") && message.contains("too loud"), "{message}");
}

#[test]
fn budgets_of_zero_are_refused() {
    let fine = || not().property("twice", |not, p: bool| not(not(p)) == p);
    assert_eq!(fine().tests(0).run(), Err(Error::NoTests));
    assert_eq!(fine().mutants(0).run(), Err(Error::NoMutants));
    assert!(fine().mutants(0).mutant("identity", Box::new(|p| p)).run().is_ok());
}

#[test]
fn functions_that_cannot_be_otherwise_have_no_mutants() {
    #[derive(Listable, Clone, PartialEq, Debug)]
    struct Only;
    let only = Refine::new(function("only", |_: Vec<u64>| Only));
    let message = message(only.property("is called", |only, xs: Vec<u64>| only(xs) == Only).run());
    assert!(message.starts_with("there are no mutants"), "{message}");
    let mut matrix = KillMatrix::new(["property"]);
    assert_eq!(RefineReport::of(matrix.clone()), Err(Error::NoMutants));
    matrix.push("mutant", [Fate::Killed]);
    assert!(RefineReport::of(matrix).is_ok());
}

#[test]
fn more_properties_than_can_be_compared_are_refused() {
    let mut matrix = KillMatrix::new((0..65).map(|number| number.to_string()));
    matrix.push("mutant", vec![Fate::Killed; 65]);
    assert_eq!(RefineReport::of(matrix), Err(Error::TooManyProperties(65)));
}

#[test]
fn more_classes_than_anybody_reads_are_refused() {
    // Each property kills a mutant of its own: all subsets differ.
    let mut matrix = KillMatrix::new((0..40).map(|number| number.to_string()));
    for mutant in 0..40 {
        let cell = |property| if property == mutant { Fate::Killed } else { Fate::Survived };
        matrix.push("mutant", (0..40).map(cell));
    }
    assert!(matches!(RefineReport::of(matrix), Err(Error::TooManyClasses(_))));
}
