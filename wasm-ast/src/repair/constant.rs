//! Repairs constant expressions.

use super::context::Context;
use crate::features::Feature;
use crate::immediate::{F32, F64, V128};
use crate::index::GlobalIdx;
use crate::module::ConstExpr;
use crate::op::{I32Binary, I64Binary, Op};
use crate::types::{RefType, ValType};

/// The instruction that leaves zero, or a null reference.
pub(super) fn zero(ty: ValType) -> Op {
    match ty {
        ValType::I32 => Op::I32Const(0),
        ValType::I64 => Op::I64Const(0),
        ValType::F32 => Op::F32Const(F32(0)),
        ValType::F64 => Op::F64Const(F64(0)),
        ValType::V128 => Op::V128Const(V128(Box::new([0; 16]))),
        ValType::FuncRef => Op::RefNull(RefType::FuncRef),
        ValType::ExternRef => Op::RefNull(RefType::ExternRef),
    }
}

/// Makes an expression leave one value of this type. Instructions that are not constant are removed. If that
/// does not help, the expression becomes a single constant.
pub(super) fn repair(expr: &mut ConstExpr, ty: ValType, context: &Context<'_>) {
    if leaves(expr, ty, context) {
        return;
    }
    // Bring references to functions into range, and remove instructions that are not constant.
    for op in expr.iter_mut() {
        if let Op::RefFunc(function) = op {
            *op = context.function(*function).map_or(zero(ValType::FuncRef), Op::RefFunc);
        }
    }
    expr.retain(|op| effect(op, context).is_some());
    if leaves(expr, ty, context) {
        return;
    }
    // As a last resort, keep the last constant that can be converted, or take zero.
    let nearby = expr.iter().rev().find_map(|op| converted(op, ty));
    *expr = vec![nearby.unwrap_or_else(|| zero(ty))];
}

/// Whether the expression is valid and leaves one value of this type.
fn leaves(expr: &[Op], ty: ValType, context: &Context<'_>) -> bool {
    // Most expressions are a single constant, for which no stack is needed.
    if let [op] = expr {
        return effect(op, context) == Some(Effect::Push(ty));
    }
    let mut stack = Vec::new();
    let valid = expr.iter().all(|op| match effect(op, context) {
        Some(Effect::Push(ty)) => {
            stack.push(ty);
            true
        }
        Some(Effect::Combine(ty)) => stack.pop() == Some(ty) && stack.last() == Some(&ty),
        None => false,
    });
    valid && stack == [ty]
}

/// The effect of an instruction of a constant expression on the stack.
#[derive(PartialEq, Eq)]
enum Effect {
    Push(ValType),
    /// Combines two values into one.
    Combine(ValType),
}

/// The effect of the instruction, or None if it is not constant.
fn effect(op: &Op, context: &Context<'_>) -> Option<Effect> {
    use I32Binary::{I32Add, I32Mul, I32Sub};
    use I64Binary::{I64Add, I64Mul, I64Sub};
    if !context.features.includes(op.own_needs()) {
        return None;
    }
    let extended = context.on(Feature::ExtendedConst);
    match op {
        Op::I32Const(_) => Some(Effect::Push(ValType::I32)),
        Op::I64Const(_) => Some(Effect::Push(ValType::I64)),
        Op::F32Const(_) => Some(Effect::Push(ValType::F32)),
        Op::F64Const(_) => Some(Effect::Push(ValType::F64)),
        Op::V128Const(_) => Some(Effect::Push(ValType::V128)),
        Op::RefNull(ty) => Some(Effect::Push((*ty).into())),
        Op::RefFunc(function) => {
            let exists = context.function(*function) == Some(*function);
            exists.then_some(Effect::Push(ValType::FuncRef))
        }
        Op::GlobalGet(global) => readable_global(*global, context).map(Effect::Push),
        Op::I32Binary(I32Add | I32Sub | I32Mul) if extended => Some(Effect::Combine(ValType::I32)),
        Op::I64Binary(I64Add | I64Sub | I64Mul) if extended => Some(Effect::Combine(ValType::I64)),
        _ => None,
    }
}

/// The type of a global, if constant expressions may read it: it must be imported and immutable.
fn readable_global(global: GlobalIdx, context: &Context<'_>) -> Option<ValType> {
    let index = global.get() as usize;
    let imported = &context.spaces.globals[..context.spaces.imported_globals];
    imported.get(index).filter(|global| !global.mutable).map(|global| global.value)
}

/// A constant of another type with the same number.
fn converted(op: &Op, ty: ValType) -> Option<Op> {
    let number = match op {
        Op::I32Const(value) => i64::from(*value),
        Op::I64Const(value) => *value,
        Op::F32Const(value) => f32::from_bits(value.0) as i64,
        Op::F64Const(value) => f64::from_bits(value.0) as i64,
        _ => return None,
    };
    Some(match ty {
        ValType::I32 => Op::I32Const(number as i32),
        ValType::I64 => Op::I64Const(number),
        ValType::F32 => Op::F32Const(F32((number as f32).to_bits())),
        ValType::F64 => Op::F64Const(F64((number as f64).to_bits())),
        _ => return None,
    })
}
