//! The derived mutants of the types of the stack machine.

use mutagen_engine::{Mutable, MutantsConfig, Scope, Source, mutants};
use mutagen_ifc::pairs::{Pairs, SIZE};
use mutagen_ifc::stack::Instruction::*;
use mutagen_ifc::stack::{Atom, Label, Stack, State, Variation};

/// The mutants of the root alone, in order.
fn root_mutants<T: Mutable + Clone>(value: &T) -> Vec<T> {
    let count = value.count(&Scope::new()).fixed;
    let changed = |number| {
        let mut mutant = value.clone();
        mutant.mutate(number, &mut Source::seeded(0)).then_some(mutant)
    };
    (0..count).filter_map(changed).collect()
}

fn atom(value: i64) -> Atom {
    Atom::new(value, Label::H)
}

#[test]
fn labels_flip_and_atoms_change_in_their_parts_only() {
    assert_eq!(root_mutants(&Label::L), [Label::H]);
    assert_eq!(root_mutants(&atom(3)), []);
    assert_eq!(atom(3).children(), 2);
}

#[test]
fn instructions_become_every_other_one_and_keep_their_argument() {
    assert_eq!(root_mutants(&Nop), [Push(0), BCall(0), BRet, Add, Load, Store, Halt]);
    assert_eq!(root_mutants(&Push(5)), [Nop, BCall(5), BRet, Add, Load, Store, Halt]);
}

#[test]
fn stacks_lose_their_top_and_change_its_kind() {
    let rest = Stack::marker(atom(1), Stack::Empty);
    let stack = Stack::data(atom(2), rest.clone());
    assert_eq!(root_mutants(&stack), [rest.clone(), Stack::Empty, Stack::marker(atom(2), rest)]);
    let zero = Atom::new(0, Label::L);
    assert_eq!(
        root_mutants(&Stack::Empty),
        [Stack::data(zero, Stack::Empty), Stack::marker(zero, Stack::Empty)]
    );
}

#[test]
fn pairs_copy_and_exchange_their_states() {
    let state =
        |address| State { imem: vec![], mem: vec![], stack: Stack::Empty, pc: Atom::new(address, Label::L) };
    let pair = |first, second| Variation { first: state(first), second: state(second) };
    assert_eq!(root_mutants(&pair(1, 2)), [pair(1, 1), pair(2, 1), pair(2, 2)]);
}

#[test]
fn no_mutant_of_a_generated_pair_is_the_pair_itself() {
    let pair = Pairs::Copy.stack(&mut Source::seeded(3), SIZE);
    let all = mutants(&pair, &MutantsConfig::default(), &Scope::new());
    assert!(all.map(|(_, mutant)| mutant).all(|mutant| mutant != pair));
}

#[test]
fn derived_states_have_lists_of_exactly_their_size() {
    for size in 0..5 {
        let pair = Pairs::Independent.stack(&mut Source::seeded(size as u64), size);
        assert_eq!((pair.first.imem.len(), pair.first.mem.len()), (size, size));
        assert!(pair.first.stack.iter().count() <= size);
        let pair = Pairs::Copy.register(&mut Source::seeded(size as u64), size);
        assert_eq!(
            (pair.first.imem.len(), pair.first.registers.len(), pair.first.stack.len()),
            (size, size, size)
        );
        assert!(pair.first.memory.regions.iter().flatten().all(|frame| frame.cells.len() == size));
    }
}
