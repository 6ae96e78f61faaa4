//! Writes single functions.

use mutagen_engine::{Generate, Source};

use super::constant::constant;
use super::operation::{OPERATIONS, Operation};
use crate::features::{Features, allowed_by};
use crate::index::{LabelIdx, LocalIdx};
use crate::instr::{Block, BlockKind, Instr};
use crate::module::{LocalCount, Locals};
use crate::op::{BrTable, Op};
use crate::signature::Operand;
use crate::stub::Stub;
use crate::types::{BlockType, FuncType, ValType};

/// The deepest nesting of expressions. Three levels allow two operators and a comparison or conversion of
/// their result.
const DEPTH: usize = 3;
/// The most statements before the results. Engines take more time for a function than for an instruction, so
/// it pays to try several things at once. With more statements, a function would have too many mutants.
const MOST_STATEMENTS: usize = 3;

impl Stub {
    /// The locals and body of a random valid function of type `ty`, with the features that the scope of the
    /// source allows.
    ///
    /// ```
    /// use mutagen_engine::Source;
    /// use mutagen_wasm_ast::{FuncType, Stub, ValType};
    ///
    /// let ty = FuncType::new([ValType::I32, ValType::F32], [ValType::I32]);
    /// let stub = Stub::typed(&ty, &mut Source::seeded(1));
    /// assert!(!stub.body.is_empty());
    /// ```
    pub fn typed(ty: &FuncType, source: &mut Source) -> Self {
        let locals = if source.chance(1, 2) { vec![local(source)] } else { Vec::new() };
        let types = ty.params.iter().copied().chain(locals.iter().map(|locals| locals.ty)).collect();
        let labels = match &ty.results[..] {
            [result] => vec![*result],
            // Branches out of the function would leave none or several values.
            _ => Vec::new(),
        };
        let features = allowed_by(source.scope());
        let mut writer = Writer { features, locals: types, labels, body: Vec::new() };
        for _ in 0..source.below(MOST_STATEMENTS + 1) {
            writer.statement(source);
        }
        for result in &ty.results {
            let depth = 1 + source.below(DEPTH);
            writer.expression(*result, depth, source);
        }
        Stub { locals, body: writer.body }
    }
}

fn local(source: &mut Source) -> Locals {
    Locals { count: LocalCount(1), ty: ValType::generate(source, 0) }
}

/// One of the operations that fit and that these features allow, all with equal probability. None if there is
/// none.
fn choose_operation(
    features: Features,
    source: &mut Source,
    fits: impl Fn(&Operation) -> bool,
) -> Option<&'static Operation> {
    let fits = |operation: &&Operation| {
        operation.in_stubs && fits(operation) && features.includes(operation.op.own_needs())
    };
    let count = OPERATIONS.iter().filter(fits).count();
    (count > 0).then(|| OPERATIONS.iter().filter(fits).nth(source.below(count)))?
}

/// Writes a body.
struct Writer {
    features: Features,
    /// The types of parameters and locals.
    locals: Vec<ValType>,
    /// The type of the value that a branch to each enclosing label carries, outermost first.
    labels: Vec<ValType>,
    body: Vec<Instr>,
}

impl Writer {
    /// Writes a statement that changes the memory, which is visible outside, or a local.
    fn statement(&mut self, source: &mut Source) {
        let stores = choose_operation(self.features, source, |operation| operation.gives.is_empty());
        match stores {
            Some(store) if self.locals.is_empty() || source.chance(1, 2) => self.operation(store, 1, source),
            _ if self.locals.is_empty() => {}
            _ => {
                let local = source.below(self.locals.len());
                self.expression(self.locals[local], 1, source);
                self.write(Op::LocalSet(LocalIdx::new(local as u32)));
            }
        }
    }

    /// Writes an expression of this type.
    fn expression(&mut self, ty: ValType, depth: usize, source: &mut Source) {
        if depth == 0 || source.chance(1, 8) {
            self.leaf(ty, source);
        } else if source.chance(1, 4) {
            self.control(ty, depth - 1, source);
        } else if let Some(operation) =
            choose_operation(self.features, source, |operation| operation.gives == [ty])
        {
            self.operation(operation, depth - 1, source);
        } else {
            self.leaf(ty, source);
        }
    }

    fn operation(&mut self, operation: &Operation, depth: usize, source: &mut Source) {
        for (number, operand) in operation.takes.iter().enumerate() {
            match *operand {
                // Engines have special operators for constants on the right.
                Operand::Value(ty) if number == 1 && source.chance(1, 3) => self.write(constant(ty, source)),
                Operand::Value(ty) => self.expression(ty, depth, source),
                Operand::Address => self.small_or(8, depth, source),
            }
        }
        self.write(operation.instruction(source));
    }

    /// Writes a number up to `largest`, or any number. Most larger ones lead to a trap or to the same
    /// outcome.
    fn small_or(&mut self, largest: i64, depth: usize, source: &mut Source) {
        if source.chance(1, 2) {
            self.write(Op::I32Const(source.range_i64(0, largest) as i32));
        } else {
            self.expression(ValType::I32, depth, source);
        }
    }

    /// Writes a value that comes out of a block, is carried by a branch, or is also assigned to a local.
    fn control(&mut self, ty: ValType, depth: usize, source: &mut Source) {
        match source.below(5) {
            0 => {
                self.expression(ValType::I32, depth, source);
                let [body, otherwise] = [(); 2].map(|()| self.inside(ty, depth, source));
                self.block(BlockKind::IfElse(otherwise), ty, body);
            }
            1 => {
                let body = self.inside(ty, depth, source);
                self.block(BlockKind::Block, ty, body);
            }
            2 => self.branch_if(ty, depth, source),
            3 => self.branch_table(ty, depth, source),
            _ => {
                self.expression(ty, depth, source);
                if let Some(local) = self.local(ty, source) {
                    self.write(Op::LocalTee(local));
                }
            }
        }
    }

    /// Writes the body of a block that leaves a value of this type, and returns it.
    fn inside(&mut self, ty: ValType, depth: usize, source: &mut Source) -> Vec<Instr> {
        let before = std::mem::take(&mut self.body);
        self.labels.push(ty);
        self.expression(ty, depth, source);
        self.labels.pop();
        std::mem::replace(&mut self.body, before)
    }

    fn block(&mut self, kind: BlockKind, ty: ValType, body: Vec<Instr>) {
        self.body.push(Block::new(kind, BlockType::Value(ty), body).into());
    }

    fn branch_if(&mut self, ty: ValType, depth: usize, source: &mut Source) {
        self.expression(ty, depth, source);
        if let Some(label) = self.label(ty, source) {
            self.expression(ValType::I32, depth, source);
            self.write(Op::BrIf(label));
        }
    }

    /// Writes a `br_table`. The code after it is unreachable, where the stack supplies values of any type.
    fn branch_table(&mut self, ty: ValType, depth: usize, source: &mut Source) {
        self.expression(ty, depth, source);
        if let Some(default) = self.label(ty, source) {
            let targets: Vec<LabelIdx> =
                (0..1 + source.below(3)).filter_map(|_| self.label(ty, source)).collect();
            self.small_or(targets.len() as i64, depth, source);
            self.write(Op::BrTable(Box::new(BrTable { targets, default })));
        }
    }

    /// A label to which a branch carries a value of this type.
    fn label(&self, ty: ValType, source: &mut Source) -> Option<LabelIdx> {
        choose(self.labels.iter().rev(), ty, source).map(LabelIdx::new)
    }

    /// A parameter or local of this type.
    fn local(&self, ty: ValType, source: &mut Source) -> Option<LocalIdx> {
        choose(self.locals.iter(), ty, source).map(LocalIdx::new)
    }

    /// Writes a parameter or local, possibly converted, or a constant.
    fn leaf(&mut self, ty: ValType, source: &mut Source) {
        if source.chance(1, 3) {
            return self.write(constant(ty, source));
        }
        if let Some(local) = self.local(ty, source) {
            return self.write(Op::LocalGet(local));
        }
        let is_known = |ty: ValType| self.locals.contains(&ty);
        let converts = |operation: &Operation| {
            operation.gives == [ty] && matches!(operation.takes[..], [Operand::Value(from)] if is_known(from))
        };
        match choose_operation(self.features, source, converts) {
            Some(conversion) => self.operation(conversion, 0, source),
            None => self.write(constant(ty, source)),
        }
    }

    fn write(&mut self, op: Op) {
        self.body.push(Instr::Op(op));
    }
}

/// The index of one of the types that are `ty`, all with equal probability.
fn choose<'a>(
    types: impl Iterator<Item = &'a ValType> + Clone,
    ty: ValType,
    source: &mut Source,
) -> Option<u32> {
    let fitting = (0..).zip(types).filter(|(_, known)| **known == ty).map(|(index, _)| index);
    let count = fitting.clone().count();
    if count > 0 { fitting.clone().nth(source.below(count)) } else { None }
}
