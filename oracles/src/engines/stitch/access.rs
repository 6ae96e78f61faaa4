//! A store of makepad-stitch, as the common code for states and host functions sees it.

use std::borrow::Cow;

use ::makepad_stitch::{Func, Global, Mem, Store, Table};

use super::values::{from_stitch, signature, to_reference, to_stitch_or_null};
use crate::{
    answer::Ending,
    engine::Signature,
    host::Host,
    value::Value,
    view::{Access, Failed, Handles, write_all},
};

/// Its handles.
pub(super) struct StitchHandles;

impl Handles for StitchHandles {
    type Memory = Mem;
    type Global = Global;
    type Table = Table;
    type Function = Func;
}

/// What belongs to a store of ours. The store has no place for it.
pub(super) struct StitchHost {
    pub host: Host<StitchHandles>,
    /// The functions that have a key.
    known: Vec<Func>,
}

impl StitchHost {
    pub(super) fn new(host: Host<StitchHandles>) -> Self {
        Self { host, known: Vec::new() }
    }
}

/// Access to a store.
pub(super) struct Reach<'a> {
    pub store: &'a mut Store,
    pub host: &'a mut StitchHost,
}

impl Access for Reach<'_> {
    type Handles = StitchHandles;
    /// Why a host function stops.
    type Error = Ending;

    fn host<R>(&mut self, ask: impl FnOnce(&mut Host<StitchHandles>) -> R) -> R {
        ask(&mut self.host.host)
    }

    /// Functions cannot be looked into, so they are numbered as they come.
    fn key(&mut self, function: Func) -> u64 {
        let known = &mut self.host.known;
        let place = known.iter().position(|known| *known == function);
        let key = place.unwrap_or_else(|| {
            known.push(function);
            known.len() - 1
        });
        key as u64
    }

    fn bytes(&mut self, memory: Mem) -> Cow<'_, [u8]> {
        Cow::Borrowed(memory.bytes(self.store))
    }

    fn value(&mut self, global: Global) -> Value {
        let value = global.get(self.store);
        from_stitch(self, value)
    }

    fn elements(&mut self, table: Table) -> Vec<Value> {
        let length = table.size(self.store);
        let read = |index| table.get(self.store, index).map(|element| from_stitch(self, element.into()));
        (0..length).map_while(read).collect()
    }

    fn signature(&mut self, function: Func) -> Signature {
        signature(function.type_(self.store))
    }

    fn write(&mut self, memory: Mem, address: u64, bytes: &[u8]) -> bool {
        write_all(memory.bytes_mut(self.store), address, bytes)
    }

    fn grow_memory(&mut self, memory: Mem, pages: u64) -> Option<u64> {
        memory.grow(self.store, u32::try_from(pages).ok()?).ok().map(u64::from)
    }

    fn grow_table(&mut self, table: Table, elements: u64, value: &Value) -> Option<u64> {
        let (from, value) = (table.size(self.store), to_reference(self, value)?);
        let grown = table.grow(self.store, value, u32::try_from(elements).ok()?);
        grown.is_ok().then_some(from.into())
    }

    fn set_global(&mut self, global: Global, value: &Value) -> bool {
        if matches!(value, Value::V128(_)) {
            return false;
        }
        let value = to_stitch_or_null(self, value);
        global.set(self.store, value).is_ok()
    }

    fn set_element(&mut self, table: Table, index: u64, value: &Value) -> bool {
        let (Ok(index), Some(value)) = (u32::try_from(index), to_reference(self, value)) else {
            return false;
        };
        table.set(self.store, index, value).is_ok()
    }

    /// Such a call would run without fuel, perhaps for ever.
    fn call(&mut self, _: Func, _: &[Value]) -> Result<Vec<Value>, Failed<Ending>> {
        let ending = Ending::Infra("makepad-stitch's host functions call back without fuel".to_owned());
        Err(Failed { ending: ending.clone(), error: Some(ending) })
    }
}
