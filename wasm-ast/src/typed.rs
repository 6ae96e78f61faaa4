//! Functions that are valid by construction, made from the signatures in the table of instructions.
//!
//! A derived generator knows nothing of types: of its functions with more than two instructions hardly any is valid. Mutation gets
//! there step by step. What takes several instructions that all must fit (operands of one type, an operator, a way from its
//! result to that of the function) is reached sooner from functions that fit already.

use std::sync::LazyLock;

use mutagen_engine::{Generate, Mutable, Source};

use crate::features::Features;
use crate::immediate::{F32, F64, MemArg, V128};
use crate::index::{LabelIdx, LocalIdx, MemIdx};
use crate::instr::{Block, BlockKind, Instr};
use crate::module::{LocalCount, Locals};
use crate::op::{BrTable, Op};
use crate::stub::Stub;
use crate::types::{BlockType, FuncType, RefType, ValType};

/// How deep expressions nest at most: three levels combine two operators and what compares or converts their result.
const DEPTH: usize = 3;
/// How many statements come before the results at most. A function costs the engines more than an instruction, so that it
/// pays to try several things at once; more of them make the mutants of a function too many.
const MOST_STATEMENTS: usize = 3;

impl Stub {
    /// The inside of a random function of type `ty`: valid, with the features that the source's scope has.
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
        let features = Features::of(source.scope());
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

/// An instruction that takes some values and leaves one or none. It stands for its whole group.
struct Operation {
    takes: Vec<Operand>,
    gives: Option<ValType>,
    op: Op,
}

/// What an instruction takes.
#[derive(Clone, Copy)]
enum Operand {
    Value(ValType),
    /// An address in a memory of 32 bits.
    Address,
}

/// All groups, and the instructions without one whose signature is always the same.
static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let (memarg, memory) = (MemArg::smallest(), MemIdx::smallest());
    let singles = [
        (Op::MemorySize(memory), "[] -> [i32]"),
        (Op::MemoryGrow(memory), "[i32] -> [i32]"),
        (Op::MemoryFill(memory), "[address i32 i32] -> []"),
        (Op::MemoryCopy(memory, memory), "[address address i32] -> []"),
        (Op::F32DemoteF64, "[f64] -> [f32]"),
        (Op::F64PromoteF32, "[f32] -> [f64]"),
        (Op::F32Load(memarg), "[address] -> [f32]"),
        (Op::F64Load(memarg), "[address] -> [f64]"),
        (Op::F32Store(memarg), "[address f32] -> []"),
        (Op::F64Store(memarg), "[address f64] -> []"),
        (Op::Select, "[i32 i32 i32] -> [i32]"),
        (Op::Select, "[i64 i64 i32] -> [i64]"),
        (Op::Select, "[f32 f32 i32] -> [f32]"),
        (Op::Select, "[f64 f64 i32] -> [f64]"),
        (Op::I64x2Splat, "[i64] -> [v128]"),
        (Op::F32x4Splat, "[f32] -> [v128]"),
        (Op::F64x2Splat, "[f64] -> [v128]"),
        (Op::V128Store(memarg), "[address v128] -> []"),
    ];
    let all = Op::groups().into_iter().chain(singles);
    all.filter_map(|(op, signature)| Operation::read(op, signature)).collect()
});

impl Operation {
    /// Reads a signature as the table of instructions writes it. None if it leaves more than one value.
    fn read(op: Op, signature: &str) -> Option<Self> {
        let (takes, gives) = signature.trim_matches([' ', '`']).split_once(" -> ")?;
        let (takes, gives) = (operands(takes), operands(gives));
        let gives = match gives[..] {
            [] => None,
            [Operand::Value(ty)] => Some(ty),
            _ => return None,
        };
        Some(Self { takes, gives, op })
    }

    /// One of those that fit and can be had with these features, all as likely. None if there is no such operation.
    fn choose(
        features: Features,
        source: &mut Source,
        fits: impl Fn(&Self) -> bool,
    ) -> Option<&'static Self> {
        let fits = |operation: &&Self| fits(operation) && features.includes(operation.op.own_needs());
        let count = OPERATIONS.iter().filter(fits).count();
        (count > 0).then(|| OPERATIONS.iter().filter(fits).nth(source.below(count)))?
    }

    /// An instruction of the group. What is no group has one instruction.
    fn instruction(&self, source: &mut Source) -> Op {
        let mut op = self.op.clone();
        let is_memory = |child: &dyn Mutable| child.as_any().is::<MemIdx>();
        if op.children() > 0 && !is_memory(op.child(0)) {
            vary(op.child_mut(0), source);
        }
        op
    }
}

/// The operands in a list such as `[address f64]`.
fn operands(list: &str) -> Vec<Operand> {
    let read = |name| match name {
        "address" => Some(Operand::Address),
        "i32" => Some(Operand::Value(ValType::I32)),
        "i64" => Some(Operand::Value(ValType::I64)),
        "f32" => Some(Operand::Value(ValType::F32)),
        "f64" => Some(Operand::Value(ValType::F64)),
        "v128" => Some(Operand::Value(ValType::V128)),
        _ => None,
    };
    list.trim_matches(['[', ']']).split_whitespace().filter_map(read).collect()
}

/// Leaves a value as it is or makes one of its mutants of it, all as likely.
fn vary(value: &mut dyn Mutable, source: &mut Source) {
    let mutants = value.count(source.scope()).draws(1);
    let number = source.below(mutants + 1);
    if number < mutants {
        value.mutate(number, source);
    }
}

/// Writes a body.
struct Writer {
    features: Features,
    /// The types of parameters and locals.
    locals: Vec<ValType>,
    /// What a branch to each enclosing label leaves, the outermost first.
    labels: Vec<ValType>,
    body: Vec<Instr>,
}

impl Writer {
    /// Something that changes the memory, where everybody can see it, or a local.
    fn statement(&mut self, source: &mut Source) {
        let stores = Operation::choose(self.features, source, |operation| operation.gives.is_none());
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

    /// What leaves a value of this type.
    fn expression(&mut self, ty: ValType, depth: usize, source: &mut Source) {
        if depth == 0 || source.chance(1, 8) {
            self.leaf(ty, source);
        } else if source.chance(1, 4) {
            self.control(ty, depth - 1, source);
        } else if let Some(operation) =
            Operation::choose(self.features, source, |operation| operation.gives == Some(ty))
        {
            self.operation(operation, depth - 1, source);
        } else {
            self.leaf(ty, source);
        }
    }

    fn operation(&mut self, operation: &Operation, depth: usize, source: &mut Source) {
        for (number, operand) in operation.takes.iter().enumerate() {
            match *operand {
                // Engines have operators of their own for constants on the right.
                Operand::Value(ty) if number == 1 && source.chance(1, 3) => self.write(constant(ty, source)),
                Operand::Value(ty) => self.expression(ty, depth, source),
                Operand::Address => self.small_or(8, depth, source),
            }
        }
        self.write(operation.instruction(source));
    }

    /// A number up to `largest`, where most others lead to a trap or to the same, or any.
    fn small_or(&mut self, largest: i64, depth: usize, source: &mut Source) {
        if source.chance(1, 2) {
            self.write(Op::I32Const(source.range_i64(0, largest) as i32));
        } else {
            self.expression(ValType::I32, depth, source);
        }
    }

    /// A value that comes out of a block, by way of a branch, or also goes into a local.
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

    /// The body of a block that leaves a value of this type.
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

    /// What follows is never reached, so that it may be taken for a value of any type.
    fn branch_table(&mut self, ty: ValType, depth: usize, source: &mut Source) {
        self.expression(ty, depth, source);
        if let Some(default) = self.label(ty, source) {
            let targets: Vec<LabelIdx> =
                (0..1 + source.below(3)).filter_map(|_| self.label(ty, source)).collect();
            self.small_or(targets.len() as i64, depth, source);
            self.write(Op::BrTable(Box::new(BrTable { targets, default })));
        }
    }

    /// A label to which a value of this type can be taken.
    fn label(&self, ty: ValType, source: &mut Source) -> Option<LabelIdx> {
        choose(self.labels.iter().rev(), ty, source).map(LabelIdx::new)
    }

    /// A parameter or local of this type.
    fn local(&self, ty: ValType, source: &mut Source) -> Option<LocalIdx> {
        choose(self.locals.iter(), ty, source).map(LocalIdx::new)
    }

    /// A parameter or local, as it is or converted, or a constant.
    fn leaf(&mut self, ty: ValType, source: &mut Source) {
        if source.chance(1, 3) {
            return self.write(constant(ty, source));
        }
        if let Some(local) = self.local(ty, source) {
            return self.write(Op::LocalGet(local));
        }
        let is_known = |ty: ValType| self.locals.contains(&ty);
        let converts = |operation: &Operation| {
            operation.gives == Some(ty)
                && matches!(operation.takes[..], [Operand::Value(from)] if is_known(from))
        };
        match Operation::choose(self.features, source, converts) {
            Some(conversion) => self.operation(conversion, 0, source),
            None => self.write(constant(ty, source)),
        }
    }

    fn write(&mut self, op: Op) {
        self.body.push(Instr::Op(op));
    }
}

/// The index of one of the types that are `ty`, all as likely.
fn choose<'a>(
    types: impl Iterator<Item = &'a ValType> + Clone,
    ty: ValType,
    source: &mut Source,
) -> Option<u32> {
    let fitting = (0..).zip(types).filter(|(_, known)| **known == ty).map(|(index, _)| index);
    let count = fitting.clone().count();
    if count > 0 { fitting.clone().nth(source.below(count)) } else { None }
}

/// A value at which something may change.
fn constant(ty: ValType, source: &mut Source) -> Op {
    match ty {
        ValType::I32 => Op::I32Const(integer(32, source) as i32),
        ValType::I64 => Op::I64Const(integer(64, source)),
        ValType::F32 => Op::F32Const(notable(F32::smallest(), source)),
        ValType::F64 => Op::F64Const(notable(F64::smallest(), source)),
        ValType::V128 => Op::V128Const(notable(V128::smallest(), source)),
        ValType::FuncRef => Op::RefNull(RefType::FuncRef),
        ValType::ExternRef => Op::RefNull(RefType::ExternRef),
    }
}

/// A small number, the smaller the likelier; one at or before a power of two, which the ends of the type are; or any.
fn integer(bits: usize, source: &mut Source) -> i64 {
    match source.below(8) {
        0..2 => source.range_i64(-2, 2),
        2..4 => source.range_i64(-16, 16),
        4..7 => {
            let power = 1_i64 << source.below(bits);
            [power, power.wrapping_neg(), power.wrapping_sub(1)][source.below(3)]
        }
        _ => source.bits() as i64,
    }
}

/// The value or one of its mutants. Those that are listed first matter most, and are as likely as all together.
fn notable<T: Mutable>(mut value: T, source: &mut Source) -> T {
    const FIRST: usize = 10;
    if source.chance(1, 2) {
        let first = value.count(source.scope()).draws(1).min(FIRST);
        let number = source.below(first + 1);
        if number < first {
            value.mutate(number, source);
        }
    } else {
        vary(&mut value, source);
    }
    value
}
