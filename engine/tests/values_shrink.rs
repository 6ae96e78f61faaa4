//! Shrinking: smaller, still failing, within the budget, the same every time.

use mutagen_engine::{
    Count, Generate, Mutable, RootMutants, Scope, SequenceMutants, Shrunk, Source, shrink, shrink_in,
};

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Expression {
    Number(i64),
    Add(Box<Expression>, Box<Expression>),
    Divide(Box<Expression>, Box<Expression>),
    Let { name: String, value: Box<Expression>, body: Box<Expression> },
}
use Expression::*;

fn value(expression: &Expression) -> Option<i64> {
    match expression {
        Number(number) => Some(*number),
        Add(left, right) => value(left)?.checked_add(value(right)?),
        Divide(left, right) => value(left)?.checked_div(value(right)?),
        Let { body, .. } => value(body),
    }
}

fn large() -> Expression {
    let mut source = Source::seeded(3);
    let mut large = || Expression::generate(&mut source, 8);
    std::iter::repeat_with(&mut large).find(|tree| value(tree).is_none()).unwrap_or(Number(0))
}

#[test]
fn a_large_tree_shrinks_to_the_essence_of_its_failure() {
    let shrunk = shrink(large(), |tree| value(tree).is_none(), 10_000);
    assert_eq!(shrunk.value, Divide(Box::new(Number(0)), Box::new(Number(0))));
}

#[test]
fn shrinking_is_deterministic_and_keeps_to_its_budget() {
    let run = |budget| shrink(large(), |tree| value(tree).is_none(), budget);
    assert_eq!(run(10_000), run(10_000));
    for budget in [0, 1, 5, 30] {
        let Shrunk { value: tree, tests, steps } = run(budget);
        assert!(tests <= budget && steps <= tests);
        assert!(value(&tree).is_none(), "a value that was not tested came out of a budget of {budget}");
    }
    assert_eq!(run(0).value, large());
}

#[test]
fn a_long_list_falls_apart_in_few_tests() {
    let list: Vec<u32> = (0..1000).collect();
    let shrunk = shrink(list, |list| list.contains(&700), 200_000);
    assert_eq!(shrunk.value, [700]);
    assert!(shrunk.tests < 2_000, "{} tests", shrunk.tests);
}

#[test]
fn neighbours_that_need_each_other_go_together() {
    // Opening and closing brackets must match; one of them alone cannot be removed.
    let matches = |list: &[i8]| {
        let mut depth = 0;
        list.iter().all(|step| {
            depth += i32::from(*step);
            depth >= 0
        }) && depth == 0
    };
    let shrunk = shrink(vec![1, 1, -1, 2, -1, -1, 1, -1], |list| matches(list) && list.contains(&2), 1_000);
    assert_eq!(shrunk.value, [2, -1, -1]);
    for together in 3..=8 {
        let in_groups = |list: &Vec<bool>| list.len() % together == 1;
        let long = vec![true; 1 + 3 * together];
        assert_eq!(shrink(long, in_groups, 1_000).value, [false], "{together} at once");
    }
}

#[test]
fn numbers_shrink_to_the_boundary_of_the_failure() {
    assert_eq!(shrink(9_876_543_210u64, |&number| number >= 1_000, 1_000).value, 1_000);
    assert_eq!(shrink(-77i32, |&number| number != 0, 1_000).value, 1);
    assert_eq!(shrink(f64::NAN, |number| *number != 0.0, 1_000).value, 1.0);
}

#[test]
fn text_and_variants_shrink_too() {
    let shrunk = shrink("hello world".to_owned(), |text| text.contains('w'), 1_000);
    assert_eq!(shrunk.value, "w");
    let shrunk = shrink((true, Err::<u8, u8>(9), Some(3u8)), |value| value.1.is_err(), 1_000);
    assert_eq!(shrunk.value, (false, Err(0), None));
}

struct FlipSign;

impl RootMutants<f64> for FlipSign {
    fn count(_: &f64, _: &Scope) -> Count {
        Count::fixed(1)
    }

    fn mutate(value: &mut f64, _: usize, _: &mut Source) -> bool {
        *value = -*value;
        true
    }
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Signed(#[mutagen(mutants = FlipSign)] f64);

#[test]
fn a_mutant_that_was_tried_in_place_is_undone_even_if_it_counts_as_equal() {
    let mut tested = Vec::new();
    shrink(
        (5u8, Signed(0.0)),
        |(_, zero)| {
            tested.push(zero.0.to_bits());
            true
        },
        100,
    );
    assert!(!tested.is_empty() && tested.iter().all(|bits| *bits == 0), "{tested:x?}");
}

struct Halving;

impl RootMutants<u32> for Halving {
    fn count(_: &u32, _: &Scope) -> Count {
        Count::fixed(1)
    }

    fn mutate(value: &mut u32, _: usize, _: &mut Source) -> bool {
        std::mem::replace(value, *value / 2) != *value
    }

    fn magnitude(value: &u32) -> u64 {
        u64::from(*value)
    }
}

impl RootMutants<Percent> for Halving {
    fn count(value: &Percent, scope: &Scope) -> Count {
        Self::count(&value.0, scope)
    }

    fn mutate(value: &mut Percent, number: usize, source: &mut Source) -> bool {
        Self::mutate(&mut value.0, number, source)
    }

    fn magnitude(value: &Percent) -> u64 {
        Self::magnitude(&value.0)
    }
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
#[mutagen(mutants = Halving)]
struct Percent(#[mutagen(skip)] u32);

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Volume {
    Silent,
    Loud(#[mutagen(mutants = Halving)] u32),
}

#[test]
fn mutants_written_by_hand_shrink_as_far_as_their_magnitude_says() {
    assert_eq!(shrink(Percent(100), |value| value.0 >= 10, 100).value, Percent(12));
    let loud = |volume: &Volume| matches!(volume, Volume::Loud(10..));
    assert_eq!(shrink(Volume::Loud(100), loud, 100).value, Volume::Loud(12));
    assert!(Volume::Silent.magnitude() < Volume::Loud(0).magnitude());
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Registers(u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8);

#[test]
fn a_position_with_far_too_many_mutants_does_not_keep_the_others_waiting() {
    let registers = Registers(9, 8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 4);
    assert!(registers.count(&Scope::new()).fixed > 1_000_000_000_000);
    let shrunk = shrink(registers, |registers| registers.0 > 5, 2_000);
    assert_eq!(shrunk.value, Registers(6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

#[test]
fn the_scope_decides_which_mutants_are_tried() {
    let list = vec![false, true, false, true];
    let fails = |list: &Vec<bool>| list.ends_with(&[true]);
    let scope = Scope::new().with(SequenceMutants::Paper);
    assert_eq!(shrink_in(&scope, list.clone(), fails, 100).value, [true]);
    assert_eq!(shrink(list, fails, 100).value, [true]);
}
