//! Converts the types of the AST to wasm-encoder's.

use wasm_encoder::{EntityType, ExportKind};

use crate::immediate::{F32, F64, Lane, Lanes, MemArg, V128};
use crate::index::{DataIdx, ElemIdx, FuncIdx, GlobalIdx, LabelIdx, LocalIdx, MemIdx, TableIdx, TypeIdx};
use crate::module::{ExportItem, ImportItem};
use crate::types::{AddressType, BlockType, GlobalType, Limits, RefType, TableType, ValType};

/// Conversion to a type of wasm-encoder.
pub(super) trait Encoded {
    type To;

    fn encoded(&self) -> Self::To;
}

macro_rules! encoded {
    ($($type:ty: $to:ty = |$value:ident| $result:expr;)*) => {
        $(impl Encoded for $type {
            type To = $to;

            fn encoded(&self) -> $to {
                let $value = self;
                $result
            }
        })*
    };
}

encoded! {
    TypeIdx: u32 = |index| index.get();
    FuncIdx: u32 = |index| index.get();
    TableIdx: u32 = |index| index.get();
    MemIdx: u32 = |index| index.get();
    GlobalIdx: u32 = |index| index.get();
    ElemIdx: u32 = |index| index.get();
    DataIdx: u32 = |index| index.get();
    LocalIdx: u32 = |index| index.get();
    LabelIdx: u32 = |index| index.get();
    i32: i32 = |value| *value;
    i64: i64 = |value| *value;
    F32: wasm_encoder::Ieee32 = |value| wasm_encoder::Ieee32::new(value.0);
    F64: wasm_encoder::Ieee64 = |value| wasm_encoder::Ieee64::new(value.0);
    V128: i128 = |value| i128::from_le_bytes(*value.0);
    Lanes: [u8; 16] = |lanes| *lanes.0;
    Lane: u8 = |lane| lane.0;
}

impl Encoded for MemArg {
    type To = wasm_encoder::MemArg;

    fn encoded(&self) -> Self::To {
        wasm_encoder::MemArg {
            offset: self.offset.get(),
            align: self.align.exponent().into(),
            memory_index: self.memory.get(),
        }
    }
}

impl Encoded for ValType {
    type To = wasm_encoder::ValType;

    fn encoded(&self) -> Self::To {
        match self {
            Self::I32 => wasm_encoder::ValType::I32,
            Self::I64 => wasm_encoder::ValType::I64,
            Self::F32 => wasm_encoder::ValType::F32,
            Self::F64 => wasm_encoder::ValType::F64,
            Self::V128 => wasm_encoder::ValType::V128,
            Self::FuncRef => wasm_encoder::ValType::FUNCREF,
            Self::ExternRef => wasm_encoder::ValType::EXTERNREF,
        }
    }
}

impl Encoded for RefType {
    type To = wasm_encoder::RefType;

    fn encoded(&self) -> Self::To {
        match self {
            Self::FuncRef => wasm_encoder::RefType::FUNCREF,
            Self::ExternRef => wasm_encoder::RefType::EXTERNREF,
        }
    }
}

impl Encoded for BlockType {
    type To = wasm_encoder::BlockType;

    fn encoded(&self) -> Self::To {
        match self {
            Self::Empty => wasm_encoder::BlockType::Empty,
            Self::Value(ty) => wasm_encoder::BlockType::Result(ty.encoded()),
            Self::Type(index) => wasm_encoder::BlockType::FunctionType(index.get()),
        }
    }
}

impl Encoded for Limits {
    type To = wasm_encoder::MemoryType;

    fn encoded(&self) -> Self::To {
        wasm_encoder::MemoryType {
            minimum: self.min.0,
            maximum: self.max.map(|max| max.0),
            memory64: self.address == AddressType::I64,
            shared: false,
            page_size_log2: None,
        }
    }
}

impl Encoded for TableType {
    type To = wasm_encoder::TableType;

    fn encoded(&self) -> Self::To {
        wasm_encoder::TableType {
            element_type: self.element.encoded(),
            minimum: self.limits.min.0,
            maximum: self.limits.max.map(|max| max.0),
            table64: self.limits.address == AddressType::I64,
            shared: false,
        }
    }
}

impl Encoded for GlobalType {
    type To = wasm_encoder::GlobalType;

    fn encoded(&self) -> Self::To {
        wasm_encoder::GlobalType { val_type: self.value.encoded(), mutable: self.mutable, shared: false }
    }
}

impl Encoded for ImportItem {
    type To = EntityType;

    fn encoded(&self) -> EntityType {
        match self {
            Self::Func(ty) => EntityType::Function(ty.get()),
            Self::Table(ty) => EntityType::Table(ty.encoded()),
            Self::Memory(ty) => EntityType::Memory(ty.encoded()),
            Self::Global(ty) => EntityType::Global(ty.encoded()),
        }
    }
}

impl Encoded for ExportItem {
    type To = (ExportKind, u32);

    fn encoded(&self) -> Self::To {
        match self {
            Self::Func(index) => (ExportKind::Func, index.get()),
            Self::Table(index) => (ExportKind::Table, index.get()),
            Self::Memory(index) => (ExportKind::Memory, index.get()),
            Self::Global(index) => (ExportKind::Global, index.get()),
        }
    }
}
