//! Reads the facts about a module that the gate, the limits and the comparison ask for. Only this module and its parts use
//! wasmparser.
//!
//! Nothing is validated here: a module that is malformed is read as far as it goes.

mod bounded;
mod cells;
mod mended;
mod nans;
mod outline;
mod overlong;

use wasmparser::{
    BlockType, CompositeInnerType, FunctionBody, Operator, OperatorsReader, Parser, Payload, TypeRef,
    ValType, Validator, WasmFeatures,
};

use mutagen_features::{Feature, Features};

pub(crate) use self::{
    bounded::{Bounded, Unbounded, bounded},
    cells::stack_cells,
    mended::{Mending, mended},
    outline::{External, Outline, Spaces, outline},
    overlong::has_overlong_limits,
};

/// Facts about a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    pub types: u64,
    pub parameters: u64,
    pub results: u64,
    pub imports: u64,
    pub imported_functions: u32,
    pub tables: u64,
    pub memories: u64,
    pub globals: u64,
    pub exports: u64,
    pub element_segments: u64,
    pub data_segments: u64,
    pub name_bytes: u64,
    /// The most pages that a memory of the module begins with.
    pub memory_pages: u64,
    /// The most elements that a table of the module begins with.
    pub table_elements: u64,
    /// Whether a value anywhere can be a vector.
    pub has_vectors: bool,
    /// The functions with bodies.
    pub bodies: Vec<Body>,
}

/// Facts about a function's body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub bytes: u64,
    /// Parameters and declared locals.
    pub locals: u64,
    pub nesting: u64,
    pub loops: u64,
    pub br_table_targets: u64,
    /// Functions that it calls by number.
    pub callees: Vec<u32>,
    /// Whether it calls functions that are only known at run time.
    pub calls_indirectly: bool,
    /// What its calls leave on the stack and its blocks take and leave, added up.
    pub wide_operands: u64,
    /// Whether an operator in it may make a NaN.
    pub makes_nans: bool,
    /// Whether an operator in it may turn the bits of a NaN into something else than a NaN.
    pub leaks_nan_bits: bool,
    /// Whether it has locals or operators of vectors.
    pub has_vectors: bool,
    /// Whether it has `i32x4.relaxed_dot_i8x16_i7x16_add_s`.
    pub has_relaxed_dot: bool,
}

/// The flags by which wasmparser, and with it wasmtime, knows our features.
pub(crate) fn wasm_features(features: Features) -> WasmFeatures {
    let mut flags = features.iter().map(flag).fold(WasmFeatures::FLOATS, |flags, flag| flags | flag);
    // `externref` needs these types, too.
    flags.set(WasmFeatures::GC_TYPES, features.contains(Feature::ReferenceTypes));
    flags
}

/// Whether a module is invalid only because features are off.
pub(crate) fn needs_more_than(bytes: &[u8], features: Features) -> bool {
    rejects(bytes, wasm_features(features)).is_some() && rejects(bytes, WasmFeatures::all()).is_none()
}

/// Why wasmparser rejects a module with these features, if it does.
pub(crate) fn rejects(bytes: &[u8], features: WasmFeatures) -> Option<String> {
    Validator::new_with_features(features).validate_all(bytes).err().map(|error| error.to_string())
}

fn flag(feature: Feature) -> WasmFeatures {
    match feature {
        Feature::MutableGlobal => WasmFeatures::MUTABLE_GLOBAL,
        Feature::MultiValue => WasmFeatures::MULTI_VALUE,
        Feature::SignExtension => WasmFeatures::SIGN_EXTENSION,
        Feature::SaturatingFloatToInt => WasmFeatures::SATURATING_FLOAT_TO_INT,
        Feature::BulkMemory => WasmFeatures::BULK_MEMORY,
        Feature::ReferenceTypes => WasmFeatures::REFERENCE_TYPES,
        Feature::Simd => WasmFeatures::SIMD,
        Feature::RelaxedSimd => WasmFeatures::RELAXED_SIMD,
        Feature::TailCall => WasmFeatures::TAIL_CALL,
        Feature::ExtendedConst => WasmFeatures::EXTENDED_CONST,
        Feature::MultiMemory => WasmFeatures::MULTI_MEMORY,
        Feature::Memory64 => WasmFeatures::MEMORY64,
        Feature::WideArithmetic => WasmFeatures::WIDE_ARITHMETIC,
    }
}

impl Scan {
    /// Reads a module, as far as it can be read.
    pub fn of(bytes: &[u8]) -> Self {
        let mut reading = Reading::default();
        for payload in Parser::new(0).parse_all(bytes) {
            let Ok(payload) = payload else { break };
            if reading.take(bytes, payload).is_err() {
                break;
            }
        }
        reading.scan
    }

    /// The greatest of one number over all bodies.
    pub fn greatest(&self, number: impl Fn(&Body) -> u64) -> u64 {
        self.bodies.iter().map(number).max().unwrap_or(0)
    }
}

/// A scan under way. It keeps types and functions, because the number of parameters of a body stands in two sections before
/// it.
#[derive(Default)]
struct Reading {
    scan: Scan,
    /// How many parameters and results each type has.
    arities: Vec<Arity>,
    /// The types of all functions, imported ones first.
    type_of_function: Vec<u32>,
}

/// How many values a type takes and gives.
#[derive(Clone, Copy, Default)]
struct Arity {
    parameters: u64,
    results: u64,
}

impl Reading {
    fn take(&mut self, bytes: &[u8], payload: Payload<'_>) -> wasmparser::Result<()> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section {
                    group?.into_types().for_each(|ty| self.take_type(&ty.composite_type.inner));
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    self.scan.name_bytes =
                        self.scan.name_bytes.max(import.module.len().max(import.name.len()) as u64);
                    self.take_import(&import.ty);
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    self.type_of_function.push(ty?);
                }
            }
            Payload::TableSection(section) => {
                self.scan.tables += u64::from(section.count());
                for table in section {
                    self.scan.table_elements = self.scan.table_elements.max(table?.ty.initial);
                }
            }
            Payload::MemorySection(section) => {
                self.scan.memories += u64::from(section.count());
                for memory in section {
                    self.scan.memory_pages = self.scan.memory_pages.max(memory?.initial);
                }
            }
            Payload::GlobalSection(section) => {
                self.scan.globals += u64::from(section.count());
                for global in section {
                    self.scan.has_vectors |= is_vector(&global?.ty.content_type);
                }
            }
            Payload::ElementSection(section) => self.scan.element_segments = section.count().into(),
            Payload::DataSection(section) => self.scan.data_segments = section.count().into(),
            Payload::ExportSection(section) => {
                self.scan.exports = section.count().into();
                for export in section {
                    self.scan.name_bytes = self.scan.name_bytes.max(export?.name.len() as u64);
                }
            }
            Payload::CodeSectionEntry(body) => {
                let body = self.read_body(bytes, &body)?;
                self.scan.has_vectors |= body.has_vectors;
                self.scan.bodies.push(body);
            }
            _ => {}
        }
        Ok(())
    }

    fn take_type(&mut self, ty: &CompositeInnerType) {
        let (mut parameters, mut results) = (0, 0);
        if let CompositeInnerType::Func(ty) = ty {
            (parameters, results) = (ty.params().len() as u64, ty.results().len() as u64);
            self.scan.has_vectors |= ty.params().iter().chain(ty.results()).any(is_vector);
        }
        self.arities.push(Arity { parameters, results });
        self.scan.types += 1;
        self.scan.parameters = self.scan.parameters.max(parameters);
        self.scan.results = self.scan.results.max(results);
    }

    fn take_import(&mut self, ty: &TypeRef) {
        self.scan.imports += 1;
        match ty {
            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                self.scan.imported_functions += 1;
                self.type_of_function.push(*ty);
            }
            TypeRef::Table(ty) => {
                self.scan.tables += 1;
                self.scan.table_elements = self.scan.table_elements.max(ty.initial);
            }
            TypeRef::Memory(ty) => {
                self.scan.memories += 1;
                self.scan.memory_pages = self.scan.memory_pages.max(ty.initial);
            }
            TypeRef::Global(ty) => {
                self.scan.globals += 1;
                self.scan.has_vectors |= is_vector(&ty.content_type);
            }
            TypeRef::Tag(_) => {}
        }
    }

    fn arity_of_type(&self, ty: u32) -> Arity {
        self.arities.get(ty as usize).copied().unwrap_or_default()
    }

    fn arity_of_function(&self, function: u32) -> Arity {
        let ty = self.type_of_function.get(function as usize);
        ty.map_or_else(Arity::default, |ty| self.arity_of_type(*ty))
    }

    fn parameters_of_next_body(&self) -> u64 {
        let function = self.scan.imported_functions + self.scan.bodies.len() as u32;
        self.arity_of_function(function).parameters
    }

    /// How many operands an operator takes and leaves beyond those that its size in bytes shows.
    fn wide_operands(&self, operator: &Operator<'_>) -> u64 {
        match operator {
            Operator::Call { function_index } => self.arity_of_function(*function_index).results,
            Operator::CallIndirect { type_index, .. } => self.arity_of_type(*type_index).results,
            Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => {
                match blockty {
                    BlockType::FuncType(ty) => {
                        let Arity { parameters, results } = self.arity_of_type(*ty);
                        parameters + results
                    }
                    BlockType::Empty | BlockType::Type(_) => 0,
                }
            }
            _ => 0,
        }
    }

    fn read_body(&self, bytes: &[u8], body: &FunctionBody<'_>) -> wasmparser::Result<Body> {
        let mut facts = Body {
            bytes: body.range().len() as u64,
            locals: self.parameters_of_next_body(),
            ..Body::default()
        };
        for run in body.get_locals_reader()? {
            let (count, ty) = run?;
            facts.locals += u64::from(count);
            facts.has_vectors |= is_vector(&ty);
        }
        facts.read_operators(bytes, body.get_operators_reader()?, self)?;
        Ok(facts)
    }
}

fn is_vector(ty: &ValType) -> bool {
    *ty == ValType::V128
}

/// The first byte of every vector operator.
const VECTOR_PREFIX: u8 = 0xfd;

impl Body {
    fn read_operators(
        &mut self,
        bytes: &[u8],
        mut reader: OperatorsReader<'_>,
        module: &Reading,
    ) -> wasmparser::Result<()> {
        let mut depth = 0u64;
        while !reader.eof() {
            if bytes.get(reader.original_position()) == Some(&VECTOR_PREFIX) {
                (self.has_vectors, self.makes_nans, self.leaks_nan_bits) = (true, true, true);
            }
            let operator = reader.read()?;
            match operator {
                Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => depth += 1,
                Operator::End => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.nesting = self.nesting.max(depth);
            self.wide_operands += module.wide_operands(&operator);
            self.take_operator(&operator);
        }
        Ok(())
    }

    fn take_operator(&mut self, operator: &Operator<'_>) {
        match operator {
            Operator::Loop { .. } => self.loops += 1,
            Operator::BrTable { targets } => {
                self.br_table_targets = self.br_table_targets.max(targets.len().into());
            }
            Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                self.callees.push(*function_index);
            }
            Operator::CallIndirect { .. } | Operator::ReturnCallIndirect { .. } => {
                self.calls_indirectly = true
            }
            Operator::I32x4RelaxedDotI8x16I7x16AddS => self.has_relaxed_dot = true,
            operator => {
                self.makes_nans |= nans::makes_nans(operator);
                self.leaks_nan_bits |= nans::leaks_nan_bits(operator);
            }
        }
    }
}
