//! Which operators make NaNs, and through which their bits become visible.

use wasmparser::Operator;

/// The scalar operators whose NaN results have bits that the specification leaves open.
pub(super) fn makes_nans(operator: &Operator<'_>) -> bool {
    use Operator::*;
    matches!(
        operator,
        F32Add
            | F32Sub
            | F32Mul
            | F32Div
            | F32Min
            | F32Max
            | F32Sqrt
            | F32Ceil
            | F32Floor
            | F32Trunc
            | F32Nearest
            | F32DemoteF64
            | F64Add
            | F64Sub
            | F64Mul
            | F64Div
            | F64Min
            | F64Max
            | F64Sqrt
            | F64Ceil
            | F64Floor
            | F64Trunc
            | F64Nearest
            | F64PromoteF32
    )
}

/// The scalar operators through which NaN bits reach integers, memory or the sign of a number.
pub(super) fn leaks_nan_bits(operator: &Operator<'_>) -> bool {
    use Operator::*;
    matches!(
        operator,
        I32ReinterpretF32 | I64ReinterpretF64 | F32Store { .. } | F64Store { .. } | F32Copysign | F64Copysign
    )
}
