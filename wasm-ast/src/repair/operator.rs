//! Repairs instructions without a body.

use super::body::Repairer;
use super::sections::repair_value_type;
use crate::immediate::{Align, Offset};
use crate::index::{GlobalIdx, LocalIdx};
use crate::op::{Op, SelectTypes};
use crate::signature::{Operand, SHUFFLED, Signature};
use crate::types::{AddressType, ValType};

impl Repairer<'_, '_> {
    /// Writes the instruction, or a similar one, with its operands. Instructions that the features or the
    /// context do not allow are left out.
    pub(super) fn operator(&mut self, op: Op) {
        if !self.context.features.includes(op.own_needs()) {
            return;
        }
        if let Some(signature) = op.signature() {
            return self.known(op, signature);
        }
        match op {
            Op::Unreachable => {
                self.frame.write(op);
                self.frame.stop();
            }
            Op::Drop => self.drop(),
            Op::Select => self.select(),
            Op::TypedSelect(types) => self.typed_select(types),
            Op::Return => self.leave_function(),
            Op::LocalGet(local) => {
                let (local, ty) = self.local(local, ValType::I32);
                self.plain(Op::LocalGet(local), &[], &[ty]);
            }
            Op::LocalSet(local) => {
                let (local, ty) = self.assigned(local);
                self.plain(Op::LocalSet(local), &[ty], &[]);
            }
            Op::LocalTee(local) => {
                let (local, ty) = self.assigned(local);
                self.plain(Op::LocalTee(local), &[ty], &[ty]);
            }
            Op::GlobalGet(global) => self.global_get(global),
            Op::GlobalSet(global) => self.global_set(global),
            Op::Br(label) => self.branch(label),
            Op::BrIf(label) => self.branch_if(label),
            Op::BrTable(table) => self.branch_table(table),
            Op::Call(function) => self.call(function),
            Op::CallIndirect(ty, table) => self.call_indirect(ty, table),
            Op::ReturnCall(function) => self.return_call(function),
            Op::ReturnCallIndirect(ty, table) => self.return_call_indirect(ty, table),
            op => self.reference_or_bulk(op),
        }
    }

    /// Writes an instruction whose signature does not depend on the context.
    fn known(&mut self, mut op: Op, signature: &Signature) {
        let mut address = AddressType::I32;
        if signature.takes.first() == Some(&Operand::Address) {
            match self.repair_access(&mut op) {
                Some(ty) => address = ty,
                None => return,
            }
        }
        repair_lanes(&mut op);
        // No instruction with a fixed signature takes more than four values.
        let mut takes = [ValType::I32; 4];
        for (ty, operand) in takes.iter_mut().zip(&signature.takes) {
            *ty = match operand {
                Operand::Value(ty) => *ty,
                Operand::Address => address.value(),
            };
        }
        self.plain(op, &takes[..signature.takes.len()], &signature.gives);
    }

    /// Brings memory, alignment and offset into range. None if there is no memory.
    fn repair_access(&mut self, op: &mut Op) -> Option<AddressType> {
        let width = op.width();
        let access = op.access()?;
        access.memory = self.context.memory(access.memory)?;
        let ty = self.context.spaces.memories[access.memory.get() as usize].address;
        access.align = Align::new(access.align.exponent().min(width))?;
        if ty == AddressType::I32 {
            access.offset = Offset::new(access.offset.get().min(u32::MAX.into()));
        }
        Some(ty)
    }

    /// Writes `drop`, unless the stack is empty.
    fn drop(&mut self) {
        if self.frame.height() > 0 || self.frame.is_unreachable() {
            self.frame.pop(1);
            self.frame.write(Op::Drop);
        }
    }

    /// Writes `select`. If the type of one value is known, it is that of both. References need the form with
    /// a type.
    fn select(&mut self) {
        let known = self.frame.peek(1).or(self.frame.peek(2));
        let polymorphic = known.is_none() && self.frame.is_unreachable();
        if polymorphic && self.frame.fits(&[ValType::I32]) {
            self.frame.pop(3);
            self.frame.write(Op::Select);
            return self.frame.push_unknown();
        }
        let ty = known.unwrap_or(ValType::I32);
        match ty {
            ValType::FuncRef | ValType::ExternRef => {
                self.typed_select(Box::new(SelectTypes { types: vec![ty] }));
            }
            _ => self.plain(Op::Select, &[ty, ty, ValType::I32], &[ty]),
        }
    }

    fn typed_select(&mut self, mut select: Box<SelectTypes>) {
        if select.types.is_empty() {
            select.types.push(self.frame.peek(1).unwrap_or(ValType::I32));
        }
        select.types.truncate(1);
        repair_value_type(&mut select.types[0], self.context.features);
        let ty = select.types[0];
        self.plain(Op::TypedSelect(select), &[ty, ty, ValType::I32], &[ty]);
    }

    /// The local to assign the value on top to.
    fn assigned(&mut self, local: LocalIdx) -> (LocalIdx, ValType) {
        let ty = self.frame.peek(0).unwrap_or(ValType::I32);
        self.local(local, ty)
    }

    fn global_get(&mut self, global: GlobalIdx) {
        let Some(global) = self.context.global(global) else { return };
        let ty = self.context.spaces.globals[global.get() as usize].value;
        self.plain(Op::GlobalGet(global), &[], &[ty]);
    }

    fn global_set(&mut self, global: GlobalIdx) {
        let ty = self.frame.peek(0).unwrap_or(ValType::I32);
        let Some(global) = self.context.changeable_global(global, ty) else { return };
        let ty = self.context.spaces.globals[global.get() as usize].value;
        self.plain(Op::GlobalSet(global), &[ty], &[]);
    }
}

fn repair_lanes(op: &mut Op) {
    if let Op::I8x16Shuffle(lanes) = op {
        lanes.0.iter_mut().for_each(|lane| *lane = (*lane).min(SHUFFLED - 1));
        return;
    }
    let lanes = op.lanes();
    if let Some(lane) = op.lane() {
        lane.0 = lane.0.min(lanes - 1);
    }
}
