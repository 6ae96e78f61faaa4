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
    /// The observer can tell the first machine before a secret step from this state, the one after it.
    First(State),
    /// A machine reaches a block after the step that it should not.
    IllFormed {
        /// Which machine.
        machine: Machine,
        /// Its state after the step.
        after: State,
        /// The block.
        exposed: Exposed,
    },
}

/// One of the two machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// The first.
    First,
    /// The second.
    Second,
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
        return Judgement::Violated(Box::new(Violation::First(after)));
    }
    well_formed(Machine::First, &after)
}

fn both_step(after: Variation) -> Judgement<Violation> {
    if !after.first.indistinguishable(&after.second, after.observer) {
        return Judgement::Violated(Box::new(Violation::Both(after)));
    }
    match well_formed(Machine::First, &after.first) {
        Judgement::Holds => well_formed(Machine::Second, &after.second),
        violated => violated,
    }
}

fn well_formed(machine: Machine, after: &State) -> Judgement<Violation> {
    match after.exposed() {
        None => Judgement::Holds,
        Some(exposed) => {
            Judgement::Violated(Box::new(Violation::IllFormed { machine, after: after.clone(), exposed }))
        }
    }
}
