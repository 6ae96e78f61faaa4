//! Writes one body: its locals and its instructions with their operands. It also computes their cost.

use mutagen_engine::Source;

use super::choice::pick;
use super::operation::Operation;
use super::outline::Outline;
use super::swarm::{Part, Swarm};
use crate::index::{GlobalIdx, LocalIdx};
use crate::instr::{Block, Instr};
use crate::module::{LocalCount, Locals};
use crate::op::{I32Unary, Op};
use crate::signature::{Operand, SHUFFLED};
use crate::types::{FuncType, ValType};

/// The deepest nesting of values.
const DEPTH: usize = 4;
/// The most instructions that a call may execute, including calls within it.
const MOST_COST: u64 = 4000;
/// The most locals, without parameters and loop counters.
const MOST_LOCALS: usize = 4;

/// A parameter or local.
struct Local {
    ty: ValType,
    /// Whether it is a loop counter, which other code must not change.
    reserved: bool,
}

/// A label that a branch can go to.
pub(super) enum Label {
    /// The end of a block, or the beginning of a loop that counts first, with these values.
    End(Vec<ValType>),
    /// The beginning of a loop that counts last. Only the loop itself branches to it.
    Loop,
}

/// The body that is being written.
pub(super) struct Writer<'a> {
    pub(super) outline: &'a mut Outline,
    pub(super) swarm: &'a Swarm,
    pub(super) source: &'a mut Source,
    /// The number of the function.
    pub(super) function: usize,
    locals: Vec<Local>,
    parameters: usize,
    /// The enclosing labels, outermost first.
    pub(super) labels: Vec<Label>,
    pub(super) body: Vec<Instr>,
    /// The number of instructions that are left. Only few more are written when it is used up.
    pub(super) room: usize,
    /// The most often that the code that is being written can be executed.
    pub(super) times: u64,
    /// The most instructions that the body executes.
    cost: u64,
    /// The locals that were assigned and not read since, in this order.
    unread: Vec<LocalIdx>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        outline: &'a mut Outline,
        swarm: &'a Swarm,
        function: usize,
        room: usize,
        source: &'a mut Source,
    ) -> Self {
        let ty = outline.function(function).clone();
        // Without any, a call may begin where the function itself does.
        let locals = if source.chance(1, 3) { 0 } else { source.below(MOST_LOCALS + 1) };
        let types = ty.params.iter().copied().chain(swarm.types(locals, source));
        Self {
            function,
            locals: types.map(|ty| Local { ty, reserved: false }).collect(),
            parameters: ty.params.len(),
            labels: vec![Label::End(ty.results)],
            body: Vec::new(),
            room,
            times: 1,
            cost: 0,
            unread: Vec::new(),
            outline,
            swarm,
            source,
        }
    }

    /// Writes the body. Returns it with its locals and its largest cost.
    pub(super) fn finish(mut self) -> (Vec<Instr>, Vec<Locals>, u64) {
        // The plainest type has ways of its own through engines.
        let is_plain = *self.outline.function(self.function) == FuncType::default();
        if !self.chance(1, if is_plain { 3 } else { 8 }) || !self.forward() {
            let results = self.outline.function(self.function).results.clone();
            // Without locals, the first call may begin where the function itself does.
            if self.locals.is_empty() && self.chance(1, 2) {
                self.call_statement();
            }
            let statements = 1 + self.source.below(6);
            self.statements(statements);
            self.ending(&results, true);
        }
        // Group neighbouring locals of the same type.
        let mut locals: Vec<Locals> = Vec::new();
        for local in &self.locals[self.parameters..] {
            match locals.last_mut() {
                Some(last) if last.ty == local.ty => last.count.0 += 1,
                _ => locals.push(Locals { count: LocalCount(1), ty: local.ty }),
            }
        }
        (self.body, locals, self.cost)
    }

    pub(super) fn write(&mut self, op: Op) {
        self.room = self.room.saturating_sub(1);
        self.cost += self.times;
        if let Op::LocalSet(local) | Op::LocalTee(local) | Op::LocalGet(local) = op {
            self.unread.retain(|other| *other != local);
        }
        if let Op::LocalSet(local) | Op::LocalTee(local) = op {
            self.unread.push(local);
        }
        self.body.push(Instr::Op(op));
    }

    pub(super) fn write_block(&mut self, block: Block) {
        self.room = self.room.saturating_sub(1);
        self.cost += self.times;
        self.body.push(block.into());
    }

    /// Whether the body may execute `cost` more instructions. If so, they are counted.
    pub(super) fn afford(&mut self, cost: u64) -> bool {
        let total = self.cost + cost * self.times;
        let affordable = total <= MOST_COST;
        if affordable {
            self.cost = total;
        }
        affordable
    }

    pub(super) fn chance(&mut self, numerator: u32, denominator: u32) -> bool {
        self.source.chance(numerator, denominator)
    }

    /// A random depth for the next value.
    pub(super) fn depth(&mut self) -> usize {
        if self.room == 0 { 0 } else { 1 + self.source.below(DEPTH) }
    }

    /// A parameter or local of this type, often the one that was assigned last and not read since: otherwise nobody would
    /// see what was computed, and what an engine remembers of a local matters most shortly after.
    pub(super) fn readable(&mut self, ty: ValType) -> Option<LocalIdx> {
        let last = self.unread.iter().rfind(|local| self.locals[local.get() as usize].ty == ty).copied();
        if last.is_some() && self.chance(1, 2) {
            return last;
        }
        let fitting = (0..).zip(&self.locals).filter(|(_, local)| local.ty == ty);
        pick(fitting, self.source).map(|(index, _)| LocalIdx::new(index))
    }

    /// The types of all parameters and locals.
    pub(super) fn known_types(&self) -> Vec<ValType> {
        self.locals.iter().map(|local| local.ty).collect()
    }

    /// A local of this type that may be changed.
    pub(super) fn variable(&mut self, ty: ValType) -> Option<LocalIdx> {
        let fitting = (0..).zip(&self.locals).filter(|(_, local)| local.ty == ty && !local.reserved);
        pick(fitting, self.source).map(|(index, _)| LocalIdx::new(index))
    }

    /// Any local that may be changed, and its type.
    pub(super) fn any_variable(&mut self) -> Option<(LocalIdx, ValType)> {
        let free = (0..).zip(&self.locals).filter(|(_, local)| !local.reserved);
        pick(free, self.source).map(|(index, local)| (LocalIdx::new(index), local.ty))
    }

    /// A new local that no other code changes.
    pub(super) fn reserve(&mut self, ty: ValType) -> LocalIdx {
        self.locals.push(Local { ty, reserved: true });
        LocalIdx::new(self.locals.len() as u32 - 1)
    }

    /// Forgets the locals that are no parameters, before anything is written.
    pub(super) fn forget_locals(&mut self) {
        self.locals.truncate(self.parameters);
    }

    /// Any global that may be changed, and its type.
    pub(super) fn changeable_global(&mut self) -> Option<(GlobalIdx, ValType)> {
        pick(changeable_globals(self.outline), self.source)
    }

    /// A global of this type that may be changed.
    fn changeable_global_of(&mut self, ty: ValType) -> Option<GlobalIdx> {
        let fitting = changeable_globals(self.outline).filter(|(_, own)| *own == ty);
        pick(fitting, self.source).map(|(index, _)| index)
    }

    pub(super) fn operation(&mut self, operation: &Operation, depth: usize) {
        let op = self.fitted(operation);
        if operation.takes.first() == Some(&Operand::Address) {
            self.access(op, &operation.takes[1..], depth);
            return;
        }
        self.operands(&operation.takes, depth);
        self.write(op);
    }

    /// An instruction of the group, with lanes that exist.
    pub(super) fn fitted(&mut self, operation: &Operation) -> Op {
        let mut op = self.instruction(operation);
        let lanes = op.lanes();
        if let Some(lane) = op.lane() {
            lane.0 = self.source.below(lanes.into()) as u8;
        }
        if let Op::I8x16Shuffle(lanes) = &mut op {
            lanes.0.iter_mut().for_each(|lane| *lane = self.source.below(SHUFFLED.into()) as u8);
        }
        op
    }

    /// A random instruction of the group. Those that may trap are chosen less often, because a trap hides
    /// everything after it.
    fn instruction(&mut self, operation: &Operation) -> Op {
        let op = operation.instruction(self.source);
        let retry = may_trap(&op) && (!self.swarm.uses(Part::Traps) || self.chance(1, 2));
        if retry { operation.instruction(self.source) } else { op }
    }

    /// Writes operands. The right one is often a constant, because engines have special operators for that.
    pub(super) fn operands(&mut self, takes: &[Operand], depth: usize) {
        let types: Vec<ValType> = takes
            .iter()
            .filter_map(|operand| match operand {
                Operand::Value(ty) => Some(*ty),
                Operand::Address => None,
            })
            .collect();
        match types[..] {
            [only] => self.varying(only, depth),
            [left, right] if left == right && self.chance(1, 16) => {
                self.varying(left, depth);
                self.twice(left);
            }
            [left, right] if self.chance(1, 4) => {
                self.varying(left, depth);
                self.constant(right);
            }
            [left, right] if self.chance(1, 8) => {
                self.constant(left);
                self.varying(right, depth);
            }
            [left, right] if self.chance(1, 2) => {
                self.varying(left, depth);
                self.value(right, depth);
            }
            _ => self.values(&types, depth),
        }
    }

    /// Writes the value on the stack, which has this type, once more, through a local. Engines have special operators for
    /// operands that are the same.
    pub(super) fn twice(&mut self, ty: ValType) {
        match self.variable(ty) {
            Some(local) => {
                self.write(Op::LocalTee(local));
                self.write(Op::LocalGet(local));
            }
            None => self.value(ty, 0),
        }
    }

    /// Writes the condition of a branch: often a comparison, which engines fuse with the branch.
    pub(super) fn condition(&mut self, depth: usize) {
        let compares = |operation: &Operation| {
            operation.gives == [ValType::I32] && (is_comparison(&operation.op) || is_test(&operation.op))
        };
        let comparison = self.swarm.operation(self.source, compares);
        match comparison {
            Some(operation) if self.room > 0 && self.chance(1, 2) => self.operation(operation, depth.min(2)),
            _ if self.chance(1, 4) => {
                self.varying(ValType::I32, depth.min(1));
                self.write(Op::I32Unary(I32Unary::I32Eqz));
            }
            _ => self.value(ValType::I32, depth),
        }
    }

    /// Assigns the values on the stack to locals or globals, or drops them, the last one first. What is in a global is seen
    /// after the call.
    pub(super) fn sink(&mut self, types: &[ValType]) {
        for ty in types.iter().rev() {
            let shown = self.swarm.uses(Part::Globals) && self.chance(1, 3);
            let global = if shown { self.changeable_global_of(*ty) } else { None };
            let local = self.variable(*ty);
            let op = match (global, local) {
                (Some(global), _) => Op::GlobalSet(global),
                (None, Some(local)) if self.chance(3, 4) => Op::LocalSet(local),
                _ => Op::Drop,
            };
            self.write(op);
        }
    }
}

/// The globals that code may change, and their types.
fn changeable_globals(outline: &Outline) -> impl Iterator<Item = (GlobalIdx, ValType)> {
    let counter = outline.counter;
    let globals = (0..).map(GlobalIdx::new).zip(&outline.spaces.globals);
    let free = globals.filter(move |(index, global)| global.mutable && Some(*index) != counter);
    free.map(|(index, global)| (index, global.value))
}

fn is_comparison(op: &Op) -> bool {
    matches!(op, Op::I32Compare(_) | Op::I64Compare(_) | Op::F32Compare(_) | Op::F64Compare(_))
}

/// Whether the instruction is `eqz`, or tests whether any or all lanes of a vector are set.
fn is_test(op: &Op) -> bool {
    matches!(op, Op::I32Unary(_) | Op::I32FromI64(_) | Op::V128Test(_))
}

fn may_trap(op: &Op) -> bool {
    use crate::op::{I32Binary::*, I32FromF32::*, I32FromF64::*, I64Binary::*, I64FromF32::*, I64FromF64::*};
    matches!(
        op,
        Op::I32Binary(I32DivS | I32DivU | I32RemS | I32RemU)
            | Op::I64Binary(I64DivS | I64DivU | I64RemS | I64RemU)
            | Op::I32FromF32(I32TruncF32S | I32TruncF32U)
            | Op::I32FromF64(I32TruncF64S | I32TruncF64U)
            | Op::I64FromF32(I64TruncF32S | I64TruncF32U)
            | Op::I64FromF64(I64TruncF64S | I64TruncF64U)
    )
}
