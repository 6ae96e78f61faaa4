//! What an engine answers: is this module valid, what does instantiating it do, what does this call do.
//!
//! Answers are plain data. An adapter for one more engine is one file that implements [`Engine`] and [`Instance`].

use std::fmt;

use crate::{
    limits::Which,
    state::State,
    value::{Value, ValueType, list},
};

/// Whether an engine takes a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Validity {
    /// The module is valid.
    Accepted,
    /// It is not, for the reason given. Reasons are shown but never compared.
    Rejected(String),
    /// The engine panicked instead of answering.
    Panicked(String),
}

impl Validity {
    /// Whether the module was accepted.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("accepted"),
            Self::Rejected(reason) => write!(f, "rejected: {reason}"),
            Self::Panicked(message) => write!(f, "panicked: {message}"),
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
            Self::Limited(which) => write!(f, "over our limit of {which}"),
            Self::Unmapped(trap) => write!(f, "trapped in a way of its own: {trap}"),
            Self::Infra(error) => write!(f, "could not run: {error}"),
            Self::Panicked(message) => write!(f, "panicked: {message}"),
        }
    }
}

/// Why there is no instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instantiation {
    /// The engine did not compile the module: it is invalid or exceeds a limit of the engine.
    Rejected(String),
    /// Instantiation began and ended badly. What it had changed in imported memories, tables and globals stays.
    Ended {
        /// How it ended.
        ending: Ending,
        /// What is left of the imports.
        state: Box<State>,
    },
}

/// Parameters and results of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Types of the parameters.
    pub parameters: Vec<ValueType>,
    /// Types of the results.
    pub results: Vec<ValueType>,
}

impl Signature {
    /// Whether a call with these arguments is well-typed.
    pub fn takes(&self, arguments: &[Value]) -> bool {
        self.parameters.len() == arguments.len()
            && self.parameters.iter().zip(arguments).all(|(ty, value)| *ty == value.ty())
    }
}

/// An exported function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// The name of the export.
    pub name: String,
    /// Its type.
    pub signature: Signature,
}

/// An engine under test, or the one that it is compared with.
///
/// An implementation may let panics of the engine pass: [`Guarded`](crate::Guarded) catches them for all.
pub trait Engine {
    /// The engine's name, for reports.
    fn name(&self) -> &str;

    /// Whether the module is valid. Nothing is executed.
    fn validate(&self, bytes: &[u8]) -> Validity;

    /// Compiles the module, gives it stubs for its imports, and runs its start function.
    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation>;
}

/// A module that came alive in an engine.
pub trait Instance {
    /// The exported functions, sorted by name.
    fn exports(&self) -> Vec<Function>;

    /// Calls an exported function, with fresh fuel.
    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending;

    /// Everything that can be seen from outside: imported things first, then exported ones sorted by name.
    fn state(&mut self) -> State;

    /// The bytes of `state().memories[index]`.
    fn memory(&mut self, index: usize) -> Vec<u8>;

    /// The elements of `state().tables[index]`.
    fn table(&mut self, index: usize) -> Vec<Value>;

    /// The fuel that all calls together used, by the engine's own count. 0 if it does not say.
    fn fuel_used(&self) -> u64 {
        0
    }
}

impl<E: Engine + ?Sized> Engine for &E {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        (**self).validate(bytes)
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        (**self).instantiate(bytes)
    }
}
