//! Random constants, mostly boundary values.

use mutagen_engine::{Generate, Mutable, Source};

use super::operation::vary;
use crate::immediate::{F32, F64, V128};
use crate::op::Op;
use crate::types::{RefType, ValType};

/// A random constant of this type, mostly a boundary value.
pub(super) fn constant(ty: ValType, source: &mut Source) -> Op {
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

/// A small number, where smaller ones are likelier; or a power of two or the number before it, which include
/// the bounds of the type; or any number.
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

/// A random constant of this type. A floating-point number is often one that most computations turn into another one, unlike
/// infinity, zero and what is not a number.
pub(super) fn telling_constant(ty: ValType, source: &mut Source) -> Op {
    let eighths = source.range_i64(-64, 64) as f64 / 8.0;
    match ty {
        ValType::F32 if source.chance(1, 3) => Op::F32Const(F32((eighths as f32).to_bits())),
        ValType::F64 if source.chance(1, 3) => Op::F64Const(F64(eighths.to_bits())),
        _ => constant(ty, source),
    }
}

/// The value or one of its mutants. The first of them matter most, and are as likely as all together.
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
