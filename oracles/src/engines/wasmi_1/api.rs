//! The interface of this version of wasmi, as far as it differs from that of others.

use ::wasmi_1::errors::TableError;
pub(super) use ::wasmi_1::{
    AsContextMut, Caller, Config, Engine, Error, Extern, ExternRef, ExternType, F32, F64, Func, FuncType,
    Global, Instance, Memory, Module, Ref as Nullable, Store, Table, TrapCode, V128, Val, ValType,
    errors::{ErrorKind, HostError, InstantiationError, MemoryError},
};

/// What a table takes and gives.
pub(super) type Element = Val;

/// The zero or null of a type.
pub(super) fn zero(ty: ValType) -> Val {
    Val::default(ty)
}

/// The null of a table with such elements.
pub(super) fn null_element(ty: ValType) -> Element {
    Val::default(ty)
}

/// A value as an element, if it can be one.
pub(super) fn element(value: Val) -> Option<Element> {
    matches!(value, Val::FuncRef(_) | Val::ExternRef(_)).then_some(value)
}

/// An element as a value.
pub(super) fn value_of(element: Element) -> Val {
    element
}

/// Whether the error is a trap at the end of a table, for which `table.copy` of this version has no code.
pub(super) fn is_table_access(error: &ErrorKind) -> bool {
    matches!(error, ErrorKind::Table(TableError::CopyOutOfBounds))
}

/// Whether the error says that a function is not translated: it is invalid, or exceeds a limit of the translator.
pub(super) fn is_of_translator(error: &ErrorKind) -> bool {
    use ErrorKind::{Ir, Limits, Translation, Wasm};
    matches!(error, Translation(_) | Wasm(_) | Ir(_) | Limits(_))
}
