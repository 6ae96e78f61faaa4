//! tinywasm's store, as the common code for states and host functions sees it.

use std::{borrow::Cow, cell::RefCell, collections::BTreeMap, rc::Rc};

use ::tinywasm::{FuncContext, Function, Global, Memory, Store, Table, types::FuncAddr};

use super::{
    memory::Memories,
    values::{ending_of, from_tinywasm, to_tinywasm, to_tinywasm_or_null},
};
use crate::{
    answer::Ending,
    engine::Signature,
    host::Host,
    state::Extent,
    value::Value,
    view::{Access, Failed, Handles},
};

/// tinywasm's handles. A function is known by its place in the store.
pub(super) struct TinywasmHandles;

/// A memory, with its place in the store.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub memory: Memory,
    pub place: usize,
}

impl Handles for TinywasmHandles {
    type Memory = Placed;
    type Global = Global;
    type Table = Table;
    type Function = FuncAddr;
}

/// What belongs to a store of ours. The store has no place for it.
pub(super) type TinywasmHost = Rc<RefCell<Host<TinywasmHandles>>>;

/// What host functions and their instance tell each other.
#[derive(Default)]
pub(super) struct Shared {
    /// Why a host function stopped.
    pub stopped: RefCell<Option<Ending>>,
    /// The functions that are exported.
    pub functions: RefCell<BTreeMap<FuncAddr, (Function, Signature)>>,
    /// What was written in the store's memories.
    pub memories: Memories,
    /// Whether the module counts its ticks. Otherwise what host functions call could run for ever: it gets no fuel.
    pub counts: bool,
}

/// Access to a store.
pub(super) struct Reach<'a> {
    pub store: &'a mut Store,
    pub host: &'a TinywasmHost,
    pub shared: &'a Shared,
}

impl Reach<'_> {
    fn function(&self, address: FuncAddr) -> Option<(Function, Signature)> {
        self.shared.functions.borrow().get(&address).cloned()
    }
}

impl Access for Reach<'_> {
    type Handles = TinywasmHandles;
    /// Why a host function stops.
    type Error = Ending;

    fn host<R>(&mut self, ask: impl FnOnce(&mut Host<TinywasmHandles>) -> R) -> R {
        ask(&mut self.host.borrow_mut())
    }

    fn key(&mut self, function: FuncAddr) -> u64 {
        function.into()
    }

    fn bytes(&mut self, Placed { memory, .. }: Placed) -> Cow<'_, [u8]> {
        let length = memory.len(self.store).unwrap_or(0);
        Cow::Owned(memory.read_vec(self.store, 0, length).unwrap_or_default())
    }

    /// Memories can only be copied, so they are read in pieces: those that were ever written. A memory that is not made yet is zero.
    fn extent(&mut self, name: &str, Placed { memory, place }: Placed) -> Extent {
        let length = memory.len(self.store).unwrap_or(0);
        let read = |address, piece: &mut [u8]| {
            if memory.read_exact(self.store, address, piece).is_err() {
                piece.fill(0);
            }
        };
        match self.shared.memories.written(place) {
            Some(written) => {
                written.extent(length, || Extent::of_blocks(name, length, written.blocks(), read))
            }
            None => Extent::of_blocks(name, length, [], read),
        }
    }

    fn value(&mut self, global: Global) -> Value {
        let value = global.get(self.store);
        value.map_or(Value::I32(0), |value| from_tinywasm(self, &value))
    }

    fn elements(&mut self, table: Table) -> Vec<Value> {
        let length = table.size(self.store).unwrap_or(0);
        let Ok(elements) = table.load(self.store, 0, length) else { return Vec::new() };
        elements.map(|element| from_tinywasm(self, &element)).collect()
    }

    fn signature(&mut self, function: FuncAddr) -> Signature {
        self.function(function).map_or_else(Signature::default, |(_, signature)| signature)
    }

    fn write(&mut self, Placed { memory, .. }: Placed, address: u64, bytes: &[u8]) -> bool {
        let Ok(address) = usize::try_from(address) else { return false };
        memory.copy_from_slice(self.store, address, bytes).is_ok()
    }

    fn grow_memory(&mut self, Placed { memory, .. }: Placed, pages: u64) -> Option<u64> {
        let from = memory.grow(self.store, i64::try_from(pages).ok()?).ok()??;
        u64::try_from(from).ok()
    }

    fn grow_table(&mut self, table: Table, elements: u64, value: &Value) -> Option<u64> {
        let value = to_tinywasm_or_null(self, value);
        let from = table.grow(self.store, i32::try_from(elements).ok()?, value).ok()?;
        Some(from as u64)
    }

    fn set_global(&mut self, global: Global, value: &Value) -> bool {
        let value = to_tinywasm_or_null(self, value);
        global.set(self.store, value).is_ok()
    }

    fn set_element(&mut self, table: Table, index: u64, value: &Value) -> bool {
        let Ok(index) = u32::try_from(index) else { return false };
        let value = to_tinywasm_or_null(self, value);
        table.set(self.store, index, value).is_ok()
    }

    fn call(&mut self, function: FuncAddr, arguments: &[Value]) -> Result<Vec<Value>, Failed<Ending>> {
        let Some((function, _)) = self.function(function).filter(|_| self.shared.counts) else {
            let ending = Ending::Infra("tinywasm's host functions call back without fuel".to_owned());
            return Err(Failed { ending: ending.clone(), error: Some(ending) });
        };
        let inputs = arguments.iter().map(|value| to_tinywasm(self, value)).collect::<Result<Vec<_>, _>>();
        let inputs = inputs.map_err(|ending| Failed { ending, error: None })?;
        // Only host functions ask the context for their instance.
        match FuncContext::new(self.store, 0).call_untyped(&function, &inputs) {
            Ok(results) => Ok(results.iter().map(|value| from_tinywasm(self, value)).collect()),
            Err(error) => {
                let stopped = self.shared.stopped.take();
                let ending = stopped.unwrap_or_else(|| ending_of(&error));
                Err(Failed { error: Some(ending.clone()), ending })
            }
        }
    }
}
