//! Writes blocks and branches.

use super::choice::pick;
use super::operation::Operation;
use super::swarm::Part;
use super::writer::{Label, Writer};
use crate::features::Feature;
use crate::index::LabelIdx;
use crate::instr::{Block, BlockKind, Instr};
use crate::op::{BrTable, Op};
use crate::signature::Operand;
use crate::stack::deep;
use crate::types::{AddressType, BlockType, FuncType, ValType};

/// The deepest nesting of blocks.
const DEEPEST: usize = 6;
/// The most targets of a `br_table` besides the default.
pub(super) const MOST_TARGETS: usize = 4;

fn has_address(operation: &Operation) -> bool {
    operation.takes.contains(&Operand::Address)
}

impl Writer<'_> {
    /// Writes the instructions of a block and returns them.
    pub(super) fn inside(&mut self, label: Label, write: impl FnOnce(&mut Self)) -> Vec<Instr> {
        let before = std::mem::take(&mut self.body);
        self.labels.push(label);
        deep(|| write(self));
        self.labels.pop();
        std::mem::replace(&mut self.body, before)
    }

    /// Writes a block. Several results or parameters need multi-value.
    pub(super) fn block(&mut self, kind: BlockKind, ty: FuncType, body: Vec<Instr>) {
        let index = |writer: &mut Self, ty| BlockType::Type(writer.outline.type_index(ty));
        let indirect = self.swarm.on(Feature::MultiValue) && self.chance(1, 6);
        let ty = match (&ty.params[..], &ty.results[..]) {
            ([], _) if indirect => index(self, ty),
            ([], []) => BlockType::Empty,
            ([], [result]) => BlockType::Value(*result),
            _ => index(self, ty),
        };
        self.write_block(Block::new(kind, ty, body));
    }

    /// Whether this many more nested blocks are allowed here.
    pub(super) fn has_room_for_blocks(&self, count: usize) -> bool {
        self.labels.len() + count <= DEEPEST + 1
    }

    /// Writes a block that leaves these results.
    pub(super) fn controlled(&mut self, results: &[ValType], depth: usize) -> bool {
        let too_many = results.len() > 1 && !self.swarm.on(Feature::MultiValue);
        if too_many || !self.swarm.uses(Part::Blocks) || !self.has_room_for_blocks(1) {
            return false;
        }
        match self.source.below(6) {
            0 | 1 => self.plain_block(results, depth),
            2 | 3 => self.conditional(results, depth),
            4 if self.swarm.uses(Part::Loops) => self.loop_of(results, depth),
            5 if self.swarm.uses(Part::BranchTables) && self.switch_of(results) => {}
            _ => self.plain_block(results, depth),
        }
        true
    }

    /// Writes the parameters of a block, often of the types of its results. Returns their types.
    fn parameters(&mut self, results: &[ValType], depth: usize) -> Vec<ValType> {
        if !self.swarm.on(Feature::MultiValue) || self.chance(2, 3) {
            return Vec::new();
        }
        let params = match results {
            [] => self.swarm.types(1, self.source),
            _ if self.chance(1, 2) => results.to_vec(),
            _ => {
                let count = 1 + self.source.below(2);
                self.swarm.types(count, self.source)
            }
        };
        self.values(&params, depth);
        params
    }

    fn plain_block(&mut self, results: &[ValType], depth: usize) {
        let params = self.parameters(results, depth);
        let body = self.block_body(&params, results, false, depth);
        self.block(BlockKind::Block, FuncType::new(params, results), body);
    }

    fn conditional(&mut self, results: &[ValType], depth: usize) {
        if let [ty] = *results
            && self.swarm.on(Feature::MultiValue)
            && self.chance(1, 6)
            && self.conditional_change(ty, depth)
        {
            return;
        }
        let params = self.parameters(results, depth);
        self.condition(depth);
        let then = self.block_body(&params, results, true, depth);
        let kind = match params == results && self.chance(1, 2) {
            true => BlockKind::If,
            false => BlockKind::IfElse(self.block_body(&params, results, true, depth)),
        };
        self.block(kind, FuncType::new(params, results), then);
    }

    /// Writes an `if` that changes a local and leaves its new value. Without an `else`, the old value stays.
    fn conditional_change(&mut self, ty: ValType, depth: usize) -> bool {
        let Some(local) = self.variable(ty) else { return false };
        self.write(Op::LocalGet(local));
        self.condition(depth);
        let then = self.inside(Label::End(vec![ty]), |writer| {
            writer.combine(ty, depth);
            writer.write(Op::LocalTee(local));
        });
        self.block(BlockKind::If, FuncType::new([ty], [ty]), then);
        true
    }

    /// Writes the instructions of a block. Parameters become results if the types are the same. Otherwise
    /// they are assigned or dropped.
    fn block_body(
        &mut self,
        params: &[ValType],
        results: &[ValType],
        conditional: bool,
        depth: usize,
    ) -> Vec<Instr> {
        self.inside(Label::End(results.to_vec()), |writer| match params.last() {
            Some(last) if params == results && writer.chance(3, 4) => {
                writer.combine(*last, depth);
                if writer.chance(1, 4) {
                    writer.keep(*last);
                }
                writer.some_statements(depth);
            }
            _ => {
                writer.sink(params);
                writer.some_statements(depth);
                writer.ending(results, conditional);
            }
        })
    }

    /// Writes one or two statements, or none.
    fn some_statements(&mut self, depth: usize) {
        if depth > 0 && self.chance(1, 2) {
            let count = 1 + self.source.below(2);
            self.statements(count);
        }
    }

    /// Writes the end of a body: its results, or a jump. In a body that is always executed, the jump goes no
    /// further than the end of the body.
    pub(super) fn ending(&mut self, results: &[ValType], conditional: bool) {
        let depth = self.depth();
        let called = conditional && self.room > 0 && self.chance(1, 4) && self.tail_call();
        let jumps = !called && self.swarm.uses(Part::Jumps) && self.room > 0 && self.chance(1, 4);
        if !called && (!jumps || !self.jump(conditional, depth)) {
            self.telling(results, depth);
        } else if self.chance(1, 2) {
            self.unreachable_code();
            if self.chance(1, 2) {
                self.values(results, 1);
            }
        }
    }

    /// Writes code after a jump. It is never executed, but must be valid, and there the stack supplies what is missing: so
    /// instructions have only some of their operands, the last ones.
    fn unreachable_code(&mut self) {
        for _ in 0..1 + self.source.below(3) {
            match self.source.below(6) {
                0..3 => {
                    let ty = self.swarm.ty(self.source);
                    let select = self.select(ty);
                    self.unfed(select, &[ty, ty, ValType::I32], &[ty]);
                }
                3..5 => self.unfed_operation(),
                _ => self.unfed_branch(),
            }
        }
    }

    /// Writes an instruction with only some of its operands, the last ones, and drops what it leaves.
    fn unfed(&mut self, op: Op, takes: &[ValType], gives: &[ValType]) {
        let missing = self.source.below(takes.len() + 1);
        self.values(&takes[missing..], 0);
        self.write(op);
        gives.iter().for_each(|_| self.write(Op::Drop));
    }

    fn unfed_operation(&mut self) {
        let operation = self.swarm.operation(self.source, |operation| !has_address(operation));
        let Some(operation) = operation else { return };
        let op = self.fitted(operation);
        let missing = self.source.below(operation.takes.len() + 1);
        self.operands(&operation.takes[missing..], 0);
        self.write(op);
        operation.gives.iter().for_each(|_| self.write(Op::Drop));
    }

    /// Writes a branch with only some of its operands. Without any, those that a `br_table` carries fit labels of different types.
    fn unfed_branch(&mut self) {
        let Some((label, types)) = self.label() else { return };
        let takes = |types: &[ValType]| [types, &[ValType::I32]].concat();
        match self.source.below(3) {
            0 => self.unfed(Op::Br(label), &types, &[]),
            1 => self.unfed(Op::BrIf(label), &takes(&types), &types),
            _ => {
                let is_like = |label: &Label| matches!(label, Label::End(own) if own.len() == types.len());
                let targets = self.labels_like(is_like);
                let index = self.chance(1, 2);
                let takes = if index { takes(&[]) } else { Vec::new() };
                self.values(&takes, 0);
                self.write(Op::BrTable(Box::new(BrTable { targets, default: label })));
            }
        }
    }

    /// Some of the labels of this kind, as the targets of a `br_table`.
    fn labels_like(&mut self, is_like: impl Fn(&Label) -> bool) -> Vec<LabelIdx> {
        let fitting = (0..).zip(self.labels.iter().rev()).filter(|(_, label)| is_like(label));
        let fitting: Vec<LabelIdx> = fitting.map(|(index, _)| LabelIdx::new(index)).collect();
        let count = self.source.below(MOST_TARGETS + 1);
        (0..count).filter_map(|_| pick(fitting.iter().copied(), self.source)).collect()
    }

    /// Sometimes writes values that the next branch leaves behind below those that it carries. Engines must move the values that it
    /// carries down to where its target expects them. Returns their types.
    pub(super) fn left_behind(&mut self, carried: &[ValType]) -> Vec<ValType> {
        if self.room == 0 || !self.chance(1, 2) {
            return Vec::new();
        }
        let count = 1 + self.source.below(2);
        // One of the same type can be taken for what is carried.
        let types = match carried.first() {
            Some(ty) if self.chance(1, 2) => vec![*ty; count],
            _ => self.swarm.types(count, self.source),
        };
        self.values(&types, 1);
        types
    }

    /// Writes a jump to a label or out of the function. Returns whether it was possible.
    fn jump(&mut self, conditional: bool, depth: usize) -> bool {
        match self.source.below(5) {
            0 if conditional => {
                let Some((label, types)) = self.label() else { return false };
                self.left_behind(&types);
                self.values(&types, depth);
                let label = self.mistaken_label(label);
                self.write(Op::Br(label));
            }
            1 if conditional => {
                let results = self.outline.function(self.function).results.clone();
                self.left_behind(&results);
                self.values(&results, depth);
                self.write(Op::Return);
            }
            2 if conditional
                && self.swarm.uses(Part::Traps)
                && self.labels.len() > 1
                && self.chance(1, 8) =>
            {
                self.write(Op::Unreachable);
            }
            _ => return self.branch_table(conditional, depth),
        }
        true
    }

    /// A label and the types of the values that branches to it carry.
    fn label(&mut self) -> Option<(LabelIdx, Vec<ValType>)> {
        let ends = (0..).zip(self.labels.iter().rev()).filter_map(|(index, label)| match label {
            Label::End(types) => Some((LabelIdx::new(index), types)),
            Label::Loop => None,
        });
        pick(ends, self.source).map(|(index, types)| (index, types.clone()))
    }

    /// Writes a `br_table` to labels with values of the same types. In a body that is always executed, the
    /// default is the end of the innermost block, so that the function does not always end here.
    fn branch_table(&mut self, conditional: bool, depth: usize) -> bool {
        if !self.swarm.uses(Part::BranchTables) {
            return false;
        }
        let innermost = self.labels.last().and_then(|label| match label {
            Label::End(types) => Some((LabelIdx::new(0), types.clone())),
            Label::Loop => None,
        });
        let chosen = if conditional { self.label() } else { innermost };
        let Some((default, types)) = chosen else { return false };
        let targets = self.labels_like(|label| matches!(label, Label::End(own) if *own == types));
        self.left_behind(&types);
        self.values(&types, depth);
        match self.source.below(3) {
            0 => self.value(ValType::I32, depth),
            1 => self.masked(3, AddressType::I32, depth),
            _ => {
                let index = self.source.below(targets.len() + 1);
                self.number(index as u64, AddressType::I32);
            }
        }
        let default = self.mistaken_label(default);
        self.write(Op::BrTable(Box::new(BrTable { targets, default })));
        true
    }

    /// Writes a `br_if`.
    pub(super) fn branch(&mut self) -> bool {
        let depth = self.depth();
        let Some((label, types)) = self.label() else { return false };
        let below = self.left_behind(&types);
        self.values(&types, depth);
        self.condition(depth);
        let label = self.mistaken_label(label);
        self.write(Op::BrIf(label));
        self.sink(&types);
        self.sink(&below);
        true
    }
}
