//! Reads the visible state of an instance, in the same way for every engine.

use crate::{
    host::Host,
    state::{Extent, NamedValue, State},
    value::Value,
};

/// The part of an engine's store that is needed to read the state of an instance.
pub(crate) trait Look {
    type Memory: Copy;
    type Global: Copy;
    type Table: Copy;

    fn host(&self) -> &Host;
    fn bytes(&self, memory: Self::Memory) -> &[u8];
    fn value(&mut self, global: Self::Global) -> Value;
    fn elements(&mut self, table: Self::Table) -> Vec<Value>;
}

/// An engine's handle of an import or export that has a state.
pub(crate) enum Item<L: Look> {
    Memory(L::Memory),
    Global(L::Global),
    Table(L::Table),
}

/// An engine's handles of what [`State`] shows, in its order: imports, then exports by name.
pub(crate) struct View<L: Look> {
    memories: Vec<(String, L::Memory)>,
    globals: Vec<(String, L::Global)>,
    tables: Vec<(String, L::Table)>,
}

impl<L: Look> View<L> {
    /// The view of an instance with these imports and exports.
    pub(crate) fn new(
        imports: impl IntoIterator<Item = Item<L>>,
        exports: impl IntoIterator<Item = (String, Item<L>)>,
    ) -> Self {
        let mut view = Self { memories: Vec::new(), globals: Vec::new(), tables: Vec::new() };
        imports.into_iter().for_each(|item| view.add(None, item));
        sorted(exports).into_iter().for_each(|(name, item)| view.add(Some(name), item));
        view
    }

    fn add(&mut self, name: Option<String>, item: Item<L>) {
        match item {
            Item::Memory(memory) => push(&mut self.memories, name, memory),
            Item::Global(global) => push(&mut self.globals, name, global),
            Item::Table(table) => push(&mut self.tables, name, table),
        }
    }

    pub(crate) fn state(&self, store: &mut L) -> State {
        let mut state = State { host: store.host().log.clone(), ..State::default() };
        for (name, memory) in &self.memories {
            state.memories.push(Extent::of_memory(name, store.bytes(*memory)));
        }
        for (name, global) in &self.globals {
            state.globals.push(NamedValue { name: name.clone(), value: store.value(*global) });
        }
        for (name, table) in &self.tables {
            state.tables.push(Extent::of_table(name, &store.elements(*table)));
        }
        state
    }

    /// The bytes of a memory in the order of [`State`].
    pub(crate) fn memory(&self, store: &L, index: usize) -> Vec<u8> {
        self.memories.get(index).map_or_else(Vec::new, |(_, memory)| store.bytes(*memory).to_vec())
    }

    /// The elements of a table in the order of [`State`].
    pub(crate) fn table(&self, store: &mut L, index: usize) -> Vec<Value> {
        self.tables.get(index).map_or_else(Vec::new, |(_, table)| store.elements(*table))
    }
}

/// Exports in the order of their names: engines list them in orders of their own.
pub(crate) fn sorted<T>(exports: impl IntoIterator<Item = (String, T)>) -> Vec<(String, T)> {
    let mut exports: Vec<_> = exports.into_iter().collect();
    exports.sort_by(|a, b| a.0.cmp(&b.0));
    exports
}

/// Adds a handle under the name of its export, or under its number among the imports of its kind.
fn push<H>(handles: &mut Vec<(String, H)>, name: Option<String>, handle: H) {
    let name = name.unwrap_or_else(|| format!("import {}", handles.len()));
    handles.push((name, handle));
}
