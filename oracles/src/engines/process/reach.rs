//! An instance in another process, as the common code for states and host functions sees it.

use std::{borrow::Cow, collections::BTreeMap};

use super::{
    link::{Broken, Link, unexpected},
    messages::{Reply, Request, Told},
    wire::Bytes,
};
use crate::{
    answer::{Ending, TrapKind},
    engine::Signature,
    host::{Host, Stop, serve},
    numbers::{function_of, number_of},
    settings::Limits,
    value::{Value, ValueType},
    view::{Access, Failed, Handles},
};

/// Memories, globals and tables are known by their places, functions by the engine's numbers for them.
pub(super) struct ProcessHandles;

impl Handles for ProcessHandles {
    type Memory = u32;
    type Global = u32;
    type Table = u32;
    type Function = u32;
}

pub(super) type ProcessHost = Host<ProcessHandles>;

/// What the engine told about an instance.
#[derive(Default)]
pub(super) struct Seen {
    /// Whether the engine numbers functions as we do.
    pub is_numbered: bool,
    /// The signatures of exported functions, by the engine's numbers.
    pub signatures: BTreeMap<u32, Signature>,
    memories: Vec<Vec<u8>>,
    globals: Vec<Value>,
    tables: Vec<Vec<Value>>,
}

impl Seen {
    pub(super) fn of(is_numbered: bool) -> Self {
        Self { is_numbered, ..Self::default() }
    }

    /// Notes what was left behind. `None` if it does not fit the limits.
    pub(super) fn note(&mut self, left: Told, limits: &Limits) -> Option<()> {
        let (bytes, elements) = (limits.memory_bytes() as u64, limits.table_elements as u64);
        self.memories = left.memories.into_iter().map(|memory| memory.bytes(bytes)).collect::<Option<_>>()?;
        self.tables = left.tables.into_iter().map(|table| table.elements(elements)).collect::<Option<_>>()?;
        self.globals = left.globals;
        Some(())
    }
}

/// Access to an instance. Without a link, only what was told is there.
pub(super) struct Reach<'a> {
    pub link: Option<&'a mut Link>,
    pub host: &'a mut ProcessHost,
    pub seen: &'a mut Seen,
    /// The results of imported functions.
    pub imported: &'a [Vec<ValueType>],
    /// How many calls of imported functions were served.
    pub served: u64,
    /// Why an order was not carried out.
    pub broken: Option<Broken>,
}

impl Reach<'_> {
    pub(super) fn say(&mut self, request: &Request) -> Result<(), Broken> {
        self.link.as_mut().map_or_else(|| Err(nobody()), |link| link.say(request))
    }

    pub(super) fn hear(&mut self) -> Result<Reply, Broken> {
        self.link.as_mut().map_or_else(|| Err(nobody()), |link| link.hear())
    }

    /// Says something, and serves host functions until there is an answer. With it comes why a host function stopped the call,
    /// if one did.
    pub(super) fn ask(&mut self, question: &Request) -> Result<(Reply, Option<Ending>), Broken> {
        self.say(question)?;
        let mut stopped = None;
        loop {
            match self.hear()? {
                Reply::Imported(import, arguments) => {
                    stopped = self.serve_import(import, &arguments)?.or(stopped)
                }
                reply => return Ok((reply, stopped)),
            }
        }
    }

    /// Serves a call of an imported function. Returns why it ends the whole call, if it does.
    fn serve_import(&mut self, import: u32, arguments: &[Value]) -> Result<Option<Ending>, Broken> {
        let arguments = self.received_all(arguments);
        let Some(types) = self.imported.get(import as usize).cloned() else {
            return Err(Broken::Lost("it does not keep to the protocol: there is no such import".to_owned()));
        };
        self.served += 1;
        let served = match self.served > self.host.limiter.limits().fuel {
            // An engine without fuel could call for ever.
            true => Err(Stop::Error(Ending::Trapped(TrapKind::OutOfFuel))),
            false => serve(self, import, &arguments, &types),
        };
        if let Some(broken) = self.broken.take() {
            return Err(broken);
        }
        let (order, stopped) = match served {
            Ok(values) => {
                (Request::Return(values.iter().map(|value| self.sent_or_null(value)).collect()), None)
            }
            Err(Stop::Trap) => (Request::Trap, None),
            Err(Stop::Error(ending)) => (Request::Stop, Some(ending)),
        };
        self.say(&order).map(|()| stopped)
    }

    /// Gives an order that is carried out at once.
    fn order(&mut self, order: &Request) -> Option<Reply> {
        if self.broken.is_some() {
            return None;
        }
        let heard = self.say(order).and_then(|()| self.hear());
        heard.map_err(|broken| self.broken = Some(broken)).ok()
    }

    fn is_done(&mut self, order: &Request) -> bool {
        match self.order(order) {
            Some(Reply::Done(done)) => done,
            other => self.misunderstood(other).unwrap_or(false),
        }
    }

    fn grown_from(&mut self, order: &Request) -> Option<u64> {
        match self.order(order) {
            Some(Reply::Grew(from)) => from,
            other => self.misunderstood(other),
        }
    }

    /// Notes an answer that is none. An engine whose stack ends in a host function says how the whole call ended: then no order
    /// may follow.
    fn misunderstood<T>(&mut self, reply: Option<Reply>) -> Option<T> {
        if let Some(reply) = reply {
            self.broken = Some(unexpected(&reply));
        }
        None
    }

    /// A value with our number for its function.
    fn received(&mut self, value: Value) -> Value {
        match value {
            Value::FuncRef(Some(key)) if !self.seen.is_numbered => Value::FuncRef(Some(number_of(self, key))),
            other => other,
        }
    }

    pub(super) fn received_all(&mut self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|value| self.received(*value)).collect()
    }

    /// A value with the engine's number for its function. `None` if this instance has no such function.
    pub(super) fn sent(&mut self, value: &Value) -> Option<Value> {
        match *value {
            Value::FuncRef(Some(number)) if !self.seen.is_numbered => {
                function_of(self, number).map(|key| Value::FuncRef(Some(key)))
            }
            other => Some(other),
        }
    }

    fn sent_or_null(&mut self, value: &Value) -> Value {
        self.sent(value).unwrap_or(Value::FuncRef(None))
    }
}

fn nobody() -> Broken {
    Broken::Lost("its process is not asked about this".to_owned())
}

impl Access for Reach<'_> {
    type Handles = ProcessHandles;
    /// Why a host function stops.
    type Error = Ending;

    fn host<R>(&mut self, ask: impl FnOnce(&mut ProcessHost) -> R) -> R {
        ask(self.host)
    }

    fn key(&mut self, function: u32) -> u64 {
        function.into()
    }

    fn bytes(&mut self, memory: u32) -> Cow<'_, [u8]> {
        self.seen
            .memories
            .get(memory as usize)
            .map_or_else(Cow::default, |bytes| Cow::Borrowed(bytes.as_slice()))
    }

    fn value(&mut self, global: u32) -> Value {
        let value = self.seen.globals.get(global as usize).copied();
        self.received(value.unwrap_or(Value::I32(0)))
    }

    fn elements(&mut self, table: u32) -> Vec<Value> {
        let elements = self.seen.tables.get(table as usize).cloned().unwrap_or_default();
        self.received_all(&elements)
    }

    fn signature(&mut self, function: u32) -> Signature {
        self.seen.signatures.get(&function).cloned().unwrap_or_default()
    }

    fn write(&mut self, memory: u32, address: u64, bytes: &[u8]) -> bool {
        self.is_done(&Request::Write(memory, address, Bytes(bytes.to_vec())))
    }

    fn grow_memory(&mut self, memory: u32, pages: u64) -> Option<u64> {
        self.grown_from(&Request::GrowMemory(memory, pages))
    }

    fn grow_table(&mut self, table: u32, elements: u64, value: &Value) -> Option<u64> {
        let value = self.sent_or_null(value);
        self.grown_from(&Request::GrowTable(table, elements, value))
    }

    fn set_global(&mut self, global: u32, value: &Value) -> bool {
        let value = self.sent_or_null(value);
        self.is_done(&Request::SetGlobal(global, value))
    }

    fn set_element(&mut self, table: u32, index: u64, value: &Value) -> bool {
        let value = self.sent_or_null(value);
        self.is_done(&Request::SetElement(table, index, value))
    }

    fn call(&mut self, function: u32, arguments: &[Value]) -> Result<Vec<Value>, Failed<Ending>> {
        let arguments = arguments.iter().map(|value| self.sent_or_null(value)).collect();
        let failed = |ending: Ending| Failed { ending: ending.clone(), error: Some(ending) };
        if let Some(broken) = self.broken.clone() {
            return Err(self.lost(broken));
        }
        match self.ask(&Request::CallBack(function, arguments)) {
            Ok((_, Some(stopped))) => Err(failed(stopped)),
            Ok((Reply::CalledBack(Ending::Returned(values)), None)) => Ok(self.received_all(&values)),
            // A log has the kind of the trap, bit for bit.
            Ok((Reply::CalledBack(Ending::Trapped(kind)), None)) if is_vague(kind) => {
                Err(failed(Ending::Unmapped(kind.to_string())))
            }
            Ok((Reply::CalledBack(ending), None)) => Err(failed(ending)),
            Ok((other, None)) => Err(self.lost(unexpected(&other))),
            Err(broken) => Err(self.lost(broken)),
        }
    }
}

impl Reach<'_> {
    /// The ending of a call back without an answer.
    fn lost(&mut self, broken: Broken) -> Failed<Ending> {
        let ending = Ending::Infra(broken.to_string());
        self.broken = Some(broken);
        Failed { ending: ending.clone(), error: Some(ending) }
    }
}

/// Whether it stands for one of several kinds.
fn is_vague(kind: TrapKind) -> bool {
    matches!(kind, TrapKind::Conversion | TrapKind::IndirectCall)
}
