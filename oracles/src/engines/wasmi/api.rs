//! The interface of this version of wasmi, as far as it differs from that of others.

pub(super) use ::wasmi::{
    AsContextMut, Caller, Config, Engine, Error, Extern, ExternRef, ExternType, F32, F64, Func, FuncType,
    Global, Instance, Memory, Module, Nullable, Store, Table, TrapCode, V128, Val, ValType,
    errors::{ErrorKind, HostError, InstantiationError, MemoryError},
};

/// What a table takes and gives.
pub(super) type Element = ::wasmi::Ref;

/// The zero or null of a type.
pub(super) fn zero(ty: ValType) -> Val {
    Val::default_for_ty(ty)
}

/// The null of a table with such elements.
pub(super) fn null_element(ty: ::wasmi::RefType) -> Element {
    Element::default_for_ty(ty)
}

/// A value as an element, if it can be one.
pub(super) fn element(value: Val) -> Option<Element> {
    match value {
        Val::FuncRef(reference) => Some(Element::Func(reference)),
        Val::ExternRef(reference) => Some(Element::Extern(reference)),
        _ => None,
    }
}

/// An element as a value.
pub(super) fn value_of(element: Element) -> Val {
    Val::from(element)
}

/// Whether the error is a trap at the end of a table. This version has a code for it.
pub(super) fn is_table_access(_: &ErrorKind) -> bool {
    false
}

/// Whether the error says that a function is not translated: it is invalid, or exceeds a limit of the translator.
pub(super) fn is_of_translator(error: &ErrorKind) -> bool {
    use ErrorKind::{ImplementationLimits, Ir, Translation, UserLimits, Wasm};
    matches!(error, Translation(_) | Wasm(_) | Ir(_) | UserLimits(_) | ImplementationLimits(_))
}
