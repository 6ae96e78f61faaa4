//! Arguments that show what ordinary ones hide.

use mutagen_oracles::{Value, ValueType};
use mutagen_wasm_ast::{FuncType, ValType};

/// How many argument lists a function is called with. More on one instance cost next to nothing, and shorten the tail.
const LISTS: usize = 4;

/// The value types of a signature, as engines know them.
pub fn signature_of(ty: &FuncType) -> Vec<ValueType> {
    ty.params.iter().map(|ty| value_type(*ty)).collect()
}

fn value_type(ty: ValType) -> ValueType {
    match ty {
        ValType::I32 => ValueType::I32,
        ValType::I64 => ValueType::I64,
        ValType::F32 => ValueType::F32,
        ValType::F64 => ValueType::F64,
        ValType::V128 => ValueType::V128,
        ValType::FuncRef => ValueType::FuncRef,
        ValType::ExternRef => ValueType::ExternRef,
    }
}

/// The argument lists for a signature: all zero, then boundary values of every type.
///
/// ```
/// use mutagen_oracles::{Value, ValueType};
/// use mutagen_properties::boundary_arguments;
///
/// let lists = boundary_arguments(&[ValueType::I32]);
/// assert_eq!(lists[0], [Value::I32(0)]);
/// assert_eq!(lists.len(), 4);
/// ```
pub fn boundary_arguments(signature: &[ValueType]) -> Vec<Vec<Value>> {
    (0..LISTS).map(|list| signature.iter().map(|ty| boundary(*ty, list)).collect()).collect()
}

/// The boundary value of a type in one of the lists. 65,536 is the first address behind a memory of one page.
fn boundary(ty: ValueType, list: usize) -> Value {
    match ty {
        ValueType::I32 => Value::I32([0, u32::MAX, 1 << 31, 0x1_0000][list]),
        ValueType::I64 => Value::I64([0, u64::MAX, 1 << 63, 0x1_0000_0000][list]),
        ValueType::F32 => {
            Value::F32([0.0, -1.5, f32::NEG_INFINITY, f32::from_bits(0x7fa0_0001)][list].to_bits())
        }
        ValueType::F64 => {
            Value::F64([0.0, -1.5, f64::NEG_INFINITY, f64::from_bits(0x7ff4_0000_0000_0001)][list].to_bits())
        }
        ValueType::V128 => {
            Value::V128([0, u128::MAX, 1 << 127, 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f][list])
        }
        ValueType::FuncRef | ValueType::ExternRef => Value::zero(ty),
    }
}
