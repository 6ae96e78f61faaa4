//! Repairs types, imports, definitions, exports and the start function.

use std::collections::HashSet;

use super::context::{Context, nearest};
use crate::bytes::Name;
use crate::features::{Feature, Features};
use crate::index::{FuncIdx, GlobalIdx, MemIdx, TableIdx, TypeIdx};
use crate::measure::Needs;
use crate::module::{ExportItem, ImportItem, Module};
use crate::types::{AddressType, Bound, FuncType, GlobalType, Limits, RefType, TableType, ValType};

/// The largest sizes of memories, in pages, and of tables, in elements.
const MOST_PAGES: u64 = 1 << 16;
const MOST_PAGES_64: u64 = 1 << 48;
const MOST_ELEMENTS: u64 = u32::MAX as u64;
/// The number of parameters, and of results, that validators allow.
const MOST_VALUES: usize = 1000;

pub(super) fn repair_types(module: &mut Module, features: Features) {
    let results = if features.contains(Feature::MultiValue) { MOST_VALUES } else { 1 };
    for ty in &mut module.types {
        ty.params.truncate(MOST_VALUES);
        ty.results.truncate(results);
        ty.params.iter_mut().chain(&mut ty.results).for_each(|ty| repair_value_type(ty, features));
    }
    // Functions need a type.
    let wanted = !module.functions.is_empty()
        || module.imports.iter().any(|import| matches!(import.item, ImportItem::Func(_)));
    if module.types.is_empty() && wanted {
        module.types.push(FuncType::default());
    }
    let types = module.types.len();
    let imported = module.imports.iter_mut().filter_map(|import| match &mut import.item {
        ImportItem::Func(ty) => Some(ty),
        _ => None,
    });
    // Bring the type indices of functions into range.
    for ty in module.functions.iter_mut().map(|function| &mut function.ty).chain(imported) {
        *ty = nearest(ty.get(), types).map_or(*ty, TypeIdx::new);
    }
}

pub(super) fn repair_value_type(ty: &mut ValType, features: Features) {
    if !features.includes(ty.needs()) {
        *ty = ValType::I32;
    }
}

fn repair_reference_type(ty: &mut RefType, features: Features) {
    if !features.includes(ty.needs()) {
        *ty = RefType::FuncRef;
    }
}

/// Repairs the imports and the number of memories and tables. Without the features for more, only the first
/// memory and the first table stay.
pub(super) fn repair_imports(module: &mut Module, features: Features) {
    let (mut memories, mut tables) = (most_memories(features), most_tables(features));
    module.imports.retain(|import| match import.item {
        ImportItem::Memory(_) => count_down(&mut memories),
        ImportItem::Table(_) => count_down(&mut tables),
        _ => true,
    });
    module.memories.truncate(memories);
    module.tables.truncate(tables);
    for import in &mut module.imports {
        match &mut import.item {
            ImportItem::Func(_) => {}
            ImportItem::Table(ty) => repair_table(ty, features),
            ImportItem::Memory(limits) => repair_memory(limits, features),
            ImportItem::Global(ty) => {
                repair_global(ty, features);
                ty.mutable &= features.contains(Feature::MutableGlobal);
            }
        }
    }
}

/// The number of memories, and of tables, that validators allow.
const MOST: usize = 100;

fn most_memories(features: Features) -> usize {
    if features.contains(Feature::MultiMemory) { MOST } else { 1 }
}

fn most_tables(features: Features) -> usize {
    if features.contains(Feature::ReferenceTypes) { MOST } else { 1 }
}

/// Takes one of those that are left. Returns false if there is none.
fn count_down(left: &mut usize) -> bool {
    let any = *left > 0;
    *left = left.saturating_sub(1);
    any
}

pub(super) fn repair_definitions(module: &mut Module, features: Features) {
    module.tables.iter_mut().for_each(|ty| repair_table(ty, features));
    module.memories.iter_mut().for_each(|limits| repair_memory(limits, features));
    module.globals.iter_mut().for_each(|global| repair_global(&mut global.ty, features));
}

fn repair_table(ty: &mut TableType, features: Features) {
    repair_reference_type(&mut ty.element, features);
    repair_limits(&mut ty.limits, [MOST_ELEMENTS, u64::MAX], features);
}

fn repair_memory(limits: &mut Limits, features: Features) {
    repair_limits(limits, [MOST_PAGES, MOST_PAGES_64], features);
}

fn repair_global(ty: &mut GlobalType, features: Features) {
    repair_value_type(&mut ty.value, features);
}

fn repair_limits(limits: &mut Limits, [most, most_64]: [u64; 2], features: Features) {
    if !features.contains(Feature::Memory64) {
        limits.address = AddressType::I32;
    }
    let most = match limits.address {
        AddressType::I32 => most,
        AddressType::I64 => most_64,
    };
    limits.min.0 = limits.min.0.min(most);
    limits.max = limits.max.map(|max| Bound(max.0.clamp(limits.min.0, most)));
}

/// Repairs exports. Their indices are brought into range, and repeated names get a number.
pub(super) fn repair_exports(context: &mut Context<'_>) {
    let mutable = context.on(Feature::MutableGlobal);
    let spaces = &context.spaces;
    let existing =
        |item: ExportItem| match item {
            ExportItem::Func(index) => nearest(index.get(), spaces.functions.len())
                .map(|index| ExportItem::Func(FuncIdx::new(index))),
            ExportItem::Table(index) => {
                nearest(index.get(), spaces.tables.len()).map(|index| ExportItem::Table(TableIdx::new(index)))
            }
            ExportItem::Memory(index) => nearest(index.get(), spaces.memories.len())
                .map(|index| ExportItem::Memory(MemIdx::new(index))),
            ExportItem::Global(index) => {
                let index = nearest(index.get(), spaces.globals.len())?;
                let shared = mutable || !spaces.globals[index as usize].mutable;
                shared.then_some(ExportItem::Global(GlobalIdx::new(index)))
            }
        };
    // Exports of something of which the module has none are removed.
    context.module.exports.retain_mut(|export| match existing(export.item) {
        Some(item) => {
            export.item = item;
            true
        }
        None => false,
    });
    rename_repeats(context.module);
}

fn rename_repeats(module: &mut Module) {
    let mut names: HashSet<String> = HashSet::with_capacity(module.exports.len());
    for place in 0..module.exports.len() {
        let name = module.exports[place].name.0.clone();
        if names.insert(name.clone()) {
            continue;
        }
        let taken = |other: &str| module.exports.iter().any(|export| export.name.0 == other);
        let fresh = (1..).map(|number| format!("{name}{number}")).find(|fresh| !taken(fresh));
        let fresh = fresh.unwrap_or_default();
        names.insert(fresh.clone());
        module.exports[place].name = Name(fresh);
    }
}

/// Repairs the start function. It must have no parameters and no results; otherwise the nearest function
/// without any becomes the start function, or there is none.
pub(super) fn repair_start(context: &mut Context<'_>) {
    let Some(start) = context.module.start else { return };
    let fits = |index: &FuncIdx| context.function_type(*index) == FuncType::default();
    let own = context.function(start).filter(|function| *function == start).filter(fits);
    let all = (0..context.spaces.functions.len()).map(|index| FuncIdx::new(index as u32));
    let nearby = || all.filter(fits).min_by_key(|index| index.get().abs_diff(start.get()));
    let repaired = own.or_else(nearby);
    context.module.start = repaired;
}
