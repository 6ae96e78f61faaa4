//! wasmtime's store, as the common code for states and host functions sees it.

use std::borrow::Cow;

use ::wasmtime::{AsContextMut, Func, Global, Memory, Ref, Table, Trap, Val};

use super::values::{ending_of, from_wasmtime, signature, to_wasmtime, to_wasmtime_or_null};
use crate::{
    answer::Ending,
    engine::Signature,
    host::Host,
    value::Value,
    view::{Access, Failed, Handles, write_all},
};

/// wasmtime's handles.
pub(super) struct WasmtimeHandles;

impl Handles for WasmtimeHandles {
    type Memory = Memory;
    type Global = Global;
    type Table = Table;
    type Function = Func;
}

/// What a store holds for us.
pub(super) type WasmtimeHost = Host<WasmtimeHandles>;

/// A store of ours, or what a host function is given of it.
pub(super) trait Context: AsContextMut<Data = WasmtimeHost> {}

impl<C: AsContextMut<Data = WasmtimeHost>> Context for C {}

/// Access to a store.
pub(super) struct Reach<C>(pub C);

impl<C: Context> Access for Reach<C> {
    type Handles = WasmtimeHandles;
    type Error = ::wasmtime::Error;

    fn host<R>(&mut self, ask: impl FnOnce(&mut WasmtimeHost) -> R) -> R {
        ask(self.0.as_context_mut().data_mut())
    }

    /// All references to a function that an instance hands out are the same pointer.
    fn key(&mut self, function: Func) -> u64 {
        function.to_raw(self.0.as_context_mut()) as u64
    }

    fn bytes(&mut self, memory: Memory) -> Cow<'_, [u8]> {
        Cow::Borrowed(memory.data(self.0.as_context()))
    }

    fn value(&mut self, global: Global) -> Value {
        let value = global.get(self.0.as_context_mut());
        from_wasmtime(self, &value)
    }

    fn elements(&mut self, table: Table) -> Vec<Value> {
        (0..table.size(self.0.as_context()))
            .map_while(|index| {
                let element = table.get(self.0.as_context_mut(), index)?;
                Some(from_wasmtime(self, &Val::from(element)))
            })
            .collect()
    }

    fn signature(&mut self, function: Func) -> Signature {
        signature(&function.ty(self.0.as_context()))
    }

    fn write(&mut self, memory: Memory, address: u64, bytes: &[u8]) -> bool {
        write_all(memory.data_mut(self.0.as_context_mut()), address, bytes)
    }

    fn grow_memory(&mut self, memory: Memory, pages: u64) -> Option<u64> {
        memory.grow(self.0.as_context_mut(), pages).ok()
    }

    fn grow_table(&mut self, table: Table, elements: u64, value: &Value) -> Option<u64> {
        let value = self.reference(value)?;
        table.grow(self.0.as_context_mut(), elements, value).ok()
    }

    fn set_global(&mut self, global: Global, value: &Value) -> bool {
        let value = to_wasmtime_or_null(self, value);
        global.set(self.0.as_context_mut(), value).is_ok()
    }

    fn set_element(&mut self, table: Table, index: u64, value: &Value) -> bool {
        let Some(value) = self.reference(value) else { return false };
        table.set(self.0.as_context_mut(), index, value).is_ok()
    }

    fn call(&mut self, function: Func, arguments: &[Value]) -> Result<Vec<Value>, Failed<::wasmtime::Error>> {
        let inputs = arguments.iter().map(|value| to_wasmtime(self, value)).collect::<Result<Vec<_>, _>>();
        let inputs = inputs.map_err(|ending| Failed { ending, error: None })?;
        let ty = function.ty(self.0.as_context());
        let mut outputs = vec![Val::I32(0); ty.results().len()];
        match function.call(self.0.as_context_mut(), &inputs, &mut outputs) {
            Ok(()) => Ok(outputs.iter().map(|value| from_wasmtime(self, value)).collect()),
            Err(error) => {
                let is_trap = error.downcast_ref::<Trap>().is_some();
                let ending = match signature(&ty).takes(arguments) || is_trap {
                    true => ending_of(&error),
                    false => Ending::Refused(error.to_string()),
                };
                Err(Failed { ending, error: Some(error) })
            }
        }
    }
}

impl<C: Context> Reach<C> {
    /// A reference, unless the value is none.
    fn reference(&mut self, value: &Value) -> Option<Ref> {
        to_wasmtime_or_null(self, value).ref_()
    }
}
