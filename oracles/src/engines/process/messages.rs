//! What the two sides of the protocol say to each other. `docs/engines-in-processes.md` describes every byte of it.

use std::collections::BTreeMap;

use super::wire::{Bytes, Wire, wire_enum, wire_struct};
use crate::{
    answer::{Ending, Rejection, TrapKind, Validity},
    engine::{Function, Signature},
    host::{HostAction, HostCall, HostEffect, HostLog, HostPlan, HostResult},
    limits::Which,
    scan::{External, Outline},
    settings::{Limits, NanMode, Settings},
    state::{Extent, NamedValue, State},
    value::{Value, ValueType},
};

/// The version of the protocol. Two sides that have different ones do not talk.
pub(super) const VERSION: u32 = 1;

/// What the client says: questions, and orders while a host function is served.
#[derive(Clone, Debug)]
pub(super) enum Request {
    Hello(Terms),
    Validate(Bytes),
    Instantiate(Instantiate),
    Call(CallOf),
    Close(u32),
    Memory(u32, u32),
    Table(u32, u32),
    Return(Vec<Value>),
    Trap,
    Stop,
    Write(u32, u64, Bytes),
    GrowMemory(u32, u64),
    GrowTable(u32, u64, Value),
    SetGlobal(u32, Value),
    SetElement(u32, u64, Value),
    CallBack(u32, Vec<Value>),
}

wire_enum!(Request {
    0 Hello(terms),
    1 Validate(module),
    2 Instantiate(what),
    3 Call(what),
    4 Close(instance),
    5 Memory(instance, index),
    6 Table(instance, index),
    16 Return(values),
    17 Trap,
    18 Stop,
    19 Write(memory, address, bytes),
    20 GrowMemory(memory, pages),
    21 GrowTable(table, elements, value),
    22 SetGlobal(global, value),
    23 SetElement(table, index, value),
    24 CallBack(function, arguments),
});

/// What both sides work by.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub version: u32,
    pub features: String,
    pub canonical_nans: bool,
    pub fuel: u64,
    pub memory_pages: u64,
    pub table_elements: u64,
    pub memories: u32,
    pub tables: u32,
    pub recursion: u32,
}

/// A module to make an instance of, with the client's number for the instance.
#[derive(Clone, Debug)]
pub(super) struct Instantiate {
    pub instance: u32,
    pub module: Bytes,
    pub outline: Outline,
    /// What host functions do. Only for an engine that performs plans by itself.
    pub plans: Vec<HostPlan>,
}

#[derive(Clone, Debug)]
pub(super) struct CallOf {
    pub instance: u32,
    pub function: String,
    pub arguments: Vec<Value>,
}

/// What the engine says: answers, and that a host function is called.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    Hello(Hello),
    Validity(Validity),
    Instance(Vec<Exported>, Left),
    Rejected(String),
    Ended(Ending, Left),
    Bytes(Bytes),
    Values(Vec<Value>),
    Imported(u32, Vec<Value>),
    Done(bool),
    Grew(Option<u64>),
    CalledBack(Ending),
}

wire_enum!(Reply {
    0 Hello(hello),
    1 Validity(validity),
    2 Instance(exports, left),
    3 Rejected(reason),
    4 Ended(ending, left),
    5 Bytes(bytes),
    6 Values(values),
    16 Imported(import, arguments),
    17 Done(done),
    18 Grew(from),
    19 CalledBack(ending),
});

/// Who the engine is and what it can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hello {
    pub version: u32,
    pub name: String,
    pub engine_version: String,
    /// The features that it has.
    pub features: String,
    /// Whether it switches off those that it was not given.
    pub switches_features: bool,
    pub canonicalises: bool,
    /// Whether it stops what uses up the fuel.
    pub has_fuel: bool,
    /// Whether it performs the plans of host functions by itself. Then it numbers functions as [`Value::FuncRef`] says, too, and
    /// tells lengths and digests in place of contents.
    pub performs_plans: bool,
    /// The most of something that it takes.
    pub limits: Vec<(Which, u64)>,
}

/// An exported function, and the engine's own number for it.
#[derive(Clone, Debug)]
pub(super) struct Exported {
    pub function: Function,
    pub key: u32,
}

/// What is left behind: everything that can be seen from outside.
#[derive(Clone, Debug)]
pub(super) enum Left {
    Contents(Told),
    /// Of an engine that performs plans by itself: with the calls of imported functions, and the fuel that was used.
    Digests(State, u64),
}

wire_enum!(Left { 0 Contents(told), 1 Digests(state, fuel_used) });

/// All contents, in the order of [`State`].
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub memories: Vec<Contents>,
    pub globals: Vec<Value>,
    pub tables: Vec<Elements>,
}

/// The contents of a memory: zero, but for some pieces.
#[derive(Clone, Debug)]
pub(super) struct Contents {
    pub length: u64,
    pub pieces: Vec<(u64, Bytes)>,
}

/// The elements of a table: `null`, but for some.
#[derive(Clone, Debug)]
pub(super) struct Elements {
    pub null: Value,
    pub length: u64,
    pub others: Vec<(u64, Value)>,
}

wire_struct! {
    Terms { version, features, canonical_nans, fuel, memory_pages, table_elements, memories, tables, recursion }
    Instantiate { instance, module, outline, plans }
    CallOf { instance, function, arguments }
    Hello { version, name, engine_version, features, switches_features, canonicalises, has_fuel, performs_plans, limits }
    Exported { function, key }
    Told { memories, globals, tables }
    State { memories, globals, tables, host }
    Extent { name, length, digest }
    NamedValue { name, value }
    Contents { length, pieces }
    Elements { null, length, others }
    Function { name, signature }
    Signature { parameters, results }
    Outline { imports, exports }
    HostPlan { turns, repeats }
    HostCall { import, arguments, effects }
    HostEffect { action, result }
    HostLog { calls, digest, first }
}

wire_enum!(External {
    0 Function(signature),
    1 Memory { wide, initial, maximum },
    2 Table { wide, initial, maximum, null },
    3 Global { value, mutable },
});

wire_enum!(Validity { 0 Accepted, 1 Rejected(reason), 2 Panicked(message), 3 Unanswered(why) });

wire_enum!(Ending {
    0 Returned(values),
    1 Trapped(kind),
    2 Refused(reason),
    3 Uncompiled(reason),
    4 Limited(which),
    5 Unmapped(trap),
    6 Infra(error),
    7 Panicked(message),
});

wire_enum!(TrapKind {
    0 Unreachable,
    1 DivisionByZero,
    2 IntegerOverflow,
    3 InvalidConversion,
    4 MemoryOutOfBounds,
    5 TableOutOfBounds,
    6 IndirectCallNull,
    7 IndirectCallSignature,
    8 StackExhausted,
    9 OutOfFuel,
    10 Host,
    11 Conversion,
    12 IndirectCall,
});

wire_enum!(HostAction {
    0 Return(values),
    1 Write { memory, address, bytes },
    2 GrowMemory { memory, pages },
    3 GrowTable { table, elements, value },
    4 SetGlobal { global, value },
    5 SetElement { table, index, value },
    6 Call { function, arguments },
    7 Trap,
});

wire_enum!(HostResult { 0 Done, 1 Refused, 2 Absent, 3 TooDeep, 4 Grew(from), 5 Called(ending) });

wire_enum!(Value {
    0x7f I32(bits),
    0x7e I64(bits),
    0x7d F32(bits),
    0x7c F64(bits),
    0x7b V128(bits),
    0x70 FuncRef(number),
    0x6f ExternRef(number),
});

wire_enum!(ValueType { 0x7f I32, 0x7e I64, 0x7d F32, 0x7c F64, 0x7b V128, 0x70 FuncRef, 0x6f ExternRef });

impl Wire for Rejection {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        Some(Self(String::take(input)?))
    }
}

/// A limit is the number of its place among all.
impl Wire for Which {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self as u8);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        Self::ALL.get(usize::from(u8::take(input)?)).copied()
    }
}

impl Terms {
    pub(super) fn of(settings: &Settings) -> Self {
        let Limits { fuel, memory_pages, table_elements, memories, tables, recursion, .. } = settings.limits;
        Self {
            version: VERSION,
            features: settings.features.to_string(),
            canonical_nans: settings.nan == NanMode::Deterministic,
            fuel,
            memory_pages: memory_pages as u64,
            table_elements: table_elements as u64,
            memories: memories as u32,
            tables: tables as u32,
            recursion: recursion as u32,
        }
    }

    /// The settings for the engine. `None` if they name a feature that does not exist here.
    pub(super) fn settings(&self) -> Option<Settings> {
        let limits = Limits {
            fuel: self.fuel,
            memory_pages: self.memory_pages as usize,
            table_elements: self.table_elements as usize,
            memories: self.memories as usize,
            tables: self.tables as usize,
            recursion: self.recursion as usize,
            ..Limits::default()
        };
        let nan = if self.canonical_nans { NanMode::Deterministic } else { NanMode::Raw };
        Some(Settings { features: self.features.parse().ok()?, limits, nan, ..Settings::default() })
    }
}

impl Contents {
    /// All bytes. `None` if there are more than `most`, or pieces do not fit.
    pub(super) fn bytes(self, most: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.length).ok().filter(|_| self.length <= most)?];
        for (address, Bytes(piece)) in self.pieces {
            let place = bytes.get_mut(usize::try_from(address).ok()?..)?.get_mut(..piece.len())?;
            place.copy_from_slice(&piece);
        }
        Some(bytes)
    }
}

impl Elements {
    /// All elements. `None` if there are more than `most`.
    pub(super) fn elements(self, most: u64) -> Option<Vec<Value>> {
        (self.length <= most).then_some(())?;
        let others: BTreeMap<u64, Value> = self.others.into_iter().collect();
        Some((0..self.length).map(|index| others.get(&index).copied().unwrap_or(self.null)).collect())
    }
}
