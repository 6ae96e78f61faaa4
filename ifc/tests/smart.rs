//! The hand-written generators raise no alarm on the correct machines and find every fault soon.

use std::collections::BTreeMap;

use mutagen_engine::Source;
use mutagen_ifc::noninterference::{Secrecy, register, stack};
use mutagen_ifc::rule::Table;
use mutagen_ifc::stack::{Instruction, Variation};

const PAIRS: usize = 1_000_000;

/// The number of pairs within which a fault must show.
const ENOUGH: usize = 20_000;

/// Judges `pairs` pairs. Returns the number of violations and the share of discarded pairs.
fn judge<T, V>(
    pairs: usize,
    generate: impl Fn(&mut Source) -> T,
    property: impl Fn(&T) -> Secrecy<V>,
) -> (usize, f64) {
    let mut source = Source::seeded(1);
    let mut outcomes = BTreeMap::new();
    for _ in 0..pairs {
        let outcome = match property(&generate(&mut source)) {
            Secrecy::Holds => "holds",
            Secrecy::Violated(_) => "violated",
            Secrecy::Discarded(why) => why.name(),
        };
        *outcomes.entry(outcome).or_insert(0) += 1;
    }
    println!("{outcomes:?}");
    let count = |name| outcomes.get(name).copied().unwrap_or(0);
    let judged = count("holds") + count("violated");
    (count("violated"), (pairs - judged) as f64 / pairs as f64)
}

#[test]
fn the_correct_stack_machine_stands_a_million_pairs() {
    let table = Table::correct();
    let (violations, discarded) = judge(PAIRS, mutagen_ifc::stack::smart, |pair| stack::ssni(&table, pair));
    assert_eq!(violations, 0);
    assert!((0.05..0.6).contains(&discarded), "discarded: {discarded}");
}

#[test]
fn the_correct_register_machine_stands_a_million_pairs() {
    let table = Table::correct();
    let (violations, discarded) =
        judge(PAIRS, mutagen_ifc::register::smart, |pair| register::ssni(&table, pair));
    assert_eq!(violations, 0);
    assert!((0.05..0.6).contains(&discarded), "discarded: {discarded}");
}

/// The number of pairs until the first violation; `None` if [`ENOUGH`] pairs show none.
fn pairs_to_violation<T, V>(
    generate: impl Fn(&mut Source) -> T,
    property: impl Fn(&T) -> Secrecy<V>,
) -> Option<usize> {
    let mut source = Source::seeded(1);
    (1..=ENOUGH).find(|_| property(&generate(&mut source)).is_violated())
}

/// The numbers of the faults that are not found.
fn missed(found: impl Iterator<Item = Option<usize>>) -> Vec<usize> {
    (1..).zip(found).filter(|(_, found)| found.is_none()).map(|(number, _)| number).collect()
}

#[test]
fn every_fault_of_the_stack_machine_shows_in_a_few_thousand_pairs() {
    let found = mutagen_ifc::stack::faults().into_iter().map(|fault| {
        let table = fault.table();
        pairs_to_violation(mutagen_ifc::stack::smart, |pair| stack::ssni(&table, pair))
    });
    assert_eq!(missed(found), []);
}

#[test]
fn every_fault_of_the_register_machine_shows_in_a_few_thousand_pairs() {
    let found = mutagen_ifc::register::faults().into_iter().map(|fault| {
        let table = fault.table();
        pairs_to_violation(mutagen_ifc::register::smart, |pair| register::ssni(&table, pair))
    });
    assert_eq!(missed(found), []);
}

#[test]
fn longer_runs_of_the_correct_stack_machine_keep_their_secrets_too() {
    let table = Table::correct();
    for property in [stack::msni, stack::eeni] {
        let (violations, discarded) = judge(PAIRS / 20, halting, |pair| property(&table, pair));
        assert_eq!(violations, 0);
        assert!(discarded < 0.9, "discarded: {discarded}");
    }
}

/// A pair whose programs end with `Halt`, which the hand-written generator does not make.
fn halting(source: &mut Source) -> Variation {
    let mut pair = mutagen_ifc::stack::smart(source);
    for state in [&mut pair.first, &mut pair.second] {
        state.imem.push(Instruction::Halt);
    }
    pair
}
