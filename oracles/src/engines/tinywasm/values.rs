//! Values, types, traps and errors of tinywasm in our terms.

use ::tinywasm::{
    Error, Trap,
    types::{ExternRef, FuncRef, FuncType, WasmType, WasmValue},
};

use super::access::Reach;
use crate::{
    answer::{Ending, TrapKind},
    engine::Signature,
    numbers::{function_of, number_of},
    value::{Value, ValueType},
};

pub(super) fn signature(ty: &FuncType) -> Signature {
    let types = |types: &[WasmType]| types.iter().map(|ty| value_type(*ty)).collect();
    Signature { parameters: types(ty.params()), results: types(ty.results()) }
}

pub(super) fn value_type(ty: WasmType) -> ValueType {
    match ty {
        WasmType::I32 => ValueType::I32,
        WasmType::I64 => ValueType::I64,
        WasmType::F32 => ValueType::F32,
        WasmType::F64 => ValueType::F64,
        WasmType::V128 => ValueType::V128,
        WasmType::RefFunc => ValueType::FuncRef,
        WasmType::RefExtern => ValueType::ExternRef,
    }
}

/// # Errors
///
/// If this instance has no such function, or tinywasm has no such reference: its null is a number of the host's.
pub(super) fn to_tinywasm(store: &mut Reach<'_>, value: &Value) -> Result<WasmValue, Ending> {
    Ok(match *value {
        Value::I32(bits) => WasmValue::I32(bits as i32),
        Value::I64(bits) => WasmValue::I64(bits as i64),
        Value::F32(bits) => WasmValue::F32(f32::from_bits(bits)),
        Value::F64(bits) => WasmValue::F64(f64::from_bits(bits)),
        Value::V128(bits) => WasmValue::V128(bits.to_le_bytes()),
        Value::FuncRef(None) => WasmValue::RefFunc(FuncRef::null()),
        Value::FuncRef(Some(number)) => match function_of(store, number) {
            Some(function) => WasmValue::RefFunc(FuncRef::new(Some(function))),
            None => return Err(Ending::Refused(crate::host::UNKNOWN_FUNCTION.to_owned())),
        },
        Value::ExternRef(None) => WasmValue::RefExtern(ExternRef::null()),
        Value::ExternRef(Some(id)) => {
            let reference = ExternRef::new(Some(id));
            if reference.is_null() {
                return Err(Ending::Infra(format!("the reference {id} of the host is null in tinywasm")));
            }
            WasmValue::RefExtern(reference)
        }
    })
}

/// A value for a place of the value's type. A reference that cannot be made is null.
pub(super) fn to_tinywasm_or_null(store: &mut Reach<'_>, value: &Value) -> WasmValue {
    to_tinywasm(store, value).unwrap_or_else(|_| match value {
        Value::ExternRef(_) => WasmValue::RefExtern(ExternRef::null()),
        _ => WasmValue::RefFunc(FuncRef::null()),
    })
}

pub(super) fn from_tinywasm(store: &mut Reach<'_>, value: &WasmValue) -> Value {
    match *value {
        WasmValue::I32(value) => Value::I32(value as u32),
        WasmValue::I64(value) => Value::I64(value as u64),
        WasmValue::F32(value) => Value::F32(value.to_bits()),
        WasmValue::F64(value) => Value::F64(value.to_bits()),
        WasmValue::V128(bytes) => Value::V128(u128::from_le_bytes(bytes)),
        WasmValue::RefFunc(reference) => {
            Value::FuncRef(reference.addr().map(|function| number_of(store, function)))
        }
        WasmValue::RefExtern(reference) => Value::ExternRef(reference.addr()),
    }
}

/// How a call or an instantiation ended, by the error that it gave. A host function says itself why it stopped.
pub(super) fn ending_of(error: &Error) -> Ending {
    match error {
        Error::Trap(trap) => trap_ending(trap),
        other => Ending::Infra(other.to_string()),
    }
}

fn trap_ending(trap: &Trap) -> Ending {
    Ending::Trapped(match trap {
        Trap::Unreachable => TrapKind::Unreachable,
        Trap::MemoryOutOfBounds { .. } => TrapKind::MemoryOutOfBounds,
        Trap::TableOutOfBounds { .. } | Trap::UndefinedElement { .. } => TrapKind::TableOutOfBounds,
        Trap::DivisionByZero => TrapKind::DivisionByZero,
        Trap::IntegerOverflow => TrapKind::IntegerOverflow,
        Trap::InvalidConversionToInt => TrapKind::InvalidConversion,
        Trap::CallStackOverflow | Trap::ValueStackOverflow => TrapKind::StackExhausted,
        Trap::UninitializedElement { .. } => TrapKind::IndirectCallNull,
        Trap::IndirectCallTypeMismatch { .. } => TrapKind::IndirectCallSignature,
        Trap::OutOfMemory | Trap::InvalidStore | Trap::HostFunction(_) => {
            return Ending::Infra(trap.to_string());
        }
        other => return Ending::Unmapped(other.to_string()),
    })
}
