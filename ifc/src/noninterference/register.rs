//! Single-step noninterference of the register machine.

use super::{Discard, Judgement};
use crate::lattice::Lattice;
use crate::register::{Exposed, OpCode, State, Variation};
use crate::rule;

type Table = rule::Table<OpCode>;

/// What went wrong in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The observer can tell the two machines apart after the step.
    Both(Variation),
    /// The observer can tell the first machine before a secret step from the first machine after it.
    First(Variation),
    /// A state after the step reaches a block that it should not.
    IllFormed {
        /// The state.
        state: State,
        /// The block.
        exposed: Exposed,
    },
}

/// Single-step noninterference: indistinguishable, well-formed states step to such states, and a step under a secret pc
/// changes nothing that the observer sees.
///
/// Machines that leave secrecy at different moments pass, and of two machines that stay secret only the first steps, as
/// in the published experiments.
pub fn ssni(table: &Table, pair: &Variation) -> Judgement<Violation> {
    let Variation { observer, first, second } = pair;
    let observer = *observer;
    if !first.indistinguishable(second, observer) {
        return Judgement::Discarded(Discard::Distinguishable);
    }
    if !first.is_well_formed() || !second.is_well_formed() {
        return Judgement::Discarded(Discard::IllFormed);
    }
    let Some(first_after) = first.step(table) else { return Judgement::Discarded(Discard::FirstStuck) };
    let public_before = first.pc.label.flows_to(observer);
    if !public_before && !first_after.pc.label.flows_to(observer) {
        return secret_step(pair, first_after);
    }
    let Some(second_after) = second.step(table) else { return Judgement::Discarded(Discard::SecondStuck) };
    if !public_before && !second_after.pc.label.flows_to(observer) {
        return Judgement::Holds;
    }
    both_step(Variation { observer, first: first_after, second: second_after })
}

fn secret_step(pair: &Variation, after: State) -> Judgement<Violation> {
    let Variation { observer, first, .. } = pair;
    if !first.indistinguishable(&after, *observer) {
        let compared = Variation { observer: *observer, first: first.clone(), second: after };
        return Judgement::Violated(Box::new(Violation::First(compared)));
    }
    well_formed(&after)
}

fn both_step(after: Variation) -> Judgement<Violation> {
    if !after.first.indistinguishable(&after.second, after.observer) {
        return Judgement::Violated(Box::new(Violation::Both(after)));
    }
    match well_formed(&after.first) {
        Judgement::Holds => well_formed(&after.second),
        violated => violated,
    }
}

fn well_formed(state: &State) -> Judgement<Violation> {
    match state.exposed() {
        None => Judgement::Holds,
        Some(exposed) => {
            Judgement::Violated(Box::new(Violation::IllFormed { state: state.clone(), exposed }))
        }
    }
}
