//! The simply typed lambda calculus with de Bruijn indices. A term keeps its type when it is reduced.

use crate::Demo;
use mutagen_engine::{Generate, Mutable, Outcome};

mod reduce;

pub use reduce::step;

/// A type.
#[cfg_attr(feature = "race", derive(arbitrary::Arbitrary, bolero_generator::TypeGenerator))]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub enum Type {
    /// Truth values.
    Bool,
    /// Functions.
    Function(Box<Type>, Box<Type>),
}

/// A term. It should be closed and have a type.
#[cfg_attr(feature = "race", derive(arbitrary::Arbitrary, bolero_generator::TypeGenerator))]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub enum Term {
    /// A truth value.
    Bool(bool),
    /// A variable: how many binders lie between it and its own.
    Variable(u8),
    /// A function of an argument of this type.
    Lambda(Type, Box<Term>),
    /// A function applied to an argument.
    Apply(Box<Term>, Box<Term>),
}

use Term::{Apply, Lambda, Variable};

bugs! {
    /// What can be wrong with substitution.
    pub enum Bug {
        /// Shifting leaves all variables alone.
        ShiftLeavesAllVariables,
        /// Shifting changes bound variables, too.
        ShiftChangesBoundVariables,
        /// Shifting leaves the first free variable alone.
        ShiftLeavesTheFirstFree,
        /// Shifting does not count binders on its way down.
        ShiftDoesNotCountBinders,
        /// Substitution replaces every variable.
        SubstitutesEverywhere,
        /// Substitution replaces no variable.
        SubstitutesNowhere,
        /// What is substituted below a binder is not shifted.
        SubstitutesWithoutShift,
        /// Substitution does not count binders on its way down.
        SubstitutionDoesNotCountBinders,
        /// The argument of a reduced application is not shifted.
        ArgumentIsNotShifted,
        /// The body of a reduced application is not shifted back.
        BodyIsNotShiftedBack,
    }
}

/// The type of a term whose free variables have these types, the innermost last.
pub fn type_of(term: &Term, context: &mut Vec<Type>) -> Option<Type> {
    match term {
        Term::Bool(_) => Some(Type::Bool),
        Variable(index) => {
            let place = context.len().checked_sub(usize::from(*index) + 1)?;
            Some(context[place].clone())
        }
        Lambda(argument, body) => {
            context.push(argument.clone());
            let result = type_of(body, context);
            context.pop();
            Some(Type::Function(Box::new(argument.clone()), Box::new(result?)))
        }
        Apply(function, argument) => {
            let Type::Function(from, to) = type_of(function, context)? else { return None };
            (type_of(argument, context)? == *from).then_some(*to)
        }
    }
}

impl Demo for Bug {
    const NAME: &'static str = "lambda calculus";
    const ALL: &'static [Self] = Self::LIST;
    type Case = Term;

    /// Checks a term that has a type and can be reduced: every step keeps the type.
    fn check(bug: Option<Self>, term: &Term) -> Outcome {
        let Some(expected) = type_of(term, &mut Vec::new()) else { return Outcome::discarded() };
        let Some(mut term) = step(bug, term) else { return Outcome::discarded() };
        for _ in 1..MAX_STEPS {
            if type_of(&term, &mut Vec::new()).as_ref() != Some(&expected) {
                return Outcome::failed("the type changed");
            }
            let Some(next) = step(bug, &term).filter(|next| size(next) < MAX_SIZE) else { break };
            term = next;
        }
        Outcome::passed()
    }
}

fn size(term: &Term) -> usize {
    match term {
        Term::Bool(_) | Variable(_) => 1,
        Lambda(_, body) => 1 + size(body),
        Apply(function, argument) => 1 + size(function) + size(argument),
    }
}

/// A small term can grow enormously before it stops.
const MAX_SIZE: usize = 200;
/// Typed terms stop, but with a bug a term need not stay typed long enough to be noticed.
const MAX_STEPS: usize = 8;
