//! What a module imports and exports, for engines that do not tell the types of it.

use wasmparser::{
    CompositeInnerType, ExternalKind, FuncType, GlobalType, MemoryType, Parser, Payload, TableType, TypeRef,
    ValType,
};

use crate::{
    engine::Signature,
    host::imported_global,
    value::{Value, ValueType},
};

/// What a valid module imports, in its order, and exports, in the order of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    pub imports: Vec<External>,
    pub exports: Vec<(String, External)>,
}

/// Something that is imported or exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum External {
    Function(Signature),
    /// In pages.
    Memory {
        wide: bool,
        initial: u64,
        maximum: Option<u64>,
    },
    /// In elements, of the type of `null`.
    Table {
        wide: bool,
        initial: u64,
        maximum: Option<u64>,
        null: Value,
    },
    /// A global with the value that the host gives it, if it is imported, or else with the zero of its type.
    Global {
        value: Value,
        mutable: bool,
    },
}

/// Everything that a module defines or imports, by index space.
#[derive(Default)]
pub(crate) struct Spaces {
    types: Vec<Option<Signature>>,
    functions: Vec<External>,
    pub memories: Vec<External>,
    pub tables: Vec<External>,
    globals: Vec<External>,
    outline: Outline,
}

/// The outline of a valid module, and all memories and tables that it has. `None` if it has what belongs to features that are not
/// among ours.
pub(crate) fn outline(bytes: &[u8]) -> Option<(Outline, Spaces)> {
    let mut spaces = Spaces::default();
    for payload in Parser::new(0).parse_all(bytes) {
        spaces.take(payload.ok()?)?;
    }
    let mut outline = std::mem::take(&mut spaces.outline);
    outline.exports.sort_by(|a, b| a.0.cmp(&b.0));
    Some((outline, spaces))
}

impl Spaces {
    fn take(&mut self, payload: Payload<'_>) -> Option<()> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section {
                    let types = group.ok()?.into_types();
                    self.types.extend(types.map(|ty| match &ty.composite_type.inner {
                        CompositeInnerType::Func(ty) => signature(ty),
                        _ => None,
                    }));
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    self.import(import.ok()?.ty)?;
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    let function = self.function(ty.ok()?)?;
                    self.functions.push(function);
                }
            }
            Payload::TableSection(section) => {
                for own in section {
                    self.tables.push(table(&own.ok()?.ty)?);
                }
            }
            Payload::MemorySection(section) => {
                for own in section {
                    self.memories.push(memory(&own.ok()?));
                }
            }
            Payload::GlobalSection(section) => {
                for own in section {
                    let ty = own.ok()?.ty;
                    self.globals.push(global(&ty, Value::zero(value_type(ty.content_type)?)));
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export.ok()?;
                    let space = match export.kind {
                        ExternalKind::Func | ExternalKind::FuncExact => &self.functions,
                        ExternalKind::Table => &self.tables,
                        ExternalKind::Memory => &self.memories,
                        ExternalKind::Global => &self.globals,
                        ExternalKind::Tag => return None,
                    };
                    let external = space.get(export.index as usize)?.clone();
                    self.outline.exports.push((export.name.to_owned(), external));
                }
            }
            _ => {}
        }
        Some(())
    }

    fn import(&mut self, ty: TypeRef) -> Option<()> {
        let external = match ty {
            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => self.function(ty)?,
            TypeRef::Table(ty) => table(&ty)?,
            TypeRef::Memory(ty) => memory(&ty),
            TypeRef::Global(ty) => {
                let value = imported_global(self.globals.len() as u32, value_type(ty.content_type)?);
                global(&ty, value)
            }
            TypeRef::Tag(_) => return None,
        };
        let space = match external {
            External::Function(_) => &mut self.functions,
            External::Memory { .. } => &mut self.memories,
            External::Table { .. } => &mut self.tables,
            External::Global { .. } => &mut self.globals,
        };
        space.push(external.clone());
        self.outline.imports.push(external);
        Some(())
    }

    fn function(&self, ty: u32) -> Option<External> {
        self.types.get(ty as usize)?.clone().map(External::Function)
    }
}

fn signature(ty: &FuncType) -> Option<Signature> {
    let types =
        |types: &[ValType]| types.iter().map(|ty| value_type(*ty)).collect::<Option<Vec<ValueType>>>();
    Some(Signature { parameters: types(ty.params())?, results: types(ty.results())? })
}

fn value_type(ty: ValType) -> Option<ValueType> {
    Some(match ty {
        ValType::I32 => ValueType::I32,
        ValType::I64 => ValueType::I64,
        ValType::F32 => ValueType::F32,
        ValType::F64 => ValueType::F64,
        ValType::V128 => ValueType::V128,
        ValType::Ref(ty) if ty.is_func_ref() => ValueType::FuncRef,
        ValType::Ref(ty) if ty.is_extern_ref() => ValueType::ExternRef,
        ValType::Ref(_) => return None,
    })
}

fn table(ty: &TableType) -> Option<External> {
    let null = Value::zero(value_type(ValType::Ref(ty.element_type))?);
    Some(External::Table { wide: ty.table64, initial: ty.initial, maximum: ty.maximum, null })
}

fn memory(ty: &MemoryType) -> External {
    External::Memory { wide: ty.memory64, initial: ty.initial, maximum: ty.maximum }
}

fn global(ty: &GlobalType, value: Value) -> External {
    External::Global { value, mutable: ty.mutable }
}
