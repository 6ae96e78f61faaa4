//! The smallest pair that shows each fault of the stack machine.

use mutagen_ifc::noninterference::stack::{Compared, Violation};
use mutagen_ifc::noninterference::{Discard, Secrecy};
use mutagen_ifc::stack::Label::{H, L};
use mutagen_ifc::stack::{Atom, Instruction, Label, Stack, State, Variation};

type Pair = (i64, Label);

enum Element {
    Data(Pair),
    Marker(Pair),
}
use Element::{Data as D, Marker as R};

fn atom((value, label): Pair) -> Atom {
    Atom::new(value, label)
}

fn state(instruction: Instruction, pc: Pair, mem: &[Pair], stack: &[Element]) -> State {
    let stack = stack.iter().rev().fold(Stack::Empty, |rest, element| match element {
        D(data) => Stack::data(atom(*data), rest),
        R(marker) => Stack::marker(atom(*marker), rest),
    });
    State { imem: vec![instruction; 2], mem: mem.iter().copied().map(atom).collect(), stack, pc: atom(pc) }
}

/// A pair that shows a fault.
pub struct Witness {
    pub pair: Variation,
    /// The states between which the leak shows.
    pub compared: Compared,
    /// The verdict on the correct machine.
    pub correct: Secrecy<Violation>,
}

/// A pair of states with the same program. It holds with the correct table, and the leak shows after both
/// machines stepped.
fn witness(first: State, second: State) -> Witness {
    Witness { pair: Variation { first, second }, compared: Compared::Both, correct: Secrecy::Holds }
}

impl Witness {
    fn in_secret_step(self) -> Self {
        Self { compared: Compared::First, ..self }
    }

    fn stuck_if_correct(self) -> Self {
        Self { correct: Secrecy::Discarded(Discard::FirstStuck), ..self }
    }
}

/// The witnesses of `stack-1` to `stack-20`.
pub fn witnesses() -> Vec<Witness> {
    use Instruction::*;
    let stacks = |instruction, pc, one: &[Element], two: &[Element]| {
        witness(state(instruction, pc, &[], one), state(instruction, pc, &[], two))
    };
    let pcs = |instruction, mem: &[Pair], stack: &[Element]| {
        witness(state(instruction, (0, H), mem, stack), state(instruction, (1, H), mem, stack))
    };
    let same = |state: State| witness(state.clone(), state).in_secret_step();
    let store = |mem: &[Pair], one: &[Element], two: &[Element]| {
        witness(state(Store, (0, L), mem, one), state(Store, (0, L), mem, two))
    };
    vec![
        same(state(BCall(0), (0, H), &[], &[D((0, L))])),
        stacks(BCall(0), (0, L), &[D((0, H))], &[D((1, H))]),
        stacks(BCall(0), (0, H), &[D((0, L))], &[D((1, L))]),
        stacks(BRet, (0, L), &[D((0, H)), R((0, L))], &[D((1, H)), R((0, L))]),
        stacks(BRet, (0, H), &[D((0, L)), R((0, L))], &[D((1, L)), R((0, L))]),
        stacks(BRet, (0, L), &[D((0, L)), R((0, H))], &[D((0, L)), R((1, H))]),
        pcs(Nop, &[], &[]),
        pcs(Push(0), &[], &[]),
        stacks(Add, (0, L), &[D((0, H)), D((0, L))], &[D((1, H)), D((0, L))]),
        stacks(Add, (0, L), &[D((0, L)), D((0, H))], &[D((0, L)), D((1, H))]),
        pcs(Add, &[], &[D((0, L)), D((0, L))]),
        witness(state(Load, (0, L), &[(0, H)], &[D((0, L))]), state(Load, (0, L), &[(1, H)], &[D((0, L))])),
        witness(
            state(Load, (0, L), &[(0, L), (0, H)], &[D((0, H))]),
            state(Load, (0, L), &[(0, L), (0, H)], &[D((1, H))]),
        ),
        pcs(Load, &[(0, L)], &[D((0, L))]),
        store(&[(0, L), (0, L)], &[D((0, H)), D((0, L))], &[D((1, H)), D((0, L))]).stuck_if_correct(),
        same(state(Store, (0, H), &[(0, L)], &[D((0, L)), D((0, L))])).stuck_if_correct(),
        same(state(Store, (0, H), &[(0, H)], &[D((0, L)), D((0, L))])),
        store(&[(0, H), (0, H)], &[D((0, H)), D((0, L))], &[D((1, H)), D((0, L))]),
        store(&[(0, L)], &[D((0, L)), D((0, H))], &[D((0, L)), D((1, H))]),
        pcs(Store, &[(0, H)], &[D((0, L)), D((0, L))]),
    ]
}
