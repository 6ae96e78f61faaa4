//! Findings on the register machine.

use super::{Part, assemble, executed, side_by_side};
use crate::fault::Fault;
use crate::lattice::Lattice;
use crate::noninterference::register::{Half, Violation};
use crate::register::{Atom, Exposed, Frame, Label, OpCode, StackFrame, State, Variation};

/// The finding on `before` as text. The fault is named if it is known.
pub fn explain(before: &Variation, violation: &Violation, fault: Option<&Fault<OpCode>>) -> String {
    let observer = before.observer;
    let change = |title, before: &State, after: &State| {
        let pair = Variation { observer, first: before.clone(), second: after.clone() };
        table([title, "before", "after"], &pair)
    };
    let after = match violation {
        Violation::Both(after) => table(["after", "first", "second"], after),
        Violation::First(after) => change("first", &before.first, after),
        Violation::IllFormed { machine: Half::First, after, .. } => change("first", &before.first, after),
        Violation::IllFormed { machine: Half::Second, after, .. } => change("second", &before.second, after),
    };
    let tables = [table(["before", "first", "second"], before), after];
    assemble(&headline(before, violation), &tables, fault)
}

fn headline(before: &Variation, violation: &Violation) -> String {
    let instruction = |state: &State| state.instruction().map(|instruction| instruction.to_string());
    let (first, second) = (instruction(&before.first), instruction(&before.second));
    let observer = before.observer;
    match violation {
        Violation::Both(_) => {
            let executed = executed(first, second);
            format!("{executed}, and the observer at {observer} can tell them apart afterwards.")
        }
        Violation::First(_) => {
            let step = first.unwrap_or_default();
            format!("The first machine executes {step} in secret, and the observer at {observer} notices.")
        }
        Violation::IllFormed { machine, after, exposed } => {
            let (which, step) = match machine {
                Half::First => ("first", first),
                Half::Second => ("second", second),
            };
            let step = step.unwrap_or_default();
            format!("The {which} machine executes {step}. {}", exposure(after, exposed, observer))
        }
    }
}

/// The sentence that names the block that is reached too easily, and the pointer to it.
fn exposure(after: &State, exposed: &Exposed, observer: Label) -> String {
    let Exposed { block, at } = exposed;
    let name = format!("block {}.{}", block.stamp, block.index);
    let through = pointer_to(after, exposed).map_or_else(String::new, |place| format!(", through {place}"));
    format!(
        "Afterwards whoever sees {at} reaches {name}{through}, although it was allocated in secret at {}. \
         The observer is at {observer}.",
        block.stamp
    )
}

/// The name of a part that holds a pointer to the exposed block and is visible at the label where it is
/// reached.
fn pointer_to(state: &State, exposed: &Exposed) -> Option<String> {
    let Exposed { block, at } = *exposed;
    let pointer = format!("&{}.{}+", block.stamp, block.index);
    let seen = parts(state, at).into_iter().find(|part| part.view.starts_with(&pointer));
    seen.map(|part| part.name)
}

fn table(titles: [&str; 3], pair: &Variation) -> String {
    side_by_side(titles, &parts(&pair.first, pair.observer), &parts(&pair.second, pair.observer))
}

/// The parts of a state, with what `observer` sees of each.
pub fn parts(state: &State, observer: Label) -> Vec<Part> {
    let public = state.pc.label.flows_to(observer);
    let pc = if public { state.pc.to_string() } else { "?".into() };
    let mut parts = vec![Part::new("pc", state.pc, pc)];
    let numbered = state.imem.iter().enumerate();
    parts.extend(numbered.map(|(at, instruction)| Part::seen(format!("instruction {at}"), instruction)));
    parts.extend(atoms("register ", &state.registers, observer, public));
    parts.extend(memory_parts(state, observer));
    parts.extend(stack_parts(state, observer));
    parts
}

fn atoms(name: &str, atoms: &[Atom], observer: Label, visible: bool) -> Vec<Part> {
    let view = |atom: &Atom| match (visible, atom.label.flows_to(observer)) {
        (false, _) => String::new(),
        (true, false) => format!("?@{}", atom.label),
        (true, true) => atom.to_string(),
    };
    let numbered = atoms.iter().enumerate();
    numbered.map(|(at, atom)| Part::new(format!("{name}{at}"), atom, view(atom))).collect()
}

fn memory_parts(state: &State, observer: Label) -> Vec<Part> {
    let stamped = Label::ALL.into_iter().flat_map(|stamp| {
        let frames = state.memory.region(stamp).iter().enumerate();
        frames.map(move |(index, frame)| (stamp, index, frame))
    });
    stamped.flat_map(|(stamp, index, frame)| frame_parts(stamp, index, frame, observer)).collect()
}

fn frame_parts(stamp: Label, index: usize, frame: &Frame, observer: Label) -> Vec<Part> {
    let (exists, open) = (stamp.flows_to(observer), frame.label.flows_to(observer));
    let label = format!("frame at {}", frame.label);
    let view = if exists { label.clone() } else { String::new() };
    let mut parts = vec![Part::new(format!("block {stamp}.{index}"), label, view)];
    parts.extend(atoms(&format!("cell {stamp}.{index}+"), &frame.cells, observer, exists && open));
    parts
}

/// Calls are numbered from the bottom, because cropped stacks are aligned there.
fn stack_parts(state: &State, observer: Label) -> Vec<Part> {
    let secret = |frame: &&StackFrame| !frame.pc.label.flows_to(observer);
    let cropped =
        if state.pc.label.flows_to(observer) { 0 } else { state.stack.iter().take_while(secret).count() };
    let numbered = state.stack.iter().enumerate();
    numbered
        .flat_map(|(depth, frame)| {
            call_parts(state.stack.len() - 1 - depth, frame, observer, depth >= cropped)
        })
        .collect()
}

fn call_parts(number: usize, frame: &StackFrame, observer: Label, visible: bool) -> Vec<Part> {
    let open = visible && frame.pc.label.flows_to(observer);
    let text = format!("to {}, r{} at {}", frame.pc, frame.target, frame.label);
    let view = match (visible, open) {
        (false, _) => String::new(),
        (true, false) => "?".into(),
        (true, true) => text.clone(),
    };
    let mut parts = vec![Part::new(format!("call {number}"), text, view)];
    parts.extend(atoms(&format!("call {number} register "), &frame.registers, observer, open));
    parts
}
