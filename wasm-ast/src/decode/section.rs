//! Decodes all sections but code and custom sections.

use wasmparser::{
    BinaryReader, CompositeInnerType, ExternalKind, FromReader, RecGroup, SectionLimited, TypeRef,
};

use super::DecodeError;
use super::body::const_expr;
use super::immediate::{Missing, Parsed};
use crate::bytes::Name;
use crate::index::FuncIdx;
use crate::module::{ConstExpr, Data, Element, Export, ExportItem, Function, Global, Import, ImportItem};
use crate::types::{FuncType, Limits, RefType, TableType};

/// Reads all items. The list grows as items are read, because the announced count may be wrong.
fn items<'a, P: FromReader<'a>, T>(
    section: SectionLimited<'a, P>,
    mut item: impl FnMut(P, usize) -> Result<T, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    let mut items = Vec::new();
    for parsed in section.into_iter_with_offsets() {
        let (offset, parsed) = parsed?;
        items.push(item(parsed, offset)?);
    }
    items.shrink_to_fit();
    Ok(items)
}

/// An item that is made from its parsed form alone.
fn plain<P, T: Parsed<P>>(parsed: P, offset: usize) -> Result<T, DecodeError> {
    T::parsed(parsed).map_err(|feature| DecodeError::missing(offset, feature))
}

/// First byte of a group of recursive types.
const REC_GROUP: u8 = 0x4e;

/// Types are read one by one, because wasmparser allocates memory for the announced size of a recursive group
/// before it reads the group.
pub(super) fn types(
    bytes: &[u8],
    section: &SectionLimited<'_, RecGroup>,
) -> Result<Vec<FuncType>, DecodeError> {
    let range = section.range();
    let mut reader = BinaryReader::new(&bytes[range.clone()], range.start);
    let count = reader.read_var_u32()?;
    let mut types = Vec::new();
    for _ in 0..count {
        let offset = reader.original_position();
        if reader.clone().read_u8()? == REC_GROUP {
            return Err(DecodeError::missing(offset, "gc"));
        }
        types.push(plain(&reader.read::<RecGroup>()?, offset)?);
    }
    if !reader.eof() {
        return Err(DecodeError::malformed(
            reader.original_position(),
            "section size mismatch: unexpected data at the end of the section",
        ));
    }
    types.shrink_to_fit();
    Ok(types)
}

impl Parsed<&RecGroup> for FuncType {
    fn parsed(group: &RecGroup) -> Result<Self, Missing> {
        let ty = group.types().next().filter(|ty| ty.is_final && ty.supertype_idx.is_none()).ok_or("gc")?;
        let composite = &ty.composite_type;
        if composite.shared {
            return Err("shared-everything-threads");
        }
        if composite.descriptor_idx.is_some() || composite.describes_idx.is_some() {
            return Err("custom-descriptors");
        }
        match &composite.inner {
            CompositeInnerType::Func(ty) => Self::parsed(ty),
            CompositeInnerType::Array(_) | CompositeInnerType::Struct(_) => Err("gc"),
            CompositeInnerType::Cont(_) => Err("stack-switching"),
        }
    }
}

pub(super) fn imports(section: wasmparser::ImportSectionReader<'_>) -> Result<Vec<Import>, DecodeError> {
    items(section, plain)
}

impl Parsed<wasmparser::Imports<'_>> for Import {
    fn parsed(imports: wasmparser::Imports<'_>) -> Result<Self, Missing> {
        match imports {
            wasmparser::Imports::Single(_, import) => Ok(Self {
                module: Name::from(import.module),
                name: Name::from(import.name),
                item: ImportItem::parsed(import.ty)?,
            }),
            _ => Err("compact-imports"),
        }
    }
}

impl Parsed<TypeRef> for ImportItem {
    fn parsed(ty: TypeRef) -> Result<Self, Missing> {
        Ok(match ty {
            TypeRef::Func(index) => Self::Func(index.into()),
            TypeRef::Table(ty) => Self::Table(Parsed::parsed(ty)?),
            TypeRef::Memory(ty) => Self::Memory(Parsed::parsed(ty)?),
            TypeRef::Global(ty) => Self::Global(Parsed::parsed(ty)?),
            TypeRef::Tag(_) => return Err("exceptions"),
            TypeRef::FuncExact(_) => return Err("custom-descriptors"),
        })
    }
}

/// Functions without their bodies, which the code section has.
pub(super) fn functions(section: SectionLimited<'_, u32>) -> Result<Vec<Function>, DecodeError> {
    items(section, |index, _| Ok(Function { ty: index.into(), locals: Vec::new(), body: Vec::new() }))
}

pub(super) fn tables(section: wasmparser::TableSectionReader<'_>) -> Result<Vec<TableType>, DecodeError> {
    items(section, plain)
}

impl Parsed<wasmparser::Table<'_>> for TableType {
    fn parsed(table: wasmparser::Table<'_>) -> Result<Self, Missing> {
        match table.init {
            wasmparser::TableInit::RefNull => Self::parsed(table.ty),
            wasmparser::TableInit::Expr(_) => Err("function-references"),
        }
    }
}

pub(super) fn memories(section: wasmparser::MemorySectionReader<'_>) -> Result<Vec<Limits>, DecodeError> {
    items(section, plain)
}

pub(super) fn globals(section: wasmparser::GlobalSectionReader<'_>) -> Result<Vec<Global>, DecodeError> {
    items(section, |global, offset| {
        Ok(Global { ty: plain(global.ty, offset)?, init: const_expr(&global.init_expr)? })
    })
}

pub(super) fn exports(section: wasmparser::ExportSectionReader<'_>) -> Result<Vec<Export>, DecodeError> {
    items(section, plain)
}

impl Parsed<wasmparser::Export<'_>> for Export {
    fn parsed(export: wasmparser::Export<'_>) -> Result<Self, Missing> {
        let index = export.index;
        let item = match export.kind {
            ExternalKind::Func => ExportItem::Func(index.into()),
            ExternalKind::Table => ExportItem::Table(index.into()),
            ExternalKind::Memory => ExportItem::Memory(index.into()),
            ExternalKind::Global => ExportItem::Global(index.into()),
            ExternalKind::Tag => return Err("exceptions"),
            ExternalKind::FuncExact => return Err("custom-descriptors"),
        };
        Ok(Self { name: Name::from(export.name), item })
    }
}

pub(super) fn elements(section: wasmparser::ElementSectionReader<'_>) -> Result<Vec<Element>, DecodeError> {
    items(section, |element, offset| match element.items {
        wasmparser::ElementItems::Functions(functions) => {
            let functions = items(functions, |index, _| Ok(FuncIdx::new(index)))?;
            function_element(element.kind, functions)
        }
        wasmparser::ElementItems::Expressions(ty, exprs) => {
            let exprs = items(exprs, |expr, _| const_expr(&expr))?;
            expr_element(element.kind, plain(ty, offset)?, exprs)
        }
    })
}

fn function_element(
    kind: wasmparser::ElementKind<'_>,
    functions: Vec<FuncIdx>,
) -> Result<Element, DecodeError> {
    use wasmparser::ElementKind::{Active, Declared, Passive};
    Ok(match kind {
        Active { table_index: None, offset_expr } => {
            Element::Active { offset: const_expr(&offset_expr)?, functions }
        }
        Active { table_index: Some(table), offset_expr } => {
            Element::ActiveIn { table: table.into(), offset: const_expr(&offset_expr)?, functions }
        }
        Passive => Element::Passive { functions },
        Declared => Element::Declared { functions },
    })
}

fn expr_element(
    kind: wasmparser::ElementKind<'_>,
    ty: RefType,
    exprs: Vec<ConstExpr>,
) -> Result<Element, DecodeError> {
    use wasmparser::ElementKind::{Active, Declared, Passive};
    Ok(match kind {
        Active { table_index: None, offset_expr } => {
            Element::ActiveExprs { offset: const_expr(&offset_expr)?, exprs }
        }
        Active { table_index: Some(table), offset_expr } => {
            Element::ActiveExprsIn { table: table.into(), offset: const_expr(&offset_expr)?, ty, exprs }
        }
        Passive => Element::PassiveExprs { ty, exprs },
        Declared => Element::DeclaredExprs { ty, exprs },
    })
}

pub(super) fn data(section: wasmparser::DataSectionReader<'_>) -> Result<Vec<Data>, DecodeError> {
    items(section, |data, _| {
        let bytes = data.data.into();
        Ok(match data.kind {
            wasmparser::DataKind::Passive => Data::Passive { bytes },
            wasmparser::DataKind::Active { memory_index, offset_expr } => {
                Data::Active { memory: memory_index.into(), offset: const_expr(&offset_expr)?, bytes }
            }
        })
    })
}
