//! The text of findings. `BLESS=1 cargo test` rewrites the expected texts.

use std::path::Path;

use mutagen_engine::Source;
use mutagen_ifc::finding::{self, Part};
use mutagen_ifc::noninterference::{Secrecy, register, stack};
use mutagen_ifc::register::{
    Atom, Block, Frame, Instruction, Label, Memory, PcAtom, Pointer, StackFrame, State, Value, Variation,
};

#[path = "common/stack_witnesses.rs"]
mod stack_witnesses;

fn expect(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, text).expect("the expected text can be written");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, expected, "{name} is not as expected; BLESS=1 accepts it");
}

fn stack_finding(number: usize) -> String {
    let fault = &mutagen_ifc::stack::faults()[number - 1];
    let witness = &stack_witnesses::witnesses()[number - 1];
    assert_eq!(stack::ssni(&mutagen_ifc::rule::Table::correct(), &witness.pair), witness.correct);
    match stack::ssni(&fault.table(), &witness.pair) {
        Secrecy::Violated(violation) => {
            assert_eq!(violation.compared, witness.compared);
            finding::stack::explain(&violation, Some(fault))
        }
        other => panic!("stack-{number} does not show: {other:?}"),
    }
}

fn register_finding(number: usize, pair: &Variation) -> String {
    let fault = &mutagen_ifc::register::faults()[number - 1];
    match register::ssni(&fault.table(), pair) {
        Secrecy::Violated(violation) => finding::register::explain(pair, &violation, Some(fault)),
        other => panic!("register-{number} does not show: {other:?}"),
    }
}

fn int(number: i64, label: Label) -> Atom {
    Atom::new(Value::Int(number), label)
}

fn state(instruction: Instruction, registers: Vec<Atom>, pc: Label) -> State {
    let (memory, stack) = (Memory::empty(), vec![]);
    State { imem: vec![instruction], memory, stack, registers, pc: PcAtom::new(0, pc) }
}

#[test]
fn a_leak_after_both_steps_shows_both_machines() {
    expect("stack-2.txt", &stack_finding(2));
}

#[test]
fn a_leak_in_a_secret_step_shows_one_machine_before_and_after() {
    expect("stack-1.txt", &stack_finding(1));
}

#[test]
fn a_label_that_depends_on_a_secret_is_seen() {
    expect("stack-13.txt", &stack_finding(13));
}

#[test]
fn the_register_machine_shows_registers_memory_and_calls() {
    let frame = StackFrame {
        pc: PcAtom::new(0, Label::H),
        registers: vec![int(0, Label::L)],
        target: 0,
        label: Label::M1,
    };
    let secret = |number| {
        let mut state =
            state(Instruction::Mov(0, 1), vec![int(number, Label::M2), int(0, Label::L)], Label::L);
        state.memory.allocate(Label::L, Frame { label: Label::M2, cells: vec![int(number, Label::L)] });
        state.memory.allocate(Label::H, Frame::zeroed(Label::L, 1));
        state.stack.push(frame.clone());
        state
    };
    let pair = Variation { observer: Label::M1, first: secret(3), second: secret(4) };
    expect("register-1.txt", &register_finding(1, &pair));
}

#[test]
fn a_fresh_pointer_that_is_too_public_names_the_block() {
    let registers = vec![int(1, Label::M1), Atom::new(Value::Lab(Label::L), Label::L)];
    let state = state(Instruction::Alloc(0, 1, 1), registers, Label::L);
    expect("register-26.txt", &register_finding(26, &Variation::copy(Label::L, state)));
}

#[test]
fn a_secret_step_of_the_register_machine_is_told_of_the_machine_that_made_it() {
    let pointer = Pointer { block: Block { index: 0, stamp: Label::L }, offset: 0 };
    let registers = vec![Atom::new(Value::Ptr(pointer), Label::L), int(1, Label::L)];
    let mut state = state(Instruction::Store(0, 1), registers, Label::M1);
    state.memory.allocate(Label::L, Frame::zeroed(Label::L, 1));
    expect("register-6.txt", &register_finding(6, &Variation::copy(Label::L, state)));
}

/// Whether two states look the same to the observer, by the views of their parts.
fn look_the_same(left: &[Part], right: &[Part]) -> bool {
    let seen = |parts: &[Part]| -> Vec<(String, String)> {
        let mut seen: Vec<_> = parts.iter().map(|part| (part.name.clone(), part.view.clone())).collect();
        seen.retain(|(_, view)| !view.is_empty());
        seen
    };
    seen(left) == seen(right)
}

#[test]
fn the_stack_states_that_look_the_same_are_the_indistinguishable_ones() {
    let mut source = Source::seeded(3);
    for _ in 0..20_000 {
        let one = mutagen_ifc::stack::smart(&mut source);
        let two = mutagen_ifc::stack::smart(&mut source);
        let mut other = two.first;
        other.imem.clone_from(&one.first.imem);
        for second in [&one.second, &other] {
            let same = look_the_same(&finding::stack::parts(&one.first), &finding::stack::parts(second));
            assert_eq!(same, one.first.indistinguishable(second), "{:?} {second:?}", one.first);
        }
    }
}

#[test]
fn the_register_states_that_look_the_same_are_the_indistinguishable_ones() {
    let mut source = Source::seeded(4);
    for _ in 0..20_000 {
        let Variation { observer, first, second } = mutagen_ifc::register::smart(&mut source);
        for at in [observer, Label::M1, Label::M2] {
            let parts = |state| finding::register::parts(state, at);
            let same = look_the_same(&parts(&first), &parts(&second));
            assert_eq!(same, first.indistinguishable(&second, at), "{at}: {first:?} {second:?}");
        }
    }
}
