//! Which operators make NaNs, and through which their bits become visible.

use wasm_encoder::Instruction;
use wasmparser::Operator;

/// Where the NaN is that an operator makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    F32,
    F64,
    F32x4,
    F64x2,
}

impl Width {
    /// Leaves numbers as they are, and makes a NaN of a NaN.
    pub(super) fn smaller_than_infinity(self) -> [Instruction<'static>; 2] {
        let vector = |lane: u128, lanes: u32| {
            let bits = (0..lanes).fold(0, |bits, number| bits | lane << (number * (128 / lanes)));
            Instruction::V128Const(bits as i128)
        };
        let [single, double] = [f32::INFINITY.to_bits().into(), f64::INFINITY.to_bits().into()];
        match self {
            Self::F32 => [Instruction::F32Const(f32::INFINITY.into()), Instruction::F32Min],
            Self::F64 => [Instruction::F64Const(f64::INFINITY.into()), Instruction::F64Min],
            Self::F32x4 => [vector(single, 4), Instruction::F32x4Min],
            Self::F64x2 => [vector(double, 2), Instruction::F64x2Min],
        }
    }
}

/// What NaN an operator may make, if it may make one.
pub(super) fn made_by(operator: &Operator<'_>) -> Option<Width> {
    use Operator::*;
    match operator {
        F32Add | F32Sub | F32Mul | F32Div | F32Min | F32Max | F32Sqrt | F32Ceil | F32Floor | F32Trunc
        | F32Nearest | F32DemoteF64 => Some(Width::F32),
        F64Add | F64Sub | F64Mul | F64Div | F64Min | F64Max | F64Sqrt | F64Ceil | F64Floor | F64Trunc
        | F64Nearest | F64PromoteF32 => Some(Width::F64),
        F32x4Add | F32x4Sub | F32x4Mul | F32x4Div | F32x4Min | F32x4Max | F32x4Sqrt | F32x4Ceil
        | F32x4Floor | F32x4Trunc | F32x4Nearest | F32x4DemoteF64x2Zero | F32x4RelaxedMadd
        | F32x4RelaxedNmadd | F32x4RelaxedMin | F32x4RelaxedMax => Some(Width::F32x4),
        F64x2Add | F64x2Sub | F64x2Mul | F64x2Div | F64x2Min | F64x2Max | F64x2Sqrt | F64x2Ceil
        | F64x2Floor | F64x2Trunc | F64x2Nearest | F64x2PromoteLowF32x4 | F64x2RelaxedMadd
        | F64x2RelaxedNmadd | F64x2RelaxedMin | F64x2RelaxedMax => Some(Width::F64x2),
        _ => None,
    }
}

/// The scalar operators whose NaN results have bits that the specification leaves open.
pub(super) fn makes_nans(operator: &Operator<'_>) -> bool {
    matches!(made_by(operator), Some(Width::F32 | Width::F64))
}

/// The scalar operators through which NaN bits reach integers, memory or the sign of a number.
pub(super) fn leaks_nan_bits(operator: &Operator<'_>) -> bool {
    use Operator::*;
    matches!(
        operator,
        I32ReinterpretF32 | I64ReinterpretF64 | F32Store { .. } | F64Store { .. } | F32Copysign | F64Copysign
    )
}
