//! Noninterference: what an observer sees must not depend on what is hidden from it.

pub mod register;
pub mod stack;

/// What a noninterference property says of a pair of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement<V> {
    /// The observer still cannot tell the machines apart.
    Holds,
    /// The observer can: secrets leak.
    Violated(Box<V>),
    /// The pair asks nothing of the property.
    Discarded(Discard),
}

/// Why a pair asks nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Discard {
    /// The pc addresses no instruction.
    NoInstruction,
    /// The observer can tell the states apart to begin with.
    Distinguishable,
    /// A state reaches blocks that it should not.
    IllFormed,
    /// The first machine is stuck.
    FirstStuck,
    /// The second machine is stuck.
    SecondStuck,
    /// A machine does not come to a public end.
    NoPublicEnd,
}

impl<V> Judgement<V> {
    fn violated_unless(holds: bool, violation: impl FnOnce() -> V) -> Self {
        if holds { Judgement::Holds } else { Judgement::Violated(Box::new(violation())) }
    }

    /// Whether the pair shows a leak.
    pub fn is_violated(&self) -> bool {
        matches!(self, Judgement::Violated(_))
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
