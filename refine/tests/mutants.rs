//! The mutants of functions: how many of each size, which come first, and that none comes twice.

use mutagen_engine::{Listable, Tiers};
use mutagen_refine::{UnderTest, Word, function};
use std::collections::BTreeSet;

/// How many mutants there are of sizes 1 to 10.
fn counts<T: 'static>(tiers: Tiers<T>) -> Vec<usize> {
    (1..=10).map(|size| tiers.tier(size).count()).collect()
}

fn sort<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list
}

/// The first mutants, as equations.
fn first<S: UnderTest>(subject: &S, amount: usize) -> Vec<String> {
    let mutations = subject.mutations().values().skip(1).take(amount);
    mutations.map(|mutation| subject.describe(&mutation).join("; ")).collect()
}

#[test]
fn the_numbers_of_mutants_by_size_are_those_of_the_paper() {
    assert_eq!(counts(function("not", |p: bool| !p).mutants()), [2, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(counts(function("id", |n: u64| n).mutants()), [0, 2, 2, 5, 7, 13, 19, 34, 49, 80]);
    let integers = counts(function("+", |m: i64, n: i64| m + n).mutants());
    assert_eq!(integers, [0, 3, 4, 12, 24, 56, 113, 247, 499, 1034]);
    let sorts = counts(function("sort", sort::<u64>).mutants());
    assert_eq!(sorts, [0, 2, 4, 13, 32, 87, 220, 581, 1470, 3772]);
}

#[test]
fn cases_that_share_their_first_argument_pay_for_it_once() {
    let naturals = counts(function("+", |m: u64, n: u64| m + n).mutants());
    assert_eq!(naturals, [0, 3, 4, 14, 25, 63, 127, 284, 576, 1220]);
    let pairs = counts(function("+", |(m, n): (u64, u64)| m + n).mutants());
    assert_eq!(pairs, [0, 3, 4, 13, 23, 55, 103, 227, 427, 869]);
}

#[test]
fn few_elements_mean_fewer_mutants() {
    let words = counts(function("sort", sort::<Word<2>>).mutants());
    assert_eq!(words, [0, 2, 4, 13, 32, 85, 212, 552, 1376, 3476]);
}

#[test]
fn the_first_mutants_are_the_smallest() {
    let not = function("not", |p: bool| !p);
    assert_eq!(
        first(&not, 5),
        ["not(false) = false", "not(true) = true", "not(false) = false; not(true) = true"]
    );
    let id = function("id", |n: u64| n);
    assert_eq!(first(&id, 5), ["id(0) = 1", "id(1) = 0", "id(0) = 2", "id(2) = 0", "id(0) = 3"]);
    let add = function("add", |m: u64, n: u64| m + n);
    assert_eq!(first(&add, 3), ["add(0, 0) = 1", "add(0, 1) = 0", "add(1, 0) = 0"]);
    let sort = function("sort", sort::<u64>);
    assert_eq!(
        first(&sort, 6),
        [
            "sort([]) = [0]",
            "sort([0]) = []",
            "sort([]) = [0, 0]",
            "sort([]) = [1]",
            "sort([0, 0]) = []",
            "sort([1]) = []"
        ]
    );
}

#[test]
fn no_mutant_comes_twice_and_none_is_the_original() {
    let add = function("add", |m: u8, n: u8, o: u8| m.wrapping_add(n).wrapping_add(o));
    let all: Vec<_> = add.mutants().values().skip(1).take(3000).collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 3000);
    let changes = |cases: &Vec<((u8, u8, u8), u8)>| cases.iter().all(|((m, n, o), sum)| m + n + o != *sum);
    assert!(all.iter().all(|cases| !cases.is_empty() && changes(cases)));
}

#[test]
fn a_function_that_panics_has_no_mutants_there() {
    let half = function("half", |n: u64| if n == 1 { panic!("odd") } else { n / 2 });
    assert_eq!(first(&half, 3), ["half(0) = 1", "half(0) = 2", "half(2) = 0"]);
}

#[test]
fn functions_of_four_arguments_change_in_single_cases() {
    let all = function("all", |a: bool, b: bool, c: bool, d: bool| a && b && c && d);
    assert_eq!(first(&all, 1), ["all(false, false, false, false) = true"]);
    assert_eq!(all.mutants().tier(1).count(), 16);
}

#[test]
fn functions_of_a_tuple_change_alone_and_together() {
    let pair = (function("not", |p: bool| !p), function("yes", |p: bool| p));
    let all = first(&pair, 100);
    assert_eq!(all.len(), 15);
    assert_eq!(all[0], "yes(false) = true", "the first function changes last");
    assert!(all.contains(&"not(true) = true; yes(false) = true".to_owned()));
}

#[test]
fn words_have_as_many_values_as_their_bits_allow() {
    assert_eq!(Word::<1>::tiers().values().count(), 2);
    assert_eq!(Word::<8>::tiers().values().count(), 256);
    assert_eq!(Word::<3>::new(9), Word::new(1));
}
