//! Reads and changes the visible state of an instance, in the same way for every engine.

use std::{borrow::Cow, sync::Arc};

use crate::{
    answer::Ending,
    engine::{Function, Signature},
    host::Host,
    state::{Extent, NamedValue, State},
    value::Value,
};

/// An engine's handles of what can be imported and exported.
pub(crate) trait Handles: 'static {
    type Memory: Copy;
    type Global: Copy;
    type Table: Copy;
    type Function: Copy;
}

/// An engine's store, as far as the state of an instance and the actions of host functions need it.
pub(crate) trait Access {
    type Handles: Handles;
    type Error;

    /// Gives access to what the store holds for us.
    fn host<R>(&mut self, ask: impl FnOnce(&mut Host<Self::Handles>) -> R) -> R;

    /// A number that is the same for two handles if they are of the same function, and only then.
    fn key(&mut self, function: <Self::Handles as Handles>::Function) -> u64;

    fn bytes(&mut self, memory: <Self::Handles as Handles>::Memory) -> Cow<'_, [u8]>;
    /// Length and digest of a memory.
    fn extent(&mut self, name: &str, memory: <Self::Handles as Handles>::Memory) -> Extent {
        Extent::of_memory(name, &self.bytes(memory))
    }
    fn value(&mut self, global: <Self::Handles as Handles>::Global) -> Value;
    fn elements(&mut self, table: <Self::Handles as Handles>::Table) -> Vec<Value>;
    fn signature(&mut self, function: <Self::Handles as Handles>::Function) -> Signature;

    /// Writes all bytes, or none if they do not fit. Returns whether they do.
    fn write(&mut self, memory: <Self::Handles as Handles>::Memory, address: u64, bytes: &[u8]) -> bool;
    /// The size before, unless the memory cannot grow.
    fn grow_memory(&mut self, memory: <Self::Handles as Handles>::Memory, pages: u64) -> Option<u64>;
    /// The size before, unless the table cannot grow.
    fn grow_table(
        &mut self,
        table: <Self::Handles as Handles>::Table,
        elements: u64,
        value: &Value,
    ) -> Option<u64>;
    fn set_global(&mut self, global: <Self::Handles as Handles>::Global, value: &Value) -> bool;
    fn set_element(&mut self, table: <Self::Handles as Handles>::Table, index: u64, value: &Value) -> bool;

    /// Calls a function with the fuel that is left.
    fn call(
        &mut self,
        function: <Self::Handles as Handles>::Function,
        arguments: &[Value],
    ) -> Result<Vec<Value>, Failed<Self::Error>>;
}

/// A call that did not return.
pub(crate) struct Failed<E> {
    pub ending: Ending,
    /// The engine's error, if the call had begun.
    pub error: Option<E>,
}

/// An engine's handle of an import or export.
pub(crate) enum Item<H: Handles> {
    Memory(H::Memory),
    Global(H::Global),
    Table(H::Table),
    Function(H::Function),
}

/// An engine's handles of what [`State`] shows, in its order: imports, then exports by name. Functions are the exported
/// ones alone.
pub(crate) struct View<H: Handles> {
    memories: Vec<(Arc<str>, H::Memory)>,
    globals: Vec<(Arc<str>, H::Global)>,
    tables: Vec<(Arc<str>, H::Table)>,
    functions: Vec<(String, H::Function)>,
    is_complete: bool,
}

impl<H: Handles> View<H> {
    /// The view of an instance with these imports.
    pub(crate) fn new(imports: impl IntoIterator<Item = Item<H>>) -> Self {
        let mut view = Self {
            memories: Vec::new(),
            globals: Vec::new(),
            tables: Vec::new(),
            functions: Vec::new(),
            is_complete: false,
        };
        imports.into_iter().for_each(|item| view.add(None, item));
        view
    }

    /// The same with these exports, as soon as they are known.
    pub(crate) fn with_exports(mut self, exports: impl IntoIterator<Item = (String, Item<H>)>) -> Self {
        sorted(exports).into_iter().for_each(|(name, item)| self.add(Some(name), item));
        self.is_complete = true;
        self
    }

    fn add(&mut self, name: Option<String>, item: Item<H>) {
        match (item, name) {
            (Item::Memory(memory), name) => push(&mut self.memories, name, memory),
            (Item::Global(global), name) => push(&mut self.globals, name, global),
            (Item::Table(table), name) => push(&mut self.tables, name, table),
            (Item::Function(function), Some(name)) => self.functions.push((name, function)),
            (Item::Function(_), None) => {}
        }
    }

    /// Whether the exports are known.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    pub(crate) fn memory_at(&self, place: u32) -> Option<H::Memory> {
        at(&self.memories, place)
    }

    pub(crate) fn global_at(&self, place: u32) -> Option<H::Global> {
        at(&self.globals, place)
    }

    pub(crate) fn table_at(&self, place: u32) -> Option<H::Table> {
        at(&self.tables, place)
    }

    pub(crate) fn function_at(&self, place: u32) -> Option<H::Function> {
        at(&self.functions, place)
    }

    /// The exported functions.
    pub(crate) fn functions(&self) -> impl Iterator<Item = H::Function> {
        self.functions.iter().map(|(_, function)| *function)
    }

    pub(crate) fn state(&self, store: &mut impl Access<Handles = H>) -> State {
        let mut state = State { host: store.host(|host| host.log.clone()), ..State::default() };
        for (name, memory) in &self.memories {
            state.memories.push(Extent { name: Arc::clone(name), ..store.extent("", *memory) });
        }
        for (name, global) in &self.globals {
            state.globals.push(NamedValue { name: Arc::clone(name), value: store.value(*global) });
        }
        for (name, table) in &self.tables {
            state.tables.push(Extent::of_table(Arc::clone(name), &store.elements(*table)));
        }
        state
    }

    /// The bytes of a memory in the order of [`State`].
    pub(crate) fn memory(&self, store: &mut impl Access<Handles = H>, index: usize) -> Vec<u8> {
        self.memories.get(index).map_or_else(Vec::new, |(_, memory)| store.bytes(*memory).into_owned())
    }

    /// The elements of a table in the order of [`State`].
    pub(crate) fn table(&self, store: &mut impl Access<Handles = H>, index: usize) -> Vec<Value> {
        self.tables.get(index).map_or_else(Vec::new, |(_, table)| store.elements(*table))
    }
}

/// The functions with these names and signatures, in the order of their names.
pub(crate) fn functions(exports: impl IntoIterator<Item = (String, Signature)>) -> Vec<Function> {
    sorted(exports).into_iter().map(|(name, signature)| Function { name, signature }).collect()
}

/// Writes all bytes to a memory, or none if they do not fit. Returns whether they do.
pub(crate) fn write_all(memory: &mut [u8], address: u64, bytes: &[u8]) -> bool {
    let start = usize::try_from(address).ok();
    let place = start.and_then(|start| memory.get_mut(start..)).and_then(|rest| rest.get_mut(..bytes.len()));
    place.map(|place| place.copy_from_slice(bytes)).is_some()
}

/// Exports in the order of their names: engines list them in orders of their own.
fn sorted<T>(exports: impl IntoIterator<Item = (String, T)>) -> Vec<(String, T)> {
    let mut exports: Vec<_> = exports.into_iter().collect();
    exports.sort_by(|a, b| a.0.cmp(&b.0));
    exports
}

/// Adds a handle under the name of its export, or under its number among the imports of its kind.
fn push<T>(handles: &mut Vec<(Arc<str>, T)>, name: Option<String>, handle: T) {
    let name = name.unwrap_or_else(|| format!("import {}", handles.len()));
    handles.push((name.into(), handle));
}

fn at<N, T: Copy>(handles: &[(N, T)], place: u32) -> Option<T> {
    handles.get(place as usize).map(|(_, handle)| *handle)
}
