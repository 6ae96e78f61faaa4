//! Scenarios from their stored form.

use mutagen_oracles::{Argument, Call, HostAction, HostPlan, Value};
use mutagen_wasm_ast::{Bytes, Module};

use super::script::{History, Stage};
use super::{Choice, Deed, HostScript, Invoke, Pick, Scenario};

/// The scenario of a module with these calls and plans. Without calls, every exported function is called. Calls of
/// functions that the module does not export are left out.
pub(crate) fn from_case(module: Module, calls: &[Call], hosts: &[HostPlan]) -> Scenario {
    let stage = Stage::of(&module);
    let invokes = invokes(&stage, calls);
    let hosts = hosts.iter().map(|plan| script(&stage, plan)).collect();
    Scenario { module, calls: invokes, sweep: calls.is_empty(), hosts }
}

fn invokes(stage: &Stage<'_>, calls: &[Call]) -> Vec<Invoke> {
    let mut history = History::default();
    let mut invokes = Vec::new();
    for call in calls {
        let functions = &stage.surface.functions;
        let Some(place) = functions.iter().position(|function| function.name == call.export) else {
            continue;
        };
        let arguments = call.arguments.iter().map(|argument| choice(argument, &history)).collect();
        invokes.push(Invoke { function: Pick(place as u32), arguments });
        history.push(&functions[place].ty);
    }
    invokes
}

fn choice(argument: &Argument, history: &History) -> Choice {
    match argument {
        Argument::Value(value) => exactly(value),
        Argument::Result { call, result, otherwise } => {
            let place = history.results(otherwise.ty()).position(|found| found == (*call, *result));
            place.map_or_else(|| exactly(otherwise), |place| Choice::Earlier(Pick(place as u32)))
        }
    }
}

/// The choice of this value.
fn exactly(value: &Value) -> Choice {
    match *value {
        Value::I32(bits) | Value::F32(bits) => Choice::Bits(bits.into()),
        Value::I64(bits) | Value::F64(bits) => Choice::Bits(bits.into()),
        Value::V128(bits) => Choice::Bits(bits),
        Value::FuncRef(number) | Value::ExternRef(number) => {
            Choice::Boundary(Pick(number.map_or(0, |number| number.saturating_add(1))))
        }
    }
}

fn script(stage: &Stage<'_>, plan: &HostPlan) -> HostScript {
    let turn = |actions: &Vec<HostAction>| actions.iter().map(|action| deed(stage, action)).collect();
    HostScript { turns: plan.turns.iter().map(turn).collect(), repeats: plan.repeats }
}

fn deed(stage: &Stage<'_>, action: &HostAction) -> Deed {
    let choices = |values: &[Value]| values.iter().map(exactly).collect();
    match action {
        HostAction::Return(values) => Deed::Return(choices(values)),
        HostAction::Write { memory, address, bytes } => {
            Deed::Write { memory: Pick(*memory), address: *address, bytes: Bytes(bytes.clone()) }
        }
        HostAction::GrowMemory { memory, pages } => Deed::GrowMemory { memory: Pick(*memory), pages: *pages },
        HostAction::GrowTable { table, elements, value } => {
            Deed::GrowTable { table: Pick(*table), elements: *elements, value: exactly(value) }
        }
        HostAction::SetGlobal { global, value } => {
            let place = stage.settable().iter().position(|place| *place == *global as usize);
            Deed::SetGlobal { global: Pick(place.unwrap_or(0) as u32), value: exactly(value) }
        }
        HostAction::SetElement { table, index, value } => {
            Deed::SetElement { table: Pick(*table), index: *index, value: exactly(value) }
        }
        HostAction::Call { function, arguments } => {
            Deed::Call { function: Pick(*function), arguments: choices(arguments) }
        }
        HostAction::Trap => Deed::Trap,
    }
}
