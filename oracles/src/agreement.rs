//! How far two engines agree.

use std::fmt;

use crate::{limits::Which, parts::Part};

/// What comparing two answers led to. Only [`Agreement::Differ`] is a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// They agree.
    Equal,
    /// They disagree, and the specification does not allow it.
    Differ(Difference),
    /// From here on, they may disagree legally.
    Inconclusive(Why),
    /// A limit of ours or of an engine was met.
    Limit(Which),
    /// The environment failed, not the engines.
    Infra(String),
}

impl Agreement {
    /// Whether this is a finding.
    pub fn is_finding(&self) -> bool {
        matches!(self, Self::Differ(_))
    }

    /// Goes on comparing only as long as all is equal.
    pub(crate) fn and_then(self, next: impl FnOnce() -> Self) -> Self {
        if self == Self::Equal { next() } else { self }
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal => f.write_str("equal"),
            Self::Differ(difference) => write!(f, "differ: {difference}"),
            Self::Inconclusive(why) => write!(f, "inconclusive: {why}"),
            Self::Limit(which) => write!(f, "over a limit: {which}"),
            Self::Infra(why) => write!(f, "could not be judged: {why}"),
        }
    }
}

/// A disagreement, with what each engine said about the part that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The part that differs.
    pub what: What,
    /// What the target says.
    pub target: String,
    /// What the reference says.
    pub reference: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: the target says {}, the reference says {}", self.what, self.target, self.reference)
    }
}

/// The part of two answers that differs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// Whether the module is valid.
    Validity,
    /// Whether a valid module can be compiled.
    Compilation,
    /// How it ended: by returning or by trapping.
    Ending,
    /// Whether it began: only one engine refused the call.
    Refusal,
    /// The kind of the trap.
    Trap,
    /// The result at this position.
    Result(usize),
    /// A memory: its name, and the first address that differs.
    Memory(String, u64),
    /// A global, by name.
    Global(String),
    /// A table: its name, and the first element that differs.
    Table(String, u64),
    /// The calls of imported functions.
    HostCalls,
    /// An exported function, by name: only one engine exports it, or with another type.
    Export(String),
    /// Only one engine ran out of stack, in a module that cannot exhaust a stack.
    Stack,
    /// The target panicked.
    Panic,
}

impl What {
    /// A short name for the kind of difference, for file names and counts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Validity => "validity",
            Self::Compilation => "compilation",
            Self::Ending => "ending",
            Self::Refusal => "refusal",
            Self::Trap => "trap",
            Self::Result(_) => "result",
            Self::Memory(..) => "memory",
            Self::Global(_) => "global",
            Self::Table(..) => "table",
            Self::HostCalls => "host-calls",
            Self::Export(_) => "export",
            Self::Stack => "stack",
            Self::Panic => "panic",
        }
    }

    /// The part of the answers that it belongs to. `None` for a panic, which belongs to none.
    pub fn part(&self) -> Option<Part> {
        match self {
            Self::Validity | Self::Compilation => Some(Part::Validity),
            Self::Result(_) | Self::Refusal => Some(Part::Results),
            Self::Ending | Self::Trap | Self::Stack => Some(Part::Traps),
            Self::Memory(..) => Some(Part::Memory),
            Self::Global(_) => Some(Part::Globals),
            Self::Table(..) => Some(Part::Tables),
            Self::HostCalls => Some(Part::HostCalls),
            Self::Export(_) => Some(Part::Exports),
            Self::Panic => None,
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result(position) => write!(f, "result {position}"),
            Self::Memory(name, address) => write!(f, "memory {name:?} at address {address}"),
            Self::Global(name) => write!(f, "global {name:?}"),
            Self::Table(name, element) => write!(f, "table {name:?} at element {element}"),
            Self::HostCalls => f.write_str("calls of imported functions"),
            Self::Export(name) => write!(f, "exported function {name:?}"),
            other => f.write_str(other.kind()),
        }
    }
}

/// Why nothing can be concluded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// A call stack was exhausted; how deep it may be is the engine's choice.
    Stack,
    /// Fuel ran out; engines count it differently.
    Fuel,
    /// A trap without a counterpart in our list.
    UnmappedTrap(String),
    /// The bits of a NaN may have leaked into what differs. Only in raw mode.
    NanBits,
    /// Engines add up the relaxed dot product differently where 16 bits are too few, and a value may have come from that.
    RelaxedDot,
    /// A limit of a memory or table has more bytes than it needs, which versions of the specification treat differently.
    OverlongLimits,
    /// The difference did not show again.
    Flaky,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stack => f.write_str("the call stack was exhausted"),
            Self::Fuel => f.write_str("fuel ran out"),
            Self::UnmappedTrap(trap) => write!(f, "a trap that has no counterpart: {trap}"),
            Self::NanBits => f.write_str("NaN bits, which are free, may explain it"),
            Self::RelaxedDot => f.write_str("the relaxed dot product may have overflowed"),
            Self::OverlongLimits => {
                f.write_str("a limit has more bytes than WebAssembly 2.0 allows, and no more than 3.0 does")
            }
            Self::Flaky => f.write_str("the difference did not show again"),
        }
    }
}

/// A difference in `what`.
pub(crate) fn differ(what: What, target: impl fmt::Display, reference: impl fmt::Display) -> Agreement {
    Agreement::Differ(Difference { what, target: target.to_string(), reference: reference.to_string() })
}

/// A panic of the reference says nothing about the target.
pub(crate) fn reference_panicked(message: &str) -> Agreement {
    Agreement::Infra(format!("the reference panicked: {message}"))
}
