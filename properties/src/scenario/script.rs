//! Scenarios as engines are asked about them: bytes, calls by name with values, plans of host functions.

use std::collections::BTreeSet;

use mutagen_engine::{Source, stable};
use mutagen_oracles::{Argument, Call, HostAction, HostPlan, Value, ValueType};
use mutagen_wasm_ast::{Features, FuncType, Module, Op, RefType, Surface};

use super::{Choice, Deed, HostScript, Invoke, Pick, Scenario};
use crate::arguments::{
    boundary_arguments, boundary_value, random_arguments, result_types, signature_of, value_type,
};

/// How many lists of random arguments a function is called with in a sweep.
const SEEDED: usize = 2;
/// The most constants of a module that arguments are chosen from.
const CONSTANTS: usize = 64;

/// A scenario as engines are asked about it.
pub(crate) struct Prepared {
    pub(crate) wasm: Vec<u8>,
    pub(crate) calls: Vec<Call>,
    pub(crate) hosts: Vec<HostPlan>,
}

/// The scenario with this module, which stands for its own. All of the module's state is exported.
pub(crate) fn prepare(scenario: &Scenario, mut module: Module, features: Features) -> Prepared {
    module.expose(features);
    let wasm = module.encode();
    let stage = Stage::of(&module);
    let mut calls = stage.calls(&scenario.calls);
    if scenario.sweep {
        let functions = stage.surface.functions.iter();
        let functions = functions.map(|function| (function.name.clone(), signature_of(&function.ty)));
        calls.extend(sweep(functions, stable::hash(&wasm)));
    }
    let hosts = scenario.hosts.iter().zip(&stage.surface.imported_functions);
    let hosts = hosts.map(|(script, ty)| stage.plan(script, ty)).collect();
    Prepared { wasm, calls, hosts }
}

/// Calls of all these functions, which have names and parameters: with boundary arguments, and then with random ones that
/// are derived from the seed.
pub(crate) fn sweep(functions: impl IntoIterator<Item = (String, Vec<ValueType>)>, seed: u64) -> Vec<Call> {
    let mut source = Source::seeded(seed);
    let mut calls = Vec::new();
    for (name, parameters) in functions {
        let mut lists = boundary_arguments(&parameters);
        lists.extend((0..SEEDED).map(|_| random_arguments(&parameters, &mut source)));
        calls.extend(lists.into_iter().map(|list| Call::new(name.clone(), list)));
    }
    calls
}

/// What choices are made from.
pub(super) struct Stage<'a> {
    pub(super) surface: Surface,
    constants: Vec<&'a Op>,
    /// How many different functions are exported.
    functions: usize,
}

impl<'a> Stage<'a> {
    pub(super) fn of(module: &'a Module) -> Self {
        let surface = module.surface();
        let exported: BTreeSet<u32> = surface.functions.iter().map(|function| function.index.get()).collect();
        Stage { surface, constants: module.constants(CONSTANTS), functions: exported.len() }
    }

    fn calls(&self, calls: &[Invoke]) -> Vec<Call> {
        let mut history = History::default();
        let mut made = Vec::new();
        for invoke in calls {
            let Some(place) = invoke.function.among(self.surface.functions.len()) else { break };
            let function = &self.surface.functions[place];
            let argument = |(place, ty): (usize, ValueType)| {
                let choice = invoke.arguments.get(place).unwrap_or(&Choice::Boundary(Pick(0)));
                self.argument(choice, ty, &history)
            };
            let arguments = signature_of(&function.ty).into_iter().enumerate().map(argument).collect();
            made.push(Call { export: function.name.clone(), arguments });
            history.push(&function.ty);
        }
        made
    }

    fn argument(&self, choice: &Choice, ty: ValueType, history: &History) -> Argument {
        let earlier = match choice {
            Choice::Earlier(pick) => history.result(*pick, ty),
            _ => None,
        };
        match earlier {
            Some((call, result)) => Argument::Result { call, result, otherwise: Value::zero(ty) },
            None => Argument::Value(self.value(choice, ty)),
        }
    }

    /// The value of a choice where no earlier results are known.
    fn value(&self, choice: &Choice, ty: ValueType) -> Value {
        match choice {
            Choice::Boundary(pick) | Choice::Earlier(pick) => self.boundary(*pick, ty),
            Choice::Met(pick) => self.met(*pick, ty).unwrap_or_else(|| self.boundary(*pick, ty)),
            Choice::Bits(bits) => match ty {
                ValueType::I32 => Value::I32(*bits as u32),
                ValueType::I64 => Value::I64(*bits as u64),
                ValueType::F32 => Value::F32(*bits as u32),
                ValueType::F64 => Value::F64(*bits as u64),
                ValueType::V128 => Value::V128(*bits),
                ValueType::FuncRef | ValueType::ExternRef => Value::zero(ty),
            },
        }
    }

    fn boundary(&self, pick: Pick, ty: ValueType) -> Value {
        match (ty, pick.0.checked_sub(1)) {
            (ValueType::FuncRef, Some(number)) => {
                Value::FuncRef(Pick(number).among(self.functions).map(|place| place as u32))
            }
            (ValueType::ExternRef, Some(number)) => Value::ExternRef(Some(number)),
            _ => boundary_value(ty, pick.0 as usize),
        }
    }

    fn met(&self, pick: Pick, ty: ValueType) -> Option<Value> {
        let values: Vec<Value> =
            self.constants.iter().filter_map(|op| constant(op)).filter(|value| value.ty() == ty).collect();
        pick.among(values.len()).map(|place| values[place])
    }

    fn plan(&self, script: &HostScript, ty: &FuncType) -> HostPlan {
        let turn = |deeds: &Vec<Deed>| deeds.iter().map(|deed| self.action(deed, ty)).collect();
        HostPlan { turns: script.turns.iter().map(turn).collect(), repeats: script.repeats }
    }

    fn action(&self, deed: &Deed, ty: &FuncType) -> HostAction {
        let Surface { memories, tables, functions, .. } = &self.surface;
        let place = |pick: &Pick, count: usize| pick.among(count).unwrap_or(0) as u32;
        let element = |pick: &Pick, value: &Choice| {
            let ty = pick.among(tables.len()).map_or(RefType::FuncRef, |place| tables[place]);
            self.value(value, reference_type(ty))
        };
        match deed {
            Deed::Return(choices) => HostAction::Return(self.values(choices, &result_types(ty))),
            Deed::Write { memory, address, bytes } => HostAction::Write {
                memory: place(memory, *memories),
                address: *address,
                bytes: bytes.0.clone(),
            },
            Deed::GrowMemory { memory, pages } => {
                HostAction::GrowMemory { memory: place(memory, *memories), pages: *pages }
            }
            Deed::GrowTable { table, elements, value } => HostAction::GrowTable {
                table: place(table, tables.len()),
                elements: *elements,
                value: element(table, value),
            },
            Deed::SetGlobal { global, value } => self.set_global(*global, value),
            Deed::SetElement { table, index, value } => HostAction::SetElement {
                table: place(table, tables.len()),
                index: *index,
                value: element(table, value),
            },
            Deed::Call { function, arguments } => {
                let parameters = function.among(functions.len()).map(|at| signature_of(&functions[at].ty));
                HostAction::Call {
                    function: place(function, functions.len()),
                    arguments: self.values(arguments, &parameters.unwrap_or_default()),
                }
            }
            Deed::Trap => HostAction::Trap,
        }
    }

    fn set_global(&self, global: Pick, value: &Choice) -> HostAction {
        let settable = self.settable();
        let Some(place) = global.among(settable.len()).map(|at| settable[at]) else {
            return HostAction::SetGlobal { global: 0, value: Value::I32(0) };
        };
        let ty = value_type(self.surface.globals[place].value);
        HostAction::SetGlobal { global: place as u32, value: self.value(value, ty) }
    }

    /// The places of the globals that can be set; of all if none can be, so that engines agree on that, too.
    pub(super) fn settable(&self) -> Vec<usize> {
        let globals = &self.surface.globals;
        let settable: Vec<usize> = (0..globals.len()).filter(|place| globals[*place].mutable).collect();
        if settable.is_empty() { (0..globals.len()).collect() } else { settable }
    }

    /// Values of these types. Missing choices are zeros.
    fn values(&self, choices: &[Choice], types: &[ValueType]) -> Vec<Value> {
        let zero = Choice::Boundary(Pick(0));
        types
            .iter()
            .enumerate()
            .map(|(place, ty)| self.value(choices.get(place).unwrap_or(&zero), *ty))
            .collect()
    }
}

/// The types of the results of the calls so far.
#[derive(Default)]
pub(super) struct History(Vec<Vec<ValueType>>);

impl History {
    pub(super) fn push(&mut self, ty: &FuncType) {
        self.0.push(result_types(ty));
    }

    /// The results of a type, the latest first: number of the call and position.
    pub(super) fn results(&self, ty: ValueType) -> impl Iterator<Item = (usize, usize)> {
        let calls = self.0.iter().enumerate().rev();
        calls.flat_map(move |(call, types)| {
            let fitting = types.iter().enumerate().filter(move |(_, own)| **own == ty);
            fitting.map(move |(result, _)| (call, result))
        })
    }

    fn result(&self, pick: Pick, ty: ValueType) -> Option<(usize, usize)> {
        let place = pick.among(self.results(ty).count())?;
        self.results(ty).nth(place)
    }
}

fn reference_type(ty: RefType) -> ValueType {
    match ty {
        RefType::FuncRef => ValueType::FuncRef,
        RefType::ExternRef => ValueType::ExternRef,
    }
}

/// The value of a constant instruction.
fn constant(op: &Op) -> Option<Value> {
    match op {
        Op::I32Const(number) => Some(Value::I32(*number as u32)),
        Op::I64Const(number) => Some(Value::I64(*number as u64)),
        Op::F32Const(number) => Some(Value::F32(number.0)),
        Op::F64Const(number) => Some(Value::F64(number.0)),
        Op::V128Const(bytes) => Some(Value::V128(u128::from_le_bytes(*bytes.0))),
        _ => None,
    }
}
