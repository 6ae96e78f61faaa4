//! tinywasm's store, as the common code for states and host functions sees it.

use std::{borrow::Cow, cell::RefCell, rc::Rc};

use ::tinywasm::{Global, Memory, Store, Table, types::FuncAddr};

use super::values::{from_tinywasm, to_tinywasm_or_null};
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

impl Handles for TinywasmHandles {
    type Memory = Memory;
    type Global = Global;
    type Table = Table;
    type Function = FuncAddr;
}

/// What belongs to a store of ours. The store has no place for it.
pub(super) type TinywasmHost = Rc<RefCell<Host<TinywasmHandles>>>;

/// Access to a store.
pub(super) struct Reach<'a> {
    pub store: &'a mut Store,
    pub host: &'a TinywasmHost,
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

    fn bytes(&mut self, memory: Memory) -> Cow<'_, [u8]> {
        let length = memory.len(self.store).unwrap_or(0);
        Cow::Owned(memory.read_vec(self.store, 0, length).unwrap_or_default())
    }

    /// Memories can only be copied, so they are read in pieces.
    fn extent(&mut self, name: &str, memory: Memory) -> Extent {
        let length = memory.len(self.store).unwrap_or(0);
        Extent::of_pieces(name, length, |address, piece| {
            if memory.read_exact(self.store, address, piece).is_err() {
                piece.fill(0);
            }
        })
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

    /// Nobody asks: host functions do not call back.
    fn signature(&mut self, _: FuncAddr) -> Signature {
        Signature::default()
    }

    fn write(&mut self, memory: Memory, address: u64, bytes: &[u8]) -> bool {
        let Ok(address) = usize::try_from(address) else { return false };
        memory.copy_from_slice(self.store, address, bytes).is_ok()
    }

    fn grow_memory(&mut self, memory: Memory, pages: u64) -> Option<u64> {
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

    /// Such a call would run without fuel, perhaps for ever.
    fn call(&mut self, _: FuncAddr, _: &[Value]) -> Result<Vec<Value>, Failed<Ending>> {
        let ending = Ending::Infra("tinywasm's host functions call back without fuel".to_owned());
        Err(Failed { ending: ending.clone(), error: Some(ending) })
    }
}
