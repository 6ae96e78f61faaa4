//! A second state that the observer cannot tell from the first.

use mutagen_engine::Source;

use super::label::Label;
use super::memory::{Frame, Memory};
use super::smart::{atom, like, pc, registers, stack_frame, value};
use super::state::{Atom, PcAtom, StackFrame, State};
use crate::lattice::Lattice;

/// A state that `observer` cannot tell from `state`.
pub(super) fn vary(source: &mut Source, state: &State, observer: Label) -> State {
    // Visible parts are kept and secrets are drawn again. A secret pc makes all registers secret.
    let public = state.pc.label.flows_to(observer);
    let memory = vary_memory(source, &state.memory, observer);
    let stack = state.stack.iter().map(|frame| vary_stack_frame(source, frame, observer)).collect();
    let registers = if public { vary_atoms(source, &state.registers, observer) } else { registers(source) };
    let pc = if public { state.pc } else { secret_pc(source, observer) };
    State { imem: state.imem.clone(), memory, stack, registers, pc }
}

/// A random secret pc. Some label is secret, because that of the pc to be varied is.
fn secret_pc(source: &mut Source, observer: Label) -> PcAtom {
    let secret: Vec<Label> = Label::ALL.into_iter().filter(|label| !label.flows_to(observer)).collect();
    PcAtom { label: secret[source.below(secret.len())], ..pc(source) }
}

fn vary_atoms(source: &mut Source, atoms: &[Atom], observer: Label) -> Vec<Atom> {
    atoms.iter().map(|&atom| vary_atom(source, atom, observer)).collect()
}

fn vary_atom(source: &mut Source, atom: Atom, observer: Label) -> Atom {
    if atom.label.flows_to(observer) {
        return atom;
    }
    let varied = if source.chance(1, 10) { value(source) } else { like(source, atom.value) };
    Atom::new(varied, atom.label)
}

fn vary_memory(source: &mut Source, memory: &Memory, observer: Label) -> Memory {
    let mut varied = Memory::empty();
    for stamp in Label::ALL {
        for frame in memory.region(stamp) {
            let frame = vary_frame(source, frame, observer);
            varied.allocate(stamp, frame);
        }
    }
    varied
}

fn vary_frame(source: &mut Source, frame: &Frame, observer: Label) -> Frame {
    if frame.label.flows_to(observer) {
        return Frame { label: frame.label, cells: vary_atoms(source, &frame.cells, observer) };
    }
    let size = frame.cells.len() + source.below(2);
    Frame { label: frame.label, cells: (0..size).map(|_| atom(source)).collect() }
}

fn vary_stack_frame(source: &mut Source, frame: &StackFrame, observer: Label) -> StackFrame {
    if frame.pc.label.flows_to(observer) {
        return StackFrame { registers: vary_atoms(source, &frame.registers, observer), ..frame.clone() };
    }
    StackFrame { pc: secret_pc(source, observer), ..stack_frame(source) }
}
