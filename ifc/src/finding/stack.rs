//! Findings on the stack machine.

use super::{Part, assemble, executed, side_by_side};
use crate::fault::Fault;
use crate::noninterference::stack::{Compared, Violation};
use crate::stack::{Atom, Label, OpCode, Stack, State, Variation};

/// The finding as text. The fault is named if it is known.
pub fn explain(violation: &Violation, fault: Option<&Fault<OpCode>>) -> String {
    let Violation { before, differ, compared } = violation;
    let titles = match compared {
        Compared::Both => ["after", "first", "second"],
        Compared::Ends => ["at the end", "first", "second"],
        Compared::First => ["first", "before", "after"],
        Compared::Second => ["second", "before", "after"],
    };
    let tables = [table(["before", "first", "second"], before), table(titles, differ)];
    assemble(&headline(before, *compared), &tables, fault)
}

fn headline(before: &Variation, compared: Compared) -> String {
    let instruction = |state: &State| state.instruction().map(|instruction| instruction.to_string());
    let executed = executed(instruction(&before.first), instruction(&before.second));
    match compared {
        Compared::Both => format!("{executed}, and the observer can tell them apart afterwards."),
        Compared::Ends => "Both machines halt in public, and the observer can tell them apart.".into(),
        Compared::First => format!("{executed}, and the observer notices the secret step of the first."),
        Compared::Second => format!("{executed}, and the observer notices the secret step of the second."),
    }
}

fn table(titles: [&str; 3], pair: &Variation) -> String {
    side_by_side(titles, &parts(&pair.first), &parts(&pair.second))
}

/// The parts of a state, with what an observer at `L` sees of each.
pub fn parts(state: &State) -> Vec<Part> {
    let mut parts = vec![Part::new("pc", state.pc, view(state.pc))];
    let numbered = state.imem.iter().enumerate();
    parts.extend(numbered.map(|(at, instruction)| Part::seen(format!("instruction {at}"), instruction)));
    let numbered = state.mem.iter().enumerate();
    parts.extend(numbered.map(|(at, &atom)| Part::new(format!("memory {at}"), atom, view(atom))));
    parts.extend(stack_parts(state));
    parts
}

/// Stack elements are numbered from the bottom, because cropped stacks are aligned there.
fn stack_parts(state: &State) -> impl Iterator<Item = Part> {
    let seen = match state.pc.label {
        Label::L => &state.stack,
        Label::H => state.stack.crop(),
    };
    let (height, visible) = (state.stack.iter().count(), seen.iter().count());
    state.stack.iter().enumerate().map(move |(depth, element)| {
        let number = height - 1 - depth;
        let (text, view) = match element {
            Stack::Return(atom, _) => (format!("return {atom}"), format!("return {}", view(*atom))),
            Stack::Data(atom, _) => (atom.to_string(), view(*atom)),
            Stack::Empty => Default::default(),
        };
        Part::new(format!("stack {number}"), text, if number < visible { view } else { String::new() })
    })
}

fn view(atom: Atom) -> String {
    match atom.label {
        Label::L => atom.to_string(),
        Label::H => format!("?@{}", atom.label),
    }
}
