//! The context of a repair: the definitions that bodies and segments can refer to.

use crate::bytes::Bytes;
use crate::features::{Feature, Features};
use crate::index::{DataIdx, ElemIdx, FuncIdx, GlobalIdx, MemIdx, TableIdx};
use crate::module::{ConstExpr, Data, DataCount, Element, ExportItem, Function, Global, Module};
use crate::op::Op;
use crate::spaces::Spaces;
use crate::types::{FuncType, GlobalType, Limits, RefType, TableType, ValType};

use super::constant::zero;

/// The size of a table that repair adds.
const TABLE_SIZE: u64 = 10;

/// The module around the functions. Definitions are added at the end of their lists, so that no index changes
/// its meaning.
pub(super) struct Context<'a> {
    pub(super) module: &'a mut Module,
    pub(super) spaces: Spaces,
    pub(super) features: Features,
    /// Whether definitions may be added.
    extensible: bool,
    /// Functions that bodies refer to.
    referred: Vec<FuncIdx>,
    uses_data: bool,
}

impl<'a> Context<'a> {
    /// The context for a module whose functions were taken out.
    pub(super) fn new(module: &'a mut Module, functions: &[Function], features: Features) -> Self {
        let mut spaces = Spaces::of(module);
        spaces.functions.extend(functions.iter().map(|function| function.ty));
        Self { module, spaces, features, extensible: true, referred: Vec::new(), uses_data: false }
    }

    /// The context for a module that must stay as it is.
    pub(super) fn fixed(module: &'a mut Module, functions: &[Function], features: Features) -> Self {
        Self { extensible: false, ..Self::new(module, functions, features) }
    }

    pub(super) fn on(&self, feature: Feature) -> bool {
        self.features.contains(feature)
    }

    /// The type of a function, which must exist.
    pub(super) fn function_type(&self, function: FuncIdx) -> FuncType {
        let ty = self.spaces.functions[function.get() as usize];
        self.module.types[ty.get() as usize].clone()
    }

    pub(super) fn function(&self, index: FuncIdx) -> Option<FuncIdx> {
        nearest(index.get(), self.spaces.functions.len()).map(FuncIdx::new)
    }

    /// The memory with this index, else the last one, else a new one.
    pub(super) fn memory(&mut self, index: MemIdx) -> Option<MemIdx> {
        if self.spaces.memories.is_empty() && self.extensible {
            let limits = Limits::at_least(1);
            self.spaces.memories.push(limits);
            self.module.memories.push(limits);
        }
        nearest(index.get(), self.spaces.memories.len()).map(MemIdx::new)
    }

    /// The table with this index, else the last one, else a new one.
    pub(super) fn any_table(&mut self, index: TableIdx) -> Option<TableIdx> {
        match nearest(index.get(), self.spaces.tables.len()) {
            Some(index) => Some(TableIdx::new(index)),
            None => self.add_table(RefType::FuncRef),
        }
    }

    /// The table with this index if it holds references of this type, else another one that does, else a new
    /// one.
    pub(super) fn table(&mut self, index: TableIdx, ty: RefType) -> Option<TableIdx> {
        let holds = |table: &&TableType| table.element == ty;
        if self.spaces.tables.get(index.get() as usize).filter(holds).is_some() {
            return Some(index);
        }
        match self.spaces.tables.iter().position(|table| holds(&table)) {
            Some(index) => Some(TableIdx::new(index as u32)),
            None => self.add_table(ty),
        }
    }

    fn add_table(&mut self, element: RefType) -> Option<TableIdx> {
        let possible = self.extensible
            && (self.spaces.tables.is_empty() || self.on(Feature::ReferenceTypes))
            && (element == RefType::FuncRef || self.on(Feature::ReferenceTypes));
        possible.then(|| {
            let ty = TableType { element, limits: Limits::at_least(TABLE_SIZE) };
            self.spaces.tables.push(ty);
            self.module.tables.push(ty);
            TableIdx::new(self.spaces.tables.len() as u32 - 1)
        })
    }

    /// The global with this index, else the last one, else a new one.
    pub(super) fn global(&mut self, index: GlobalIdx) -> Option<GlobalIdx> {
        match nearest(index.get(), self.spaces.globals.len()) {
            Some(index) => Some(GlobalIdx::new(index)),
            None => self.add_global(ValType::I32),
        }
    }

    /// The global with this index if it is mutable, else the nearest one that is, else a new one of type
    /// `ty`.
    pub(super) fn changeable_global(&mut self, index: GlobalIdx, ty: ValType) -> Option<GlobalIdx> {
        let own = index.get() as usize;
        if self.spaces.globals.get(own).is_some_and(|global| global.mutable) {
            return Some(index);
        }
        let globals = self.spaces.globals.iter().enumerate().filter(|(_, global)| global.mutable);
        match globals.map(|(index, _)| index).min_by_key(|index| index.abs_diff(own)) {
            Some(index) => Some(GlobalIdx::new(index as u32)),
            None => self.add_global(ty),
        }
    }

    fn add_global(&mut self, value: ValType) -> Option<GlobalIdx> {
        self.extensible.then(|| {
            let ty = GlobalType { value, mutable: true };
            self.spaces.globals.push(ty);
            self.module.globals.push(Global { ty, init: vec![zero(value)] });
            GlobalIdx::new(self.spaces.globals.len() as u32 - 1)
        })
    }

    /// The element segment with this index, else the last one, else a new one.
    pub(super) fn element(&mut self, index: ElemIdx) -> Option<ElemIdx> {
        if self.module.elements.is_empty() && self.extensible {
            self.module.elements.push(Element::Passive { functions: Vec::new() });
        }
        nearest(index.get(), self.module.elements.len()).map(ElemIdx::new)
    }

    /// The data segment with this index, else the last one, else a new one. Code that refers to one needs a
    /// data count section.
    pub(super) fn data(&mut self, index: DataIdx) -> Option<DataIdx> {
        if !self.extensible && self.module.data_count == DataCount::Absent {
            return None;
        }
        if self.module.data.is_empty() && self.extensible {
            self.module.data.push(Data::Passive { bytes: Bytes::default() });
        }
        self.uses_data = true;
        nearest(index.get(), self.module.data.len()).map(DataIdx::new)
    }

    /// The function with this index, else the last one, if `ref.func` may name it. A function that only
    /// bodies refer to must be declared for that.
    pub(super) fn referable(&mut self, index: FuncIdx) -> Option<FuncIdx> {
        let function = self.function(index)?;
        let declarable = self.extensible && self.on(Feature::BulkMemory);
        if declarable || is_declared(self.module, function) {
            self.referred.push(function);
            return Some(function);
        }
        None
    }

    /// Declares the functions, and adds the data count section, that bodies turned out to need.
    pub(super) fn finish(self) {
        if self.uses_data {
            self.module.data_count = DataCount::Present;
        }
        let Self { module, mut referred, .. } = self;
        referred.sort_by_key(|function| function.get());
        referred.dedup();
        referred.retain(|function| !is_declared(module, *function));
        if !referred.is_empty() {
            module.elements.push(Element::Declared { functions: referred });
        }
    }
}

/// The index, or the last one if it is too large. None if there are none.
pub(super) fn nearest(index: u32, count: usize) -> Option<u32> {
    let last = u32::try_from(count).ok()?.checked_sub(1)?;
    Some(index.min(last))
}

/// Whether something outside bodies refers to the function.
fn is_declared(module: &Module, function: FuncIdx) -> bool {
    let in_expr = |expr: &ConstExpr| expr.contains(&Op::RefFunc(function));
    let in_element = |element: &Element| match element {
        Element::Active { functions, .. }
        | Element::ActiveIn { functions, .. }
        | Element::Passive { functions }
        | Element::Declared { functions } => functions.contains(&function),
        Element::ActiveExprs { exprs, .. }
        | Element::ActiveExprsIn { exprs, .. }
        | Element::PassiveExprs { exprs, .. }
        | Element::DeclaredExprs { exprs, .. } => exprs.iter().any(in_expr),
    };
    module.exports.iter().any(|export| export.item == ExportItem::Func(function))
        || module.elements.iter().any(in_element)
        || module.globals.iter().any(|global| in_expr(&global.init))
}
