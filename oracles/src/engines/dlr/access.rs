//! A store of dlr-wasm-interpreter, as the common code for states and host functions sees it.

use std::borrow::Cow;

use ::dlr_wasm_interpreter::{Config, FuncAddr, GlobalAddr, MemAddr, RuntimeError, TableAddr, instructions};
use ::dlr_wasm_interpreter_checked::{Store, Stored, StoredRunState, StoredValue};

use super::values::{ending_of, from_dlr, signature, to_dlr, to_dlr_or_null, to_reference, value_type};
use crate::{
    answer::{Ending, TrapKind},
    engine::Signature,
    host::{Host, Stop, serve},
    value::{Value, ValueType},
    view::{Access, Failed, Handles, write_all},
};

/// Its handles.
pub(super) struct DlrHandles;

impl Handles for DlrHandles {
    type Memory = Stored<MemAddr>;
    type Global = Stored<GlobalAddr>;
    type Table = Stored<TableAddr>;
    type Function = Stored<FuncAddr>;
}

/// What operators cost. Blocks of memory cost fuel by the byte, so that filling a memory over and over ends in time.
pub(super) struct Costs;

/// How many of its units of fuel one of ours is. So many bytes cost as much as an operator, as in wasmi.
const UNITS: u64 = 256;

impl Config for Costs {
    fn get_flat_cost(_: u8) -> u64 {
        UNITS
    }

    fn get_fc_extension_flat_cost(_: u32) -> u64 {
        UNITS
    }

    fn get_fd_extension_flat_cost(_: u32) -> u64 {
        UNITS
    }

    fn get_fc_extension_cost_per_element(operator: u32) -> u64 {
        use instructions::fc_extensions::{
            MEMORY_COPY, MEMORY_FILL, MEMORY_INIT, TABLE_COPY, TABLE_FILL, TABLE_INIT,
        };
        match operator {
            MEMORY_COPY | MEMORY_FILL | MEMORY_INIT => 1,
            TABLE_COPY | TABLE_FILL | TABLE_INIT => 16,
            _ => 0,
        }
    }
}

/// A store, and what belongs to it.
pub(super) struct Reach<'b> {
    pub store: Store<'b, Costs>,
    pub host: Host<DlrHandles>,
    /// The functions that have a key.
    known: Vec<Stored<FuncAddr>>,
    /// The types of the results of imported functions.
    results: Vec<Vec<ValueType>>,
    /// The fuel that host functions may still use to call back.
    for_calls_back: u64,
}

impl Reach<'_> {
    pub fn new(host: Host<DlrHandles>) -> Self {
        let (known, results) = (Vec::new(), Vec::new());
        Self { store: Store::new(Costs), host, known, results, for_calls_back: 0 }
    }

    /// A function that does what the next imported function is to do.
    pub fn stub(&mut self, ty: ::dlr_wasm_interpreter::FuncType) -> Stored<FuncAddr> {
        let number = self.host.next_function() as usize;
        debug_assert_eq!(number, self.results.len());
        self.results.push(ty.returns.valtypes.iter().map(|ty| value_type(*ty)).collect());
        self.store.func_alloc(ty, number)
    }

    /// Runs a function with this much fuel. What host functions call has as much once more, together.
    pub fn run(
        &mut self,
        function: Stored<FuncAddr>,
        arguments: Vec<StoredValue>,
        fuel: u64,
    ) -> Result<Vec<StoredValue>, Ending> {
        let units = fuel.saturating_mul(UNITS);
        self.for_calls_back = units;
        self.run_with(function, arguments, units).map(|(results, _)| results)
    }

    /// Runs a function. Returns its results, and the units of fuel that are left.
    fn run_with(
        &mut self,
        function: Stored<FuncAddr>,
        arguments: Vec<StoredValue>,
        units: u64,
    ) -> Result<(Vec<StoredValue>, u64), Ending> {
        let mut state = self.store.invoke(function, arguments, Some(units)).map_err(ending_of)?;
        loop {
            let (call, resumable) = match state {
                StoredRunState::Finished { values, maybe_remaining_fuel } => {
                    return Ok((values, maybe_remaining_fuel.unwrap_or(0)));
                }
                StoredRunState::Resumable { .. } => return Err(Ending::Trapped(TrapKind::OutOfFuel)),
                StoredRunState::HostCalled { host_call, resumable } => (host_call, resumable),
            };
            let results = self.served(call.hostcode, call.params)?;
            state = self.store.finish_host_call(resumable, results).map_err(ending_of)?;
            // It stops before what called the host goes on, and not for want of fuel.
            if let StoredRunState::Resumable { resumable, .. } = state {
                state = self.store.resume_wasm(resumable).map_err(ending_of)?;
            }
        }
    }

    fn served(&mut self, number: usize, inputs: Vec<StoredValue>) -> Result<Vec<StoredValue>, Ending> {
        let arguments: Vec<Value> = inputs.into_iter().map(|value| from_dlr(self, value)).collect();
        let types = self.results[number].clone();
        let values = serve(self, number as u32, &arguments, &types).map_err(|stop| match stop {
            Stop::Trap => Ending::Trapped(TrapKind::Host),
            Stop::Error(ending) => ending,
        })?;
        Ok(values.iter().map(|value| to_dlr_or_null(self, value)).collect())
    }
}

/// The size before, if growing was possible.
fn grown(from: u32, done: Result<(), RuntimeError>) -> Option<u64> {
    done.is_ok().then_some(from.into())
}

impl Access for Reach<'_> {
    type Handles = DlrHandles;
    /// Why a host function stops.
    type Error = Ending;

    fn host<R>(&mut self, ask: impl FnOnce(&mut Host<DlrHandles>) -> R) -> R {
        ask(&mut self.host)
    }

    /// Addresses cannot be looked into, so functions are numbered as they come.
    fn key(&mut self, function: Stored<FuncAddr>) -> u64 {
        let key = self.known.iter().position(|known| *known == function).unwrap_or_else(|| {
            self.known.push(function);
            self.known.len() - 1
        });
        key as u64
    }

    fn bytes(&mut self, memory: Stored<MemAddr>) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.store.mem_data_mut(memory))
    }

    fn value(&mut self, global: Stored<GlobalAddr>) -> Value {
        let value = self.store.global_read(global);
        from_dlr(self, value)
    }

    fn elements(&mut self, table: Stored<TableAddr>) -> Vec<Value> {
        let length = self.store.table_size(table);
        let read = |index| {
            let element = self.store.table_read(table, index).ok()?;
            Some(from_dlr(self, StoredValue::Ref(element)))
        };
        (0..length).map_while(read).collect()
    }

    fn signature(&mut self, function: Stored<FuncAddr>) -> Signature {
        signature(&self.store.func_type(function))
    }

    fn write(&mut self, memory: Stored<MemAddr>, address: u64, bytes: &[u8]) -> bool {
        write_all(self.store.mem_data_mut(memory), address, bytes)
    }

    fn grow_memory(&mut self, memory: Stored<MemAddr>, pages: u64) -> Option<u64> {
        let from = self.store.mem_size(memory);
        grown(from, self.store.mem_grow(memory, u32::try_from(pages).ok()?))
    }

    fn grow_table(&mut self, table: Stored<TableAddr>, elements: u64, value: &Value) -> Option<u64> {
        let (from, value) = (self.store.table_size(table), to_reference(self, value)?);
        grown(from, self.store.table_grow(table, u32::try_from(elements).ok()?, value))
    }

    fn set_global(&mut self, global: Stored<GlobalAddr>, value: &Value) -> bool {
        let value = to_dlr_or_null(self, value);
        self.store.global_write(global, value).is_ok()
    }

    fn set_element(&mut self, table: Stored<TableAddr>, index: u64, value: &Value) -> bool {
        let (Ok(index), Some(value)) = (u32::try_from(index), to_reference(self, value)) else {
            return false;
        };
        self.store.table_write(table, index, value).is_ok()
    }

    fn call(
        &mut self,
        function: Stored<FuncAddr>,
        arguments: &[Value],
    ) -> Result<Vec<Value>, Failed<Ending>> {
        let inputs: Result<Vec<_>, Ending> = arguments.iter().map(|value| to_dlr(self, value)).collect();
        let inputs = inputs.map_err(|ending| Failed { ending, error: None })?;
        let units = std::mem::take(&mut self.for_calls_back);
        let (results, left) = self
            .run_with(function, inputs, units)
            .map_err(|ending| Failed { error: Some(ending.clone()), ending })?;
        self.for_calls_back = left;
        Ok(results.into_iter().map(|value| from_dlr(self, value)).collect())
    }
}
