//! When two answers count as the same, and what it means when they do not.

use std::fmt;

use crate::{
    engine::{Ending, TrapKind, Validity},
    limits::{Side, Which, explain_rejection},
    settings::{NanMode, Settings},
    state::{Extent, State},
    value::Value,
};

/// What comparing two answers led to. Only [`Verdict::Differ`] is a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They agree.
    Equal,
    /// They disagree, and the specification does not allow it.
    Differ(Difference),
    /// They may disagree legally from here on.
    Inconclusive(Why),
    /// A limit of ours or of an engine was met.
    Limit(Which),
    /// The environment failed, not the engines.
    Infra(String),
}

impl Verdict {
    /// Whether this is a finding.
    pub fn is_finding(&self) -> bool {
        matches!(self, Self::Differ(_))
    }

    /// Goes on comparing only as long as all is equal.
    pub(crate) fn and_then(self, next: impl FnOnce() -> Self) -> Self {
        if self == Self::Equal { next() } else { self }
    }
}

impl fmt::Display for Verdict {
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
    /// How it ended: by returning, by trapping, or by being refused.
    Ending,
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
    /// The target ran out of stack, or only the reference did, where neither can.
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
            Self::Trap => "trap",
            Self::Result(_) => "result",
            Self::Memory(..) => "memory",
            Self::Global(_) => "global",
            Self::Table(..) => "table",
            Self::HostCalls => "host-calls",
            Self::Stack => "stack",
            Self::Panic => "panic",
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
    /// The difference was not there again.
    Flaky,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stack => f.write_str("the call stack was exhausted"),
            Self::Fuel => f.write_str("fuel ran out"),
            Self::UnmappedTrap(trap) => write!(f, "a trap that has no counterpart: {trap}"),
            Self::NanBits => f.write_str("NaN bits, which are free, may explain it"),
            Self::Flaky => f.write_str("the difference did not show again"),
        }
    }
}

/// A difference in `what`.
pub(crate) fn differ(what: What, target: impl fmt::Display, reference: impl fmt::Display) -> Verdict {
    Verdict::Differ(Difference { what, target: target.to_string(), reference: reference.to_string() })
}

/// Compares whether a module is valid. A rejection that a limit of the rejecting engine explains is no finding.
pub fn compare_validity(
    bytes: &[u8],
    target: &Validity,
    reference: &Validity,
    settings: &Settings,
) -> Verdict {
    match (target, reference) {
        (Validity::Panicked(_), _) => differ(What::Panic, target, reference),
        (_, Validity::Panicked(message)) => Verdict::Infra(format!("the reference panicked: {message}")),
        (Validity::Accepted, Validity::Accepted) | (Validity::Rejected(_), Validity::Rejected(_)) => {
            Verdict::Equal
        }
        (Validity::Rejected(_), Validity::Accepted) => {
            one_sided(bytes, settings, Side::Target, differ(What::Validity, target, reference))
        }
        (Validity::Accepted, Validity::Rejected(_)) => {
            one_sided(bytes, settings, Side::Reference, differ(What::Validity, target, reference))
        }
    }
}

/// The verdict on a module that only one engine rejects.
pub(crate) fn one_sided(bytes: &[u8], settings: &Settings, by: Side, otherwise: Verdict) -> Verdict {
    explain_rejection(bytes, &settings.features, by).map_or(otherwise, Verdict::Limit)
}

/// Compares how two calls, or two instantiations, ended.
pub fn compare_endings(target: &Ending, reference: &Ending, nan: NanMode) -> Verdict {
    if let Some(verdict) = incomparable(target, reference) {
        return verdict;
    }
    match (target, reference) {
        (Ending::Returned(a), Ending::Returned(b)) => compare_results(a, b, nan),
        (Ending::Trapped(a), Ending::Trapped(b)) if a != b => differ(What::Trap, a, b),
        (Ending::Trapped(_), Ending::Trapped(_)) | (Ending::Refused(_), Ending::Refused(_)) => Verdict::Equal,
        _ => differ(What::Ending, target, reference),
    }
}

/// The verdict that one engine's ending alone leads to, whatever the other one says: then it need not be asked, which
/// also keeps it from working without end where fuel does not count what it does.
pub fn settled(ending: &Ending) -> Option<Verdict> {
    match ending {
        Ending::Infra(error) => Some(Verdict::Infra(error.clone())),
        Ending::Limited(which) => Some(Verdict::Limit(*which)),
        Ending::Trapped(TrapKind::OutOfFuel) => Some(Verdict::Inconclusive(Why::Fuel)),
        Ending::Unmapped(trap) => Some(Verdict::Inconclusive(Why::UnmappedTrap(trap.clone()))),
        _ => None,
    }
}

/// The endings after which two engines need not agree. A panic of the target counts whatever the reference does.
fn incomparable(target: &Ending, reference: &Ending) -> Option<Verdict> {
    match (target, reference) {
        (Ending::Panicked(_), _) => Some(differ(What::Panic, target, reference)),
        (_, Ending::Panicked(message)) => Some(Verdict::Infra(format!("the reference panicked: {message}"))),
        _ => settled(target).or_else(|| exhausted(target, reference)).or_else(|| settled(reference)),
    }
}

fn exhausted(target: &Ending, reference: &Ending) -> Option<Verdict> {
    let exhausted = |ending: &Ending| *ending == Ending::Trapped(TrapKind::StackExhausted);
    (exhausted(target) || exhausted(reference)).then_some(Verdict::Inconclusive(Why::Stack))
}

fn compare_results(target: &[Value], reference: &[Value], nan: NanMode) -> Verdict {
    if target.len() != reference.len() {
        let (target, reference) = (target.len(), reference.len());
        return differ(What::Ending, format!("{target} results"), format!("{reference} results"));
    }
    let pairs = target.iter().zip(reference);
    let position = pairs.clone().position(|(a, b)| !a.agrees(b, nan));
    position.map_or(Verdict::Equal, |at| differ(What::Result(at), target[at], reference[at]))
}

/// Compares what can be seen of two instances from outside. Where a memory or a table differs is left at 0:
/// [`judge`](crate::judge()) looks closer.
pub fn compare_states(target: &State, reference: &State, nan: NanMode) -> Verdict {
    compare_extents(&target.memories, &reference.memories, What::Memory)
        .and_then(|| compare_globals(target, reference, nan))
        .and_then(|| compare_extents(&target.tables, &reference.tables, What::Table))
        .and_then(|| compare_host_calls(target, reference, nan))
}

fn compare_extents(target: &[Extent], reference: &[Extent], what: fn(String, u64) -> What) -> Verdict {
    let shown = |extent: &Extent| format!("length {}, digest {:016x}", extent.length, extent.digest);
    let mut pairs = target.iter().zip(reference);
    if let Some((a, b)) = pairs.find(|(a, b)| a != b) {
        return differ(what(a.name.clone(), 0), shown(a), shown(b));
    }
    compare_counts(target.len(), reference.len(), what(String::new(), 0))
}

fn compare_globals(target: &State, reference: &State, nan: NanMode) -> Verdict {
    let mut pairs = target.globals.iter().zip(&reference.globals);
    if let Some((a, b)) = pairs.find(|(a, b)| a.name != b.name || !a.value.agrees(&b.value, nan)) {
        return differ(What::Global(a.name.clone()), a.value, b.value);
    }
    compare_counts(target.globals.len(), reference.globals.len(), What::Global(String::new()))
}

fn compare_counts(target: usize, reference: usize, what: What) -> Verdict {
    if target == reference {
        return Verdict::Equal;
    }
    differ(what, format!("{target} of them"), format!("{reference} of them"))
}

fn compare_host_calls(target: &State, reference: &State, nan: NanMode) -> Verdict {
    let (a, b) = (&target.host, &reference.host);
    if a == b {
        return Verdict::Equal;
    }
    let agree = a.calls == b.calls
        && a.first.iter().zip(&b.first).all(|(a, b)| {
            a.import == b.import && compare_results(&a.arguments, &b.arguments, nan) == Verdict::Equal
        });
    match agree {
        // Only the digest differs, which knows bits alone.
        true if nan == NanMode::Raw => Verdict::Equal,
        _ => differ(What::HostCalls, a, b),
    }
}
