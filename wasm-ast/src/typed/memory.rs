//! Writes code that accesses memory: mostly within bounds, often near the end.

use mutagen_engine::Generate;

use super::choice::{one_of, pick};
use super::operation::Operation;
use super::swarm::Part;
use super::writer::Writer;
use crate::features::Feature;
use crate::immediate::{Align, MemArg, Offset};
use crate::index::{DataIdx, MemIdx};
use crate::module::DataCount;
use crate::op::{I32Binary, I32Load, I32Store, I64Binary, Op};
use crate::signature::Operand;
use crate::types::{AddressType, ValType};

/// The size of a page of memory.
pub(super) const PAGE: u64 = 65_536;

/// The first address that 32 bits cannot hold.
const WRAPPED: u64 = 1 << 32;

/// The longest range. Longer ones cost more time and show no more.
const LONGEST: usize = 20;

/// Masks for computed indices and addresses, so that most are within bounds.
const MASKS: [i64; 3] = [0xf, 0xff, 0xfff];

impl Writer<'_> {
    /// Writes a constant index or address.
    pub(super) fn number(&mut self, number: u64, ty: AddressType) {
        self.write(match ty {
            AddressType::I32 => Op::I32Const(number as i32),
            AddressType::I64 => Op::I64Const(number as i64),
        });
    }

    /// Writes a computed number that is not above the mask.
    pub(super) fn masked(&mut self, mask: i64, ty: AddressType, depth: usize) {
        self.value(ty.value(), depth);
        self.number(mask as u64, ty);
        self.write(match ty {
            AddressType::I32 => Op::I32Binary(I32Binary::I32And),
            AddressType::I64 => Op::I64Binary(I64Binary::I64And),
        });
    }

    fn any_memory(&mut self) -> Option<(MemIdx, u64, AddressType)> {
        let memory = pick(0..self.outline.spaces.memories.len(), self.source)?;
        let limits = self.outline.spaces.memories[memory];
        Some((MemIdx::new(memory as u32), limits.min.0 * PAGE, limits.address))
    }

    /// Writes a load of a value of this type.
    pub(super) fn load(&mut self, ty: ValType, depth: usize) -> bool {
        let loads = |operation: &Operation| operation.takes == [Operand::Address] && operation.gives == [ty];
        let Some(load) = self.swarm.operation(self.source, loads) else { return false };
        self.operation(load, depth);
        true
    }

    /// Writes an instruction with an address as first operand, then the others.
    pub(super) fn access(&mut self, mut op: Op, others: &[Operand], depth: usize) {
        // A swarm without memories has no such operations.
        let Some((memory, end, ty)) = self.any_memory() else { return self.write(Op::Unreachable) };
        let width = op.width();
        let offset = self.address(end, 1 << width, ty, depth);
        let align = Align::new(self.source.below(usize::from(width) + 1) as u8);
        if let (Some(access), Some(align)) = (op.access(), align) {
            *access = self.mistaken_access(MemArg { offset: Offset::new(offset), align, memory }, width);
        }
        match others {
            [] => {}
            [Operand::Value(other)] if *other == ty.value() && self.chance(1, 6) => self.twice(*other),
            _ => self.operands(others, depth),
        }
        self.write(op);
    }

    /// Writes an address for an access of `width` bytes in a memory of `end` bytes. Returns the offset of the
    /// access.
    fn address(&mut self, end: u64, width: u64, ty: AddressType, depth: usize) -> u64 {
        let small = self.source.below(17) as u64;
        // With 64 bits, an address or an offset that 32 bits cannot hold.
        if ty == AddressType::I64 && self.swarm.uses(Part::Traps) && self.chance(1, 6) {
            let (address, offset) =
                one_of([(WRAPPED + small, 0), (WRAPPED * (1 + small), 0), (small, WRAPPED)], self.source);
            self.number(address, ty);
            return offset;
        }
        match self.source.below(16) {
            // The last place where the access fits, sometimes one byte beyond.
            0..3 => {
                let beyond = u64::from(self.swarm.uses(Part::Traps) && self.chance(1, 8));
                let last = (end + beyond).saturating_sub(width);
                let back = one_of([0, 0, 1, width], self.source).min(last);
                let (address, offset) =
                    one_of([(0, last - back), (last - back, 0), (last - small.min(last), 0)], self.source);
                self.number(address, ty);
                offset
            }
            3..7 => {
                let mask = one_of(MASKS, self.source);
                self.masked(mask, ty, depth);
                small
            }
            // Any number: a constant, directly from a call, or otherwise computed.
            7..10 if self.swarm.uses(Part::Traps) => {
                match self.source.below(3) {
                    0 => self.constant(ty.value()),
                    1 if self.called(&[ty.value()], depth) => {}
                    _ => self.value(ty.value(), depth),
                }
                let far = if ty == AddressType::I64 { WRAPPED } else { WRAPPED - 1 };
                one_of([small, 0, 0, end, far], self.source)
            }
            _ => {
                self.number(small, ty);
                one_of([0, 0, 1, 4, small], self.source)
            }
        }
    }

    /// Two ranges of the same length, which often overlap: where they begin, and their length.
    pub(super) fn overlapping(&mut self, end: u64) -> (u64, u64, u64) {
        let length = self.source.below(LONGEST.min(end as usize + 1)) as u64;
        let last = end.saturating_sub(length);
        let any = self.source.below(last.min(64) as usize + 1) as u64;
        let first = one_of([0, last, last.min(8), any], self.source);
        let second = one_of(
            [first + 1, first.saturating_sub(1), first, first + 4, first.saturating_sub(3)],
            self.source,
        );
        let inside = !self.swarm.uses(Part::Traps) || self.chance(7, 8);
        (first, if inside { second.min(last) } else { second }, length)
    }

    /// The beginning and length of a range in a space of this size.
    pub(super) fn range(&mut self, end: u64) -> (u64, u64) {
        let (start, _, length) = self.overlapping(end);
        let beyond = self.swarm.uses(Part::Traps) && self.chance(1, 16);
        (start, length + u64::from(beyond))
    }

    /// Writes a constant number, or a computed one instead, which engines treat differently.
    pub(super) fn place(&mut self, number: u64, ty: AddressType, depth: usize) {
        match self.source.below(8) {
            0 => {
                let mask = one_of([7, 0xf, 0x1f], self.source);
                self.masked(mask, ty, depth);
            }
            1 if self.swarm.uses(Part::Traps) => self.value(ty.value(), depth),
            _ => self.number(number, ty),
        }
    }

    /// Writes `memory.size`, or `memory.grow` by few pages.
    pub(super) fn memory_size(&mut self, ty: ValType, depth: usize) -> bool {
        let Some((memory, _, address)) = self.any_memory() else { return false };
        if address.value() != ty {
            return false;
        }
        if !self.swarm.uses(Part::Growth) || self.chance(1, 2) {
            self.write(Op::MemorySize(memory));
            return true;
        }
        self.growth(address, depth);
        self.write(Op::MemoryGrow(memory));
        true
    }

    /// Writes the number of pages or elements to grow by.
    pub(super) fn growth(&mut self, ty: AddressType, depth: usize) {
        match self.source.below(8) {
            0..4 => {
                let number = one_of([1, 0, 2], self.source);
                self.number(number, ty);
            }
            4..7 => self.masked(3, ty, depth),
            _ => self.value(ty.value(), depth),
        }
    }

    /// Writes an instruction on a range of memory.
    pub(super) fn bulk_memory(&mut self) -> bool {
        if !self.swarm.on(Feature::BulkMemory) {
            return false;
        }
        let Some((memory, end, ty)) = self.any_memory() else { return false };
        let depth = self.depth();
        match self.source.below(4) {
            0 => {
                let (start, length) = self.range(end);
                self.place(start, ty, depth);
                self.value(ValType::I32, depth);
                self.place(length, ty, depth);
                self.write(Op::MemoryFill(memory));
            }
            1 | 2 => self.memory_copy((memory, end, ty), depth),
            _ => return self.memory_init((memory, ty), depth),
        }
        true
    }

    fn memory_copy(&mut self, (to, end, ty): (MemIdx, u64, AddressType), depth: usize) {
        let other = if self.chance(1, 2) { self.any_memory() } else { None };
        let (from, other_end, from_ty) = other.unwrap_or((to, end, ty));
        let (first, second, length) = self.overlapping(end.min(other_end));
        self.place(first, ty, depth);
        self.place(second, from_ty, depth);
        self.place(length, ty.narrower(from_ty), depth);
        self.write(Op::MemoryCopy(to, from));
    }

    fn memory_init(&mut self, (memory, ty): (MemIdx, AddressType), depth: usize) -> bool {
        let Some(segment) = pick(0..self.outline.module.data.len(), self.source) else { return false };
        let bytes = self.outline.module.data[segment].bytes().0.len() as u64;
        let (from, length) = self.range(bytes);
        let to = self.source.below(32) as u64;
        self.place(to, ty, depth);
        self.place(from, AddressType::I32, depth);
        self.place(length, AddressType::I32, depth);
        self.write(Op::MemoryInit(DataIdx::new(segment as u32), memory));
        self.outline.module.data_count = DataCount::Present;
        true
    }

    /// Writes an instruction that drops a segment. Later uses find the segment empty.
    pub(super) fn drop_segment(&mut self) -> bool {
        if !self.swarm.on(Feature::BulkMemory) {
            return false;
        }
        if self.chance(1, 2) {
            return self.drop_elements();
        }
        let Some(segment) = pick(0..self.outline.module.data.len(), self.source) else { return false };
        self.write(Op::DataDrop(DataIdx::new(segment as u32)));
        self.outline.module.data_count = DataCount::Present;
        true
    }

    /// Writes code that changes a number in memory: state that outlives iterations and calls.
    pub(super) fn update_memory(&mut self) -> bool {
        let Some((memory, end, ty)) = self.any_memory() else { return false };
        if end == 0 {
            return false;
        }
        let place = self.source.below(17) as u64;
        let access = MemArg { memory, ..MemArg::smallest() };
        self.number(place, ty);
        self.number(place, ty);
        self.write(Op::I32Load(I32Load::I32Load, access));
        let depth = self.depth();
        self.combine(ValType::I32, depth);
        self.write(Op::I32Store(I32Store::I32Store, access));
        true
    }

    /// Writes an operation that turns the value on top of the stack into another one of its type.
    pub(super) fn combine(&mut self, ty: ValType, depth: usize) {
        let combines = |operation: &Operation| {
            operation.gives == [ty] && operation.takes.first() == Some(&Operand::Value(ty))
        };
        let Some(operation) = self.swarm.operation(self.source, combines) else { return };
        let op = self.fitted(operation);
        self.operands(&operation.takes[1..], depth);
        self.write(op);
    }
}
