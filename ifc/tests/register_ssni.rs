//! Single-step noninterference of two register machines, case by case.

use mutagen_ifc::noninterference::register::ssni;
use mutagen_ifc::noninterference::{Discard, Secrecy};
use mutagen_ifc::register::{
    Atom, Block, Frame, Instruction, Label, Memory, PcAtom, Pointer, StackFrame, State, Value, Variation,
};
use mutagen_ifc::rule::Table;

fn int(number: i64, label: Label) -> Atom {
    Atom::new(Value::Int(number), label)
}

fn pointer(index: i64, stamp: Label, label: Label) -> Atom {
    Atom::new(Value::Ptr(Pointer { block: Block { index, stamp }, offset: 0 }), label)
}

/// A machine without memory and calls, about to execute the first of the instructions.
fn machine<const N: usize>(imem: [Instruction; N], registers: Vec<Atom>, pc: Label) -> State {
    let (memory, stack) = (Memory::empty(), vec![]);
    State { imem: imem.into(), memory, stack, registers, pc: PcAtom::new(0, pc) }
}

/// The verdict of an observer at L on correct machines.
fn judged(first: State, second: State) -> Secrecy<mutagen_ifc::noninterference::register::Violation> {
    ssni(&Table::correct(), &Variation { observer: Label::L, first, second })
}

#[test]
fn states_that_the_observer_can_tell_apart_are_discarded() {
    let with = |number| machine([Instruction::Nop], vec![int(number, Label::L)], Label::L);
    assert_eq!(judged(with(0), with(1)), Secrecy::Discarded(Discard::Distinguishable));
    assert_eq!(judged(with(0), with(0)), Secrecy::Holds);
}

#[test]
fn states_of_which_one_is_ill_formed_are_discarded() {
    // The register is secret, so the observer does not see the difference. But M1 reaches a block that H
    // allocated.
    let with = |stamp| machine([Instruction::Nop], vec![pointer(0, stamp, Label::M1)], Label::L);
    assert_eq!(judged(with(Label::L), with(Label::H)), Secrecy::Discarded(Discard::IllFormed));
    assert_eq!(judged(with(Label::H), with(Label::L)), Secrecy::Discarded(Discard::IllFormed));
    assert_eq!(judged(with(Label::L), with(Label::M1)), Secrecy::Holds);
}

#[test]
fn a_machine_that_is_stuck_discards_the_pair() {
    let with = |index| {
        let registers = vec![pointer(index, Label::L, Label::M1), int(0, Label::L)];
        let mut state = machine([Instruction::Load(0, 1)], registers, Label::L);
        state.memory.allocate(Label::L, Frame::zeroed(Label::L, 1));
        state
    };
    assert_eq!(judged(with(7), with(0)), Secrecy::Discarded(Discard::FirstStuck));
    assert_eq!(judged(with(0), with(7)), Secrecy::Discarded(Discard::SecondStuck));
}

#[test]
fn of_two_secret_machines_only_the_first_needs_to_step() {
    let with = |instruction| machine([instruction, Instruction::Halt], vec![], Label::M1);
    let stuck = State { pc: PcAtom::new(1, Label::M1), ..with(Instruction::Nop) };
    assert_eq!(judged(with(Instruction::Nop), stuck.clone()), Secrecy::Holds);
    assert_eq!(judged(stuck, with(Instruction::Nop)), Secrecy::Discarded(Discard::FirstStuck));
}

#[test]
fn machines_that_leave_secrecy_at_different_moments_pass() {
    let call = StackFrame { pc: PcAtom::new(1, Label::L), registers: vec![], target: 0, label: Label::M1 };
    let at = |address| {
        let mut state = machine(
            [Instruction::BRet, Instruction::Nop, Instruction::Halt],
            vec![int(0, Label::L)],
            Label::M1,
        );
        state.pc.address = address;
        state.stack = vec![StackFrame { registers: vec![int(0, Label::L)], ..call.clone() }];
        state
    };
    let (returns, stays, stuck) = (at(0), at(1), at(2));
    assert_eq!(judged(returns.clone(), returns.clone()), Secrecy::Holds, "both return");
    assert_eq!(judged(returns.clone(), stays), Secrecy::Holds, "one returns");
    assert_eq!(judged(returns, stuck), Secrecy::Discarded(Discard::SecondStuck));
}
