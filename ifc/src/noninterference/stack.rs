//! Noninterference of the stack machine: of one step, of many, and of whole runs.

use super::{Discard, Secrecy};
use crate::rule;
use crate::stack::{Instruction, Label, OpCode, State, Variation};

type Table = rule::Table<OpCode>;

/// The number of steps after which a machine is assumed to run for ever.
pub const FUEL: usize = 42;

/// A pair of states that the observer should not be able to tell apart, but can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The pair before the step that leaks.
    pub before: Variation,
    /// The two states that differ.
    pub differ: Variation,
    /// Which states they are.
    pub compared: Compared,
}

/// Which two states a property compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The two machines after their steps.
    Both,
    /// The two machines at the end of their runs.
    Ends,
    /// The first machine before and after a secret step.
    First,
    /// The second machine before and after a secret step.
    Second,
}

/// Single-step noninterference: indistinguishable states step to indistinguishable states, and a step under a
/// secret pc changes nothing that the observer sees.
///
/// If both machines stay secret, only the step of the first one is checked, as in the published experiments.
pub fn ssni(table: &Table, pair: &Variation) -> Secrecy<Violation> {
    let Variation { first, second } = pair;
    if first.instruction().is_none() {
        return Secrecy::Discarded(Discard::NoInstruction);
    }
    if !first.indistinguishable(second) {
        return Secrecy::Discarded(Discard::Distinguishable);
    }
    let Some(first_after) = first.step(table) else { return Secrecy::Discarded(Discard::FirstStuck) };
    let Some(second_after) = second.step(table) else { return Secrecy::Discarded(Discard::SecondStuck) };
    match first.pc.label {
        Label::L => compare(pair, Compared::Both, &first_after, &second_after),
        Label::H => match (first_after.pc.label, second_after.pc.label) {
            (Label::L, Label::L) => compare(pair, Compared::Both, &first_after, &second_after),
            (Label::L, Label::H) => compare(pair, Compared::Second, second, &second_after),
            (Label::H, _) => compare(pair, Compared::First, first, &first_after),
        },
    }
}

fn compare(before: &Variation, compared: Compared, left: &State, right: &State) -> Secrecy<Violation> {
    Secrecy::violated_unless(left.indistinguishable(right), || Violation {
        before: before.clone(),
        differ: Variation { first: left.clone(), second: right.clone() },
        compared,
    })
}

/// Multi-step noninterference: single-step noninterference along a run of up to [`FUEL`] steps.
///
/// Public machines step together. Secret machines step one after the other: the first until it is about to
/// become public, then the second until it is too. The run ends when a machine is stuck.
pub fn msni(table: &Table, pair: &Variation) -> Secrecy<Violation> {
    if !pair.first.indistinguishable(&pair.second) {
        return Secrecy::Discarded(Discard::Distinguishable);
    }
    let mut pair = pair.clone();
    for _ in 0..FUEL {
        let Some((compared, after)) = stride(table, &pair) else { return Secrecy::Holds };
        let (left, right) = match compared {
            Compared::First => (&pair.first, &after.first),
            Compared::Second => (&pair.second, &after.second),
            Compared::Both | Compared::Ends => (&after.first, &after.second),
        };
        let judgement = compare(&pair, compared, left, right);
        if judgement.is_violated() {
            return judgement;
        }
        pair = after;
    }
    Secrecy::Holds
}

/// Steps one or both machines such that the pair should stay indistinguishable; `None` if a machine is stuck.
fn stride(table: &Table, pair: &Variation) -> Option<(Compared, Variation)> {
    // The first machine steps alone while it stays secret.
    let first = pair.first.step(table)?;
    let secret = pair.first.pc.label == Label::H;
    if secret && first.pc.label == Label::H {
        return Some((Compared::First, Variation { first, second: pair.second.clone() }));
    }
    // Then the second machine steps alone while it stays secret.
    let second = pair.second.step(table)?;
    if secret && second.pc.label == Label::H {
        return Some((Compared::Second, Variation { first: pair.first.clone(), second }));
    }
    Some((Compared::Both, Variation { first, second }))
}

/// End-to-end noninterference: machines that start indistinguishable and both halt in public within [`FUEL`]
/// steps halt indistinguishable.
pub fn eeni(table: &Table, pair: &Variation) -> Secrecy<Violation> {
    if !pair.first.indistinguishable(&pair.second) {
        return Secrecy::Discarded(Discard::Distinguishable);
    }
    match (public_end(table, &pair.first), public_end(table, &pair.second)) {
        (Some(first), Some(second)) => compare(pair, Compared::Ends, &first, &second),
        _ => Secrecy::Discarded(Discard::NoPublicEnd),
    }
}

fn public_end(table: &Table, start: &State) -> Option<State> {
    let mut state = start.clone();
    for _ in 0..FUEL {
        match state.step(table) {
            Some(next) => state = next,
            None => break,
        }
    }
    let halted = state.instruction() == Some(Instruction::Halt) && state.pc.label == Label::L;
    halted.then_some(state)
}
