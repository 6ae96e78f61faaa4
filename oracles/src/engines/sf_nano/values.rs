//! Values, types, traps and errors of sf-nano-core in our terms.

use ::sf_nano_core::{
    RefValue, Value as SfValue, WasmError,
    value_type::{RefType, ValueType as SfType},
};

use super::access::Reach;
use crate::{
    answer::{Ending, Rejection, TrapKind},
    host::UNKNOWN_FUNCTION,
    numbers::{function_of, number_of},
    value::{Value, ValueType},
};

/// The references of the host that it can hold are below this.
const LABELS: u32 = 1 << 27;

pub(super) fn sf_type(ty: ValueType) -> SfType {
    match ty {
        ValueType::I32 => SfType::I32,
        ValueType::I64 => SfType::I64,
        ValueType::F32 => SfType::F32,
        ValueType::F64 => SfType::F64,
        ValueType::V128 => SfType::V128,
        ValueType::FuncRef => SfType::Ref(RefType::funcref()),
        ValueType::ExternRef => SfType::Ref(RefType::externref()),
    }
}

/// # Errors
///
/// If this instance has no such function, or the engine no such reference.
pub(super) fn to_sf(store: &mut Reach<'_>, value: &Value) -> Result<SfValue, Ending> {
    Ok(match *value {
        Value::I32(bits) => SfValue::I32(bits as i32),
        Value::I64(bits) => SfValue::I64(bits as i64),
        Value::F32(bits) => SfValue::F32(f32::from_bits(bits)),
        Value::F64(bits) => SfValue::F64(f64::from_bits(bits)),
        Value::V128(bits) => SfValue::V128(bits.to_le_bytes()),
        Value::FuncRef(None) => SfValue::Ref(RefValue::null(), RefType::funcref()),
        Value::FuncRef(Some(number)) => match function_of(store, number) {
            Some(function) => SfValue::Ref(function, RefType::funcref()),
            None => return Err(Ending::Refused(UNKNOWN_FUNCTION.to_owned())),
        },
        Value::ExternRef(None) => SfValue::Ref(RefValue::null(), RefType::externref()),
        Value::ExternRef(Some(id)) if id < LABELS => {
            SfValue::Ref(RefValue::externref(id as usize), RefType::externref())
        }
        Value::ExternRef(Some(id)) => {
            return Err(Ending::Infra(format!("sf-nano-core cannot hold the reference {id} of the host")));
        }
    })
}

/// A value for a place of the value's type. A function that this instance does not have is null.
///
/// # Errors
///
/// If the engine has no such reference.
pub(super) fn to_sf_or_null(store: &mut Reach<'_>, value: &Value) -> Result<SfValue, Ending> {
    match to_sf(store, value) {
        Err(Ending::Refused(_)) => to_sf(store, &Value::FuncRef(None)),
        other => other,
    }
}

/// A value of this type.
pub(super) fn from_sf(store: &mut Reach<'_>, value: SfValue, ty: ValueType) -> Value {
    match value {
        SfValue::I32(value) => Value::I32(value as u32),
        SfValue::I64(value) => Value::I64(value as u64),
        SfValue::F32(value) => Value::F32(value.to_bits()),
        SfValue::F64(value) => Value::F64(value.to_bits()),
        SfValue::V128(bytes) => Value::V128(u128::from_le_bytes(bytes)),
        SfValue::Ref(reference, _) => match ty {
            ValueType::ExternRef => Value::ExternRef(reference.host_id().map(|id| id as u32)),
            _ => Value::FuncRef((!reference.is_null()).then(|| number_of(store, reference))),
        },
        SfValue::Unknown => Value::zero(ty),
    }
}

/// Why an instantiation failed. What is only found out then is a rejection all the same, and a segment that does not fit is a trap,
/// although the compiler does not call it one.
pub(super) fn failed_start(error: &WasmError) -> Result<Ending, Rejection> {
    match (error.class(), trap_of(error.message())) {
        ("malformed" | "invalid", _) => Err(Rejection::new(error)),
        ("unlinkable", Some(kind)) => Ok(Ending::Trapped(kind)),
        _ => Ok(ending_of(error)),
    }
}

/// How a call or an instantiation ended, by the error that it gave.
pub(super) fn ending_of(error: &WasmError) -> Ending {
    match error.class() {
        "exhaustion" => Ending::Trapped(TrapKind::StackExhausted),
        "trap" => {
            let unknown = || Ending::Unmapped(error.message().to_owned());
            trap_of(error.message()).map_or_else(unknown, Ending::Trapped)
        }
        _ => Ending::Infra(error.to_string()),
    }
}

/// Kinds of traps have no names, but words.
fn trap_of(message: &str) -> Option<TrapKind> {
    Some(match message {
        "unreachable" | "unreachable executed" => TrapKind::Unreachable,
        "out of bounds memory access" | "memory access out of bounds" => TrapKind::MemoryOutOfBounds,
        "out of bounds table access" | "undefined element" => TrapKind::TableOutOfBounds,
        "uninitialized element" | "null function reference" | "invalid function reference" => {
            TrapKind::IndirectCallNull
        }
        "indirect call type mismatch" => TrapKind::IndirectCallSignature,
        "integer divide by zero" => TrapKind::DivisionByZero,
        "integer overflow" => TrapKind::IntegerOverflow,
        "invalid conversion to integer" => TrapKind::InvalidConversion,
        "call stack exhausted" | "stack overflow" => TrapKind::StackExhausted,
        _ => return None,
    })
}
