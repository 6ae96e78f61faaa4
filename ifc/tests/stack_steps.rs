//! Every instruction of the stack machine: its effect, and the cases in which it is stuck.

use mutagen_ifc::rule::Table;
use mutagen_ifc::stack::Label::{H, L};
use mutagen_ifc::stack::{Atom, Instruction, Label, Stack, State};

fn data(elements: &[(i64, Label)], below: Stack) -> Stack {
    let push = |rest, &(value, label): &(i64, Label)| Stack::data(Atom::new(value, label), rest);
    elements.iter().rev().fold(below, push)
}

fn marker(value: i64, label: Label, below: Stack) -> Stack {
    Stack::marker(Atom::new(value, label), below)
}

fn at(pc: Label, instruction: Instruction, stack: Stack) -> State {
    let mem = vec![Atom::new(10, L), Atom::new(11, H)];
    State { imem: vec![instruction], mem, stack, pc: Atom::new(0, pc) }
}

fn step(state: &State) -> Option<State> {
    state.step(&Table::correct())
}

/// Asserts that one step leads to this stack and pc, and changes nothing else.
fn becomes(before: &State, stack: Stack, pc: (i64, Label)) {
    let after = State { stack, pc: Atom::new(pc.0, pc.1), ..before.clone() };
    assert_eq!(step(before), Some(after));
}

#[test]
fn nop_and_push_go_on() {
    becomes(&at(H, Instruction::Nop, Stack::Empty), Stack::Empty, (1, H));
    becomes(&at(H, Instruction::Push(5), Stack::Empty), data(&[(5, L)], Stack::Empty), (1, H));
}

#[test]
fn add_joins_the_labels_of_its_operands() {
    let below = marker(0, L, Stack::Empty);
    becomes(&at(L, Instruction::Add, data(&[(1, L), (2, H)], below.clone())), data(&[(3, H)], below), (1, L));
}

#[test]
fn add_wraps_around() {
    let before = at(L, Instruction::Add, data(&[(i64::MAX, L), (1, L)], Stack::Empty));
    becomes(&before, data(&[(i64::MIN, L)], Stack::Empty), (1, L));
}

#[test]
fn load_replaces_the_pointer_by_the_cell() {
    becomes(&at(L, Instruction::Load, data(&[(1, L)], Stack::Empty)), data(&[(11, H)], Stack::Empty), (1, L));
    becomes(&at(L, Instruction::Load, data(&[(0, H)], Stack::Empty)), data(&[(10, H)], Stack::Empty), (1, L));
}

#[test]
fn store_replaces_the_cell_and_its_label() {
    let before = at(L, Instruction::Store, data(&[(1, L), (7, L), (8, L)], Stack::Empty));
    let after = step(&before).expect("a public pointer may overwrite a secret cell");
    assert_eq!(after.mem, [Atom::new(10, L), Atom::new(7, L)]);
    assert_eq!((after.stack, after.pc), (data(&[(8, L)], Stack::Empty), Atom::new(1, L)));
}

#[test]
fn store_refuses_secret_pointers_and_secret_control_over_public_cells() {
    let stack = |label| data(&[(0, label), (7, L)], Stack::Empty);
    assert_eq!(step(&at(L, Instruction::Store, stack(H))), None);
    assert_eq!(step(&at(H, Instruction::Store, stack(L))), None);
    assert!(step(&at(L, Instruction::Store, stack(L))).is_some());
}

#[test]
fn a_call_leaves_its_arguments_above_the_return_marker() {
    let before = at(L, Instruction::BCall(2), data(&[(9, H), (1, L), (2, L), (3, L)], Stack::Empty));
    let stack = data(&[(1, L), (2, L)], marker(1, L, data(&[(3, L)], Stack::Empty)));
    becomes(&before, stack, (9, H));
}

#[test]
fn a_call_needs_its_arguments() {
    let stack = data(&[(9, L), (1, L)], marker(0, L, data(&[(2, L)], Stack::Empty)));
    for (arguments, possible) in [(-1, false), (0, true), (1, true), (2, false), (i64::MAX, false)] {
        let after = step(&at(L, Instruction::BCall(arguments), stack.clone()));
        assert_eq!(after.is_some(), possible, "{arguments} arguments");
    }
}

#[test]
fn a_return_drops_everything_down_to_the_marker() {
    let stack = data(&[(5, L), (6, L)], marker(3, L, data(&[(7, H)], Stack::Empty)));
    becomes(&at(H, Instruction::BRet, stack), data(&[(5, H), (7, H)], Stack::Empty), (3, L));
}

#[test]
fn operands_that_are_missing_or_return_markers_leave_the_machine_stuck() {
    use Instruction::*;
    let blocked = marker(0, L, data(&[(0, L), (0, L)], Stack::Empty));
    for instruction in [Add, Load, Store, BCall(0), BRet] {
        assert_eq!(step(&at(L, instruction, Stack::Empty)), None, "{instruction}");
        assert_eq!(step(&at(L, instruction, blocked.clone())), None, "{instruction}");
    }
    for instruction in [Add, Store] {
        assert_eq!(step(&at(L, instruction, data(&[(0, L)], blocked.clone()))), None, "{instruction}");
    }
    assert_eq!(step(&at(L, BRet, data(&[(0, L)], Stack::Empty))), None);
}

#[test]
fn addresses_outside_memory_and_program_leave_the_machine_stuck() {
    for address in [-1, 2] {
        let stack = data(&[(address, L), (0, L)], Stack::Empty);
        assert_eq!(step(&at(L, Instruction::Load, stack.clone())), None);
        assert_eq!(step(&at(L, Instruction::Store, stack)), None);
        let lost = State { pc: Atom::new(address, L), ..at(L, Instruction::Nop, Stack::Empty) };
        assert_eq!(step(&lost), None);
    }
    assert_eq!(step(&at(L, Instruction::Halt, Stack::Empty)), None);
}

#[test]
fn a_secret_stack_is_compared_from_the_first_public_marker_down() {
    let below = marker(1, L, data(&[(4, L)], Stack::Empty));
    let one = at(H, Instruction::Nop, data(&[(1, L)], marker(2, H, below.clone())));
    let two = at(H, Instruction::Nop, below);
    assert!(one.indistinguishable(&two));
    let public = |state: &State| State { pc: Atom::new(0, L), ..state.clone() };
    assert!(!public(&one).indistinguishable(&public(&two)));
    let other = at(H, Instruction::Nop, marker(1, L, data(&[(5, L)], Stack::Empty)));
    assert!(!one.indistinguishable(&other));
}
