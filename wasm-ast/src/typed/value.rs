//! Writes values of given types, from every possible origin.

use super::choice::{pick, weighted};
use super::constant::telling_constant;
use super::operation::Operation;
use super::swarm::Part;
use super::writer::Writer;
use crate::features::Feature;
use crate::index::GlobalIdx;
use crate::op::{Op, SelectTypes};
use crate::signature::Operand;
use crate::types::{RefType, ValType};

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Origin {
    Constant,
    Local,
    Computed,
    Loaded,
    Called,
    Global,
    Controlled,
    Selected,
    /// The value is also assigned to locals.
    Teed,
    /// The value of a local that is changed before the value is used.
    Kept,
    /// The value waits in a local while other code runs.
    Waited,
}

/// The weight of constants among the origins.
const CONSTANTS: u32 = 4;

impl Writer<'_> {
    /// Writes values of these types, one after the other, or all at once by code that leaves several.
    pub(super) fn values(&mut self, types: &[ValType], depth: usize) {
        // Try to write all at once.
        if types.len() > 1 && depth > 0 && self.room > 0 {
            let done = match self.source.below(8) {
                0 => self.called(types, depth - 1),
                1 => self.several(types, depth - 1),
                2 => self.controlled(types, depth - 1),
                _ => false,
            };
            if done {
                return;
            }
        }
        // One after the other, sometimes with a statement in between.
        for ty in types {
            self.value(*ty, depth);
            let between = types.len() > 1 && self.swarm.uses(Part::Interleaving);
            if between && self.room > 0 && self.chance(1, 12) {
                self.statement();
            }
        }
    }

    /// Writes the results of a body. The last one mostly depends on what was computed before.
    pub(super) fn telling(&mut self, types: &[ValType], depth: usize) {
        match types {
            [others @ .., last] if self.chance(3, 4) => {
                self.values(others, depth);
                self.varying(*last, depth);
            }
            _ => self.values(types, depth),
        }
    }

    /// Writes one value of this type.
    pub(super) fn value(&mut self, ty: ValType, depth: usize) {
        self.value_or_constant(ty, CONSTANTS, depth);
    }

    /// Writes one value of this type that is not a constant, if that is possible: engines compute with constants before they
    /// run anything.
    pub(super) fn varying(&mut self, ty: ValType, depth: usize) {
        self.value_or_constant(ty, 0, depth);
    }

    fn value_or_constant(&mut self, ty: ValType, constants: u32, depth: usize) {
        let ty = self.outline.mistaken(ty, self.swarm, self.source);
        let room = u32::from(self.room > 0);
        let inner = if depth > 0 { room } else { 0 };
        let on = |part, weight| if self.swarm.uses(part) { weight } else { 0 };
        let origins = [
            (constants, Origin::Constant),
            (6, Origin::Local),
            (8 * inner, Origin::Computed),
            (on(Part::Loads, room + 2 * inner), Origin::Loaded),
            (on(Part::Calls, room + 9 * inner), Origin::Called),
            (2, Origin::Global),
            (on(Part::Blocks, 2 * inner), Origin::Controlled),
            (on(Part::Selects, inner), Origin::Selected),
            (on(Part::Tees, inner), Origin::Teed),
            (on(Part::Interleaving, inner), Origin::Kept),
            (on(Part::Interleaving, 2 * inner), Origin::Waited),
        ];
        let inner = depth.saturating_sub(1);
        // Every origin but a constant may be impossible.
        let done = match weighted(&origins, self.source).unwrap_or(Origin::Constant) {
            Origin::Constant => {
                self.constant(ty);
                true
            }
            Origin::Local => self.local(ty),
            Origin::Computed => self.computed(ty, inner),
            Origin::Loaded => self.loaded(ty, inner),
            Origin::Called => self.called(&[ty], inner),
            Origin::Global => self.global(ty),
            Origin::Controlled => self.controlled(&[ty], inner),
            Origin::Selected => self.selected(ty, inner),
            Origin::Teed => self.teed(ty, inner),
            Origin::Kept => self.kept(ty, inner),
            Origin::Waited => self.waited(ty, inner),
        };
        // Values that are known before execution show little: write a constant only if nothing else is
        // possible.
        if !done && !self.local(ty) && !self.converted(ty) {
            self.constant(ty);
        }
    }

    /// Writes a local of another type and an instruction that converts it. Returns whether it was possible.
    fn converted(&mut self, ty: ValType) -> bool {
        let known = self.known_types();
        let converts = |operation: &Operation| {
            operation.gives == [ty]
                && matches!(operation.takes[..], [Operand::Value(from)] if known.contains(&from))
        };
        let Some(operation) = self.swarm.operation(self.source, converts) else { return false };
        let [Operand::Value(from)] = operation.takes[..] else { return false };
        let op = self.fitted(operation);
        let done = self.local(from);
        self.write(op);
        done
    }

    pub(super) fn constant(&mut self, ty: ValType) {
        let function = match ty {
            ValType::FuncRef if self.chance(2, 3) => pick(self.outline.referable(), self.source),
            _ => None,
        };
        let op = function.map_or_else(|| telling_constant(ty, self.source), Op::RefFunc);
        self.write(op);
    }

    fn local(&mut self, ty: ValType) -> bool {
        let Some(local) = self.readable(ty) else { return false };
        self.write(Op::LocalGet(local));
        true
    }

    fn global(&mut self, ty: ValType) -> bool {
        let fitting = (0..).zip(&self.outline.spaces.globals).filter(|(_, global)| global.value == ty);
        let Some((index, _)) = pick(fitting, self.source) else { return false };
        self.write(Op::GlobalGet(GlobalIdx::new(index)));
        true
    }

    pub(super) fn computed(&mut self, ty: ValType, depth: usize) -> bool {
        if matches!(ty, ValType::I32 | ValType::I64) && self.chance(1, 12) && self.measured(ty, depth) {
            return true;
        }
        let operation = self.swarm.operation(self.source, |operation| operation.gives == [ty]);
        let Some(operation) = operation else { return false };
        self.operation(operation, depth);
        true
    }

    /// Writes one instruction that leaves all these values.
    fn several(&mut self, types: &[ValType], depth: usize) -> bool {
        let operation = self.swarm.operation(self.source, |operation| operation.gives == types);
        operation.inspect(|operation| self.operation(operation, depth)).is_some()
    }

    /// Writes a `select` of two values.
    fn selected(&mut self, ty: ValType, depth: usize) -> bool {
        self.values(&[ty, ty], depth);
        self.condition(depth);
        let select = self.select(ty);
        self.write(select);
        true
    }

    /// A `select` of values of this type. References need its form with a type.
    pub(super) fn select(&mut self, ty: ValType) -> Op {
        let reference = matches!(ty, ValType::FuncRef | ValType::ExternRef);
        let typed = self.swarm.on(Feature::ReferenceTypes) && self.chance(1, 3);
        match (reference || typed) && !self.forgets_type() {
            true => Op::TypedSelect(Box::new(SelectTypes { types: vec![ty] })),
            false => Op::Select,
        }
    }

    /// Writes a value that is also assigned to locals.
    fn teed(&mut self, ty: ValType, depth: usize) -> bool {
        self.value(ty, depth);
        for _ in 0..1 + self.source.below(2) {
            self.keep(ty);
        }
        true
    }

    /// Also assigns the value on the stack, which has this type, to a local.
    pub(super) fn keep(&mut self, ty: ValType) {
        if let Some(local) = self.variable(ty) {
            self.write(Op::LocalTee(local));
        }
    }

    /// Writes the value of a local, and changes the local while the value is on the stack.
    fn kept(&mut self, ty: ValType, depth: usize) -> bool {
        let Some(local) = self.variable(ty) else { return false };
        self.write(Op::LocalGet(local));
        self.value(ty, depth);
        self.write(Op::LocalSet(local));
        true
    }

    /// Writes a value into a local, then other code, often a call, and then reads the local. Engines remember where the latest
    /// value of a local is, and the code in between may make them forget it too late.
    fn waited(&mut self, ty: ValType, depth: usize) -> bool {
        let Some(local) = self.variable(ty) else { return false };
        if !self.computed(ty, depth.min(1)) {
            self.value(ty, depth);
        }
        self.write(Op::LocalSet(local));
        if !self.chance(1, 2) || !self.call_statement() {
            self.statement();
        }
        self.write(Op::LocalGet(local));
        true
    }

    /// Writes a number that depends on the state of the module: a size, or whether a reference is null.
    fn measured(&mut self, ty: ValType, depth: usize) -> bool {
        match self.source.below(3) {
            0 => self.memory_size(ty, depth),
            1 => self.table_size(ty, depth),
            _ if ty == ValType::I32 && self.swarm.on(Feature::ReferenceTypes) => {
                let reference = self.swarm.reference(self.source);
                self.value(reference.into(), depth);
                self.write(Op::RefIsNull);
                true
            }
            _ => false,
        }
    }

    fn loaded(&mut self, ty: ValType, depth: usize) -> bool {
        match ty {
            ValType::FuncRef => self.table_get(RefType::FuncRef, depth),
            ValType::ExternRef => self.table_get(RefType::ExternRef, depth),
            _ => self.load(ty, depth),
        }
    }
}
