//! Values, types, traps and errors of wasmi in our terms.

use ::wasmi::{
    AsContext, AsContextMut, ExternRef, F32, F64, FuncType, Nullable, TrapCode, V128, Val, ValType,
    errors::{ErrorKind, InstantiationError, MemoryError},
};

use crate::{
    answer::{Ending, Rejection, TrapKind},
    engine::Signature,
    host::Host,
    limits::Which,
    value::{Value, ValueType},
};

pub(super) fn signature(ty: &FuncType) -> Signature {
    Signature {
        parameters: ty.params().iter().map(|ty| value_type(*ty)).collect(),
        results: ty.results().iter().map(|ty| value_type(*ty)).collect(),
    }
}

pub(super) fn value_type(ty: ValType) -> ValueType {
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

/// `None` for a function, which only the engine can make.
pub(super) fn to_wasmi(store: impl AsContextMut, value: &Value) -> Option<Val> {
    Some(match *value {
        Value::I32(bits) => Val::I32(bits as i32),
        Value::I64(bits) => Val::I64(bits as i64),
        Value::F32(bits) => Val::F32(F32::from_bits(bits)),
        Value::F64(bits) => Val::F64(F64::from_bits(bits)),
        Value::V128(bits) => Val::V128(V128::from(bits)),
        Value::FuncRef { null: true } => Val::FuncRef(Nullable::Null),
        Value::FuncRef { null: false } => return None,
        Value::ExternRef(None) => Val::ExternRef(Nullable::Null),
        Value::ExternRef(Some(id)) => Val::ExternRef(Nullable::Val(ExternRef::new(store, id))),
    })
}

pub(super) fn from_wasmi(store: impl AsContext, value: &Val) -> Value {
    match value {
        Val::I32(value) => Value::I32(*value as u32),
        Val::I64(value) => Value::I64(*value as u64),
        Val::F32(value) => Value::F32(value.to_bits()),
        Val::F64(value) => Value::F64(value.to_bits()),
        Val::V128(value) => Value::V128(value.as_u128()),
        Val::FuncRef(reference) => Value::FuncRef { null: reference.is_null() },
        Val::ExternRef(reference) => {
            let id = reference.val().and_then(|it| it.data(store.as_context()).downcast_ref().copied());
            Value::ExternRef(id)
        }
    }
}

/// How an instantiation ended, by the error that it gave.
pub(super) fn failed_start(error: &::wasmi::Error, host: &Host) -> Ending {
    use InstantiationError::{
        ElementSegmentDoesNotFit, FailedToInstantiateMemory, TooManyMemories, TooManyTables,
    };
    match error.kind() {
        _ if host.limiter.starved => Ending::Infra(error.to_string()),
        ErrorKind::Instantiation(ElementSegmentDoesNotFit { .. }) => {
            Ending::Trapped(TrapKind::TableOutOfBounds)
        }
        ErrorKind::Instantiation(TooManyMemories) => Ending::Limited(Which::Memories),
        ErrorKind::Instantiation(TooManyTables) => Ending::Limited(Which::Tables),
        ErrorKind::Instantiation(FailedToInstantiateMemory(MemoryError::MinimumSizeOverflow))
        | ErrorKind::Memory(MemoryError::MinimumSizeOverflow) => Ending::Limited(Which::MemoryPages),
        _ => match (error.as_trap_code(), host.limiter.denied) {
            (None, Some(which)) => Ending::Limited(which),
            _ => ending_of(error),
        },
    }
}

/// How a call ended, by the error that it gave.
pub(super) fn ending_of(error: &::wasmi::Error) -> Ending {
    match (error.as_trap_code().map(trap_kind), error.kind()) {
        (Some(Some(kind)), _) => Ending::Trapped(kind),
        (None, ErrorKind::Func(_)) => Ending::Refused(error.to_string()),
        // A lazy engine validates and translates a function only when it is first called.
        (
            None,
            ErrorKind::Translation(_)
            | ErrorKind::Wasm(_)
            | ErrorKind::Ir(_)
            | ErrorKind::UserLimits(_)
            | ErrorKind::ImplementationLimits(_),
        ) => Ending::Uncompiled(Rejection::new(error)),
        _ => Ending::Infra(error.to_string()),
    }
}

/// `None` where the code says that the host is short of something.
fn trap_kind(code: TrapCode) -> Option<TrapKind> {
    Some(match code {
        TrapCode::UnreachableCodeReached => TrapKind::Unreachable,
        TrapCode::MemoryOutOfBounds => TrapKind::MemoryOutOfBounds,
        TrapCode::TableOutOfBounds => TrapKind::TableOutOfBounds,
        TrapCode::IndirectCallToNull => TrapKind::IndirectCallNull,
        TrapCode::IntegerDivisionByZero => TrapKind::DivisionByZero,
        TrapCode::IntegerOverflow => TrapKind::IntegerOverflow,
        TrapCode::BadConversionToInteger => TrapKind::InvalidConversion,
        TrapCode::StackOverflow => TrapKind::StackExhausted,
        TrapCode::BadSignature => TrapKind::IndirectCallSignature,
        TrapCode::OutOfFuel => TrapKind::OutOfFuel,
        TrapCode::GrowthOperationLimited | TrapCode::OutOfSystemMemory => return None,
    })
}
