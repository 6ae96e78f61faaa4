//! What can be derived, and what the attributes do.

use mutagen_engine::{Count, Generate, Mutable, MutantsConfig, RootMutants, Scope, Source, mutants};
use std::fmt::Debug;
use std::marker::PhantomData;

fn all_in<T: Mutable + Clone>(value: &T, scope: &Scope) -> Vec<T> {
    let config = MutantsConfig { samples: 0, ..MutantsConfig::default() };
    mutants(value, &config, scope).map(|(_, mutant)| mutant).collect()
}

fn all<T: Mutable + Clone>(value: &T) -> Vec<T> {
    all_in(value, &Scope::new())
}

fn generated<T: Generate>(size: usize) -> Vec<T> {
    let mut source = Source::seeded(11);
    (0..500).map(|_| T::generate(&mut source, size)).collect()
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Unit;

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Empty {}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Pair(bool, bool);

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Named {
    flag: bool,
    unit: Unit,
}

#[test]
fn structs_of_all_three_shapes_derive() {
    assert_eq!(all(&Unit), []);
    assert_eq!(all(&Empty {}), []);
    assert_eq!(
        all(&Pair(true, false)),
        [(true, true), (false, true), (false, false), (false, false), (true, true)].map(|(a, b)| Pair(a, b))
    );
    assert_eq!(all(&Named { flag: false, unit: Unit }), [Named { flag: true, unit: Unit }]);
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Search<K, V> {
    Empty,
    Node { key: K, value: V, left: Box<Search<K, V>>, right: Box<Self> },
}

#[test]
fn generic_types_derive_and_see_their_own_name_and_self_as_one_type() {
    let leaf =
        |key| Search::Node { key, value: (), left: Box::new(Search::Empty), right: Box::new(Search::Empty) };
    let tree =
        Search::Node { key: true, value: (), left: Box::new(leaf(false)), right: Box::new(Search::Empty) };
    assert_eq!(tree.count(&Scope::new()), Count::fixed(2 + 1 + 3));
    assert_eq!(all(&tree)[..3], [leaf(false), Search::Empty, Search::Empty]);
}

#[test]
fn type_parameters_are_different_types_even_where_they_are_given_the_same_one() {
    let tree = Search::Node {
        key: true,
        value: false,
        left: Box::new(Search::Empty),
        right: Box::new(Search::Empty),
    };
    assert_eq!(tree.count(&Scope::new()), Count::fixed(2 + 1 + 3));
    assert!(all(&tree).iter().all(|mutant| !matches!(mutant, Search::Node { key: false, value: true, .. })));
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Grid<T, const N: usize>([T; N], PhantomData<T>);

#[test]
fn constant_parameters_and_phantom_data_derive() {
    let grid = Grid([true, false], PhantomData);
    assert_eq!(all(&grid), [Grid([false, false], PhantomData), Grid([true, true], PhantomData)]);
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Rose {
    value: bool,
    children: Vec<Rose>,
}

#[test]
fn a_type_inside_its_own_vector_derives_and_ends() {
    assert_eq!(Rose::smallest(), Rose { value: false, children: vec![] });
    assert!(generated::<Rose>(0).iter().all(|rose| rose.children.is_empty()));
    assert!(generated::<Rose>(3).iter().any(|rose| rose.children.len() == 2));
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Statement {
    Skip,
    Print(Expression),
    While(Box<Expression>, Vec<Statement>),
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Expression {
    Number(u8),
    Run(Box<Statement>, Box<Expression>),
    Do(Box<Statement>),
}

fn depth(value: &dyn Mutable) -> usize {
    (0..value.children()).map(|index| 1 + depth(value.child(index))).max().unwrap_or(0)
}

#[test]
fn mutually_recursive_types_derive_and_generation_ends_at_every_size() {
    for size in [0, 1, 4] {
        let values = generated::<Statement>(size);
        let deepest = values.iter().map(|value| depth(value)).max();
        assert!(deepest <= Some(6 * (size + 1)), "size {size} gave depth {deepest:?}");
    }
    assert!(generated::<Statement>(4).iter().any(|value| depth(value) > 6));
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Chicken {
    From(Box<Egg>),
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
#[mutagen(smallest = Egg::none)]
enum Egg {
    None,
    Of(Box<Chicken>),
}

impl Egg {
    fn none() -> Self {
        Egg::None
    }
}

#[test]
fn types_that_need_each_other_end_by_the_smallest_value_of_one() {
    assert_eq!(Chicken::smallest(), Chicken::From(Box::new(Egg::None)));
    assert!(generated::<Chicken>(3).iter().all(|chicken| depth(chicken) <= 9));
    assert_eq!(all(&Chicken::smallest()), [Chicken::From(Box::new(Egg::Of(Box::new(Chicken::smallest()))))]);
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Number {
    Of(Box<Calculation>),
    Literal(u8),
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Calculation {
    Negate(Box<Number>),
}

#[test]
fn the_smallest_value_avoids_boxes_since_they_may_lead_back() {
    assert_eq!(Number::smallest(), Number::Literal(0));
    assert_eq!(Calculation::smallest(), Calculation::Negate(Box::new(Number::Literal(0))));
    assert!(all(&Calculation::smallest()).len() > 1);
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Wrapper(Box<Wrapped>);

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Wrapped {
    Again(Wrapper),
    Leaf(u8, u8),
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Attempt {
    Retried(Result<Box<Attempt>, u8>),
    Failed(u8, u8),
}

#[test]
fn the_smallest_value_avoids_types_of_other_definitions_and_the_first_case_of_a_result() {
    assert_eq!(Wrapper::smallest(), Wrapper(Box::new(Wrapped::Leaf(0, 0))));
    assert_eq!(Attempt::smallest(), Attempt::Failed(0, 0));
    assert!(generated::<Attempt>(3).iter().all(|attempt| depth(attempt) <= 9));
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Day(Box<Night>);

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Night(Box<Day>);

#[test]
#[should_panic(expected = "has no end: mark a variant")]
fn types_that_contain_each_other_without_end_say_so() {
    Day::smallest();
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Boxes {
    Plain(u8, Option<bool>),
    Boxed(Box<u8>, Box<Option<bool>>),
}

#[test]
fn a_boxed_field_and_a_plain_one_stand_for_each_other() {
    let plain = Boxes::Plain(7, Some(true));
    let boxed = Boxes::Boxed(Box::new(7), Box::new(Some(true)));
    assert_eq!(all(&plain)[0], boxed);
    assert_eq!(all(&boxed)[0], plain);
}

/// The empty text.
struct Clearing;

impl RootMutants<Box<str>> for Clearing {
    fn count(_: &Box<str>, _: &Scope) -> Count {
        Count::fixed(1)
    }

    fn mutate(value: &mut Box<str>, _: usize, _: &mut Source) -> bool {
        !std::mem::take(value).is_empty()
    }
}

fn hello(_: &mut Source, _: usize) -> Box<str> {
    "hello".into()
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Text {
    Plain(#[mutagen(mutants = Clearing, generate = hello, default = "new".into())] Box<str>),
    Bold(#[mutagen(mutants = Clearing, generate = hello, default = "new".into())] Box<str>),
    Rule,
}

#[test]
fn what_cannot_leave_its_box_is_reused_in_it() {
    let plain = Text::Plain("old".into());
    assert_eq!(all(&plain), [Text::Bold("old".into()), Text::Rule, Text::Plain("".into())]);
    assert_eq!(all(&Text::Rule), [Text::Plain("new".into()), Text::Bold("new".into())]);
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Spread {
    Two(u8, u8),
    Four(u8, Box<u8>, bool, u8),
}

#[test]
fn fields_that_are_used_twice_are_copied() {
    let fours: Vec<_> =
        all(&Spread::Two(1, 2)).into_iter().filter(|value| matches!(value, Spread::Four(..))).collect();
    let expected = [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1), (2, 1, 2), (2, 2, 1), (2, 2, 2)];
    assert_eq!(fours, expected.map(|(a, b, c)| Spread::Four(a, Box::new(b), false, c)));
}

#[derive(Clone, Copy)]
struct Simd(bool);

fn has_simd(scope: &Scope) -> bool {
    scope.get::<Simd>().is_some_and(|simd| simd.0)
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Operation {
    #[mutagen(when = has_simd)]
    Vector,
    #[mutagen(skip)]
    Private,
    Scalar(bool),
    #[mutagen(default)]
    Trap(bool, bool),
}

#[test]
fn a_condition_rules_a_variant_out_of_mutation_and_generation() {
    let on = Scope::new().with(Simd(true));
    let scalar = Operation::Scalar(true);
    assert_eq!(scalar.count(&Scope::new()), Count::fixed(1));
    assert_eq!(scalar.count(&on), Count::fixed(2));
    let root: Vec<_> = all_in(&scalar, &on);
    assert_eq!(root, [Operation::Vector, Operation::Trap(true, true), Operation::Scalar(false)]);
    assert_eq!(all(&scalar), root[1..]);
    let generate = |scope: Scope| {
        let mut source = Source::seeded(1).with_scope(scope);
        (0..200)
            .map(|_| Operation::generate(&mut source, 3))
            .filter(|value| *value == Operation::Vector)
            .count()
    };
    assert_eq!(generate(Scope::new()), 0);
    assert!((30..100).contains(&generate(on)));
}

#[test]
fn a_skipped_variant_is_never_made_but_can_be_left() {
    assert!(!generated::<Operation>(5).contains(&Operation::Private));
    assert!(!all(&Operation::Scalar(true)).contains(&Operation::Private));
    assert_eq!(all(&Operation::Private), [Operation::Scalar(false), Operation::Trap(false, false)]);
}

#[test]
fn the_default_variant_is_the_smallest() {
    assert_eq!(Operation::smallest(), Operation::Trap(false, false));
    assert_eq!((Operation::smallest().magnitude(), Operation::Vector.magnitude()), (0, 1));
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Weighted {
    Rare,
    #[mutagen(weight = 9)]
    Common(u8),
    #[mutagen(weight = 90)]
    Deep(Box<Weighted>),
}

#[test]
fn weights_decide_how_often_a_variant_is_generated() {
    let rare = |size| generated::<Weighted>(size).iter().filter(|value| **value == Weighted::Rare).count();
    assert!((25..80).contains(&rare(0)), "one in ten of 500 without recursion: {}", rare(0));
    assert!((0..20).contains(&rare(1)), "one in a hundred of 500: {}", rare(1));
}

#[derive(Clone, PartialEq, Debug)]
struct Opaque(&'static str);

fn odd(source: &mut Source, _size: usize) -> u8 {
    source.below(100) as u8 * 2 + 1
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Fields {
    First {
        #[mutagen(skip, default = Opaque("new"))]
        note: Opaque,
        #[mutagen(generate = odd, default = 1)]
        odd: u8,
    },
    Second {
        #[mutagen(skip, default = Opaque("other"))]
        note: Opaque,
        #[mutagen(skip)]
        id: u8,
        flag: bool,
    },
}

#[test]
fn skipped_fields_are_kept_by_their_constructor_and_filled_by_another() {
    let first = Fields::First { note: Opaque("mine"), odd: 3 };
    let mutants = all(&first);
    assert_eq!(mutants[0], Fields::Second { note: Opaque("other"), id: 0, flag: false });
    assert_eq!(mutants[1], Fields::First { note: Opaque("mine"), odd: 0 });
    let second = Fields::Second { note: Opaque("mine"), id: 7, flag: true };
    assert_eq!(second.children(), 1);
    assert_eq!(
        all(&second),
        [
            Fields::First { note: Opaque("new"), odd: 1 },
            Fields::Second { note: Opaque("mine"), id: 7, flag: false }
        ]
    );
}

#[test]
fn a_field_generator_replaces_the_one_of_its_type() {
    let values = generated::<Fields>(0);
    assert!(values.iter().any(|value| matches!(value, Fields::First { odd, .. } if *odd > 50)));
    assert!(values.iter().all(|value| !matches!(value, Fields::First { odd, .. } if odd % 2 == 0)));
}

/// Fixed: 10 more. Sampled: a random multiple of 100.
struct Steps;

impl RootMutants<i32> for Steps {
    fn count(_: &i32, _: &Scope) -> Count {
        Count { fixed: 1, sampled: 1 }
    }

    fn mutate(value: &mut i32, number: usize, source: &mut Source) -> bool {
        *value = if number == 0 { *value + 10 } else { 100 * (1 + source.below(5)) as i32 };
        true
    }
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Custom {
    #[mutagen(mutants = Steps)]
    x: i32,
    plain: bool,
    #[mutagen(mutants = Steps)]
    y: i32,
}

#[test]
fn fields_with_their_own_mutants_add_them_to_the_root_and_are_no_positions() {
    let value = Custom { x: 1, plain: false, y: 2 };
    assert_eq!((value.children(), value.count(&Scope::new())), (1, Count { fixed: 5, sampled: 2 }));
    let pairs: Vec<_> = all(&value)[..5].iter().map(|value| (value.x, value.y)).collect();
    assert_eq!(pairs, [(1, 1), (2, 1), (2, 2), (11, 2), (1, 12)]);
    let mut source = Source::seeded(3);
    let mut sample = |number| {
        let mut mutant = value.clone();
        assert!(mutant.mutate(number, &mut source));
        (mutant.x % 100, mutant.y % 100)
    };
    assert_eq!((sample(5), sample(6)), ((0, 2), (1, 0)));
}

struct Doubling;

impl RootMutants<Whole> for Doubling {
    fn count(_: &Whole, _: &Scope) -> Count {
        Count::fixed(1)
    }

    fn mutate(value: &mut Whole, _: usize, _: &mut Source) -> bool {
        value.0 *= 2;
        value.0 != 0
    }
}

fn seven(_: &mut Source, _: usize) -> Whole {
    Whole(7, true)
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
#[mutagen(mutants = Doubling, generate = seven)]
struct Whole(i32, #[mutagen(default = true)] bool);

#[test]
fn a_type_can_bring_its_own_root_mutants_generator_and_fillers() {
    assert_eq!(Whole::smallest(), Whole(0, true));
    assert_eq!(generated::<Whole>(9)[0], Whole(7, true));
    let value = Whole(3, false);
    assert_eq!((value.children(), all(&value)[0].clone()), (2, Whole(6, false)));
}

trait Unit2 {
    type Part: Mutable + Clone + PartialEq + Debug;
}

#[derive(Clone, PartialEq, Debug, Generate, Mutable)]
struct Meter;

impl Unit2 for Meter {
    type Part = bool;
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
#[mutagen(bound = "U: Unit2")]
struct Measured<U: Unit2>(U, U::Part);

#[test]
fn bounds_can_be_added_for_associated_types() {
    assert_eq!(all(&Measured(Meter, false)), [Measured(Meter, true)]);
}

#[test]
fn a_number_that_is_too_large_changes_nothing() {
    let mut source = Source::seeded(0);
    let mut value = Spread::Two(1, 2);
    let mut list = vec![1u8, 2];
    assert!(
        !value.mutate(1000, &mut source) && !list.mutate(1000, &mut source) && !3u8.mutate(1000, &mut source)
    );
    assert_eq!((value, list), (Spread::Two(1, 2), vec![1, 2]));
}

/// A definition in some other crate.
mod elsewhere {
    #[derive(Clone, PartialEq, Debug)]
    pub struct Pair<T>(pub T, pub Option<Box<Term>>);

    #[derive(Clone, PartialEq, Debug)]
    pub enum Term {
        Number(i8),
        Sum(Vec<Term>),
        Pair { inner: Pair<bool> },
    }
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
#[mutagen(remote = elsewhere::Pair<bool>)]
struct MirroredPair(bool, Option<Box<MirroredTerm>>);

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
#[mutagen(remote = elsewhere::Term)]
enum MirroredTerm {
    #[mutagen(default)]
    Number(i8),
    Sum(Vec<MirroredTerm>),
    Pair {
        inner: MirroredPair,
    },
}

#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
struct Holder {
    before: u8,
    #[mutagen(with = MirroredTerm)]
    term: elsewhere::Term,
}

#[test]
fn a_foreign_type_has_the_values_and_the_mutants_of_its_mirror() {
    for seed in 0..50 {
        let mirror = MirroredTerm::generate(&mut Source::seeded(seed), 5);
        let foreign: elsewhere::Term = mirror.clone().into();
        assert_eq!(MirroredTerm::from(foreign.clone()), mirror);

        let holder = Holder { before: 3, term: foreign };
        let found: Vec<elsewhere::Term> =
            all(&holder).into_iter().filter(|mutant| mutant.before == 3).map(|mutant| mutant.term).collect();
        let expected: Vec<elsewhere::Term> = all(&mirror).into_iter().map(Into::into).collect();
        assert_eq!(found.len(), expected.len());
        for mutant in expected {
            assert!(found.contains(&mutant), "{mutant:?} is missing");
        }
        assert_eq!(
            Holder::from_text(&holder.to_text().expect("it has a text")).expect("it reads back"),
            holder
        );
    }
    assert_eq!(Holder::smallest().term, elsewhere::Term::Number(0));
}
