//! The hand-written generator: a plausible state, and a second state that looks the same to the observer by
//! construction.
//!
//! The derived generators are measured against it. It also serves to check that the correct machine keeps its
//! secrets.

use mutagen_engine::Source;

use super::state::{Atom, Instruction, Label, Stack, State, Variation};

const MEMORY: usize = 2;
const STACK: usize = 4;

/// A pair of indistinguishable states. The instruction that they are about to execute has its operands in
/// most cases.
pub fn smart(source: &mut Source) -> Variation {
    let mem = (0..MEMORY).map(|_| atom(source)).collect();
    let stack = (0..STACK).fold(Stack::Empty, |rest, _| element(source, rest));
    let pc = atom(source);
    let imem = vec![instruction(source, &stack); 2];
    let first = State { imem, mem, stack, pc };
    Variation { second: varied(source, &first), first }
}

fn integer(source: &mut Source) -> i64 {
    source.range_i64(0, 1)
}

fn atom(source: &mut Source) -> Atom {
    let label = if source.chance(1, 2) { Label::H } else { Label::L };
    Atom::new(integer(source), label)
}

fn element(source: &mut Source, rest: Stack) -> Stack {
    let atom = atom(source);
    if source.chance(4, 14) { Stack::marker(atom, rest) } else { Stack::data(atom, rest) }
}

fn instruction(source: &mut Source, stack: &Stack) -> Instruction {
    let data = stack.iter().take_while(|element| matches!(element, Stack::Data(..))).count();
    let marker = data < stack.iter().count();
    let if_enough = |enough: bool| if enough { 10 } else { 0 };
    let weights =
        [1, 10, 10, if_enough(marker), if_enough(data >= 2), if_enough(data >= 1), if_enough(data >= 2)];
    match source.weighted(&weights) {
        0 => Instruction::Nop,
        1 => Instruction::Push(integer(source)),
        2 => Instruction::BCall(source.below(data.max(1)) as i64),
        3 => Instruction::BRet,
        4 => Instruction::Add,
        5 => Instruction::Load,
        _ => Instruction::Store,
    }
}

fn varied(source: &mut Source, state: &State) -> State {
    let mem = state.mem.iter().map(|&atom| varied_atom(source, atom)).collect();
    let pc = varied_atom(source, state.pc);
    let mut stack = varied_stack(source, &state.stack, state.pc.label == Label::L);
    if state.pc.label == Label::H && source.chance(1, 2) {
        stack = Stack::data(atom(source), stack);
    }
    State { imem: state.imem.clone(), mem, stack, pc }
}

fn varied_atom(source: &mut Source, atom: Atom) -> Atom {
    match atom.label {
        Label::L => atom,
        Label::H => Atom::new(integer(source), Label::H),
    }
}

/// Varies a stack. In secret, everything above the first public return marker is drawn again, because a
/// secret computation may have left anything there.
fn varied_stack(source: &mut Source, stack: &Stack, public: bool) -> Stack {
    match stack {
        Stack::Empty => Stack::Empty,
        Stack::Data(data, rest) => {
            let data = if public { varied_atom(source, *data) } else { atom(source) };
            Stack::data(data, varied_stack(source, rest, public))
        }
        Stack::Return(saved, rest) => {
            let public = public || saved.label == Label::L;
            Stack::marker(varied_atom(source, *saved), varied_stack(source, rest, public))
        }
    }
}
