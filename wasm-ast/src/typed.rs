//! Functions that are valid by construction, made from the signatures in the table of instructions.
//!
//! A derived generator knows nothing of types: of its functions with more than two instructions hardly any is valid. Mutation gets
//! there step by step. What takes several instructions that all must fit (operands of one type, an operator, a way from its
//! result to that of the function) is reached sooner from functions that fit already.

use std::sync::LazyLock;

use mutagen_engine::{Generate, Mutable, Source};

use crate::features::Features;
use crate::immediate::{F32, F64, MemArg, V128};
use crate::index::LocalIdx;
use crate::instr::{Block, BlockKind, Instr};
use crate::module::{LocalCount, Locals};
use crate::op::Op;
use crate::stub::Stub;
use crate::types::{BlockType, FuncType, RefType, ValType};

/// How deep expressions nest at most: three levels combine two operators and what compares or converts their result.
const DEPTH: usize = 3;

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
        let mut writer = Writer { features: Features::of(source.scope()), locals: types, body: Vec::new() };
        if source.chance(1, 4) {
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
    takes: Vec<ValType>,
    gives: Option<ValType>,
    op: Op,
}

/// All groups, and the instructions without one whose signature is always the same.
static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let memarg = MemArg::smallest();
    let singles = [
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
    ];
    let all = Op::groups().into_iter().chain(singles);
    all.filter_map(|(op, signature)| Operation::read(op, signature)).collect()
});

impl Operation {
    /// Reads a signature as the table of instructions writes it. None if it leaves more than one value.
    fn read(op: Op, signature: &str) -> Option<Self> {
        let (takes, gives) = signature.trim_matches([' ', '`']).split_once(" -> ")?;
        let [takes, gives] = [takes, gives].map(types);
        (gives.len() < 2).then(|| Self { takes, gives: gives.first().copied(), op })
    }

    /// One of those that leave this and can be had with these features. None if there is no such operation.
    fn choose(gives: Option<ValType>, features: Features, source: &mut Source) -> Option<&'static Self> {
        let fits =
            |operation: &&Self| operation.gives == gives && features.includes(operation.op.own_needs());
        let count = OPERATIONS.iter().filter(fits).count();
        (count > 0).then(|| OPERATIONS.iter().filter(fits).nth(source.below(count)))?
    }

    /// An instruction of the group.
    fn instruction(&self, source: &mut Source) -> Op {
        let mut op = self.op.clone();
        if op.children() > 0 {
            vary(op.child_mut(0), source);
        }
        op
    }
}

/// The types in a list such as `[i32 f64]`. Addresses are those of 32-bit memories.
fn types(list: &str) -> Vec<ValType> {
    let read = |name| match name {
        "i32" | "address" => Some(ValType::I32),
        "i64" => Some(ValType::I64),
        "f32" => Some(ValType::F32),
        "f64" => Some(ValType::F64),
        "v128" => Some(ValType::V128),
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
    body: Vec<Instr>,
}

impl Writer {
    /// Something that changes a local or the memory.
    fn statement(&mut self, source: &mut Source) {
        let local = source.below(self.locals.len() + 1);
        if let Some(ty) = self.locals.get(local).copied() {
            self.expression(ty, 1, source);
            self.write(Op::LocalSet(LocalIdx::new(local as u32)));
        } else if let Some(store) = Operation::choose(None, self.features, source) {
            self.operation(store, 1, source);
        }
    }

    /// What leaves a value of this type.
    fn expression(&mut self, ty: ValType, depth: usize, source: &mut Source) {
        if depth == 0 || source.chance(1, 8) {
            self.leaf(ty, source);
        } else if source.chance(1, 12) {
            self.condition(ty, depth - 1, source);
        } else if let Some(operation) = Operation::choose(Some(ty), self.features, source) {
            self.operation(operation, depth - 1, source);
        } else {
            self.leaf(ty, source);
        }
    }

    fn operation(&mut self, operation: &Operation, depth: usize, source: &mut Source) {
        for operand in &operation.takes {
            self.expression(*operand, depth, source);
        }
        self.write(operation.instruction(source));
    }

    /// An `if` with two bodies.
    fn condition(&mut self, ty: ValType, depth: usize, source: &mut Source) {
        self.expression(ValType::I32, depth, source);
        let [body, otherwise] = [(); 2].map(|()| {
            let before = std::mem::take(&mut self.body);
            self.expression(ty, depth, source);
            std::mem::replace(&mut self.body, before)
        });
        self.body.push(Block::new(BlockKind::IfElse(otherwise), BlockType::Value(ty), body).into());
    }

    /// A parameter or a local, if there is one of this type, or a constant.
    fn leaf(&mut self, ty: ValType, source: &mut Source) {
        let fitting = || (0..).zip(&self.locals).filter(|(_, local)| **local == ty).map(|(index, _)| index);
        let count = fitting().count();
        let chosen = if count > 0 && source.chance(2, 3) { fitting().nth(source.below(count)) } else { None };
        match chosen {
            Some(index) => self.write(Op::LocalGet(LocalIdx::new(index))),
            None => self.write(constant(ty, source)),
        }
    }

    fn write(&mut self, op: Op) {
        self.body.push(Instr::Op(op));
    }
}

/// Zero or one of its mutants: values at which something changes.
fn constant(ty: ValType, source: &mut Source) -> Op {
    let mut op = match ty {
        ValType::I32 => Op::I32Const(0),
        ValType::I64 => Op::I64Const(0),
        ValType::F32 => Op::F32Const(F32::smallest()),
        ValType::F64 => Op::F64Const(F64::smallest()),
        ValType::V128 => Op::V128Const(V128::smallest()),
        ValType::FuncRef => return Op::RefNull(RefType::FuncRef),
        ValType::ExternRef => return Op::RefNull(RefType::ExternRef),
    };
    vary(op.child_mut(0), source);
    op
}
