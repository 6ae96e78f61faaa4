//! Converts wasmparser's types to those of the AST.

use wasmparser::{AbstractHeapType, HeapType};

use crate::immediate::{Align, F32, F64, Lane, Lanes, MemArg, Offset, V128};
use crate::index::{DataIdx, ElemIdx, FuncIdx, GlobalIdx, LabelIdx, LocalIdx, MemIdx, TableIdx, TypeIdx};
use crate::op::{BrTable, SelectTypes};
use crate::types::{
    AddressType, BlockType, Bound, FuncType, GlobalType, Limits, RefType, TableType, ValType,
};

/// The name of a feature that the AST does not have.
pub(super) type Missing = &'static str;

/// Conversion from a type of wasmparser; fails if the AST does not have the feature.
pub(super) trait Parsed<T>: Sized {
    fn parsed(from: T) -> Result<Self, Missing>;
}

macro_rules! always_parsed {
    ($($type:ty: $from:ty = |$value:ident| $result:expr;)*) => {
        $(impl Parsed<$from> for $type {
            fn parsed($value: $from) -> Result<Self, Missing> {
                Ok($result)
            }
        })*
    };
}

always_parsed! {
    TypeIdx: u32 = |index| Self::new(index);
    FuncIdx: u32 = |index| Self::new(index);
    TableIdx: u32 = |index| Self::new(index);
    MemIdx: u32 = |index| Self::new(index);
    GlobalIdx: u32 = |index| Self::new(index);
    ElemIdx: u32 = |index| Self::new(index);
    DataIdx: u32 = |index| Self::new(index);
    LocalIdx: u32 = |index| Self::new(index);
    LabelIdx: u32 = |index| Self::new(index);
    i32: i32 = |value| value;
    i64: i64 = |value| value;
    F32: wasmparser::Ieee32 = |value| Self(value.bits());
    F64: wasmparser::Ieee64 = |value| Self(value.bits());
    V128: wasmparser::V128 = |value| Self(Box::new(*value.bytes()));
    Lanes: [u8; 16] = |lanes| Self(Box::new(lanes));
    Lane: u8 = |lane| Self(lane);
}

impl Parsed<wasmparser::MemArg> for MemArg {
    fn parsed(from: wasmparser::MemArg) -> Result<Self, Missing> {
        let align = Align::new(from.align).ok_or("large-alignment")?;
        Ok(Self { offset: Offset::new(from.offset), align, memory: MemIdx::new(from.memory) })
    }
}

impl Parsed<HeapType> for RefType {
    fn parsed(from: HeapType) -> Result<Self, Missing> {
        match from {
            HeapType::FUNC => Ok(Self::FuncRef),
            HeapType::EXTERN => Ok(Self::ExternRef),
            HeapType::Abstract { shared: true, .. } => Err("shared-everything-threads"),
            HeapType::Abstract { ty: AbstractHeapType::Exn | AbstractHeapType::NoExn, .. } => {
                Err("exceptions")
            }
            HeapType::Abstract { ty: AbstractHeapType::Cont | AbstractHeapType::NoCont, .. } => {
                Err("stack-switching")
            }
            HeapType::Abstract { .. } => Err("gc"),
            HeapType::Concrete(_) => Err("function-references"),
            HeapType::Exact(_) => Err("custom-descriptors"),
        }
    }
}

impl Parsed<wasmparser::RefType> for RefType {
    fn parsed(from: wasmparser::RefType) -> Result<Self, Missing> {
        let ty = Self::parsed(from.heap_type())?;
        if from.is_nullable() { Ok(ty) } else { Err("function-references") }
    }
}

impl Parsed<wasmparser::ValType> for ValType {
    fn parsed(from: wasmparser::ValType) -> Result<Self, Missing> {
        Ok(match from {
            wasmparser::ValType::I32 => Self::I32,
            wasmparser::ValType::I64 => Self::I64,
            wasmparser::ValType::F32 => Self::F32,
            wasmparser::ValType::F64 => Self::F64,
            wasmparser::ValType::V128 => Self::V128,
            wasmparser::ValType::Ref(ty) => RefType::parsed(ty)?.into(),
        })
    }
}

impl Parsed<&[wasmparser::ValType]> for Vec<ValType> {
    fn parsed(from: &[wasmparser::ValType]) -> Result<Self, Missing> {
        from.iter().map(|ty| ValType::parsed(*ty)).collect()
    }
}

impl Parsed<&wasmparser::FuncType> for FuncType {
    fn parsed(from: &wasmparser::FuncType) -> Result<Self, Missing> {
        Ok(Self { params: Parsed::parsed(from.params())?, results: Parsed::parsed(from.results())? })
    }
}

impl Parsed<wasmparser::BlockType> for BlockType {
    fn parsed(from: wasmparser::BlockType) -> Result<Self, Missing> {
        Ok(match from {
            wasmparser::BlockType::Empty => Self::Empty,
            wasmparser::BlockType::Type(ty) => Self::Value(ValType::parsed(ty)?),
            wasmparser::BlockType::FuncType(index) => Self::Type(index.into()),
        })
    }
}

impl Parsed<Vec<wasmparser::ValType>> for Box<SelectTypes> {
    fn parsed(from: Vec<wasmparser::ValType>) -> Result<Self, Missing> {
        Ok(Self::new(SelectTypes { types: Parsed::parsed(from.as_slice())? }))
    }
}

/// Collects all targets of `from`. wasmparser has already read them once, so their number is right.
pub(super) fn br_table(from: &wasmparser::BrTable<'_>) -> wasmparser::Result<Box<BrTable>> {
    let targets = from.targets().map(|target| target.map(LabelIdx::new)).collect::<Result<_, _>>()?;
    Ok(Box::new(BrTable { targets, default: LabelIdx::new(from.default()) }))
}

fn limits(min: u64, max: Option<u64>, wide: bool) -> Limits {
    let address = if wide { AddressType::I64 } else { AddressType::I32 };
    Limits { min: Bound(min), max: max.map(Bound), address }
}

impl Parsed<wasmparser::MemoryType> for Limits {
    fn parsed(from: wasmparser::MemoryType) -> Result<Self, Missing> {
        match from {
            wasmparser::MemoryType { shared: true, .. } => Err("threads"),
            wasmparser::MemoryType { page_size_log2: Some(_), .. } => Err("custom-page-sizes"),
            _ => Ok(limits(from.initial, from.maximum, from.memory64)),
        }
    }
}

impl Parsed<wasmparser::TableType> for TableType {
    fn parsed(from: wasmparser::TableType) -> Result<Self, Missing> {
        if from.shared {
            return Err("shared-everything-threads");
        }
        let limits = limits(from.initial, from.maximum, from.table64);
        Ok(Self { element: Parsed::parsed(from.element_type)?, limits })
    }
}

impl Parsed<wasmparser::GlobalType> for GlobalType {
    fn parsed(from: wasmparser::GlobalType) -> Result<Self, Missing> {
        if from.shared {
            return Err("shared-everything-threads");
        }
        Ok(Self { value: Parsed::parsed(from.content_type)?, mutable: from.mutable })
    }
}
