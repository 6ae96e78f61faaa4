//! Which features a module needs.

use mutagen_engine::Mutable;

use super::blocks;
use crate::features::{Feature, Features};
use crate::immediate::MemArg;
use crate::index::{GlobalIdx, MemIdx, TableIdx};
use crate::instr::Instr;
use crate::module::{ConstExpr, Data, DataCount, Element, ExportItem, Import, ImportItem, Module};
use crate::op::{I32Binary, I64Binary, Op};
use crate::types::{AddressType, BlockType, FuncType, GlobalType, Limits, RefType, TableType, ValType};

impl Module {
    /// The features that the module needs: it is invalid without any of them, and may be invalid with all of
    /// them.
    ///
    /// ```
    /// use mutagen_wasm_ast::Module;
    ///
    /// let module = Module::from_text("(module (memory 1) (func i32.const 1 i32.extend8_s drop return_call 0))")?;
    /// assert_eq!(module.features().to_string(), "sign-extension,tail-call");
    /// # Ok::<(), mutagen_wasm_ast::TextError>(())
    /// ```
    pub fn features(&self) -> Features {
        all(&self.types)
            | all(&self.imports)
            | all(&self.tables)
            | all(&self.memories)
            | self.code_needs()
            | all(self.globals.iter().map(|global| global.ty))
            | self.sharing_needs()
            | self.plural_needs()
            | all(self.globals.iter().map(|global| Const(&global.init)))
            | all(&self.elements)
            | all(&self.data)
            | when(self.data_count == DataCount::Present, Feature::BulkMemory)
    }

    fn code_needs(&self) -> Features {
        let locals = self.functions.iter().flat_map(|function| &function.locals);
        let ops = self.bodies().flat_map(|(body, _)| body).filter_map(|instr| match instr {
            Instr::Op(op) => Some(op),
            Instr::Block(_) => None,
        });
        let types = self.bodies().flat_map(|(body, _)| blocks(body)).map(|block| block.ty);
        all(locals.map(|locals| locals.ty)) | all(ops) | all(types)
    }

    /// The features that several memories or several tables need.
    fn plural_needs(&self) -> Features {
        let imported =
            |is: fn(&ImportItem) -> bool| self.imports.iter().filter(|import| is(&import.item)).count();
        let memories = self.memories.len() + imported(|item| matches!(item, ImportItem::Memory(_)));
        let tables = self.tables.len() + imported(|item| matches!(item, ImportItem::Table(_)));
        when(memories > 1, Feature::MultiMemory) | when(tables > 1, Feature::ReferenceTypes)
    }

    /// The feature that imported or exported mutable globals need.
    fn sharing_needs(&self) -> Features {
        let imported: Vec<GlobalType> = self.imports.iter().filter_map(imported_global).collect();
        let ty = |index: GlobalIdx| {
            let own = self.globals.iter().map(|global| global.ty);
            imported.iter().copied().chain(own).nth(index.get() as usize)
        };
        let exported = self.exports.iter().filter_map(|export| match export.item {
            ExportItem::Global(index) => ty(index),
            _ => None,
        });
        let mutable = imported.iter().copied().chain(exported).any(|ty| ty.mutable);
        when(mutable, Feature::MutableGlobal)
    }
}

fn imported_global(import: &Import) -> Option<GlobalType> {
    match import.item {
        ImportItem::Global(ty) => Some(ty),
        _ => None,
    }
}

/// The features that a part of a module needs.
pub(crate) trait Needs {
    fn needs(&self) -> Features;
}

impl<N: Needs> Needs for &N {
    fn needs(&self) -> Features {
        (*self).needs()
    }
}

fn all(items: impl IntoIterator<Item = impl Needs>) -> Features {
    items.into_iter().fold(Features::NONE, |features, item| features | item.needs())
}

fn when(condition: bool, feature: Feature) -> Features {
    if condition { Features::NONE.with(feature) } else { Features::NONE }
}

impl Needs for ValType {
    fn needs(&self) -> Features {
        let reference = matches!(self, Self::FuncRef | Self::ExternRef);
        when(*self == Self::V128, Feature::Simd) | when(reference, Feature::ReferenceTypes)
    }
}

impl Needs for RefType {
    fn needs(&self) -> Features {
        when(*self == Self::ExternRef, Feature::ReferenceTypes)
    }
}

impl Needs for FuncType {
    fn needs(&self) -> Features {
        all(&self.params) | all(&self.results) | when(self.results.len() > 1, Feature::MultiValue)
    }
}

impl Needs for BlockType {
    fn needs(&self) -> Features {
        match self {
            Self::Empty => Features::NONE,
            Self::Value(ty) => ty.needs(),
            Self::Type(_) => when(true, Feature::MultiValue),
        }
    }
}

impl Needs for Limits {
    fn needs(&self) -> Features {
        let large = self.min.0.max(self.max.map_or(0, |max| max.0)) > u32::MAX.into();
        when(large || self.address == AddressType::I64, Feature::Memory64)
    }
}

impl Needs for TableType {
    fn needs(&self) -> Features {
        self.element.needs() | self.limits.needs()
    }
}

impl Needs for GlobalType {
    fn needs(&self) -> Features {
        self.value.needs()
    }
}

impl Needs for Import {
    fn needs(&self) -> Features {
        match &self.item {
            ImportItem::Func(_) => Features::NONE,
            ImportItem::Table(ty) => ty.needs(),
            ImportItem::Memory(limits) => limits.needs(),
            ImportItem::Global(ty) => ty.needs(),
        }
    }
}

impl Needs for MemIdx {
    fn needs(&self) -> Features {
        when(self.get() != 0, Feature::MultiMemory)
    }
}

impl Needs for TableIdx {
    fn needs(&self) -> Features {
        when(self.get() != 0, Feature::ReferenceTypes)
    }
}

impl Needs for MemArg {
    fn needs(&self) -> Features {
        self.memory.needs() | when(self.offset.get() > u32::MAX.into(), Feature::Memory64)
    }
}

impl Needs for Op {
    fn needs(&self) -> Features {
        let immediates = (0..self.children()).map(|index| Immediate(self.child(index)));
        let types = if let Self::TypedSelect(select) = self { all(&select.types) } else { Features::NONE };
        self.own_needs() | all(immediates) | types
    }
}

/// An immediate of any type.
struct Immediate<'a>(&'a dyn Mutable);

impl Needs for Immediate<'_> {
    fn needs(&self) -> Features {
        let any = self.0.as_any();
        let memory = any.downcast_ref::<MemIdx>().map(Needs::needs);
        let table = any.downcast_ref::<TableIdx>().map(Needs::needs);
        let access = any.downcast_ref::<MemArg>().map(Needs::needs);
        memory.or(table).or(access).unwrap_or(Features::NONE)
    }
}

/// A constant expression, where arithmetic needs a feature.
struct Const<'a>(&'a ConstExpr);

impl Needs for Const<'_> {
    fn needs(&self) -> Features {
        use {I32Binary::*, I64Binary::*};
        let arithmetic = |op: &Op| {
            matches!(op, Op::I32Binary(I32Add | I32Sub | I32Mul) | Op::I64Binary(I64Add | I64Sub | I64Mul))
        };
        all(self.0) | when(self.0.iter().any(arithmetic), Feature::ExtendedConst)
    }
}

impl Needs for Element {
    fn needs(&self) -> Features {
        let passive = when(true, Feature::BulkMemory);
        match self {
            Self::Active { offset, .. } => Const(offset).needs(),
            Self::ActiveIn { table, offset, .. } => table.needs() | Const(offset).needs(),
            Self::Passive { .. } | Self::Declared { .. } => passive,
            Self::ActiveExprs { offset, exprs } => Const(offset).needs() | references_need(exprs),
            Self::ActiveExprsIn { offset, exprs, .. } => Const(offset).needs() | references_need(exprs),
            Self::PassiveExprs { exprs, .. } | Self::DeclaredExprs { exprs, .. } => {
                passive | references_need(exprs)
            }
        }
    }
}

fn references_need(exprs: &[ConstExpr]) -> Features {
    when(true, Feature::ReferenceTypes) | all(exprs.iter().map(Const))
}

impl Needs for Data {
    fn needs(&self) -> Features {
        match self {
            Self::Active { memory, offset, .. } => memory.needs() | Const(offset).needs(),
            Self::Passive { .. } => when(true, Feature::BulkMemory),
        }
    }
}
