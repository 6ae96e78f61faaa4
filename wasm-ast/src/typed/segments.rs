//! Draws constant expressions, element segments and data segments.

use mutagen_engine::Source;

use super::choice::{one_of, pick};
use super::constant::telling_constant;
use super::memory::PAGE;
use super::outline::Outline;
use super::swarm::{Part, Swarm};
use crate::bytes::Bytes;
use crate::features::Feature;
use crate::index::{FuncIdx, GlobalIdx, MemIdx, TableIdx};
use crate::module::{ConstExpr, Data, DataCount, Element};
use crate::op::{I32Binary, I64Binary, Op};
use crate::types::{AddressType, RefType, ValType};

/// The most segments of each kind, and their largest lengths.
const MOST_SEGMENTS: usize = 4;
const MOST_FUNCTIONS: usize = 6;
const MOST_BYTES: usize = 24;

/// A function that is in a table after instantiation, unless a later segment overwrites it.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) table: usize,
    pub(super) index: u64,
    pub(super) function: FuncIdx,
}

/// The initial value of a global of this type, or an element of a segment.
pub(super) fn initial(ty: ValType, outline: &Outline, swarm: &Swarm, source: &mut Source) -> ConstExpr {
    let extended = swarm.on(Feature::ExtendedConst) && matches!(ty, ValType::I32 | ValType::I64);
    if extended && source.chance(1, 2) {
        return arithmetic(ty, 2, outline, source);
    }
    vec![single(ty, outline, source)]
}

/// A single constant instruction that leaves a value of this type.
fn single(ty: ValType, outline: &Outline, source: &mut Source) -> Op {
    if source.chance(1, 4)
        && let Some(global) = readable_global(ty, outline, source)
    {
        return Op::GlobalGet(global);
    }
    match ty {
        ValType::FuncRef if source.chance(2, 3) => {
            pick(outline.referable(), source).map_or(Op::RefNull(RefType::FuncRef), Op::RefFunc)
        }
        _ => telling_constant(ty, source),
    }
}

/// An imported, immutable global of this type: constant expressions may read only such globals.
fn readable_global(ty: ValType, outline: &Outline, source: &mut Source) -> Option<GlobalIdx> {
    let imported = outline.spaces.globals.iter().take(outline.spaces.imported_globals);
    let fitting = (0..).zip(imported).filter(|(_, global)| global.value == ty && !global.mutable);
    pick(fitting.map(|(index, _)| GlobalIdx::new(index)), source)
}

/// An expression of sums, differences and products.
fn arithmetic(ty: ValType, depth: usize, outline: &Outline, source: &mut Source) -> ConstExpr {
    if depth == 0 || source.chance(1, 4) {
        return vec![single(ty, outline, source)];
    }
    let mut expr = arithmetic(ty, depth - 1, outline, source);
    expr.extend(arithmetic(ty, depth - 1, outline, source));
    let number = source.below(3);
    expr.push(match ty {
        ValType::I64 => Op::I64Binary([I64Binary::I64Add, I64Binary::I64Sub, I64Binary::I64Mul][number]),
        _ => Op::I32Binary([I32Binary::I32Add, I32Binary::I32Sub, I32Binary::I32Mul][number]),
    });
    expr
}

/// An expression whose value is `place`, in one of several forms.
fn place(place: u64, ty: AddressType, outline: &Outline, swarm: &Swarm, source: &mut Source) -> ConstExpr {
    let number = |number: u64| match ty {
        AddressType::I32 => Op::I32Const(number as i32),
        AddressType::I64 => Op::I64Const(number as i64),
    };
    let global = readable_global(ty.value(), outline, source).map(Op::GlobalGet);
    // What an imported global holds is not known here, so that it may be too far.
    if let Some(global) = global.clone().filter(|_| swarm.uses(Part::Traps) && source.chance(1, 8)) {
        return vec![global];
    }
    if !swarm.on(Feature::ExtendedConst) || source.chance(1, 2) {
        return vec![number(place)];
    }
    let part = source.below(64) as u64;
    let (sum, difference) = match ty {
        AddressType::I32 => (Op::I32Binary(I32Binary::I32Add), Op::I32Binary(I32Binary::I32Sub)),
        AddressType::I64 => (Op::I64Binary(I64Binary::I64Add), Op::I64Binary(I64Binary::I64Sub)),
    };
    match (global, source.below(3)) {
        // The global less itself, and the place.
        (Some(global), 0) => vec![global.clone(), global, difference, number(place), sum],
        (_, 1) => vec![number(place.wrapping_sub(part)), number(part), sum],
        _ => vec![number(place.wrapping_add(part)), number(part), difference],
    }
}

/// The function that an element refers to, if that can be seen.
fn referred(expr: &ConstExpr) -> Option<FuncIdx> {
    match expr[..] {
        [Op::RefFunc(function)] => Some(function),
        _ => None,
    }
}

/// The place for `count` items in a space of this size: its beginning, its end, or any other. Rarely the
/// items reach beyond the end.
fn start(count: u64, space: u64, source: &mut Source) -> u64 {
    let last = space.saturating_sub(count);
    match source.below(32) {
        0..16 => 0,
        16..22 => last,
        31 => last + 1,
        _ => source.below(last.min(64) as usize + 1) as u64,
    }
}

impl Outline {
    /// Adds data and element segments.
    pub(super) fn add_segments(&mut self, swarm: &Swarm, source: &mut Source) {
        for _ in 0..source.below(MOST_SEGMENTS + 1) {
            self.add_element(swarm, source);
        }
        for _ in 0..source.below(MOST_SEGMENTS) {
            self.add_data(swarm, source);
        }
        let counted = swarm.on(Feature::BulkMemory) && source.chance(1, 2);
        self.module.data_count = if counted { DataCount::Present } else { DataCount::Absent };
    }

    /// Adds an element segment in one of the forms that the features allow. Active segments need a table.
    fn add_element(&mut self, swarm: &Swarm, source: &mut Source) {
        let (bulk, references) = (swarm.on(Feature::BulkMemory), swarm.on(Feature::ReferenceTypes));
        let ty = swarm.reference(source);
        let as_functions = ty == RefType::FuncRef && (!references || source.chance(1, 2));
        let table = pick(self.tables_of(ty), source);
        let element = match table {
            Some(table) if !bulk || source.chance(2, 3) => self.active(table, as_functions, swarm, source),
            _ if bulk && as_functions => {
                let functions = self.functions(MOST_FUNCTIONS, source);
                // Declared segments are useful only with references, but also valid without them.
                one_of([Element::passive, Element::declared], source)(functions)
            }
            _ if bulk && references => {
                let exprs = self.exprs(ty, MOST_FUNCTIONS, swarm, source);
                one_of([Element::passive_exprs, Element::declared_exprs], source)(ty, exprs)
            }
            _ => return,
        };
        self.module.elements.push(element);
    }

    fn active(&mut self, table: usize, as_functions: bool, swarm: &Swarm, source: &mut Source) -> Element {
        let ty = self.spaces.tables[table];
        let (space, address) = (ty.limits.min.0, ty.limits.address);
        let most = MOST_FUNCTIONS.min(space as usize);
        let index = TableIdx::new(table as u32);
        // An explicit table needs a later feature, and is optional for table 0.
        let short = table == 0 && (!swarm.on(Feature::BulkMemory) || source.chance(1, 2));
        if as_functions {
            let functions = self.functions(most, source);
            let start = start(functions.len() as u64, space, source);
            let offset = place(start, address, self, swarm, source);
            self.fill(table, start, functions.iter().copied().map(Some));
            return match short {
                true => Element::Active { offset, functions },
                false => Element::ActiveIn { table: index, offset, functions },
            };
        }
        let exprs = self.exprs(ty.element, most, swarm, source);
        let start = start(exprs.len() as u64, space, source);
        let offset = place(start, address, self, swarm, source);
        self.fill(table, start, exprs.iter().map(referred));
        match short && ty.element == RefType::FuncRef {
            true => Element::ActiveExprs { offset, exprs },
            false => Element::ActiveExprsIn { table: index, offset, ty: ty.element, exprs },
        }
    }

    /// Remembers the functions in a table. Other elements take the place of functions from earlier segments.
    fn fill(&mut self, table: usize, start: u64, elements: impl Iterator<Item = Option<FuncIdx>>) {
        for (index, function) in (start..).zip(elements) {
            self.slots.retain(|slot| (slot.table, slot.index) != (table, index));
            self.slots.extend(function.map(|function| Slot { table, index, function }));
        }
    }

    /// Functions for a segment. Neighbours differ if possible, so that it shows when they are moved.
    fn functions(&self, most: usize, source: &mut Source) -> Vec<FuncIdx> {
        let known: Vec<FuncIdx> = self.referable().collect();
        let first = source.below(known.len());
        known.into_iter().cycle().skip(first).take(source.below(most + 1)).collect()
    }

    fn exprs(&self, ty: RefType, most: usize, swarm: &Swarm, source: &mut Source) -> Vec<ConstExpr> {
        (0..source.below(most + 1)).map(|_| initial(ty.into(), self, swarm, source)).collect()
    }

    fn add_data(&mut self, swarm: &Swarm, source: &mut Source) {
        let length = source.below(MOST_BYTES + 1);
        let bytes = Bytes((0..length).map(|_| source.bits() as u8).collect());
        let memory = pick(0..self.spaces.memories.len(), source);
        let bulk = swarm.on(Feature::BulkMemory);
        let segment = match memory {
            Some(memory) if !bulk || source.chance(1, 2) => {
                let limits = self.spaces.memories[memory];
                let length = length.min((limits.min.0 * PAGE) as usize);
                let start = start(length as u64, limits.min.0 * PAGE, source);
                let offset = place(start, limits.address, self, swarm, source);
                let bytes = Bytes(bytes.0[..length].to_vec());
                Data::Active { memory: MemIdx::new(memory as u32), offset, bytes }
            }
            _ if bulk => Data::Passive { bytes },
            _ => return,
        };
        self.module.data.push(segment);
    }
}

impl Element {
    fn passive(functions: Vec<FuncIdx>) -> Self {
        Self::Passive { functions }
    }

    fn declared(functions: Vec<FuncIdx>) -> Self {
        Self::Declared { functions }
    }

    fn passive_exprs(ty: RefType, exprs: Vec<ConstExpr>) -> Self {
        Self::PassiveExprs { ty, exprs }
    }

    fn declared_exprs(ty: RefType, exprs: Vec<ConstExpr>) -> Self {
        Self::DeclaredExprs { ty, exprs }
    }
}
