//! Random mutators: all that they can do, found by making every choice.

use mutagen_engine::{Count, Generate, Mutable, RootMutants, Scope, Source};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// What the value can turn into, one for each sequence of choices.
fn outcomes_in<T: Mutable + Clone>(value: &T, size: usize, scope: Scope) -> Vec<T> {
    let mut source = Source::enumerating().with_scope(scope);
    let mut outcomes = Vec::new();
    loop {
        let mut mutant = value.clone();
        mutant.mutate_randomly(&mut source, size);
        outcomes.push(mutant);
        if !source.advance() {
            return outcomes;
        }
    }
}

fn outcomes<T: Mutable + Clone>(value: &T, size: usize) -> Vec<T> {
    outcomes_in(value, size, Scope::new())
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Instruction {
    Nop,
    Push(u8),
    Call(u8),
    Add,
}
use Instruction::*;

#[test]
fn a_constructor_without_fields_becomes_each_other_one_with_fresh_fields() {
    assert_eq!(outcomes(&Nop, 1), [Push(0), Push(1), Call(0), Call(1), Add]);
}

#[test]
fn a_field_is_mutated_or_goes_on_in_another_constructor() {
    // 7 itself: zero, or fresh, which is 0 or 1.
    assert_eq!(outcomes(&Push(7), 1), [Push(0), Push(1), Push(0), Nop, Call(7), Add]);
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Stack {
    Empty,
    Data(bool, Box<Stack>),
    Return(bool, Box<Stack>),
}

#[test]
fn a_field_of_the_same_type_can_become_the_whole() {
    use Stack::*;
    let data = |value, rest| Data(value, Box::new(rest));
    // Mutate the atom; mutate the tail (which can grow in four ways); return the tail; drop all; the other constructor.
    let rest = Empty;
    assert_eq!(
        outcomes(&data(true, rest), 0),
        [
            data(false, Empty),
            data(true, data(false, Empty)),
            data(true, data(true, Empty)),
            data(true, Return(false, Box::new(Empty))),
            data(true, Return(true, Box::new(Empty))),
            Empty,
            Empty,
            Return(true, Box::new(Empty)),
        ]
    );
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Shuffled {
    One(bool, u8),
    Two(u8, bool),
    Three(u8, bool, u8),
}

#[test]
fn constructors_convert_only_if_the_fields_of_one_are_those_of_the_other_in_order() {
    let others: Vec<_> = outcomes(&Shuffled::One(true, 0), 0)
        .into_iter()
        .filter(|o| !matches!(o, Shuffled::One(..)))
        .collect();
    assert_eq!(others, [Shuffled::Three(0, true, 0)], "Two has the fields in another order");
    let smaller: Vec<_> = outcomes(&Shuffled::Three(5, true, 6), 0)
        .into_iter()
        .filter(|o| !matches!(o, Shuffled::Three(..)))
        .collect();
    assert_eq!(smaller, [Shuffled::One(true, 6), Shuffled::Two(5, true)]);
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Only;

#[test]
fn a_value_with_nothing_to_change_becomes_a_fresh_one() {
    assert_eq!(outcomes(&Only, 3), [Only]);
}

struct Simd(bool);

struct Doubled;

impl RootMutants<u32> for Doubled {
    fn count(_: &u32, _: &Scope) -> Count {
        Count::fixed(1)
    }
    fn mutate(value: &mut u32, _: usize, _: &mut Source) -> bool {
        *value *= 2;
        true
    }
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Attributed {
    Plain,
    #[mutagen(skip)]
    Never,
    #[mutagen(when = |scope: &Scope| scope.get::<Simd>().is_some_and(|simd| simd.0))]
    Vector,
    Held {
        #[mutagen(skip, default = 9)]
        fixed: u32,
        #[mutagen(mutants = Doubled, generate = |_: &mut Source, _| 3)]
        number: u32,
    },
}

#[test]
fn attributes_rule_random_mutation_too() {
    use Attributed::*;
    let held = |fixed, number| Held { fixed, number };
    assert_eq!(
        outcomes(&Plain, 1),
        [held(9, 3)],
        "never a skipped variant, nor one that the scope rules out"
    );
    assert_eq!(outcomes_in(&Plain, 1, Scope::new().with(Simd(true))), [Vector, held(9, 3)]);
    assert_eq!(outcomes(&Never, 1), [Plain, held(9, 3)]);
    assert_eq!(outcomes(&held(1, 4), 1), [held(1, 8), Plain], "the skipped field stays");
}

#[test]
fn numbers_become_zero_or_fresh() {
    assert_eq!(outcomes(&0i8, 1), [0, 1, -1], "zero has nothing but fresh ones");
    assert_eq!(outcomes(&5i8, 1), [0, 1, -1, 0]);
    assert_eq!(outcomes(&true, 1), [false]);
}

#[test]
fn lists_change_or_lose_an_element_or_grow_at_the_end() {
    assert_eq!(outcomes(&Vec::<bool>::new(), 1), [vec![], vec![false], vec![true]]);
    let mutants = outcomes(&vec![true, true], 0);
    assert_eq!(
        mutants,
        [
            vec![false, true],
            vec![true],
            // Two of four go on from the first element, and one of three from the second.
            vec![true, false],
            vec![true],
            vec![true, true],
            vec![true, false],
            vec![true],
            vec![true, true],
        ]
    );
    let texts = outcomes(&"b".to_owned(), 0);
    assert!(
        texts.ends_with(&["".into(), "b".into()]) && texts.contains(&"q".into()),
        "text is a list of characters"
    );
}

#[test]
fn options_results_and_tuples_change_inside_or_become_the_other() {
    assert_eq!(outcomes(&None::<bool>, 1), [None, Some(false), Some(true)]);
    assert_eq!(outcomes(&Some(true), 1), [Some(false), None]);
    assert_eq!(outcomes(&Ok::<bool, ()>(true), 1), [Ok(false), Err(())]);
    assert_eq!(outcomes(&(true, false), 1), [(false, false), (true, true)]);
    assert_eq!(outcomes(&[true, false], 1), [[false, false], [true, true]]);
}

#[test]
fn maps_change_a_value_or_a_key_or_lose_or_gain_an_entry() {
    let map = |entries: &[(u8, bool)]| entries.iter().copied().collect::<BTreeMap<_, _>>();
    let mutants = outcomes(&map(&[(5, true)]), 0);
    assert_eq!(mutants, [map(&[(5, false)]), map(&[(0, true)]), map(&[]), map(&[(5, true)])]);
}

/// A type with hand-written mutants only.
#[derive(Clone, PartialEq, Debug)]
struct Dial(u8, bool);

impl Generate for Dial {
    fn generate(_: &mut Source, _: usize) -> Self {
        Dial(0, false)
    }
    fn smallest() -> Self {
        Dial(0, false)
    }
}

impl Mutable for Dial {
    fn children(&self) -> usize {
        1
    }
    fn child(&self, _: usize) -> &dyn Mutable {
        &self.1
    }
    fn child_mut(&mut self, _: usize) -> &mut dyn Mutable {
        &mut self.1
    }
    fn count(&self, _: &Scope) -> Count {
        Count::fixed(2)
    }
    fn mutate(&mut self, number: usize, _: &mut Source) -> bool {
        self.0 = [10, 20][number];
        true
    }
}

#[test]
fn hand_written_types_mutate_a_child_or_take_one_of_their_mutants() {
    assert_eq!(outcomes(&Dial(1, true), 1), [Dial(1, false), Dial(10, true), Dial(20, true)]);
}
