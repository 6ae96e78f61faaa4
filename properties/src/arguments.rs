//! Boundary and random arguments, which show differences that ordinary arguments hide.

use mutagen_engine::Source;
use mutagen_oracles::{Value, ValueType};
use mutagen_wasm_ast::{FuncType, ValType};

/// How many argument lists a function is called with. Further calls on the same instance cost almost nothing,
/// and rare bugs are found sooner.
const LISTS: usize = 6;
/// How many objects of the host random references tell apart.
const HOST_OBJECTS: usize = 8;

/// The value types of a signature, as engines know them.
pub fn signature_of(ty: &FuncType) -> Vec<ValueType> {
    ty.params.iter().map(|ty| value_type(*ty)).collect()
}

/// The types of the results of a signature, as engines know them.
pub(crate) fn result_types(ty: &FuncType) -> Vec<ValueType> {
    ty.results.iter().map(|ty| value_type(*ty)).collect()
}

/// A boundary value of a type. They start again after the last.
pub(crate) fn boundary_value(ty: ValueType, number: usize) -> Value {
    boundary(ty, number % LISTS)
}

/// The type of a module as engines name it.
pub fn value_type(ty: ValType) -> ValueType {
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

/// The argument lists for a signature: all zero, then boundary values of every type. Parameters of the same
/// type get different values, since equal arguments would hide that they are swapped.
///
/// ```
/// use mutagen_oracles::{Value, ValueType};
/// use mutagen_properties::boundary_arguments;
///
/// let lists = boundary_arguments(&[ValueType::I32]);
/// assert_eq!(lists[0], [Value::I32(0)]);
/// assert_eq!(lists.len(), 6);
/// assert!(boundary_arguments(&[ValueType::I32; 2])[1..].iter().all(|list| list[0] != list[1]));
/// ```
pub fn boundary_arguments(signature: &[ValueType]) -> Vec<Vec<Value>> {
    let argument = |list: usize, place: usize| {
        let ty = signature[place];
        let before = signature[..place].iter().filter(|other| **other == ty).count();
        boundary(ty, if list == 0 { 0 } else { 1 + (list - 1 + before) % (LISTS - 1) })
    };
    let arguments = |list| (0..signature.len()).map(|place| argument(list, place)).collect();
    (0..LISTS).map(arguments).collect()
}

/// Arguments with random bits for a signature.
pub(crate) fn random_arguments(signature: &[ValueType], source: &mut Source) -> Vec<Value> {
    let value = |ty: &ValueType| match ty {
        ValueType::I32 => Value::I32(source.bits() as u32),
        ValueType::I64 => Value::I64(source.bits()),
        ValueType::F32 => Value::F32(source.bits() as u32),
        ValueType::F64 => Value::F64(source.bits()),
        ValueType::V128 => Value::V128(u128::from(source.bits()) << 64 | u128::from(source.bits())),
        ValueType::ExternRef => {
            Value::ExternRef(source.chance(3, 4).then(|| source.below(HOST_OBJECTS) as u32))
        }
        ValueType::FuncRef => Value::zero(*ty),
    };
    signature.iter().map(value).collect()
}

/// The boundary value of a type in one of the lists. 65,536 is the first address after a memory of one page.
/// The last number is large, odd, and negative as a byte. 2.5 shows rounding to even.
fn boundary(ty: ValueType, list: usize) -> Value {
    match ty {
        ValueType::I32 => Value::I32([0, u32::MAX, 1 << 31, 0x1_0000, 1, 0x7fff_ff9b][list]),
        ValueType::I64 => Value::I64([0, u64::MAX, 1 << 63, 0x1_0000_0000, 1, 0x7fff_ffff_ffff_ff9b][list]),
        ValueType::F32 => {
            let signalling = f32::from_bits(0x7fa0_0001);
            Value::F32([0.0, -1.5, f32::NEG_INFINITY, signalling, -0.0, 2.5][list].to_bits())
        }
        ValueType::F64 => {
            let signalling = f64::from_bits(0x7ff4_0000_0000_0001);
            Value::F64([0.0, -1.5, f64::NEG_INFINITY, signalling, -0.0, 2.5][list].to_bits())
        }
        ValueType::V128 => {
            let (lanes, halves) =
                (0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f, 0x7f9b_7f9b_8000_0000_0001_0001_7fff_ffff);
            Value::V128([0, u128::MAX, 1 << 127, lanes, 1, halves][list])
        }
        ValueType::ExternRef => {
            Value::ExternRef([None, Some(0), Some(1), Some(1 << 31), None, Some(7)][list])
        }
        // The host has no functions of its own to refer to. Calls get those of the module from earlier results.
        ValueType::FuncRef => Value::zero(ty),
    }
}
