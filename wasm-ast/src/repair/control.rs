//! Repairs blocks, branches and calls.

use std::rc::Rc;

use super::body::Repairer;
use super::context::nearest;
use crate::features::Feature;
use crate::index::{FuncIdx, LabelIdx, TableIdx, TypeIdx};
use crate::instr::{Block, BlockKind, Instr};
use crate::measure::Needs;
use crate::op::{BrTable, Op};
use crate::types::{BlockType, FuncType, RefType, ValType};

impl Repairer<'_, '_> {
    pub(super) fn block(&mut self, mut block: Box<Block>) {
        let ty = self.block_type(&mut block.ty);
        let (params, results): (Rc<[ValType]>, Rc<[ValType]>) = (ty.params.into(), ty.results.into());
        let conditional = matches!(block.kind, BlockKind::If | BlockKind::IfElse(_));
        let mut takes = params.to_vec();
        takes.extend(conditional.then_some(ValType::I32));
        self.take(&takes);
        // Without `else`, the parameters must be the results.
        if matches!(block.kind, BlockKind::If) && params != results {
            block.kind = BlockKind::IfElse(Vec::new());
        }
        // Branches to a loop go to its beginning, with its parameters.
        let label = if matches!(block.kind, BlockKind::Loop) { &params } else { &results };
        self.labels.push(label.clone());
        block.body = self.inside(std::mem::take(&mut block.body), &params, &results);
        if let BlockKind::IfElse(otherwise) = &mut block.kind {
            *otherwise = self.inside(std::mem::take(otherwise), &params, &results);
        }
        self.labels.pop();
        self.frame.write(Instr::Block(block));
        self.frame.push(&results);
    }

    /// Repairs the type of a block. Returns its parameters and results.
    fn block_type(&mut self, ty: &mut BlockType) -> FuncType {
        if let BlockType::Type(index) = *ty {
            let existing = nearest(index.get(), self.context.module.types.len());
            let possible = existing.filter(|_| self.context.on(Feature::MultiValue));
            *ty = possible.map_or(BlockType::Empty, |index| BlockType::Type(TypeIdx::new(index)));
        }
        match *ty {
            BlockType::Type(index) => self.context.module.types[index.get() as usize].clone(),
            BlockType::Value(value) if self.context.features.includes(value.needs()) => {
                FuncType::new([], [value])
            }
            _ => {
                *ty = BlockType::Empty;
                FuncType::default()
            }
        }
    }

    /// The label with this index, else the outermost one, and the types of the values that branches to it
    /// carry.
    fn label(&self, index: LabelIdx) -> (LabelIdx, Rc<[ValType]>) {
        let outermost = self.labels.len() - 1;
        let index = (index.get() as usize).min(outermost);
        (LabelIdx::new(index as u32), self.labels[outermost - index].clone())
    }

    pub(super) fn branch(&mut self, label: LabelIdx) {
        let (label, types) = self.label(label);
        self.take(&types);
        self.frame.write(Op::Br(label));
        self.frame.stop();
    }

    pub(super) fn branch_if(&mut self, label: LabelIdx) {
        let (label, types) = self.label(label);
        let takes = [&types[..], &[ValType::I32]].concat();
        self.plain(Op::BrIf(label), &takes, &types);
    }

    /// Targets to which branches carry other types than to the default are replaced by the default.
    pub(super) fn branch_table(&mut self, mut table: Box<BrTable>) {
        let (default, types) = self.label(table.default);
        table.default = default;
        let takes = [&types[..], &[ValType::I32]].concat();
        self.offer(&takes);
        for target in &mut table.targets {
            let (label, others) = self.label(*target);
            let same = others == types
                || others.len() == types.len() && self.frame.fits(&[&others[..], &[ValType::I32]].concat());
            *target = if same { label } else { default };
        }
        self.frame.write(Op::BrTable(table));
        self.frame.stop();
    }

    pub(super) fn leave_function(&mut self) {
        let results = self.labels[0].clone();
        self.take(&results);
        self.frame.write(Op::Return);
        self.frame.stop();
    }

    pub(super) fn call(&mut self, function: FuncIdx) {
        let Some(function) = self.context.function(function) else { return };
        let ty = self.context.function_type(function);
        self.plain(Op::Call(function), &ty.params, &ty.results);
    }

    /// A tail call to a function with other results becomes a call and a return.
    pub(super) fn return_call(&mut self, function: FuncIdx) {
        let Some(function) = self.context.function(function) else { return };
        let ty = self.context.function_type(function);
        if ty.results[..] == self.labels[0][..] {
            self.plain(Op::ReturnCall(function), &ty.params, &[]);
            self.frame.stop();
        } else {
            self.call(function);
            self.leave_function();
        }
    }

    /// The type and table of an indirect call, and its signature with the index into the table.
    fn indirect(&mut self, ty: TypeIdx, table: TableIdx) -> Option<(TypeIdx, TableIdx, FuncType)> {
        let ty = TypeIdx::new(nearest(ty.get(), self.context.module.types.len())?);
        let table = self.context.table(table, RefType::FuncRef)?;
        let mut signature = self.context.module.types[ty.get() as usize].clone();
        let address = self.context.spaces.tables[table.get() as usize].limits.address;
        signature.params.push(address.value());
        Some((ty, table, signature))
    }

    pub(super) fn call_indirect(&mut self, ty: TypeIdx, table: TableIdx) {
        let Some((ty, table, signature)) = self.indirect(ty, table) else { return };
        self.plain(Op::CallIndirect(ty, table), &signature.params, &signature.results);
    }

    pub(super) fn return_call_indirect(&mut self, ty: TypeIdx, table: TableIdx) {
        let Some((ty, table, signature)) = self.indirect(ty, table) else { return };
        if signature.results[..] == self.labels[0][..] {
            self.plain(Op::ReturnCallIndirect(ty, table), &signature.params, &[]);
            self.frame.stop();
        } else {
            self.plain(Op::CallIndirect(ty, table), &signature.params, &signature.results);
            self.leave_function();
        }
    }
}
