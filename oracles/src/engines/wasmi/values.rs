//! Values, types, traps and errors of wasmi in our terms. Every version of wasmi has its own copy of this.

use super::{
    access::{Context, Reach},
    api::{
        self, Element, ErrorKind, ExternRef, F32, F64, FuncType, InstantiationError, MemoryError, Nullable,
        TrapCode, V128, Val, ValType,
    },
};
use crate::{
    answer::{Ending, Rejection, TrapKind},
    engine::Signature,
    host::{HostTrap, Limiter},
    limits::Which,
    numbers::{function_of, number_of},
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

/// `None` for a function that this instance does not have.
pub(super) fn to_wasmi<C: Context>(store: &mut Reach<C>, value: &Value) -> Option<Val> {
    Some(match *value {
        Value::I32(bits) => Val::I32(bits as i32),
        Value::I64(bits) => Val::I64(bits as i64),
        Value::F32(bits) => Val::F32(F32::from_bits(bits)),
        Value::F64(bits) => Val::F64(F64::from_bits(bits)),
        Value::V128(bits) => Val::V128(V128::from(bits)),
        Value::FuncRef(None) => Val::FuncRef(Nullable::Null),
        Value::FuncRef(Some(number)) => Val::FuncRef(Nullable::Val(function_of(store, number)?)),
        Value::ExternRef(None) => Val::ExternRef(Nullable::Null),
        Value::ExternRef(Some(id)) => Val::ExternRef(Nullable::Val(ExternRef::new(&mut store.0, id))),
    })
}

/// A value for a place of this type. A function that this instance does not have is null.
pub(super) fn to_wasmi_or_null<C: Context>(store: &mut Reach<C>, value: &Value, ty: ValType) -> Val {
    to_wasmi(store, value).unwrap_or(api::zero(ty))
}

/// An element for a table, unless the value is none.
pub(super) fn to_element<C: Context>(store: &mut Reach<C>, value: &Value) -> Option<Element> {
    api::element(to_wasmi(store, value).unwrap_or(Val::FuncRef(Nullable::Null)))
}

pub(super) fn from_wasmi<C: Context>(store: &mut Reach<C>, value: &Val) -> Value {
    match value {
        Val::I32(value) => Value::I32(*value as u32),
        Val::I64(value) => Value::I64(*value as u64),
        Val::F32(value) => Value::F32(value.to_bits()),
        Val::F64(value) => Value::F64(value.to_bits()),
        Val::V128(value) => Value::V128(value.as_u128()),
        Val::FuncRef(reference) => {
            Value::FuncRef(reference.val().map(|function| number_of(store, *function)))
        }
        Val::ExternRef(reference) => {
            let id = reference.val().and_then(|it| it.data(store.0.as_context()).downcast_ref().copied());
            Value::ExternRef(id)
        }
    }
}

/// How an instantiation ended, by the error that it gave.
pub(super) fn failed_start(error: &api::Error, limiter: &Limiter) -> Ending {
    use InstantiationError::{
        ElementSegmentDoesNotFit, FailedToInstantiateMemory, TooManyMemories, TooManyTables,
    };
    match error.kind() {
        _ if limiter.starved => Ending::Infra(error.to_string()),
        ErrorKind::Instantiation(ElementSegmentDoesNotFit { .. }) => {
            Ending::Trapped(TrapKind::TableOutOfBounds)
        }
        ErrorKind::Instantiation(TooManyMemories) => Ending::Limited(Which::Memories),
        ErrorKind::Instantiation(TooManyTables) => Ending::Limited(Which::Tables),
        ErrorKind::Instantiation(FailedToInstantiateMemory(MemoryError::MinimumSizeOverflow))
        | ErrorKind::Memory(MemoryError::MinimumSizeOverflow) => Ending::Limited(Which::MemoryPages),
        _ => match (error.as_trap_code(), limiter.denied) {
            (None, Some(which)) => Ending::Limited(which),
            _ => ending_of(error),
        },
    }
}

/// How a call ended, by the error that it gave.
pub(super) fn ending_of(error: &api::Error) -> Ending {
    match (error.as_trap_code().map(trap_kind), error.kind()) {
        (Some(Some(kind)), _) => Ending::Trapped(kind),
        (None, ErrorKind::Host(_)) if error.downcast_ref::<HostTrap>().is_some() => {
            Ending::Trapped(TrapKind::Host)
        }
        (None, ErrorKind::Func(_)) => Ending::Refused(error.to_string()),
        (None, kind) if api::is_table_access(kind) => Ending::Trapped(TrapKind::TableOutOfBounds),
        // A lazy engine validates and translates a function only when it is first called.
        (None, kind) if api::is_of_translator(kind) => Ending::Uncompiled(Rejection::new(error)),
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
        // Growth was limited; later versions also say that there is no memory.
        _ => return None,
    })
}
