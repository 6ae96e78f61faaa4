//! Noninterference: the part of a state that an observer sees must not depend on the secret part.

pub mod register;
pub mod stack;

/// The verdict of a noninterference property on a pair of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Secrecy<V> {
    /// The observer still cannot tell the machines apart.
    Holds,
    /// The observer can tell them apart: secrets leak.
    Violated(Box<V>),
    /// The property says nothing about this pair.
    Discarded(Discard),
}

/// Why a property says nothing about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Discard {
    /// The pc addresses no instruction.
    NoInstruction,
    /// The observer can tell the states apart from the start.
    Distinguishable,
    /// A state is not well-formed: it reaches blocks that it should not.
    IllFormed,
    /// The first machine is stuck.
    FirstStuck,
    /// The second machine is stuck.
    SecondStuck,
    /// A machine does not halt with a public pc.
    NoPublicEnd,
}

impl<V> Secrecy<V> {
    fn violated_unless(holds: bool, violation: impl FnOnce() -> V) -> Self {
        if holds { Secrecy::Holds } else { Secrecy::Violated(Box::new(violation())) }
    }

    /// Whether the pair shows a leak.
    pub fn is_violated(&self) -> bool {
        matches!(self, Secrecy::Violated(_))
    }
}

impl Discard {
    /// A short name for statistics.
    pub fn name(self) -> &'static str {
        match self {
            Discard::NoInstruction => "no instruction",
            Discard::Distinguishable => "distinguishable",
            Discard::IllFormed => "ill-formed",
            Discard::FirstStuck => "first stuck",
            Discard::SecondStuck => "second stuck",
            Discard::NoPublicEnd => "no public end",
        }
    }
}
