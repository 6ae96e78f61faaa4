//! Modules for engines that ask nobody before a memory or table grows, and that run start functions where we cannot serve
//! what they call.

use wasm_encoder::{
    EntityType, ExportKind, ExportSection, ImportSection, MemorySection, MemoryType, Module, RawSection,
    TableSection, TableType,
    reencode::{Reencode, RoundtripReencoder},
};
use wasmparser::{
    ExportSectionReader, ImportSectionReader, MemorySectionReader, Parser, Payload, TableInit,
    TableSectionReader,
};

use crate::{limits::Which, settings::Limits};

/// A module whose maxima are within our limits. No program can tell that from a host that refuses to grow. Its imports have
/// their numbers for names: some engines ask for imports by name, and names may repeat.
pub(crate) struct Bounded {
    pub bytes: Vec<u8>,
    /// The export of what was the start function. Whoever instantiates the module calls it.
    pub start: Option<String>,
}

/// Why there is no such module.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unbounded {
    /// It begins beyond this limit.
    #[error("it begins with too many {0}")]
    Exceeds(Which),
    /// It cannot be read, or has something that none of our features is about.
    #[error("{0}")]
    Unreadable(String),
}

impl From<wasmparser::BinaryReaderError> for Unbounded {
    fn from(error: wasmparser::BinaryReaderError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl From<wasm_encoder::reencode::Error> for Unbounded {
    fn from(error: wasm_encoder::reencode::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// The module with maxima that are within the limits, and with an export in place of its start section.
pub(crate) fn bounded(bytes: &[u8], limits: &Limits) -> Result<Bounded, Unbounded> {
    let start = start_of(bytes)?;
    let mut writing = Writing { limits, module: Module::new(), start, name: None, memories: 0, tables: 0 };
    for payload in Parser::new(0).parse_all(bytes) {
        writing.take(bytes, payload?)?;
    }
    let Writing { module, name, .. } = writing;
    Ok(Bounded { bytes: module.finish(), start: name })
}

/// The start function. It stands behind the exports, but before the code, which need not be read.
fn start_of(bytes: &[u8]) -> Result<Option<u32>, Unbounded> {
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::StartSection { func, .. } => return Ok(Some(func)),
            Payload::CodeSectionStart { .. } => break,
            _ => {}
        }
    }
    Ok(None)
}

/// Sections of known kinds have these numbers, in the order in which they stand in a module.
const EXPORTS: u8 = 7;

struct Writing<'a> {
    limits: &'a Limits,
    module: Module,
    /// The start function that has no export yet.
    start: Option<u32>,
    name: Option<String>,
    memories: usize,
    tables: usize,
}

impl Writing<'_> {
    fn take(&mut self, bytes: &[u8], payload: Payload<'_>) -> Result<(), Unbounded> {
        match payload {
            Payload::ImportSection(section) => self.imports(section),
            Payload::TableSection(section) => self.tables(section),
            Payload::MemorySection(section) => self.memories(section),
            Payload::ExportSection(section) => self.exports(Some(section)),
            Payload::StartSection { .. } => self.exports(None),
            other => {
                let Some((id, range)) = other.as_section() else { return Ok(()) };
                if id > EXPORTS {
                    self.exports(None)?;
                }
                self.module.section(&RawSection { id, data: &bytes[range] });
                Ok(())
            }
        }
    }

    fn imports(&mut self, section: ImportSectionReader<'_>) -> Result<(), Unbounded> {
        let mut imports = ImportSection::new();
        for (number, import) in section.into_imports().enumerate() {
            let import = import?;
            let ty = match RoundtripReencoder.entity_type(import.ty)? {
                EntityType::Memory(ty) => EntityType::Memory(self.memory(ty)?),
                EntityType::Table(ty) => EntityType::Table(self.table(ty)?),
                other => other,
            };
            imports.import("", &number.to_string(), ty);
        }
        self.module.section(&imports);
        Ok(())
    }

    fn tables(&mut self, section: TableSectionReader<'_>) -> Result<(), Unbounded> {
        let mut tables = TableSection::new();
        for table in section {
            let table = table?;
            if !matches!(table.init, TableInit::RefNull) {
                return Err(Unbounded::Unreadable("a table has elements from the start".to_owned()));
            }
            let ty = RoundtripReencoder.table_type(table.ty)?;
            tables.table(self.table(ty)?);
        }
        self.module.section(&tables);
        Ok(())
    }

    fn memories(&mut self, section: MemorySectionReader<'_>) -> Result<(), Unbounded> {
        let mut memories = MemorySection::new();
        for memory in section {
            let ty = RoundtripReencoder.memory_type(memory?)?;
            memories.memory(self.memory(ty)?);
        }
        self.module.section(&memories);
        Ok(())
    }

    fn memory(&mut self, ty: MemoryType) -> Result<MemoryType, Unbounded> {
        self.memories += 1;
        let most = self.limits.memory_pages as u64;
        match () {
            () if self.memories > self.limits.memories => Err(Unbounded::Exceeds(Which::Memories)),
            () if ty.minimum > most => Err(Unbounded::Exceeds(Which::MemoryPages)),
            () => Ok(MemoryType { maximum: Some(ty.maximum.unwrap_or(most).min(most)), ..ty }),
        }
    }

    fn table(&mut self, ty: TableType) -> Result<TableType, Unbounded> {
        self.tables += 1;
        let most = self.limits.table_elements as u64;
        match () {
            () if self.tables > self.limits.tables => Err(Unbounded::Exceeds(Which::Tables)),
            () if ty.minimum > most => Err(Unbounded::Exceeds(Which::TableElements)),
            () => Ok(TableType { maximum: Some(ty.maximum.unwrap_or(most).min(most)), ..ty }),
        }
    }

    /// Writes the exports, and one more for the start function. Does nothing if that was done before.
    fn exports(&mut self, section: Option<ExportSectionReader<'_>>) -> Result<(), Unbounded> {
        let start = self.start.take();
        if section.is_none() && start.is_none() {
            return Ok(());
        }
        let (mut exports, mut name) = (ExportSection::new(), "start".to_owned());
        for export in section.into_iter().flatten() {
            let export = export?;
            exports.export(export.name, RoundtripReencoder.export_kind(export.kind)?, export.index);
            // Longer than every name so far that it might be.
            if export.name.starts_with(&name) {
                name = format!("{}+", export.name);
            }
        }
        if let Some(function) = start {
            exports.export(&name, ExportKind::Func, function);
            self.name = Some(name);
        }
        self.module.section(&exports);
        Ok(())
    }
}
