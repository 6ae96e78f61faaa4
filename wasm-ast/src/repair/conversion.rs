//! Conversions from one value type to another.

use crate::immediate::Lane;
use crate::op::*;
use crate::types::ValType;

/// The instructions that convert a value of type `from` to type `to`. None if there is no conversion.
pub(super) fn conversion(from: ValType, to: ValType) -> Option<Vec<Op>> {
    use ValType::{ExternRef, F32, F64, FuncRef, I32, I64, V128};
    let lane = Lane(0);
    let to_i64 = Op::I64FromI32(I64FromI32::I64ExtendI32S);
    let to_f32 = Op::F32FromI32(F32FromI32::F32ConvertI32S);
    let to_f64 = Op::F64FromI32(F64FromI32::F64ConvertI32S);
    let to_v128 = Op::V128FromI32(V128FromI32::I32x4Splat);
    Some(match (from, to) {
        (I32, I64) => vec![to_i64],
        (I32, F32) => vec![to_f32],
        (I32, F64) => vec![to_f64],
        (I32, V128) => vec![to_v128],
        (I64, I32) => vec![Op::I32FromI64(I32FromI64::I32WrapI64)],
        (I64, F32) => vec![Op::F32FromI64(F32FromI64::F32ConvertI64S)],
        (I64, F64) => vec![Op::F64FromI64(F64FromI64::F64ConvertI64S)],
        (I64, V128) => vec![Op::I64x2Splat],
        (F32, I32) => vec![Op::I32FromF32(I32FromF32::I32ReinterpretF32)],
        (F32, I64) => vec![Op::F64PromoteF32, Op::I64FromF64(I64FromF64::I64ReinterpretF64)],
        (F32, F64) => vec![Op::F64PromoteF32],
        (F32, V128) => vec![Op::F32x4Splat],
        (F64, I32) => vec![Op::F32DemoteF64, Op::I32FromF32(I32FromF32::I32ReinterpretF32)],
        (F64, I64) => vec![Op::I64FromF64(I64FromF64::I64ReinterpretF64)],
        (F64, F32) => vec![Op::F32DemoteF64],
        (F64, V128) => vec![Op::F64x2Splat],
        (V128, I32) => vec![Op::I32ExtractLane(I32ExtractLane::I32x4ExtractLane, lane)],
        (V128, I64) => vec![Op::I64x2ExtractLane(lane)],
        (V128, F32) => vec![Op::F32x4ExtractLane(lane)],
        (V128, F64) => vec![Op::F64x2ExtractLane(lane)],
        (FuncRef | ExternRef, I32) => vec![Op::RefIsNull],
        (FuncRef | ExternRef, I64) => vec![Op::RefIsNull, to_i64],
        (FuncRef | ExternRef, F32) => vec![Op::RefIsNull, to_f32],
        (FuncRef | ExternRef, F64) => vec![Op::RefIsNull, to_f64],
        (FuncRef | ExternRef, V128) => vec![Op::RefIsNull, to_v128],
        _ => return None,
    })
}
