//! The index spaces of a module: imports come first, then the module's definitions.

use crate::index::TypeIdx;
use crate::module::{ImportItem, Module};
use crate::types::{GlobalType, Limits, TableType};

/// The types of everything that has an index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spaces {
    pub(crate) functions: Vec<TypeIdx>,
    pub(crate) tables: Vec<TableType>,
    pub(crate) memories: Vec<Limits>,
    pub(crate) globals: Vec<GlobalType>,
    /// Number of imported functions.
    pub(crate) imported_functions: usize,
    /// Number of imported globals: constant expressions may read only those.
    pub(crate) imported_globals: usize,
}

impl Spaces {
    pub(crate) fn of(module: &Module) -> Self {
        let mut spaces = Self::default();
        for import in &module.imports {
            match import.item {
                ImportItem::Func(ty) => spaces.functions.push(ty),
                ImportItem::Table(ty) => spaces.tables.push(ty),
                ImportItem::Memory(limits) => spaces.memories.push(limits),
                ImportItem::Global(ty) => spaces.globals.push(ty),
            }
        }
        spaces.imported_functions = spaces.functions.len();
        spaces.imported_globals = spaces.globals.len();
        spaces.functions.extend(module.functions.iter().map(|function| function.ty));
        spaces.tables.extend(&module.tables);
        spaces.memories.extend(&module.memories);
        spaces.globals.extend(module.globals.iter().map(|global| global.ty));
        spaces
    }
}
