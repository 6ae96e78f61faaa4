//! Writes code that accesses tables.

use super::choice::{one_of, pick};
use super::swarm::Part;
use super::writer::Writer;
use crate::features::Feature;
use crate::index::{ElemIdx, TableIdx};
use crate::op::Op;
use crate::types::{AddressType, RefType, TableType, ValType};

impl Writer<'_> {
    fn any_table(&mut self) -> Option<(TableIdx, TableType)> {
        let table = pick(0..self.outline.spaces.tables.len(), self.source)?;
        Some((TableIdx::new(table as u32), self.outline.spaces.tables[table]))
    }

    fn table_of(&mut self, ty: RefType) -> Option<(TableIdx, TableType)> {
        let table = pick(self.outline.tables_of(ty), self.source)?;
        Some((TableIdx::new(table as u32), self.outline.spaces.tables[table]))
    }

    /// Writes an index into a table: mostly within bounds, often the last one.
    fn index(&mut self, table: TableType, depth: usize) {
        let (size, ty) = (table.limits.min.0, table.limits.address);
        match self.source.below(16) {
            0..9 if size > 0 => {
                let index = self.source.below(size as usize) as u64;
                self.number(index, ty);
            }
            9..12 if size > 0 => self.number(size - 1, ty),
            12..14 if size > 1 => self.masked(largest_mask(size), ty, depth),
            14 => self.value(ty.value(), 0),
            _ if self.swarm.uses(Part::Traps) => self.value(ty.value(), depth),
            _ => self.number(0, ty),
        }
    }

    /// Writes `table.get`.
    pub(super) fn table_get(&mut self, ty: RefType, depth: usize) -> bool {
        if !self.swarm.on(Feature::ReferenceTypes) {
            return false;
        }
        let Some((table, ty)) = self.table_of(ty) else { return false };
        self.index(ty, depth);
        self.write(Op::TableGet(table));
        true
    }

    /// Writes `table.size`, or `table.grow` by few elements.
    pub(super) fn table_size(&mut self, ty: ValType, depth: usize) -> bool {
        if !self.swarm.on(Feature::ReferenceTypes) || !self.swarm.uses(Part::Tables) {
            return false;
        }
        let Some((table, table_ty)) = self.any_table() else { return false };
        let address = table_ty.limits.address;
        if address.value() != ty {
            return false;
        }
        if !self.swarm.uses(Part::Growth) || self.chance(1, 2) {
            self.write(Op::TableSize(table));
            return true;
        }
        self.value(table_ty.element.into(), depth);
        self.growth(address, depth);
        self.write(Op::TableGrow(table));
        true
    }

    /// Writes an instruction that changes a table.
    pub(super) fn change_table(&mut self) -> bool {
        let Some((table, ty)) = self.any_table() else { return false };
        let depth = self.depth();
        let (bulk, references) = (self.swarm.on(Feature::BulkMemory), self.swarm.on(Feature::ReferenceTypes));
        match self.source.below(6) {
            0 | 1 if references => {
                self.index(ty, depth);
                self.value(ty.element.into(), depth);
                self.write(Op::TableSet(table));
            }
            2 if references => {
                let (start, length) = self.range(ty.limits.min.0);
                self.place(start, ty.limits.address, depth);
                self.value(ty.element.into(), depth);
                self.place(length, ty.limits.address, depth);
                self.write(Op::TableFill(table));
            }
            3 | 4 if bulk => self.table_copy((table, ty), depth),
            _ if bulk => return self.table_init((table, ty), depth),
            _ => return false,
        }
        true
    }

    fn table_copy(&mut self, (to, ty): (TableIdx, TableType), depth: usize) {
        let other = if self.chance(1, 2) { self.table_of(ty.element) } else { None };
        let (from, from_ty) = other.unwrap_or((to, ty));
        let (address, from_address) = (ty.limits.address, from_ty.limits.address);
        let (first, second, length) = self.overlapping(ty.limits.min.0.min(from_ty.limits.min.0));
        self.place(first, address, depth);
        self.place(second, from_address, depth);
        self.place(length, address.narrower(from_address), depth);
        self.write(Op::TableCopy(to, from));
    }

    fn table_init(&mut self, (table, ty): (TableIdx, TableType), depth: usize) -> bool {
        let elements = self.outline.module.elements.iter().enumerate();
        let fitting = elements.filter(|(_, element)| element.reference() == ty.element);
        let lengths = fitting.map(|(segment, element)| (segment, element.length() as u64));
        let Some((segment, elements)) = pick(lengths, self.source) else { return false };
        let (from, length) = self.range(elements);
        let last = ty.limits.min.0.saturating_sub(length);
        let to = one_of([0, last], self.source);
        self.place(to, ty.limits.address, depth);
        self.place(from, AddressType::I32, depth);
        self.place(length, AddressType::I32, depth);
        self.write(Op::TableInit(ElemIdx::new(segment as u32), table));
        true
    }

    pub(super) fn drop_elements(&mut self) -> bool {
        let Some(segment) = pick(0..self.outline.module.elements.len(), self.source) else { return false };
        self.write(Op::ElemDrop(ElemIdx::new(segment as u32)));
        true
    }
}

/// The largest mask for which all masked indices are below `size`.
fn largest_mask(size: u64) -> i64 {
    (1 << (63 - size.leading_zeros())) - 1
}
