//! Performs the plan of a host function, in the same way for every engine.

use super::{
    log::{HostEffect, HostResult},
    plan::HostAction,
};
use crate::{
    answer::{Ending, TrapKind},
    engine::Signature,
    value::{Value, ValueType},
    view::{Access, Failed},
};

/// How many host functions may call back within each other.
const MAX_DEPTH: usize = 2;

/// Why a host function does not return.
pub(crate) enum Stop<E> {
    /// Its plan says that it traps.
    Trap,
    /// A call back ended in a way that ends the whole test, such as without fuel.
    Error(E),
}

/// Serves a call of imported function number `import`. Returns its results, which have these types.
pub(crate) fn serve<A: Access>(
    store: &mut A,
    import: u32,
    arguments: &[Value],
    results: &[ValueType],
) -> Result<Vec<Value>, Stop<A::Error>> {
    let begun = store.host(|host| host.begin(import, arguments));
    for action in begun.actions() {
        let (result, stop) = perform(store, action);
        let effect = HostEffect { action: action.clone(), result };
        store.host(|host| host.log.effect(begun.call, effect));
        stop.map_or(Ok(()), Err)?;
    }
    Ok(begun.results(results))
}

type Performed<E> = (HostResult, Option<Stop<E>>);

fn perform<A: Access>(store: &mut A, action: &HostAction) -> Performed<A::Error> {
    match action {
        HostAction::Trap => (HostResult::Done, Some(Stop::Trap)),
        HostAction::Call { function, arguments } => call_back(store, *function, arguments),
        other => (change(store, other).unwrap_or(HostResult::Absent), None),
    }
}

/// Changes a memory, global or table. `None` if it is not there.
fn change<A: Access>(store: &mut A, action: &HostAction) -> Option<HostResult> {
    let view = store.host(|host| host.view.clone());
    let done = |done| if done { HostResult::Done } else { HostResult::Refused };
    let grew = |from: Option<u64>| from.map_or(HostResult::Refused, HostResult::Grew);
    Some(match action {
        HostAction::Write { memory, address, bytes } => {
            done(store.write(view?.memory_at(*memory)?, *address, bytes))
        }
        HostAction::GrowMemory { memory, pages } => {
            grew(store.grow_memory(view?.memory_at(*memory)?, *pages))
        }
        HostAction::GrowTable { table, elements, value } => {
            grew(store.grow_table(view?.table_at(*table)?, *elements, value))
        }
        HostAction::SetGlobal { global, value } => done(store.set_global(view?.global_at(*global)?, value)),
        HostAction::SetElement { table, index, value } => {
            done(store.set_element(view?.table_at(*table)?, *index, value))
        }
        HostAction::Return(_) | HostAction::Call { .. } | HostAction::Trap => HostResult::Done,
    })
}

fn call_back<A: Access>(store: &mut A, function: u32, arguments: &[Value]) -> Performed<A::Error> {
    let Some(function) = store.host(|host| host.view.clone()?.function_at(function)) else {
        return (HostResult::Absent, None);
    };
    if store.host(|host| host.depth) == MAX_DEPTH {
        return (HostResult::TooDeep, None);
    }
    let arguments = fitting(&store.signature(function), arguments);
    store.host(|host| host.depth += 1);
    let ended = store.call(function, &arguments);
    store.host(|host| host.depth -= 1);
    match ended {
        Ok(results) => (HostResult::Called(Ending::Returned(results)), None),
        Err(Failed { ending, error }) => {
            let stop = if can_go_on(&ending) { None } else { error.map(Stop::Error) };
            (HostResult::Called(ending), stop)
        }
    }
}

/// Whether the host can go on after a call back that ended like this: only if engines agree on such endings.
fn can_go_on(ending: &Ending) -> bool {
    match ending {
        Ending::Trapped(kind) => !matches!(kind, TrapKind::StackExhausted | TrapKind::OutOfFuel),
        other => matches!(other, Ending::Returned(_) | Ending::Refused(_)),
    }
}

/// The arguments, with zeros for those that are missing or of another type.
fn fitting(signature: &Signature, arguments: &[Value]) -> Vec<Value> {
    let fit = |(place, ty): (usize, &ValueType)| {
        arguments.get(place).filter(|value| value.ty() == *ty).copied().unwrap_or(Value::zero(*ty))
    };
    signature.parameters.iter().enumerate().map(fit).collect()
}
