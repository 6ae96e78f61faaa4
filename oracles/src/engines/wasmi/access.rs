//! wasmi's store, as the common code for states and host functions sees it. Every version of wasmi has its own copy of this.

use std::{borrow::Cow, fmt, fmt::Write, hash::Hasher};

use mutagen_weave::Recorder;
use rustc_hash::FxHasher;

use super::{
    api::{self, AsContextMut, Func, Global, HostError, Memory, Table},
    values::{ending_of, from_wasmi, signature, to_element, to_wasmi},
};
use crate::{
    answer::Ending,
    engine::Signature,
    host::{Host, HostTrap, UNKNOWN_FUNCTION},
    value::Value,
    view::{Access, Failed, Handles, write_all},
};

/// wasmi's handles.
pub(super) struct WasmiHandles;

impl Handles for WasmiHandles {
    type Memory = Memory;
    type Global = Global;
    type Table = Table;
    type Function = Func;
}

/// What a store holds for us.
pub(super) type WasmiHost = Host<WasmiHandles>;

/// A store of ours, or what a host function is given of it.
pub(super) trait Context: AsContextMut<Data = WasmiHost> {}

impl<C: AsContextMut<Data = WasmiHost>> Context for C {}

/// Access to a store.
pub(super) struct Reach<C>(pub C);

impl HostError for HostTrap {}

impl<C: Context> Access for Reach<C> {
    type Handles = WasmiHandles;
    type Error = api::Error;

    fn host<R>(&mut self, ask: impl FnOnce(&mut WasmiHost) -> R) -> R {
        ask(self.0.as_context_mut().data_mut())
    }

    /// wasmi does not compare functions. Only the text that it shows for debugging tells them apart.
    fn key(&mut self, function: Func) -> u64 {
        let mut key = Key(FxHasher::default());
        // What wasmi does to show a function is no part of the test's trace.
        let shown = Recorder::new(0).record(|| write!(key, "{function:?}"));
        debug_assert!(shown.is_ok());
        key.0.finish()
    }

    fn bytes(&mut self, memory: Memory) -> Cow<'_, [u8]> {
        Cow::Borrowed(memory.data(self.0.as_context()))
    }

    fn value(&mut self, global: Global) -> Value {
        let value = global.get(self.0.as_context());
        from_wasmi(self, &value)
    }

    fn elements(&mut self, table: Table) -> Vec<Value> {
        (0..table.size(self.0.as_context()))
            .map_while(|index| {
                let element = table.get(self.0.as_context(), index)?;
                Some(from_wasmi(self, &api::value_of(element)))
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
        let value = to_element(self, value)?;
        table.grow(self.0.as_context_mut(), elements, value).ok()
    }

    fn set_global(&mut self, global: Global, value: &Value) -> bool {
        let content = global.ty(self.0.as_context()).content();
        let value = super::values::to_wasmi_or_null(self, value, content);
        global.set(self.0.as_context_mut(), value).is_ok()
    }

    fn set_element(&mut self, table: Table, index: u64, value: &Value) -> bool {
        let Some(value) = to_element(self, value) else { return false };
        table.set(self.0.as_context_mut(), index, value).is_ok()
    }

    fn call(&mut self, function: Func, arguments: &[Value]) -> Result<Vec<Value>, Failed<api::Error>> {
        let inputs = arguments.iter().map(|value| to_wasmi(self, value)).collect::<Option<Vec<_>>>();
        let Some(inputs) = inputs else {
            return Err(Failed { ending: Ending::Refused(UNKNOWN_FUNCTION.to_owned()), error: None });
        };
        let ty = function.ty(self.0.as_context());
        let mut outputs: Vec<api::Val> = ty.results().iter().map(|ty| api::zero(*ty)).collect();
        match function.call(self.0.as_context_mut(), &inputs, &mut outputs) {
            Ok(()) => Ok(outputs.iter().map(|value| from_wasmi(self, value)).collect()),
            Err(error) => Err(Failed { ending: ending_of(&error), error: Some(error) }),
        }
    }
}

/// Mixes text into a key.
struct Key(FxHasher);

impl fmt::Write for Key {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
