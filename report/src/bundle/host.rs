//! What a module imports, and what the imported functions do: as data that a script or a test can be written from.

use std::collections::BTreeMap;

use mutagen_oracles::{
    HostAction, HostCall, HostEffect, HostPlan, HostResult, State, Value, ValueType, host_results,
    imported_global,
};
use mutagen_properties::value_type;
use mutagen_wasm_ast::{FuncType, GlobalType, ImportItem, Limits, Module, TableType};

/// What a module imports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// The imports, in order.
    pub imports: Vec<Import>,
    /// The calls of imported functions, in order, if they are listed.
    pub calls: Vec<HostedCall>,
    /// Whether all calls are listed, and a correct engine makes no others. If not, nothing comes of any call.
    pub is_listed: bool,
    /// Whether the engines differ in these calls, so that number and arguments matter.
    pub is_strict: bool,
}

/// An import.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The module that it comes from.
    pub module: String,
    /// Its name there.
    pub name: String,
    /// What it is.
    pub item: Item,
}

/// What is imported.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A function.
    Function(FuncType),
    /// A memory, which is empty at first.
    Memory(Limits),
    /// A table, which is null everywhere at first.
    Table(TableType),
    /// A global with its first value.
    Global(GlobalType, Value),
}

/// A call of an imported function.
#[derive(Clone, Debug, PartialEq)]
pub struct HostedCall {
    /// The function, by its place among all imports.
    pub import: usize,
    /// The arguments.
    pub arguments: Vec<Value>,
    /// What it does, in order.
    pub deeds: Vec<Deed>,
    /// The results, or `None` if it traps.
    pub results: Option<Vec<Value>>,
}

/// Something that an imported function does.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// Writes to a memory.
    Write(Place, u64, Vec<u8>),
    /// Grows a memory by so many pages.
    GrowMemory(Place, u64),
    /// Grows a table by so many elements of this value.
    GrowTable(Place, u64, Value),
    /// Sets a global.
    SetGlobal(Place, Value),
    /// Sets an element of a table.
    SetElement(Place, u64, Value),
    /// Calls an exported function.
    Call(String, Vec<Value>),
}

/// A memory, table or global that can be seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// It is this import.
    Import(usize),
    /// It is exported under this name.
    Export(String),
}

/// Something in a module that can be imported, besides functions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A memory.
    Memory,
    /// A global.
    Global,
    /// A table.
    Table,
}

impl Host {
    /// What the module imports and what its imported functions did in an instance that was left in this state.
    ///
    /// # Errors
    ///
    /// Why it cannot be told.
    pub fn of(module: &Module, plans: &[HostPlan], state: &State, is_strict: bool) -> Result<Self, String> {
        let mut host = Host { imports: imports(module), calls: Vec::new(), is_listed: false, is_strict };
        let signatures = host.functions();
        let returns = signatures.iter().any(|(_, ty)| !ty.results.is_empty());
        let acts = plans.iter().any(|plan| !plan.turns.is_empty());
        if !(returns || acts || is_strict) {
            return Ok(host);
        }
        host.is_listed = true;
        let log = &state.host;
        if log.calls > log.first.len() as u64 {
            return Err(format!(
                "the module makes {} calls of imported functions, too many to list",
                log.calls
            ));
        }
        let mut served = BTreeMap::new();
        for (number, call) in log.first.iter().enumerate() {
            let before = served.entry(call.import).or_insert(0_u64);
            let (import, ty) = signatures.get(call.import as usize).ok_or("an import is missing")?;
            let types: Vec<ValueType> = ty.results.iter().map(|ty| value_type(*ty)).collect();
            let results = host_results(plans, call.import, number as u64, *before, &types);
            *before += 1;
            host.calls.push(host.hosted(module, state, *import, call, results));
        }
        Ok(host)
    }

    /// The imported functions, each with its place among all imports.
    fn functions(&self) -> Vec<(usize, FuncType)> {
        let function = |(place, import): (usize, &Import)| match &import.item {
            Item::Function(ty) => Some((place, ty.clone())),
            _ => None,
        };
        self.imports.iter().enumerate().filter_map(function).collect()
    }

    fn hosted(
        &self,
        module: &Module,
        state: &State,
        import: usize,
        call: &HostCall,
        results: Vec<Value>,
    ) -> HostedCall {
        let traps = call.effects.iter().any(|effect| effect.action == HostAction::Trap);
        HostedCall {
            import,
            arguments: call.arguments.clone(),
            deeds: call.effects.iter().filter_map(|effect| self.deed(module, state, effect)).collect(),
            results: (!traps).then_some(results),
        }
    }

    /// What came of an action, if anything did.
    fn deed(&self, module: &Module, state: &State, effect: &HostEffect) -> Option<Deed> {
        if !matches!(effect.result, HostResult::Done | HostResult::Grew(_) | HostResult::Called(_)) {
            return None;
        }
        let place = |kind, number: &u32| {
            let number = *number as usize;
            let names = match kind {
                Kind::Memory => state.memories.get(number).map(|extent| &extent.name),
                Kind::Table => state.tables.get(number).map(|extent| &extent.name),
                Kind::Global => state.globals.get(number).map(|global| &global.name),
            };
            let import = self.places(kind).get(number).map(|import| Place::Import(*import));
            import.or_else(|| Some(Place::Export(names?.to_string())))
        };
        Some(match &effect.action {
            HostAction::Write { memory, address, bytes } => {
                Deed::Write(place(Kind::Memory, memory)?, *address, bytes.clone())
            }
            HostAction::GrowMemory { memory, pages } => {
                Deed::GrowMemory(place(Kind::Memory, memory)?, *pages)
            }
            HostAction::GrowTable { table, elements, value } => {
                Deed::GrowTable(place(Kind::Table, table)?, *elements, *value)
            }
            HostAction::SetGlobal { global, value } => Deed::SetGlobal(place(Kind::Global, global)?, *value),
            HostAction::SetElement { table, index, value } => {
                Deed::SetElement(place(Kind::Table, table)?, *index, *value)
            }
            HostAction::Call { function, arguments } => {
                let called = module.surface().functions.get(*function as usize)?.name.clone();
                Deed::Call(called, arguments.clone())
            }
            HostAction::Return(_) | HostAction::Trap => return None,
        })
    }

    /// The places of the imports of a kind among all imports.
    pub fn places(&self, kind: Kind) -> Vec<usize> {
        let is = |item: &Item| match item {
            Item::Function(_) => false,
            Item::Memory(_) => kind == Kind::Memory,
            Item::Table(_) => kind == Kind::Table,
            Item::Global(..) => kind == Kind::Global,
        };
        (0..self.imports.len()).filter(|place| is(&self.imports[*place].item)).collect()
    }
}

fn imports(module: &Module) -> Vec<Import> {
    let mut globals = 0;
    let import = |import: &mutagen_wasm_ast::Import| {
        let item = match import.item {
            ImportItem::Func(ty) => {
                Item::Function(module.types.get(ty.get() as usize).cloned().unwrap_or_default())
            }
            ImportItem::Table(ty) => Item::Table(ty),
            ImportItem::Memory(limits) => Item::Memory(limits),
            ImportItem::Global(ty) => {
                globals += 1;
                Item::Global(ty, imported_global(globals - 1, value_type(ty.value)))
            }
        };
        Import { module: import.module.0.clone(), name: import.name.0.clone(), item }
    };
    module.imports.iter().map(import).collect()
}
