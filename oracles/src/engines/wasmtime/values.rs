//! Values, types, traps and errors of wasmtime in our terms.

use ::wasmtime::{ExternRef, FuncType, HeapType, Ref, Trap, V128, Val, ValType};

use super::access::{Context, Reach};
use crate::{
    answer::{Ending, TrapKind},
    engine::Signature,
    host::{HostTrap, Limiter, UNKNOWN_FUNCTION},
    numbers::{function_of, number_of},
    value::{Value, ValueType},
};

pub(super) fn null(ty: &HeapType) -> Ref {
    if is_extern(ty) { Ref::Extern(None) } else { Ref::Func(None) }
}

fn is_extern(ty: &HeapType) -> bool {
    matches!(ty, HeapType::Extern | HeapType::NoExtern)
}

pub(super) fn signature(ty: &FuncType) -> Signature {
    Signature {
        parameters: ty.params().map(|ty| value_type(&ty)).collect(),
        results: ty.results().map(|ty| value_type(&ty)).collect(),
    }
}

pub(super) fn value_type(ty: &ValType) -> ValueType {
    match ty {
        ValType::I32 => ValueType::I32,
        ValType::I64 => ValueType::I64,
        ValType::F32 => ValueType::F32,
        ValType::F64 => ValueType::F64,
        ValType::V128 => ValueType::V128,
        ValType::Ref(ty) if is_extern(ty.heap_type()) => ValueType::ExternRef,
        ValType::Ref(_) => ValueType::FuncRef,
    }
}

/// # Errors
///
/// If this instance has no such function, or wasmtime cannot make the reference.
pub(super) fn to_wasmtime<C: Context>(store: &mut Reach<C>, value: &Value) -> Result<Val, Ending> {
    Ok(match *value {
        Value::I32(bits) => Val::I32(bits as i32),
        Value::I64(bits) => Val::I64(bits as i64),
        Value::F32(bits) => Val::F32(bits),
        Value::F64(bits) => Val::F64(bits),
        Value::V128(bits) => Val::V128(V128::from(bits)),
        Value::FuncRef(None) => Val::null_func_ref(),
        Value::FuncRef(Some(number)) => match function_of(store, number) {
            Some(function) => Val::FuncRef(Some(function)),
            None => return Err(Ending::Refused(UNKNOWN_FUNCTION.to_owned())),
        },
        Value::ExternRef(None) => Val::null_extern_ref(),
        Value::ExternRef(Some(id)) => match ExternRef::new(&mut store.0, id) {
            Ok(reference) => Val::ExternRef(Some(reference)),
            Err(error) => return Err(Ending::Infra(error.to_string())),
        },
    })
}

/// A value for a place of the value's type. A function that this instance does not have is null.
pub(super) fn to_wasmtime_or_null<C: Context>(store: &mut Reach<C>, value: &Value) -> Val {
    to_wasmtime(store, value).unwrap_or(Val::null_func_ref())
}

pub(super) fn from_wasmtime<C: Context>(store: &mut Reach<C>, value: &Val) -> Value {
    match value {
        Val::I32(value) => Value::I32(*value as u32),
        Val::I64(value) => Value::I64(*value as u64),
        Val::F32(bits) => Value::F32(*bits),
        Val::F64(bits) => Value::F64(*bits),
        Val::V128(value) => Value::V128(value.as_u128()),
        Val::FuncRef(reference) => Value::FuncRef(reference.map(|function| number_of(store, function))),
        Val::ExternRef(reference) => {
            let data = reference.and_then(|it| it.data(store.0.as_context()).ok().flatten());
            Value::ExternRef(data.and_then(|data| data.downcast_ref().copied()))
        }
        // The other references belong to features that are off.
        _ => Value::FuncRef(None),
    }
}

/// How an instantiation ended, by the error that it gave.
pub(super) fn failed_start(error: &::wasmtime::Error, limiter: &Limiter) -> Ending {
    match (trap_of(error), limiter.denied) {
        (None, Some(which)) if !limiter.starved => Ending::Limited(which),
        _ => ending_of(error),
    }
}

/// How a call ended, by the error that it gave.
pub(super) fn ending_of(error: &::wasmtime::Error) -> Ending {
    trap_of(error).unwrap_or_else(|| Ending::Infra(format!("{error:#}")))
}

/// The ending if the error is a trap, of the engine or of a host function.
fn trap_of(error: &::wasmtime::Error) -> Option<Ending> {
    if error.downcast_ref::<HostTrap>().is_some() {
        return Some(Ending::Trapped(TrapKind::Host));
    }
    let trap = error.downcast_ref::<Trap>()?;
    Some(trap_kind(*trap).map_or_else(|| Ending::Unmapped(trap.to_string()), Ending::Trapped))
}

fn trap_kind(trap: Trap) -> Option<TrapKind> {
    Some(match trap {
        Trap::UnreachableCodeReached => TrapKind::Unreachable,
        Trap::IntegerDivisionByZero => TrapKind::DivisionByZero,
        Trap::IntegerOverflow => TrapKind::IntegerOverflow,
        Trap::BadConversionToInteger => TrapKind::InvalidConversion,
        Trap::MemoryOutOfBounds => TrapKind::MemoryOutOfBounds,
        Trap::TableOutOfBounds => TrapKind::TableOutOfBounds,
        Trap::IndirectCallToNull => TrapKind::IndirectCallNull,
        Trap::BadSignature => TrapKind::IndirectCallSignature,
        Trap::StackOverflow => TrapKind::StackExhausted,
        Trap::OutOfFuel => TrapKind::OutOfFuel,
        _ => return None,
    })
}
