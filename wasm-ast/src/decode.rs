//! Decodes bytes to the AST. Only this module and its children use wasmparser.

mod body;
mod error;
mod immediate;
mod names;
mod section;

use wasmparser::{Encoding, FunctionBody, Parser, Payload};

pub use error::DecodeError;

use crate::module::{Custom, DataCount, Module};
use body::BodyReader;

/// Deepest nesting of blocks that [`Module::decode`] accepts. Published modules reach some 3,300 levels.
/// Everything in this crate works beyond the limit too, but code elsewhere that walks a module recursively
/// needs a bound.
pub const MAX_DEPTH: usize = 10_000;

impl Module {
    /// Decodes a binary module, which must be well-formed but need not be valid.
    ///
    /// Memory stays in proportion to the number of bytes: a count in the module never decides how much is
    /// allocated. A well-formed module must also keep to the implementation limits that wasmparser checks
    /// while it reads, such as 100,000 bytes for a name and 1,000 parameters.
    ///
    /// ```
    /// use mutagen_wasm_ast::Module;
    ///
    /// let module = Module::decode(b"\0asm\x01\0\0\0")?;
    /// assert_eq!(module, Module::default());
    /// let error = Module::decode(b"\0asm\x01\0\0\0\x01\x03\x01\x5f\0").unwrap_err();
    /// assert_eq!((error.offset(), error.unsupported()), (11, Some("gc")));
    /// # Ok::<(), mutagen_wasm_ast::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the bytes are malformed, use a feature that the AST does not have, or nest deeper than
    /// [`MAX_DEPTH`].
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        if bytes.is_empty() {
            return Err(DecodeError::malformed(0, "the module is empty"));
        }
        let mut decoder = Decoder::new(bytes);
        for payload in Parser::new(0).parse_all(bytes) {
            decoder.payload(payload?)?;
        }
        Ok(decoder.finish())
    }
}

/// Which sections have been read, to decide where a custom section stands.
#[derive(Clone, Copy, PartialEq)]
enum Progress {
    Start,
    Sections,
    Code,
}

struct Decoder<'a> {
    bytes: &'a [u8],
    module: Module,
    bodies: BodyReader,
    /// Number of functions whose bodies have been read.
    complete: usize,
    progress: Progress,
}

impl<'a> Decoder<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let (module, bodies) = (Module::default(), BodyReader::default());
        Self { bytes, module, bodies, complete: 0, progress: Progress::Start }
    }

    fn payload(&mut self, payload: Payload<'_>) -> Result<(), DecodeError> {
        self.advance(&payload);
        let module = &mut self.module;
        match payload {
            Payload::Version { encoding, range, .. } => return core_module_only(encoding, range.start),
            Payload::TypeSection(section) => module.types = section::types(self.bytes, &section)?,
            Payload::ImportSection(section) => module.imports = section::imports(section)?,
            Payload::FunctionSection(section) => module.functions = section::functions(section)?,
            Payload::TableSection(section) => module.tables = section::tables(section)?,
            Payload::MemorySection(section) => module.memories = section::memories(section)?,
            Payload::GlobalSection(section) => module.globals = section::globals(section)?,
            Payload::ExportSection(section) => module.exports = section::exports(section)?,
            Payload::StartSection { func, .. } => module.start = Some(func.into()),
            Payload::ElementSection(section) => module.elements = section::elements(section)?,
            Payload::DataCountSection { .. } => module.data_count = DataCount::Present,
            Payload::DataSection(section) => module.data = section::data(section)?,
            Payload::CodeSectionStart { .. } | Payload::End(_) => {}
            Payload::CodeSectionEntry(body) => self.body(&body)?,
            Payload::CustomSection(section) => {
                let custom = Custom { name: section.name().into(), bytes: section.data().into() };
                self.customs().push(custom);
            }
            Payload::TagSection(section) => {
                return Err(DecodeError::missing(section.range().start, "exceptions"));
            }
            Payload::UnknownSection { id, range, .. } => {
                return Err(DecodeError::malformed(range.start, format!("unknown section {id}")));
            }
            _ => return Err(DecodeError::missing(0, "component-model")),
        }
        Ok(())
    }

    fn body(&mut self, body: &FunctionBody<'_>) -> Result<(), DecodeError> {
        let Some(function) = self.module.functions.get_mut(self.complete) else {
            return Err(DecodeError::malformed(
                body.range().start,
                "there is code for a function that was not declared",
            ));
        };
        (function.locals, function.body) = self.bodies.function(body)?;
        self.complete += 1;
        Ok(())
    }

    fn advance(&mut self, payload: &Payload<'_>) {
        match payload {
            Payload::Version { .. } | Payload::CustomSection(_) | Payload::End(_) => {}
            Payload::CodeSectionStart { .. } => self.progress = Progress::Code,
            _ if self.progress == Progress::Start => self.progress = Progress::Sections,
            _ => {}
        }
    }

    fn customs(&mut self) -> &mut Vec<Custom> {
        let customs = &mut self.module.customs;
        match self.progress {
            Progress::Start => &mut customs.first,
            Progress::Sections => &mut customs.before_code,
            Progress::Code => &mut customs.last,
        }
    }

    /// Custom sections that no code, or no section at all, follows belong to the end of the module.
    fn finish(mut self) -> Module {
        let customs = &mut self.module.customs;
        match self.progress {
            Progress::Start => customs.last = std::mem::take(&mut customs.first),
            Progress::Sections => customs.last = std::mem::take(&mut customs.before_code),
            Progress::Code => {}
        }
        self.module
    }
}

fn core_module_only(encoding: Encoding, offset: usize) -> Result<(), DecodeError> {
    match encoding {
        Encoding::Module => Ok(()),
        Encoding::Component => Err(DecodeError::malformed(
            offset,
            "this is a component, not a core module: extract its modules first",
        )),
    }
}
