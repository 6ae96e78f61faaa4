//! The outline of a module: everything that has an index. It is drawn before the bodies are written.

use mutagen_engine::Source;

use super::choice::{one_of, pick};
use super::mistake::Mistake;
use super::segments::{Slot, initial};
use super::swarm::{Part, Swarm};
use crate::bytes::Name;
use crate::features::Feature;
use crate::index::{FuncIdx, GlobalIdx, TypeIdx};
use crate::module::{Function, Global, Import, ImportItem, Module};
use crate::op::Op;
use crate::spaces::Spaces;
use crate::types::{AddressType, Bound, FuncType, GlobalType, Limits, RefType, TableType, ValType};

/// The most pages of a memory, and elements of a table. The limits of engines are far above.
const MOST_PAGES: u64 = 4;
const MOST_ELEMENTS: u64 = 100;
/// The most pages that a 64-bit memory may be allowed to grow to.
const HUGE: u64 = 1 << 48;
/// The most definitions of each kind.
const MOST_TABLES: usize = 3;
const MOST_MEMORIES: usize = 3;
const MOST_GLOBALS: usize = 4;
const MOST_IMPORTED_FUNCTIONS: usize = 2;
const MOST_FUNCTIONS: usize = 6;
/// The most counted calls, in all functions together.
const MOST_RECURSION: usize = 8;

/// A module without bodies, and facts about it that the writer of the bodies needs.
pub(super) struct Outline {
    pub(super) module: Module,
    pub(super) spaces: Spaces,
    /// The first function that may be called through tables. It and those after it call through tables only
    /// as often as the counter allows, so that recursion ends.
    pub(super) referable: usize,
    /// The functions that are known to be in tables after instantiation.
    pub(super) slots: Vec<Slot>,
    /// The global that holds the number of counted calls that are left.
    pub(super) counter: Option<GlobalIdx>,
    /// The most instructions that a call of each function executes.
    pub(super) costs: Vec<u64>,
    /// When the module's mistake is made.
    pub(super) mistake: Mistake,
}

impl Outline {
    pub(super) fn draw(swarm: &Swarm, size: usize, source: &mut Source) -> Self {
        let mut module = Module::default();
        // Imports and definitions, but no bodies.
        import(&mut module, swarm, source);
        for _ in 0..tables(&module, swarm, source) {
            module.tables.push(table(swarm, source));
        }
        for _ in 0..memories(&module, swarm, source) {
            module.memories.push(memory(swarm, source));
        }
        for _ in 0..1 + source.below(MOST_FUNCTIONS.min(2 + size / 2)) {
            let ty = function_type(&mut module, swarm, source);
            module.functions.push(Function { ty, locals: Vec::new(), body: Vec::new() });
        }
        if swarm.uses(Part::StartFunction) && source.chance(1, 2) {
            start(&mut module, source);
        }
        // Globals and segments, which may refer to functions and imported globals.
        let spaces = Spaces::of(&module);
        let own = spaces.functions.len() - spaces.imported_functions;
        let referable = spaces.imported_functions + (own - source.below(own + 1)).min(own - 1);
        let costs = vec![0; spaces.functions.len()];
        let mut outline = Self {
            module,
            spaces,
            referable,
            slots: Vec::new(),
            counter: None,
            costs,
            mistake: Mistake::None,
        };
        outline.add_globals(swarm, source);
        outline.add_segments(swarm, source);
        outline
    }

    /// The functions that references may refer to.
    pub(super) fn referable(&self) -> impl Iterator<Item = FuncIdx> + use<> {
        let imported = 0..self.spaces.imported_functions;
        let own = self.referable..self.spaces.functions.len();
        imported.chain(own).map(|index| FuncIdx::new(index as u32))
    }

    /// The type of the function with this number.
    pub(super) fn function(&self, index: usize) -> &FuncType {
        &self.module.types[self.spaces.functions[index].get() as usize]
    }

    /// The index of a type. The type is added if the module does not have it.
    pub(super) fn type_index(&mut self, ty: FuncType) -> TypeIdx {
        type_index(&mut self.module, ty)
    }

    fn add_globals(&mut self, swarm: &Swarm, source: &mut Source) {
        for _ in 0..source.below(MOST_GLOBALS + 1) {
            let ty = global(swarm, source);
            let init = initial(ty.value, self, swarm, source);
            self.add_global(Global { ty, init });
        }
        if swarm.uses(Part::Recursion) {
            let ty = GlobalType { value: ValType::I32, mutable: true };
            let often = 1 + source.below(MOST_RECURSION) as i32;
            self.counter = Some(GlobalIdx::new(self.spaces.globals.len() as u32));
            self.add_global(Global { ty, init: vec![Op::I32Const(often)] });
        }
    }

    fn add_global(&mut self, global: Global) {
        self.spaces.globals.push(global.ty);
        self.module.globals.push(global);
    }
}

fn type_index(module: &mut Module, ty: FuncType) -> TypeIdx {
    let known = module.types.iter().position(|known| *known == ty);
    let index = known.unwrap_or_else(|| {
        module.types.push(ty);
        module.types.len() - 1
    });
    TypeIdx::new(index as u32)
}

/// A function type. It is often one that exists already, so that calls through tables find several functions
/// of one type.
fn function_type(module: &mut Module, swarm: &Swarm, source: &mut Source) -> TypeIdx {
    if !module.types.is_empty() && source.chance(1, 3) {
        return TypeIdx::new(source.below(module.types.len()) as u32);
    }
    // The plainest type has paths of its own in engines.
    if source.chance(1, 10) {
        return type_index(module, FuncType::default());
    }
    let params = [0, 0, 1, 2, 2, 3, 4][source.below(7)];
    let results = [1, 1, 0, 2, 3, 1, 2, 1, 1, 1][source.below(10)];
    let results = if swarm.on(Feature::MultiValue) { results } else { results.min(1) };
    let ty = FuncType::new(swarm.types(params, source), swarm.types(results, source));
    type_index(module, ty)
}

/// Chooses a start function: often one that is there for other reasons, imported ones included, else a new one.
fn start(module: &mut Module, source: &mut Source) {
    let ty = type_index(module, FuncType::default());
    let imported = module.imports.iter().filter_map(|import| match import.item {
        ImportItem::Func(ty) => Some(ty),
        _ => None,
    });
    let all: Vec<TypeIdx> = imported.chain(module.functions.iter().map(|function| function.ty)).collect();
    let fitting = (0..).zip(&all).filter(|(_, own)| **own == ty).map(|(index, _)| index);
    let known = if source.chance(2, 3) { pick(fitting, source) } else { None };
    module.start = Some(FuncIdx::new(known.unwrap_or(all.len() as u32)));
    if known.is_none() {
        module.functions.push(Function { ty, locals: Vec::new(), body: Vec::new() });
    }
}

fn import(module: &mut Module, swarm: &Swarm, source: &mut Source) {
    if !swarm.uses(Part::Imports) {
        return;
    }
    for _ in 0..source.below(MOST_IMPORTED_FUNCTIONS + 1) {
        // One of the plainest type can be the start function.
        let ty = match source.chance(1, 3) {
            true => type_index(module, FuncType::default()),
            false => function_type(module, swarm, source),
        };
        add_import(module, ImportItem::Func(ty));
    }
    for _ in 0..source.below(MOST_GLOBALS) {
        let ty = global(swarm, source);
        let mutable = ty.mutable && swarm.on(Feature::MutableGlobal);
        add_import(module, ImportItem::Global(GlobalType { mutable, ..ty }));
    }
    if source.chance(1, 4) {
        add_import(module, ImportItem::Table(table(swarm, source)));
    }
    if swarm.uses(Part::Memories) && source.chance(1, 4) {
        add_import(module, ImportItem::Memory(memory(swarm, source)));
    }
}

/// Adds an import with a name that no other import has.
fn add_import(module: &mut Module, item: ImportItem) {
    let name = format!("{}", module.imports.len());
    module.imports.push(Import { module: Name::from("host"), name: Name(name), item });
}

fn imported(module: &Module, is: fn(&ImportItem) -> bool) -> usize {
    module.imports.iter().filter(|import| is(&import.item)).count()
}

/// The number of tables to define.
fn tables(module: &Module, swarm: &Swarm, source: &mut Source) -> usize {
    let imported = imported(module, |item| matches!(item, ImportItem::Table(_)));
    let most = if swarm.on(Feature::ReferenceTypes) { MOST_TABLES } else { 1 };
    source.below(most.saturating_sub(imported) + 1)
}

/// The number of memories to define.
fn memories(module: &Module, swarm: &Swarm, source: &mut Source) -> usize {
    let imported = imported(module, |item| matches!(item, ImportItem::Memory(_)));
    if !swarm.uses(Part::Memories) || imported == 1 && !swarm.on(Feature::MultiMemory) {
        return 0;
    }
    let several = swarm.on(Feature::MultiMemory) && source.chance(2, 3);
    let more = if several { 1 + source.below(MOST_MEMORIES - 1) } else { 0 };
    more + usize::from(imported == 0)
}

fn address(swarm: &Swarm, source: &mut Source) -> AddressType {
    let wide = swarm.on(Feature::Memory64) && source.chance(2, 5);
    if wide { AddressType::I64 } else { AddressType::I32 }
}

/// Limits of a memory or table. There is always a largest size if memories and tables may grow, and sometimes
/// none if they may not.
fn limits(min: u64, most: u64, swarm: &Swarm, source: &mut Source) -> Limits {
    let open = !swarm.uses(Part::Growth) && source.chance(1, 2);
    let max = min + source.below((most - min) as usize + 1) as u64;
    Limits {
        min: Bound(min),
        max: if open { None } else { Some(Bound(max)) },
        address: address(swarm, source),
    }
}

/// Limits of a memory. One of 64 bits may have a maximum that no memory can reach, and that in bytes is near the largest number.
fn memory(swarm: &Swarm, source: &mut Source) -> Limits {
    let pages = one_of([1, 1, 1, 2, 1, 3, 0, 1], source);
    let limits = limits(pages, MOST_PAGES, swarm, source);
    let huge = limits.address == AddressType::I64 && limits.max.is_some() && source.chance(1, 8);
    match huge {
        true => Limits { max: Some(Bound(one_of([HUGE, HUGE - 1, HUGE / 2], source))), ..limits },
        false => limits,
    }
}

fn table(swarm: &Swarm, source: &mut Source) -> TableType {
    let elements = one_of([4, 2, 8, 10, 0, 1, 3, 20], source);
    let element = swarm.reference(source);
    let most = one_of([elements, elements + 2, MOST_ELEMENTS], source);
    TableType { element, limits: limits(elements, most, swarm, source) }
}

fn global(swarm: &Swarm, source: &mut Source) -> GlobalType {
    GlobalType { value: swarm.ty(source), mutable: source.chance(3, 5) }
}

impl Outline {
    /// The numbers of tables that hold references of this type.
    pub(super) fn tables_of(&self, ty: RefType) -> impl Iterator<Item = usize> {
        let tables = self.spaces.tables.iter().enumerate();
        tables.filter(move |(_, table)| table.element == ty).map(|(index, _)| index)
    }
}
