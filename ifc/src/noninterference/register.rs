//! Single-step noninterference of the register machine.

use super::{Discard, Secrecy};
use crate::lattice::Lattice;
use crate::register::{Exposed, OpCode, State, Variation};
use crate::rule;

type Table = rule::Table<OpCode>;

/// What went wrong in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The observer can tell the two machines apart after the step.
    Both(Variation),
    /// The observer notices a secret step of the first machine: the state after the step, which differs from
    /// the one before.
    First(State),
    /// After the step, a machine reaches a block that it should not.
    IllFormed {
        /// Which machine.
        machine: Half,
        /// Its state after the step.
        after: State,
        /// The exposed block.
        exposed: Exposed,
    },
}

/// One of the two machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The first.
    First,
    /// The second.
    Second,
}

/// Single-step noninterference: indistinguishable, well-formed states step to states that are so too, and a
/// step under a secret pc changes nothing that the observer sees.
///
/// As in the published experiments, machines that become public at different moments pass, and if both
/// machines stay secret, only the step of the first one is checked.
pub fn ssni(table: &Table, pair: &Variation) -> Secrecy<Violation> {
    let Variation { observer, first, second } = pair;
    let observer = *observer;
    // The property says nothing about pairs that differ from the start or are ill-formed.
    if !first.indistinguishable(second, observer) {
        return Secrecy::Discarded(Discard::Distinguishable);
    }
    if !first.is_well_formed() || !second.is_well_formed() {
        return Secrecy::Discarded(Discard::IllFormed);
    }
    let Some(first_after) = first.step(table) else { return Secrecy::Discarded(Discard::FirstStuck) };
    // A step from secret to secret is compared with the state before it.
    let public_before = first.pc.label.flows_to(observer);
    if !public_before && !first_after.pc.label.flows_to(observer) {
        return secret_step(pair, first_after);
    }
    let Some(second_after) = second.step(table) else { return Secrecy::Discarded(Discard::SecondStuck) };
    if !public_before && !second_after.pc.label.flows_to(observer) {
        return Secrecy::Holds;
    }
    // Two public steps, or two steps out of secrecy, are compared with each other.
    both_step(Variation { observer, first: first_after, second: second_after })
}

fn secret_step(pair: &Variation, after: State) -> Secrecy<Violation> {
    let Variation { observer, first, .. } = pair;
    if !first.indistinguishable(&after, *observer) {
        return Secrecy::Violated(Box::new(Violation::First(after)));
    }
    well_formed(Half::First, &after)
}

fn both_step(after: Variation) -> Secrecy<Violation> {
    if !after.first.indistinguishable(&after.second, after.observer) {
        return Secrecy::Violated(Box::new(Violation::Both(after)));
    }
    match well_formed(Half::First, &after.first) {
        Secrecy::Holds => well_formed(Half::Second, &after.second),
        violated => violated,
    }
}

fn well_formed(machine: Half, after: &State) -> Secrecy<Violation> {
    match after.exposed() {
        None => Secrecy::Holds,
        Some(exposed) => {
            Secrecy::Violated(Box::new(Violation::IllFormed { machine, after: after.clone(), exposed }))
        }
    }
}
