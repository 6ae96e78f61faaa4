//! Repairs bodies: brings the operands of every instruction to the top of the stack.

use std::rc::Rc;

use super::constant::zero;
use super::context::Context;
use super::conversion::conversion;
use super::sections::repair_value_type;
use super::stack::Frame;
use crate::index::LocalIdx;
use crate::instr::Instr;
use crate::module::{Function, LocalCount, Locals};
use crate::op::Op;
use crate::stack::deep;
use crate::types::ValType;

/// The number of locals that validators allow, including parameters.
const MOST_LOCALS: u32 = 50_000;

/// Repairs the locals and the body of a function.
pub(super) fn repair(function: &mut Function, context: &mut Context<'_>) {
    let ty = context.module.types[function.ty.get() as usize].clone();
    let locals = repair_locals(&ty.params, &mut function.locals, context);
    let body = std::mem::take(&mut function.body);
    let results: Rc<[ValType]> = ty.results.into();
    let known = locals.len();
    let mut repairer = Repairer { context, locals, labels: vec![results.clone()], frame: Frame::default() };
    function.body = repairer.inside(body, &[], &results);
    for ty in &repairer.locals[known..] {
        function.locals.push(Locals { count: LocalCount(1), ty: *ty });
    }
}

/// Repairs the types and the number of locals. Returns the types of all parameters and locals.
fn repair_locals(params: &[ValType], locals: &mut [Locals], context: &Context<'_>) -> Vec<ValType> {
    let mut types = params.to_vec();
    for locals in locals {
        repair_value_type(&mut locals.ty, context.features);
        locals.count.0 = locals.count.0.min(MOST_LOCALS.saturating_sub(types.len() as u32));
        types.extend(std::iter::repeat_n(locals.ty, locals.count.0 as usize));
    }
    types
}

/// The function that is being repaired.
pub(super) struct Repairer<'a, 'm> {
    pub(super) context: &'a mut Context<'m>,
    locals: Vec<ValType>,
    /// The types of the values that branches to each label carry, outermost label first.
    pub(super) labels: Vec<Rc<[ValType]>>,
    pub(super) frame: Frame,
}

impl Repairer<'_, '_> {
    /// Repairs the instructions of a block with these parameters and results.
    pub(super) fn inside(&mut self, body: Vec<Instr>, params: &[ValType], results: &[ValType]) -> Vec<Instr> {
        let around = std::mem::replace(&mut self.frame, Frame::new(params, body.len()));
        for instr in body {
            match instr {
                Instr::Op(op) => self.operator(op),
                Instr::Block(block) => deep(|| self.block(block)),
            }
        }
        self.leave(results);
        std::mem::replace(&mut self.frame, around).instrs
    }

    /// Makes sure that values of these types are on top of the stack, and pops them.
    pub(super) fn take(&mut self, types: &[ValType]) {
        self.offer(types);
        self.frame.pop(types.len());
    }

    /// Writes an instruction with operands and results of these types.
    pub(super) fn plain(&mut self, op: Op, takes: &[ValType], gives: &[ValType]) {
        self.take(takes);
        self.frame.write(op);
        self.frame.push(gives);
    }

    /// Makes sure that values of these types are on top of the stack.
    pub(super) fn offer(&mut self, types: &[ValType]) {
        if self.frame.fits(types) {
            return;
        }
        // One surplus value on top hides the right ones.
        if self.frame.height() > 0 && self.frame.fits_without(1, types) {
            self.frame.drop_down_to(self.frame.height() - 1);
            return;
        }
        self.fill_up(types);
        self.convert(types);
    }

    /// Adds missing values above the present ones or, if the types fit better so, below them.
    fn fill_up(&mut self, types: &[ValType]) {
        let held = self.frame.height();
        let Some(missing) = types.len().checked_sub(held).filter(|_| !self.frame.is_unreachable()) else {
            return;
        };
        let is_end = !self.frame.begins_with(&types[..held]) && self.frame.begins_with(&types[missing..]);
        let below = |ty: &ValType| (self.nearby(*ty), *ty);
        if is_end && self.frame.insert_below(types[..missing].iter().map(below).collect()) {
            return;
        }
        self.supply(&types[held..]);
    }

    /// Converts the uppermost values to these types. If one of them cannot be converted, it and all above it
    /// are replaced.
    fn convert(&mut self, types: &[ValType]) {
        let first = self.frame.height().saturating_sub(types.len());
        let types = &types[types.len().saturating_sub(self.frame.height())..];
        let stuck = |(place, ty): (usize, &ValType)| !self.frame.is(place, *ty) && !self.frame.is_open(place);
        // Replace the first value that cannot be converted, and all above it.
        let kept = (first..).zip(types).position(stuck);
        if let Some(kept) = kept {
            self.frame.drop_down_to(first + kept);
            self.supply(&types[kept..]);
        }
        // Convert the others where they were made.
        for (place, ty) in (first..).zip(types) {
            if let Some(known) = self.frame.ty(place).filter(|known| known != ty) {
                let ops = conversion(known, *ty).unwrap_or_else(|| vec![Op::Drop, self.nearby(*ty)]);
                self.frame.convert(place, ops, *ty);
            }
        }
    }

    /// Writes values of these types.
    fn supply(&mut self, types: &[ValType]) {
        for ty in types {
            let op = self.nearby(*ty);
            self.frame.write(op);
            self.frame.push(&[*ty]);
        }
    }

    /// An instruction that leaves a value of this type: a local, or else a constant.
    pub(super) fn nearby(&self, ty: ValType) -> Op {
        let local = self.locals.iter().position(|known| *known == ty);
        local.map_or_else(|| zero(ty), |index| Op::LocalGet(LocalIdx::new(index as u32)))
    }

    /// Makes sure that exactly these results are on the stack.
    fn leave(&mut self, results: &[ValType]) {
        self.offer(results);
        let extra = self.frame.height().saturating_sub(results.len());
        // Surplus values are dropped where they were made, if they are on top of the stack there.
        if (0..extra).all(|place| self.frame.is_open(place)) {
            (0..extra).rev().for_each(|place| self.frame.drop_early(place));
        } else {
            self.frame.drop_down_to(0);
            self.supply(results);
        }
    }

    /// The local with this index, else the last one, else a new one of type `ty`.
    pub(super) fn local(&mut self, index: LocalIdx, ty: ValType) -> (LocalIdx, ValType) {
        if self.locals.is_empty() {
            self.locals.push(ty);
        }
        let index = (index.get() as usize).min(self.locals.len() - 1);
        (LocalIdx::new(index as u32), self.locals[index])
    }
}
