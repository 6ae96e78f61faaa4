//! Values, types, traps and errors of makepad-stitch in our terms.

use ::makepad_stitch::{Error, ExternRef, FuncRef, FuncType, Ref, Val, ValType};

use super::access::Reach;
use crate::{
    answer::{Ending, TrapKind},
    engine::Signature,
    host::UNKNOWN_FUNCTION,
    numbers::{function_of, number_of},
    value::{Value, ValueType},
};

pub(super) fn signature(ty: &FuncType) -> Signature {
    let types = |types: &[ValType]| types.iter().map(|ty| value_type(*ty)).collect();
    Signature { parameters: types(ty.params()), results: types(ty.results()) }
}

pub(super) fn value_type(ty: ValType) -> ValueType {
    match ty {
        ValType::I32 => ValueType::I32,
        ValType::I64 => ValueType::I64,
        ValType::F32 => ValueType::F32,
        ValType::F64 => ValueType::F64,
        ValType::FuncRef => ValueType::FuncRef,
        ValType::ExternRef => ValueType::ExternRef,
    }
}

/// # Errors
///
/// If this instance has no such function, or there are no such values.
pub(super) fn to_stitch(store: &mut Reach<'_>, value: &Value) -> Result<Val, Ending> {
    Ok(match *value {
        Value::I32(bits) => Val::I32(bits as i32),
        Value::I64(bits) => Val::I64(bits as i64),
        Value::F32(bits) => Val::F32(f32::from_bits(bits)),
        Value::F64(bits) => Val::F64(f64::from_bits(bits)),
        Value::FuncRef(None) => Val::FuncRef(FuncRef::null()),
        Value::FuncRef(Some(number)) => match function_of(store, number) {
            Some(function) => Val::FuncRef(FuncRef::new(function)),
            None => return Err(Ending::Refused(UNKNOWN_FUNCTION.to_owned())),
        },
        Value::ExternRef(None) => Val::ExternRef(ExternRef::null()),
        Value::ExternRef(Some(id)) => Val::ExternRef(ExternRef::new::<u32>(store.store, id)),
        Value::V128(_) => return Err(Ending::Infra("makepad-stitch has no vectors".to_owned())),
    })
}

/// A value for a place of the value's type. A reference that cannot be made is null.
pub(super) fn to_stitch_or_null(store: &mut Reach<'_>, value: &Value) -> Val {
    to_stitch(store, value).unwrap_or_else(|_| match value {
        Value::ExternRef(_) => Val::ExternRef(ExternRef::null()),
        _ => Val::FuncRef(FuncRef::null()),
    })
}

/// The same for a reference; `None` if the value is none.
pub(super) fn to_reference(store: &mut Reach<'_>, value: &Value) -> Option<Ref> {
    to_stitch_or_null(store, value).to_ref()
}

pub(super) fn from_stitch(store: &mut Reach<'_>, value: Val) -> Value {
    match value {
        Val::I32(value) => Value::I32(value as u32),
        Val::I64(value) => Value::I64(value as u64),
        Val::F32(value) => Value::F32(value.to_bits()),
        Val::F64(value) => Value::F64(value.to_bits()),
        Val::FuncRef(reference) => Value::FuncRef(reference.get().map(|function| number_of(store, function))),
        Val::ExternRef(reference) => {
            Value::ExternRef(reference.get(store.store).and_then(|object| object.downcast_ref().copied()))
        }
    }
}

/// How a call or an instantiation ended, by the error that it gave. Kinds of traps have no names outside of the crate, but words.
pub(super) fn ending_of(error: &Error) -> Ending {
    let Error::Trap(trap) = error else {
        let source = std::error::Error::source(error).map(|source| format!(": {source}"));
        return Ending::Infra(format!("{error}{}", source.unwrap_or_default()));
    };
    let said = trap.to_string();
    Ending::Trapped(match said.as_str() {
        "unreachable" => TrapKind::Unreachable,
        "type mismatch" => TrapKind::IndirectCallSignature,
        "element uninitialized" => TrapKind::IndirectCallNull,
        "integer divide by zero" => TrapKind::DivisionByZero,
        "integer overflow" => TrapKind::IntegerOverflow,
        "invalid conversion to integer" => TrapKind::InvalidConversion,
        "table access out of bounds" => TrapKind::TableOutOfBounds,
        "memory access out of bounds" => TrapKind::MemoryOutOfBounds,
        "stack overflow" => TrapKind::StackExhausted,
        _ => return Ending::Unmapped(said),
    })
}
