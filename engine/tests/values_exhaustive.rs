//! That mutants are exhaustive, each with its own address, and cost nothing before they are built.

use mutagen_engine::{
    Address, Generate, Mutable, MutantsConfig, NumberMutants, Order, Permutation, Scope, SequenceMutants,
    Source, apply, mutants, node_at, positions,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

#[derive(Generate, Mutable, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Tree {
    Leaf(bool),
    Branch(Box<Tree>, bool, Box<Tree>),
    Mark(bool, bool),
}
use Tree::{Branch, Leaf, Mark};

fn fixed_mutants<T: Mutable + Clone>(value: &T) -> Vec<T> {
    let config = MutantsConfig { samples: 0, ..MutantsConfig::default() };
    mutants(value, &config, &Scope::new()).map(|(_, mutant)| mutant).collect()
}

const BOTH: [bool; 2] = [false, true];

/// Every tree of at most this depth.
fn all_trees(depth: usize) -> Vec<Tree> {
    let mut trees: Vec<_> = BOTH.map(Leaf).to_vec();
    trees.extend(BOTH.iter().flat_map(|&a| BOTH.map(|b| Mark(a, b))));
    if depth > 0 {
        let smaller = all_trees(depth - 1);
        for (left, right) in smaller.iter().flat_map(|left| smaller.iter().map(move |right| (left, right))) {
            trees.extend(BOTH.map(|value| Branch(Box::new(left.clone()), value, Box::new(right.clone()))));
        }
    }
    trees
}

/// The parts of a tree, by type.
fn parts(tree: &Tree) -> (Vec<&Tree>, Vec<bool>) {
    match tree {
        Leaf(a) => (vec![], vec![*a]),
        Branch(left, a, right) => (vec![left, right], vec![*a]),
        Mark(a, b) => (vec![], vec![*a, *b]),
    }
}

/// The definition of a root mutant, as a question about two trees instead of a way to make one out of the other.
fn is_root_mutant(of: &Tree, tree: &Tree) -> bool {
    let (own_trees, own_flags) = parts(of);
    let (trees, flags) = parts(tree);
    let smallest = Leaf(false);
    let known =
        |tree: &&Tree| if own_trees.is_empty() { **tree == smallest } else { own_trees.contains(tree) };
    own_trees.contains(&tree) || trees.iter().all(known) && flags.iter().all(|flag| own_flags.contains(flag))
}

fn is_mutant(of: &Tree, tree: &Tree) -> bool {
    if of == tree {
        return false;
    }
    let inside = match (of, tree) {
        (Leaf(_), Leaf(_)) => true,
        (Mark(a, b), Mark(c, d)) => a == c || b == d,
        (Branch(l, a, r), Branch(m, b, s)) => {
            (l, r) == (m, s) || (a, r) == (b, s) && is_mutant(l, m) || (l, a) == (m, b) && is_mutant(r, s)
        }
        _ => false,
    };
    inside || is_root_mutant(of, tree)
}

#[test]
fn the_mutants_of_a_tree_are_exactly_those_of_the_definition() {
    let universe = all_trees(2);
    for parent in all_trees(1) {
        let expected: BTreeSet<_> =
            universe.iter().filter(|tree| is_mutant(&parent, tree)).cloned().collect();
        let listed: BTreeSet<_> = fixed_mutants(&parent).into_iter().collect();
        assert_eq!(listed, expected, "mutants of {parent:?}");
    }
}

fn all_lists(length: usize) -> Vec<Vec<u8>> {
    let shorter = if length == 0 { return vec![vec![]] } else { all_lists(length - 1) };
    let longest = shorter.iter().filter(|list| list.len() == length - 1);
    let grown = longest.flat_map(|list| (0..3).map(|item| [&list[..], &[item]].concat()));
    grown.chain(shorter.iter().cloned()).collect()
}

/// Whether `longer` is `list` with one element more, which is `item`, or a neighbour's copy if there is none.
fn is_insertion(list: &[u8], longer: &[u8], item: Option<u8>) -> bool {
    (0..longer.len()).any(|index| {
        let (mut rest, copy) = (longer.to_vec(), index > 0 && longer[index] == longer[index - 1]);
        let inserted = rest.remove(index);
        rest == list && item.map_or(copy, |item| item == inserted)
    })
}

fn is_list_mutant(of: &[u8], list: &[u8]) -> bool {
    let differing: Vec<usize> =
        (0..of.len().min(list.len())).filter(|&index| of[index] != list[index]).collect();
    match list.len() as isize - of.len() as isize {
        2 => (0..of.len()).any(|index| [&of[..index], &[0, of[index], 0], &of[index + 1..]].concat() == list),
        1 => is_insertion(of, list, Some(0)) || is_insertion(of, list, None),
        0 => match differing[..] {
            // 0 and 1 are boundaries; 2 is only a neighbour of 1.
            [i] => list[i] < 2 || of[i] == 1,
            [i, j] => j == i + 1 && (of[i], of[j]) == (list[j], list[i]),
            _ => false,
        },
        -1 => (0..of.len()).any(|index| [&of[..index], &of[index + 1..]].concat() == list),
        _ => of.starts_with(list),
    }
}

#[test]
fn the_mutants_of_a_list_are_exactly_those_of_the_definition() {
    let universe = all_lists(5);
    for parent in all_lists(3) {
        let expected: BTreeSet<_> =
            universe.iter().filter(|list| is_list_mutant(&parent, list)).cloned().collect();
        let listed = fixed_mutants(&parent).into_iter().filter(|list| list.iter().all(|item| *item < 3));
        assert_eq!(listed.collect::<BTreeSet<_>>(), expected, "mutants of {parent:?}");
    }
}

/// Some of everything.
#[derive(Generate, Mutable, Clone, PartialEq, Debug)]
enum Zoo {
    Empty,
    Numbers(i8, u64, i128, f32),
    Text { letter: char, text: String, maybe: Option<String> },
    Many(Vec<Zoo>, [bool; 2], (u8, ())),
    Twins(Box<Zoo>, Box<Zoo>),
    Table(BTreeMap<u8, Result<Box<Zoo>, i16>>),
}

fn zoo() -> impl Iterator<Item = Zoo> {
    let mut source = Source::seeded(2024);
    (0..300).map(move |index| Zoo::generate(&mut source, index % 5))
}

fn scopes() -> [Scope; 2] {
    [Scope::new(), Scope::new().with(SequenceMutants::Paper).with(NumberMutants::Paper)]
}

#[test]
fn no_address_repeats_and_counting_equals_enumerating() {
    let config = MutantsConfig::default();
    for (value, scope) in zoo().flat_map(|value| scopes().map(|scope| (value.clone(), scope))) {
        let addresses: Vec<Address> = mutants(&value, &config, &scope).addresses().collect();
        let distinct: BTreeSet<_> = addresses.iter().collect();
        let by_position = positions(&value, Order::Pre)
            .map(|position| node_at(&value, position.path()).map_or(0, |node| node.count(&scope).draws(1)));
        assert_eq!(addresses.len(), distinct.len(), "an address of {value:?} repeats");
        assert_eq!(addresses.len(), by_position.sum::<usize>());
        assert_eq!(addresses.len(), mutants(&value, &config, &scope).count_all());
    }
}

#[test]
fn distinct_mutants_are_the_same_ones_without_repeats() {
    let config = MutantsConfig { samples: 0, distinct: true, ..MutantsConfig::default() };
    let mut repeats = 0;
    for tree in all_trees(1) {
        let once: Vec<Tree> = mutants(&tree, &config, &Scope::new()).map(|(_, mutant)| mutant).collect();
        let all: BTreeSet<Tree> = fixed_mutants(&tree).into_iter().collect();
        assert_eq!(once.iter().cloned().collect::<BTreeSet<_>>(), all);
        assert_eq!(once.len(), all.len(), "one of each, of {tree:?}");
        repeats += fixed_mutants(&tree).len() - all.len();
    }
    assert!(repeats > 0, "some trees have equal mutants");
}

#[test]
fn what_is_left_is_counted_from_the_middle_too() {
    let value = vec![1u8, 2, 3];
    let mut rest = mutants(&value, &MutantsConfig::default(), &Scope::new());
    let all = rest.clone().count_all();
    assert!(rest.nth(9).is_some());
    assert_eq!(rest.count_all(), all - 10);
}

#[test]
fn no_mutant_equals_its_parent() {
    let config = MutantsConfig { samples: 3, ..MutantsConfig::default() };
    for (value, scope) in zoo().flat_map(|value| scopes().map(|scope| (value.clone(), scope))) {
        // Not by `==`, for which -0 is 0 and a NaN is not itself.
        let shown = format!("{value:?}");
        for (address, mutant) in mutants(&value, &config, &scope) {
            assert_ne!(format!("{mutant:?}"), shown, "mutant {address}");
        }
    }
}

#[test]
fn a_number_that_gives_no_mutant_leaves_the_value_as_it_was() {
    let mut source = Source::seeded(0);
    for value in zoo() {
        for number in 0..value.count(&Scope::new()).draws(1) + 2 {
            let mut mutant = value.clone();
            let changed = mutant.mutate(number, &mut source);
            assert_eq!(
                changed,
                format!("{mutant:?}") != format!("{value:?}"),
                "number {number} of {value:?}"
            );
        }
    }
}

fn numbers_at_root(value: &impl Debug, addresses: impl Iterator<Item = Address>) -> Vec<usize> {
    let numbers: Vec<_> = addresses
        .filter(|address| address.position.path().is_empty())
        .map(|address| address.number)
        .collect();
    assert!(!numbers.is_empty(), "{value:?} has root mutants");
    numbers
}

#[test]
fn the_seed_permutes_the_order_of_mutants_but_not_their_set() {
    let value = vec![1u8, 2, 3, 4, 5];
    let order = |seed, shuffle| {
        let config = MutantsConfig { seed, shuffle, ..MutantsConfig::default() };
        numbers_at_root(&value, mutants(&value, &config, &Scope::new()).addresses())
    };
    let plain = order(0, false);
    assert!(plain.is_sorted());
    let orders: BTreeSet<_> = (0..20).map(|seed| order(seed, true)).collect();
    assert_eq!(orders.len(), 20, "each seed has an order of its own");
    for mut shuffled in orders {
        shuffled.sort();
        assert_eq!(shuffled, plain);
    }
    assert_eq!(order(1, false), plain, "without shuffling the seed decides samples alone");
}

#[test]
fn permutations_are_bijections_for_every_length_and_every_order_of_three_occurs() {
    for (n, seed) in (1..70).flat_map(|n| (0..5).map(move |seed| (n, seed))) {
        let permutation = Permutation::new(n, seed);
        let images: BTreeSet<_> = (0..n).map(|index| permutation.image(index)).collect();
        assert_eq!(images, (0..n).collect(), "permutation of 0..{n} by seed {seed}");
    }
    let three = |seed| [0, 1, 2].map(|index| Permutation::new(3, seed).image(index));
    assert_eq!((0..100).map(three).collect::<BTreeSet<_>>().len(), 6);
}

#[test]
fn a_permutation_puts_every_index_everywhere() {
    let mut hits = [[0u32; 8]; 8];
    for seed in 0..800 {
        let permutation = Permutation::new(8, seed);
        (0..8).for_each(|index| hits[index][permutation.image(index)] += 1);
    }
    assert!(hits.iter().flatten().all(|count| (60..150).contains(count)), "about 100 each: {hits:?}");
}

#[test]
fn a_million_mutants_cost_one_parent_and_a_cursor() {
    let parent = vec![false; 200_000];
    let config = MutantsConfig { shuffle: true, ..MutantsConfig::default() };
    let addresses = mutants(&parent, &config, &Scope::new()).addresses();
    assert!(size_of_val(&addresses) <= 256, "the cursor has {} bytes", size_of_val(&addresses));
    let (mut steps, mut deepest) = (0, 0);
    for address in addresses {
        steps += 1;
        deepest = deepest.max(address.position.path().len());
    }
    assert_eq!((steps, deepest), (7 * 200_000 - 1, 1), "the only list that the cursor keeps is its path");
}

#[test]
fn an_address_means_the_same_mutant_whenever_it_is_applied() {
    let value = zoo().nth(4).unwrap_or(Zoo::Empty);
    let config = MutantsConfig { samples: 0, ..MutantsConfig::default() };
    for (address, mutant) in mutants(&value, &config, &Scope::new()) {
        let again = apply(&value, &address, &mut Source::seeded(99));
        assert_eq!(again.map(|again| format!("{again:?}")), Some(format!("{mutant:?}")), "at {address}");
    }
    let nowhere = Address { position: vec![9, 9].into(), number: 0 };
    assert!(apply(&value, &nowhere, &mut Source::seeded(0)).is_none());
}
