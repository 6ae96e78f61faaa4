//! Repairs instructions on references, tables and whole memories.

use super::body::Repairer;
use super::constant::zero;
use crate::index::{MemIdx, TableIdx};
use crate::op::Op;
use crate::types::{AddressType, TableType, ValType};

impl Repairer<'_, '_> {
    /// Writes the instruction with its operands, or nothing if it refers to something that cannot be added.
    pub(super) fn reference_or_bulk(&mut self, op: Op) {
        // None means that something is missing. Then nothing was written.
        let _written: Option<()> = match op {
            Op::RefNull(_) | Op::RefIsNull | Op::RefFunc(_) => {
                self.reference(op);
                Some(())
            }
            Op::TableGet(_) | Op::TableSet(_) | Op::TableSize(_) | Op::TableGrow(_) | Op::TableFill(_) => {
                self.table_access(op)
            }
            Op::TableCopy(..) | Op::TableInit(..) | Op::ElemDrop(_) => self.table_range(op),
            op => self.memory_range(op),
        };
    }

    fn reference(&mut self, op: Op) {
        match op {
            Op::RefFunc(function) => {
                let referable = self.context.referable(function);
                let op = referable.map_or_else(|| zero(ValType::FuncRef), Op::RefFunc);
                self.plain(op, &[], &[ValType::FuncRef]);
            }
            Op::RefNull(ty) => self.plain(op, &[], &[ty.into()]),
            _ => self.is_null(),
        }
    }

    /// The operand may be any reference.
    fn is_null(&mut self) {
        let ty = match self.frame.peek(0) {
            Some(ValType::ExternRef) => ValType::ExternRef,
            _ => ValType::FuncRef,
        };
        self.plain(Op::RefIsNull, &[ty], &[ValType::I32]);
    }

    fn table_type(&self, table: TableIdx) -> TableType {
        self.context.spaces.tables[table.get() as usize]
    }

    fn table_access(&mut self, op: Op) -> Option<()> {
        let (Op::TableGet(table)
        | Op::TableSet(table)
        | Op::TableSize(table)
        | Op::TableGrow(table)
        | Op::TableFill(table)) = op
        else {
            return None;
        };
        let table = self.context.any_table(table)?;
        let TableType { element, limits } = self.table_type(table);
        let (element, index) = (ValType::from(element), limits.address.value());
        match op {
            Op::TableGet(_) => self.plain(Op::TableGet(table), &[index], &[element]),
            Op::TableSet(_) => self.plain(Op::TableSet(table), &[index, element], &[]),
            Op::TableSize(_) => self.plain(Op::TableSize(table), &[], &[index]),
            Op::TableGrow(_) => self.plain(Op::TableGrow(table), &[element, index], &[index]),
            _ => self.plain(Op::TableFill(table), &[index, element, index], &[]),
        }
        Some(())
    }

    fn table_range(&mut self, op: Op) -> Option<()> {
        match op {
            Op::TableCopy(to, from) => {
                let to = self.context.any_table(to)?;
                let TableType { element, limits } = self.table_type(to);
                let from = self.context.table(from, element)?;
                let (to_ty, from_ty) = (limits.address, self.table_type(from).limits.address);
                self.copy(Op::TableCopy(to, from), to_ty, from_ty);
            }
            Op::TableInit(segment, table) => {
                let segment = self.context.element(segment)?;
                let element = self.context.module.elements[segment.get() as usize].reference();
                let table = self.context.table(table, element)?;
                let to = self.table_type(table).limits.address;
                self.init(Op::TableInit(segment, table), to);
            }
            Op::ElemDrop(segment) => {
                let segment = self.context.element(segment)?;
                self.plain(Op::ElemDrop(segment), &[], &[]);
            }
            _ => {}
        }
        Some(())
    }

    fn memory_range(&mut self, op: Op) -> Option<()> {
        match op {
            Op::MemorySize(memory) => {
                let (memory, address) = self.memory(memory)?;
                self.plain(Op::MemorySize(memory), &[], &[address.value()]);
            }
            Op::MemoryGrow(memory) => {
                let (memory, address) = self.memory(memory)?;
                self.plain(Op::MemoryGrow(memory), &[address.value()], &[address.value()]);
            }
            Op::MemoryFill(memory) => {
                let (memory, address) = self.memory(memory)?;
                let takes = [address.value(), ValType::I32, address.value()];
                self.plain(Op::MemoryFill(memory), &takes, &[]);
            }
            Op::MemoryCopy(to, from) => {
                let ((to, to_ty), (from, from_ty)) = (self.memory(to)?, self.memory(from)?);
                self.copy(Op::MemoryCopy(to, from), to_ty, from_ty);
            }
            Op::MemoryInit(segment, memory) => {
                let (memory, address) = self.memory(memory)?;
                let segment = self.context.data(segment)?;
                self.init(Op::MemoryInit(segment, memory), address);
            }
            Op::DataDrop(segment) => {
                let segment = self.context.data(segment)?;
                self.plain(Op::DataDrop(segment), &[], &[]);
            }
            _ => {}
        }
        Some(())
    }

    fn memory(&mut self, memory: MemIdx) -> Option<(MemIdx, AddressType)> {
        let memory = self.context.memory(memory)?;
        Some((memory, self.context.spaces.memories[memory.get() as usize].address))
    }

    fn copy(&mut self, op: Op, to: AddressType, from: AddressType) {
        self.plain(op, &[to.value(), from.value(), to.narrower(from).value()], &[]);
    }

    fn init(&mut self, op: Op, to: AddressType) {
        self.plain(op, &[to.value(), ValType::I32, ValType::I32], &[]);
    }
}
