//! What an engine answers, as plain data that can be compared.

use std::fmt;

use crate::{
    limits::Which,
    state::State,
    value::{Value, list},
};

/// Why an engine does not take a module, in the engine's own words. Reasons are shown but never compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{0}")]
pub struct Rejection(pub String);

impl Rejection {
    /// A rejection for this reason.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

/// Whether an engine takes a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Validity {
    /// The module is valid.
    Accepted,
    /// The module is not valid.
    Rejected(Rejection),
    /// The engine panicked instead of answering.
    Panicked(String),
    /// The engine could not be asked: the environment's fault, never a finding.
    Unanswered(String),
}

impl Validity {
    /// Whether the module was accepted.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }
}

impl<T> From<Result<T, Rejection>> for Validity {
    /// What an attempt to compile says about validity.
    fn from(attempt: Result<T, Rejection>) -> Self {
        attempt.map_or_else(Self::Rejected, |_| Self::Accepted)
    }
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("accepted"),
            Self::Rejected(reason) => write!(f, "rejected: {reason}"),
            Self::Panicked(message) => write!(f, "panicked: {message}"),
            Self::Unanswered(why) => write!(f, "could not be asked: {why}"),
        }
    }
}

/// Why a program trapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrapKind {
    /// `unreachable` was executed.
    Unreachable,
    /// Integer division or remainder by zero.
    DivisionByZero,
    /// `MIN / -1`, or a float too large for the integer it is truncated to.
    IntegerOverflow,
    /// A NaN truncated to an integer.
    InvalidConversion,
    /// Access outside of a memory.
    MemoryOutOfBounds,
    /// Access outside of a table.
    TableOutOfBounds,
    /// Indirect call of a null reference.
    IndirectCallNull,
    /// Indirect call with another signature.
    IndirectCallSignature,
    /// Too many calls within calls.
    StackExhausted,
    /// The fuel of the test was used up.
    OutOfFuel,
    /// A host function trapped, because its plan says so.
    Host,
    /// A float truncated to an integer that it does not fit: too large, or a NaN, where an engine does not say which.
    Conversion,
    /// Indirect call of null or with another signature, where an engine does not say which.
    IndirectCall,
}

impl TrapKind {
    /// Whether two engines that answer `self` and `other` agree. Some engines have one word for two kinds.
    ///
    /// ```
    /// use mutagen_oracles::TrapKind;
    ///
    /// assert!(TrapKind::Conversion.agrees(TrapKind::IntegerOverflow));
    /// assert!(!TrapKind::Conversion.agrees(TrapKind::Unreachable));
    /// ```
    pub fn agrees(self, other: Self) -> bool {
        self == other || self.covers(other) || other.covers(self)
    }

    /// Whether it stands for one of several kinds, of which this is one.
    fn covers(self, other: Self) -> bool {
        match self {
            Self::Conversion => matches!(other, Self::IntegerOverflow | Self::InvalidConversion),
            Self::IndirectCall => matches!(other, Self::IndirectCallNull | Self::IndirectCallSignature),
            _ => false,
        }
    }
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreachable => "unreachable executed",
            Self::DivisionByZero => "integer division by zero",
            Self::IntegerOverflow => "integer overflow",
            Self::InvalidConversion => "invalid conversion to integer",
            Self::MemoryOutOfBounds => "out of bounds memory access",
            Self::TableOutOfBounds => "out of bounds table access",
            Self::IndirectCallNull => "indirect call of null",
            Self::IndirectCallSignature => "indirect call with another signature",
            Self::StackExhausted => "call stack exhausted",
            Self::OutOfFuel => "out of fuel",
            Self::Host => "a host function trapped",
            Self::Conversion => "float does not fit an integer",
            Self::IndirectCall => "indirect call of null or with another signature",
        })
    }
}

/// How an instantiation or a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Normally, with these results.
    Returned(Vec<Value>),
    /// With a trap.
    Trapped(TrapKind),
    /// Before it began: the arguments do not fit, or there is no such function.
    Refused(String),
    /// At a function that an engine compiles when it is first called, and that it then did not compile. An engine that
    /// compiles all functions at once rejects such a module before anything runs.
    Uncompiled(Rejection),
    /// Before it began: one of our own limits was exceeded.
    Limited(Which),
    /// With a trap that has no counterpart in [`TrapKind`].
    Unmapped(String),
    /// With an error that is not a trap: the environment's fault, never a finding.
    Infra(String),
    /// The engine panicked.
    Panicked(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned(values) => write!(f, "returned {}", list(values)),
            Self::Trapped(kind) => write!(f, "trapped: {kind}"),
            Self::Refused(reason) => write!(f, "refused: {reason}"),
            Self::Uncompiled(reason) => write!(f, "a function was not compiled: {reason}"),
            Self::Limited(which) => write!(f, "over our limit of {which}"),
            Self::Unmapped(trap) => write!(f, "trapped in a way of its own: {trap}"),
            Self::Infra(error) => write!(f, "could not run: {error}"),
            Self::Panicked(message) => write!(f, "panicked: {message}"),
        }
    }
}

/// Why there is no instance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Instantiation {
    /// The engine did not compile the module: it is invalid or exceeds a limit of the engine.
    #[error("not compiled: {0}")]
    Rejected(#[from] Rejection),
    /// Instantiation began and ended badly. What it had changed in imported memories, tables and globals stays.
    #[error("{ending}")]
    Ended {
        /// How it ended.
        ending: Ending,
        /// What is left of the imports.
        state: Box<State>,
    },
}

impl Instantiation {
    /// An instantiation that began and ended like this, with this left of the imports.
    pub fn ended(ending: Ending, state: State) -> Self {
        Self::Ended { ending, state: Box::new(state) }
    }
}
