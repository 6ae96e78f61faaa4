//! Values, types, traps and errors of dlr-wasm-interpreter in our terms.

use ::dlr_wasm_interpreter::{
    ExternAddr, F32, F64, FuncAddr, FuncType, NumType, RefType, ResultType, RuntimeError, TrapError, ValType,
};
use ::dlr_wasm_interpreter_checked::{Stored, StoredRef, StoredValue};

use crate::{
    answer::{Ending, TrapKind},
    engine::Signature,
    host::UNKNOWN_FUNCTION,
    numbers::{function_of, number_of},
    value::{Value, ValueType},
    view::{Access, Handles},
};

pub(super) fn signature(ty: &FuncType) -> Signature {
    let types = |types: &ResultType| types.valtypes.iter().map(|ty| value_type(*ty)).collect();
    Signature { parameters: types(&ty.params), results: types(&ty.returns) }
}

pub(super) fn value_type(ty: ValType) -> ValueType {
    match ty {
        ValType::NumType(NumType::I32) => ValueType::I32,
        ValType::NumType(NumType::I64) => ValueType::I64,
        ValType::NumType(NumType::F32) => ValueType::F32,
        ValType::NumType(NumType::F64) => ValueType::F64,
        ValType::VecType => ValueType::V128,
        ValType::RefType(RefType::FuncRef) => ValueType::FuncRef,
        ValType::RefType(RefType::ExternRef) => ValueType::ExternRef,
    }
}

/// # Errors
///
/// If this instance has no such function.
pub(super) fn to_dlr<S>(store: &mut S, value: &Value) -> Result<StoredValue, Ending>
where
    S: Access<Handles: Handles<Function = Stored<FuncAddr>>>,
{
    Ok(match *value {
        Value::I32(bits) => StoredValue::I32(bits),
        Value::I64(bits) => StoredValue::I64(bits),
        Value::F32(bits) => StoredValue::F32(F32::from_bits(bits)),
        Value::F64(bits) => StoredValue::F64(F64::from_bits(bits)),
        Value::V128(bits) => StoredValue::V128(bits.to_le_bytes()),
        Value::FuncRef(Some(number)) => match function_of(store, number) {
            Some(function) => StoredValue::Ref(StoredRef::Func(function)),
            None => return Err(Ending::Refused(UNKNOWN_FUNCTION.to_owned())),
        },
        Value::ExternRef(Some(id)) => StoredValue::Ref(StoredRef::Extern(ExternAddr(id as usize))),
        Value::FuncRef(None) | Value::ExternRef(None) => StoredValue::Ref(null(value)),
    })
}

/// A value for a place of the value's type. A function that this instance does not have is null.
pub(super) fn to_dlr_or_null<S>(store: &mut S, value: &Value) -> StoredValue
where
    S: Access<Handles: Handles<Function = Stored<FuncAddr>>>,
{
    to_dlr(store, value).unwrap_or_else(|_| StoredValue::Ref(null(value)))
}

/// The same for a reference; `None` if the value is none.
pub(super) fn to_reference<S>(store: &mut S, value: &Value) -> Option<StoredRef>
where
    S: Access<Handles: Handles<Function = Stored<FuncAddr>>>,
{
    match to_dlr_or_null(store, value) {
        StoredValue::Ref(reference) => Some(reference),
        _ => None,
    }
}

fn null(value: &Value) -> StoredRef {
    StoredRef::Null(match value {
        Value::ExternRef(_) => RefType::ExternRef,
        _ => RefType::FuncRef,
    })
}

pub(super) fn from_dlr<S>(store: &mut S, value: StoredValue) -> Value
where
    S: Access<Handles: Handles<Function = Stored<FuncAddr>>>,
{
    match value {
        StoredValue::I32(bits) => Value::I32(bits),
        StoredValue::I64(bits) => Value::I64(bits),
        StoredValue::F32(value) => Value::F32(value.to_bits()),
        StoredValue::F64(value) => Value::F64(value.to_bits()),
        StoredValue::V128(bytes) => Value::V128(u128::from_le_bytes(bytes)),
        StoredValue::Ref(StoredRef::Null(RefType::FuncRef)) => Value::FuncRef(None),
        StoredValue::Ref(StoredRef::Null(RefType::ExternRef)) => Value::ExternRef(None),
        StoredValue::Ref(StoredRef::Func(function)) => Value::FuncRef(Some(number_of(store, function))),
        StoredValue::Ref(StoredRef::Extern(ExternAddr(id))) => Value::ExternRef(Some(id as u32)),
    }
}

/// How a call or an instantiation ended, by the error that it gave.
pub(super) fn ending_of(error: RuntimeError) -> Ending {
    let kind = match error {
        RuntimeError::Trap(trap) => match trap {
            TrapError::DivideBy0 => TrapKind::DivisionByZero,
            TrapError::UnrepresentableResult => TrapKind::IntegerOverflow,
            TrapError::BadConversionToInteger => TrapKind::InvalidConversion,
            TrapError::MemoryOrDataAccessOutOfBounds => TrapKind::MemoryOutOfBounds,
            TrapError::TableOrElementAccessOutOfBounds | TrapError::TableAccessOutOfBounds => {
                TrapKind::TableOutOfBounds
            }
            TrapError::UninitializedElement | TrapError::IndirectCallNullFuncRef => {
                TrapKind::IndirectCallNull
            }
            TrapError::SignatureMismatch => TrapKind::IndirectCallSignature,
            TrapError::ReachedUnreachable => TrapKind::Unreachable,
        },
        RuntimeError::StackExhaustion => TrapKind::StackExhausted,
        RuntimeError::OutOfFuel => TrapKind::OutOfFuel,
        other => return Ending::Infra(other.to_string()),
    };
    Ending::Trapped(kind)
}
