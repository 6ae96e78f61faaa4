//! Enumerations by size: how many values there are of each, in which order, and without repetition.

use mutagen_engine::{
    Campaign, Generate, Listable, Listed, Mutable, Scope, SmallCheck, SmallCheckConfig, StopReason, Strategy,
    Tiers,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many values there are of each size, for the first `sizes`.
fn counts<T: 'static>(tiers: &Tiers<T>, sizes: usize) -> Vec<usize> {
    (0..sizes).map(|size| tiers.tier(size).count()).collect()
}

fn all<T: 'static>(tiers: &Tiers<T>) -> Vec<T> {
    tiers.values().collect()
}

/// The numbers from 0 to 3.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word2(u8);

impl Listable for Word2 {
    fn tiers() -> Tiers<Self> {
        Tiers::one_by_one((0..4).map(Word2))
    }
}

fn below(n: u8) -> Tiers<u8> {
    Tiers::one_by_one(0..n)
}

#[test]
fn the_first_tiers_have_the_published_sizes() {
    assert_eq!(counts(&bool::tiers(), 3), [2, 0, 0]);
    assert_eq!(counts(&u64::tiers(), 9), [1; 9]);
    assert_eq!(counts(&<(u64, u64)>::tiers(), 9), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(counts(&<(u64, u64, u64)>::tiers(), 6), [1, 3, 6, 10, 15, 21]);
    assert_eq!(counts(&Vec::<u64>::tiers(), 9), [1, 1, 2, 4, 8, 16, 32, 64, 128]);
    let nested = [1, 1, 2, 5, 13, 34, 89, 233, 610, 1597, 4181, 10946];
    assert_eq!(counts(&Vec::<Vec<u64>>::tiers(), 12), nested);
    assert_eq!(counts(&Vec::<bool>::tiers(), 6), [1, 2, 4, 8, 16, 32]);
}

#[test]
fn sets_bags_and_arrangements_have_the_known_sizes() {
    assert_eq!(counts(&bool::tiers().sets(), 4), [1, 2, 1, 0]);
    assert_eq!(counts(&below(3).sets(), 8), [1, 1, 1, 2, 1, 1, 1, 0]);
    assert_eq!(counts(&u64::tiers().sets(), 12), [1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12]);
    assert_eq!(counts(&BTreeSet::<Word2>::tiers(), 12), [1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 1, 0]);
    assert_eq!(counts(&bool::tiers().bags(), 5), [1, 2, 3, 4, 5]);
    assert_eq!(counts(&u64::tiers().bags(), 12), [1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56]);
    assert_eq!(counts(&below(2).bags(), 12), [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
    assert_eq!(counts(&u64::tiers().arrangements(), 12), [1, 1, 1, 3, 3, 5, 11, 13, 19, 27, 57, 65]);
    assert_eq!(counts(&bool::tiers().arrangements(), 4), [1, 2, 2, 0]);
}

#[test]
fn sets_of_sets_and_maps_have_the_known_sizes() {
    type Words = BTreeSet<Word2>;
    assert_eq!(counts(&BTreeSet::<Words>::tiers(), 12), [1, 1, 1, 2, 3, 5, 7, 10, 13, 18, 24, 32]);
    let thrice = [1, 1, 1, 2, 3, 6, 11, 19, 31, 52, 85, 140];
    assert_eq!(counts(&BTreeSet::<BTreeSet<Words>>::tiers(), 12), thrice);
    assert_eq!(counts(&BTreeMap::<bool, bool>::tiers(), 4), [1, 4, 4, 0]);
    assert_eq!(counts(&BTreeMap::<u64, u64>::tiers(), 12), [1, 1, 2, 4, 7, 12, 20, 33, 53, 84, 131, 202]);
}

#[test]
fn what_follows_may_depend_on_what_was_taken() {
    // Graphs: a set of nodes, and for each node a set of successors among them, counted by their places.
    let graphs = below(6).sets().flat_map(|nodes| {
        let successors = Tiers::one_by_one(0..nodes.len()).sets();
        Tiers::all_of(vec![successors; nodes.len()])
    });
    assert_eq!(counts(&graphs, 12), [1, 1, 2, 3, 5, 9, 16, 25, 38, 60, 93, 144]);
}

#[test]
fn the_order_inside_a_tier_is_that_of_the_first_part_by_size() {
    let lists: Vec<Vec<u64>> = Vec::tiers().values().take(8).collect();
    let expected: [&[u64]; 8] = [&[], &[0], &[0, 0], &[1], &[0, 0, 0], &[0, 1], &[1, 0], &[2]];
    assert_eq!(lists, expected);
    let sets: Vec<Vec<u64>> = u64::tiers().sets().tier(6).collect();
    assert_eq!(sets, [vec![0, 1, 2], vec![0, 4], vec![1, 3], vec![5]]);
}

#[test]
fn numbers_are_listed_from_the_simplest_on_and_each_once() {
    assert_eq!(i64::tiers().values().take(5).collect::<Vec<_>>(), [0, 1, -1, 2, -2]);
    let bytes = all(&i8::tiers());
    assert_eq!((bytes.len(), bytes.last()), (256, Some(&-128)));
    assert_eq!(bytes.into_iter().collect::<BTreeSet<i8>>().len(), 256);
    assert_eq!(all(&u8::tiers()), (0..=255).collect::<Vec<u8>>());
    let floats: Vec<f64> = f64::tiers().values().take(12).collect();
    let infinity = f64::INFINITY;
    assert_eq!(
        floats,
        [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, infinity, -infinity, -2.0, 1.0 / 3.0, -1.0 / 3.0, 1.5]
    );
    let forgotten: Vec<f64> = f64::tiers().values().skip(12).take(2).collect();
    assert!(forgotten[0].is_nan() && forgotten[1] == 0.0 && forgotten[1].is_sign_negative());
    assert_eq!(char::tiers().values().take(5).collect::<String>(), "a bAc");
    let characters: Vec<char> = char::tiers().values().take(200).collect();
    assert_eq!(characters.iter().collect::<BTreeSet<_>>().len(), 200);
}

#[test]
fn finite_enumerations_end() {
    assert_eq!(all(&<[bool; 3]>::tiers()).len(), 8);
    assert_eq!(all(&<(bool, Option<bool>, ())>::tiers()).len(), 6);
    assert_eq!(all(&Result::<bool, Option<()>>::tiers()), [Ok(false), Err(None), Ok(true), Err(Some(()))]);
    assert_eq!(all(&BTreeSet::<BTreeSet<bool>>::tiers()).len(), 16);
    assert_eq!(all(&bool::tiers().flat_map(|many| below(if many { 3 } else { 1 }))), [0, 0, 1, 2]);
    assert!(all(&Tiers::<u8>::empty()).is_empty());
}

#[derive(Generate, Mutable, Listable, Clone, PartialEq, Debug, Hash)]
enum Shape {
    Dot,
    #[mutagen(skip)]
    Secret,
    Line {
        length: u8,
        #[mutagen(skip, default = 7)]
        color: u8,
    },
    Group(Vec<Shape>),
}

#[test]
fn derived_tiers_follow_the_declaration_without_what_is_skipped() {
    use Shape::*;
    let line = |length| Line { length, color: 7 };
    let first: Vec<Shape> = Shape::tiers().values().take(6).collect();
    assert_eq!(first, [Dot, line(0), Group(vec![]), line(1), Group(vec![Dot]), line(2)]);
}

#[derive(Listable, Clone, PartialEq, Debug)]
enum Expression<V> {
    Variable(V),
    Minus(Box<Expression<V>>),
    Sum(Box<Expression<V>>, Box<Expression<V>>),
}

#[test]
fn recursive_and_generic_types_are_listed_without_repetition() {
    let all: Vec<String> =
        Expression::<bool>::tiers().values().take(500).map(|value| format!("{value:?}")).collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 500);
    assert_eq!(counts(&Expression::<bool>::tiers(), 4), [0, 2, 2, 6]);
}

#[test]
fn smallcheck_tests_each_listed_value_once() {
    let mut all = Vec::new();
    let mut guidance = SmallCheck::with_generator(SmallCheckConfig { max_size: 5 }, Listed);
    let report = Campaign::new(0).run(&mut guidance, &mut |value: &Vec<u8>| all.push(value.clone()));
    assert_eq!((report.stop, all.len()), (StopReason::Exhausted, 1 + 1 + 2 + 4 + 8 + 16));
    assert_eq!(all, Vec::<u8>::tiers().values().take(32).collect::<Vec<_>>());
}

#[test]
fn smallcheck_by_name_uses_the_list_of_the_type() {
    let strategy: Strategy = "smallcheck,max-size=2".parse().expect("a strategy");
    let mut all = Vec::new();
    let mut guidance = strategy.guidance(0, Scope::new(), Listed);
    Campaign::new(0).run(&mut guidance, &mut |value: &Shape| all.push(value.clone()));
    assert_eq!(all, Shape::tiers().values().take(5).collect::<Vec<_>>());
}
