//! When two answers count as the same, and which answers cannot be compared.

use crate::{
    agreement::{Agreement, What, Why, differ, reference_panicked},
    answer::{Ending, TrapKind},
    engine::{Function, Signature},
    parts::{Part, Parts},
    settings::NanMode,
    state::{Extent, State},
    value::{Value, ValueType},
};

/// What one engine's ending alone decides, whatever the other engine says: then the other one need not be asked, which
/// also keeps it from working without end where fuel does not count what it does.
///
/// This is the rule for endings that prove nothing:
///
/// | ending | agreement | because |
/// |---|---|---|
/// | [`Infra`](Ending::Infra) | [`Infra`](Agreement::Infra) | the environment failed, not the engine |
/// | [`Limited`](Ending::Limited) | [`Limit`](Agreement::Limit) | our own limit was met |
/// | out of fuel | [`Inconclusive`](Agreement::Inconclusive) | engines count fuel differently |
/// | [`Unmapped`](Ending::Unmapped) | [`Inconclusive`](Agreement::Inconclusive) | the trap has no counterpart to compare |
///
/// Three more endings stop a comparison, but what they mean depends on the other engine or on the module:
/// see [`Ending::ends_comparison`].
///
/// ```
/// use mutagen_oracles::{Agreement, Ending, TrapKind, Why, settled};
///
/// let fuel = Ending::Trapped(TrapKind::OutOfFuel);
/// assert_eq!(settled(&fuel), Some(Agreement::Inconclusive(Why::Fuel)));
/// let stack = Ending::Trapped(TrapKind::StackExhausted);
/// assert_eq!((settled(&stack), stack.ends_comparison()), (None, true));
/// ```
pub fn settled(ending: &Ending) -> Option<Agreement> {
    match ending {
        Ending::Infra(error) => Some(Agreement::Infra(error.clone())),
        Ending::Limited(which) => Some(Agreement::Limit(*which)),
        Ending::Trapped(TrapKind::OutOfFuel) => Some(Agreement::Inconclusive(Why::Fuel)),
        Ending::Unmapped(trap) => Some(Agreement::Inconclusive(Why::UnmappedTrap(trap.clone()))),
        Ending::Trapped(_)
        | Ending::Returned(_)
        | Ending::Refused(_)
        | Ending::Uncompiled(_)
        | Ending::Panicked(_) => None,
    }
}

impl Ending {
    /// Whether later calls on the same instance cannot be compared. Such an ending is [settled()], or one of these:
    ///
    /// * an exhausted stack is inconclusive, unless nothing in the module can exhaust a stack;
    /// * a function that was not compiled is over a limit of the engine, or else a difference;
    /// * a panic is a finding in the target and proves nothing in the reference.
    pub fn ends_comparison(&self) -> bool {
        match self {
            Self::Trapped(TrapKind::StackExhausted) | Self::Uncompiled(_) | Self::Panicked(_) => true,
            other => settled(other).is_some(),
        }
    }
}

/// Compares how two calls, or two instantiations, ended. A difference in another part than these is none.
pub fn compare_endings(target: &Ending, reference: &Ending, nan: NanMode, parts: Parts) -> Agreement {
    parts.overlook(compare_whole_endings(target, reference, nan))
}

fn compare_whole_endings(target: &Ending, reference: &Ending, nan: NanMode) -> Agreement {
    if let Some(agreement) = incomparable(target, reference) {
        return agreement;
    }
    match (target, reference) {
        (Ending::Returned(a), Ending::Returned(b)) => compare_results(a, b, nan),
        (Ending::Trapped(a), Ending::Trapped(b)) if !a.agrees(*b) => differ(What::Trap, a, b),
        (Ending::Trapped(_), Ending::Trapped(_))
        | (Ending::Refused(_), Ending::Refused(_))
        | (Ending::Uncompiled(_), Ending::Uncompiled(_)) => Agreement::Equal,
        (Ending::Uncompiled(_), _) | (_, Ending::Uncompiled(_)) => {
            differ(What::Compilation, target, reference)
        }
        (Ending::Refused(_), _) | (_, Ending::Refused(_)) => differ(What::Refusal, target, reference),
        _ => differ(What::Ending, target, reference),
    }
}

/// The endings after which two engines need not agree. A panic of the target counts whatever the reference does.
fn incomparable(target: &Ending, reference: &Ending) -> Option<Agreement> {
    match (target, reference) {
        (Ending::Panicked(_), _) => Some(differ(What::Panic, target, reference)),
        (_, Ending::Panicked(message)) => Some(reference_panicked(message)),
        _ => settled(target).or_else(|| exhausted(target, reference)).or_else(|| settled(reference)),
    }
}

fn exhausted(target: &Ending, reference: &Ending) -> Option<Agreement> {
    let exhausted = |ending: &Ending| *ending == Ending::Trapped(TrapKind::StackExhausted);
    (exhausted(target) || exhausted(reference)).then_some(Agreement::Inconclusive(Why::Stack))
}

fn compare_results(target: &[Value], reference: &[Value], nan: NanMode) -> Agreement {
    if target.len() != reference.len() {
        let (target, reference) = (target.len(), reference.len());
        let first = What::Result(target.min(reference));
        return differ(first, format!("{target} results"), format!("{reference} results"));
    }
    let pairs = target.iter().zip(reference);
    let position = pairs.clone().position(|(a, b)| !a.agrees(b, nan));
    position.map_or(Agreement::Equal, |at| differ(What::Result(at), target[at], reference[at]))
}

/// Compares these parts of what can be seen of two instances from outside. Where a memory or a table differs is left at 0:
/// [`judge()`](crate::judge()) finds the place.
pub fn compare_states(target: &State, reference: &State, nan: NanMode, parts: Parts) -> Agreement {
    let memories = || compare_extents(&target.memories, &reference.memories, What::Memory);
    let tables = || compare_extents(&target.tables, &reference.tables, What::Table);
    parts
        .compare(Part::Memory, memories)
        .and_then(|| parts.compare(Part::Globals, || compare_globals(target, reference, nan)))
        .and_then(|| parts.compare(Part::Tables, tables))
        .and_then(|| parts.compare(Part::HostCalls, || compare_host_calls(target, reference, nan)))
}

fn compare_extents(target: &[Extent], reference: &[Extent], what: fn(String, u64) -> What) -> Agreement {
    let shown = |extent: &Extent| format!("length {}, digest {:016x}", extent.length, extent.digest);
    let mut pairs = target.iter().zip(reference);
    if let Some((a, b)) = pairs.find(|(a, b)| a != b) {
        return differ(what(a.name.to_string(), 0), shown(a), shown(b));
    }
    compare_counts(target.len(), reference.len(), what(String::new(), 0))
}

fn compare_globals(target: &State, reference: &State, nan: NanMode) -> Agreement {
    let mut pairs = target.globals.iter().zip(&reference.globals);
    if let Some((a, b)) = pairs.find(|(a, b)| a.name != b.name || !a.value.agrees(&b.value, nan)) {
        return differ(What::Global(a.name.to_string()), a.value, b.value);
    }
    compare_counts(target.globals.len(), reference.globals.len(), What::Global(String::new()))
}

fn compare_counts(target: usize, reference: usize, what: What) -> Agreement {
    if target == reference {
        return Agreement::Equal;
    }
    differ(what, format!("{target} of them"), format!("{reference} of them"))
}

fn compare_host_calls(target: &State, reference: &State, nan: NanMode) -> Agreement {
    match target.host.agrees(&reference.host, nan) {
        true => Agreement::Equal,
        false => differ(What::HostCalls, &target.host, &reference.host),
    }
}

/// Compares the names and types of exported functions, which both lists have in the order of their names.
pub fn compare_exports(target: &[Function], reference: &[Function]) -> Agreement {
    let differs = std::iter::zip(target, reference).position(|(a, b)| a != b);
    let at = differs.unwrap_or(target.len().min(reference.len()));
    // In lists that are sorted, the smaller one of two names is missing in the other list.
    let Some(name) = target.get(at).into_iter().chain(reference.get(at)).map(|function| &function.name).min()
    else {
        return Agreement::Equal;
    };
    let shown = |functions: &[Function]| {
        let found = functions.get(at).filter(|function| function.name == *name);
        found.map_or_else(|| "not exported".to_owned(), |function| signature(&function.signature))
    };
    differ(What::Export(name.clone()), shown(target), shown(reference))
}

/// The signature as `(i32, f32) -> (i32)`.
fn signature(Signature { parameters, results }: &Signature) -> String {
    let list = |types: &[ValueType]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    format!("({}) -> ({})", list(parameters), list(results))
}
