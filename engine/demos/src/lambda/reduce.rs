//! Reduction.

use super::Bug::{self, *};
use super::Term::{self, Apply, Lambda, Variable};

/// Reduces the outermost application of a function, the leftmost if there are several, also below binders. `None` if there
/// is none.
pub fn step(bug: Option<Bug>, term: &Term) -> Option<Term> {
    match term {
        Term::Bool(_) | Variable(_) => None,
        Lambda(from, body) => Some(Lambda(from.clone(), Box::new(step(bug, body)?))),
        Apply(function, argument) => match &**function {
            Lambda(_, body) => Some(substitute_top(bug, argument, body)),
            _ => step_inside(bug, function, argument),
        },
    }
}

fn step_inside(bug: Option<Bug>, function: &Term, argument: &Term) -> Option<Term> {
    let (function, argument) = match step(bug, function) {
        Some(reduced) => (reduced, argument.clone()),
        None => (function.clone(), step(bug, argument)?),
    };
    Some(Apply(Box::new(function), Box::new(argument)))
}

/// The body of a function with the argument in place of its variable.
fn substitute_top(bug: Option<Bug>, argument: &Term, body: &Term) -> Term {
    let argument =
        if bug == Some(ArgumentIsNotShifted) { argument.clone() } else { shift(bug, 1, 0, argument) };
    let body = substitute(bug, 0, &argument, body);
    if bug == Some(BodyIsNotShiftedBack) { body } else { shift(bug, -1, 0, &body) }
}

/// Adds `by` to the variables that are bound outside: those from `cutoff` on.
fn shift(bug: Option<Bug>, by: i8, cutoff: u8, term: &Term) -> Term {
    match term {
        Term::Bool(_) => term.clone(),
        Variable(index) => Variable(shift_variable(bug, by, cutoff, *index)),
        Lambda(from, body) => {
            let cutoff =
                if bug == Some(ShiftDoesNotCountBinders) { cutoff } else { cutoff.saturating_add(1) };
            Lambda(from.clone(), Box::new(shift(bug, by, cutoff, body)))
        }
        Apply(function, argument) => {
            Apply(Box::new(shift(bug, by, cutoff, function)), Box::new(shift(bug, by, cutoff, argument)))
        }
    }
}

fn shift_variable(bug: Option<Bug>, by: i8, cutoff: u8, index: u8) -> u8 {
    let is_free = match bug {
        Some(ShiftLeavesAllVariables) => false,
        Some(ShiftChangesBoundVariables) => true,
        Some(ShiftLeavesTheFirstFree) => index > cutoff,
        _ => index >= cutoff,
    };
    if is_free { index.saturating_add_signed(by) } else { index }
}

/// Replaces the variable `index` in a term.
fn substitute(bug: Option<Bug>, index: u8, by: &Term, term: &Term) -> Term {
    match term {
        Term::Bool(_) => term.clone(),
        Variable(found) => {
            let is_meant = match bug {
                Some(SubstitutesEverywhere) => true,
                Some(SubstitutesNowhere) => false,
                _ => *found == index,
            };
            if is_meant { by.clone() } else { term.clone() }
        }
        Lambda(from, body) => {
            let below =
                if bug == Some(SubstitutionDoesNotCountBinders) { index } else { index.saturating_add(1) };
            let by = if bug == Some(SubstitutesWithoutShift) { by.clone() } else { shift(bug, 1, 0, by) };
            Lambda(from.clone(), Box::new(substitute(bug, below, &by, body)))
        }
        Apply(function, argument) => Apply(
            Box::new(substitute(bug, index, by, function)),
            Box::new(substitute(bug, index, by, argument)),
        ),
    }
}
