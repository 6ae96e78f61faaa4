//! Encodes the AST to bytes. Only this module and its children use wasm-encoder.

mod immediate;
mod instr;

use wasm_encoder::{
    CustomSection, DataCountSection, DataSection, ElementSection, Elements, Encode, ExportSection,
    FunctionSection, GlobalSection, ImportSection, Instruction, MemorySection, Section, SectionId,
    StartSection, TableSection, TypeSection,
};

use crate::index::FuncIdx;
use crate::module::{ConstExpr, Custom, Data, DataCount, Element, Function, Module};
use crate::op::Op;
use crate::types::RefType;
use immediate::Encoded;

impl Module {
    /// Encodes the module, valid or not. [`Module::decode`] returns the same module.
    ///
    /// Empty sections are left out. The exceptions are the type and code sections, which are written where
    /// they mark the place of a custom section.
    ///
    /// ```
    /// use mutagen_wasm_ast::{Limits, Module};
    ///
    /// let module = Module { memories: vec![Limits::at_least(1)], ..Module::default() };
    /// assert_eq!(module.encode(), b"\0asm\x01\0\0\0\x05\x03\x01\0\x01");
    /// assert_eq!(Module::decode(&module.encode())?, module);
    /// # Ok::<(), mutagen_wasm_ast::DecodeError>(())
    /// ```
    pub fn encode(&self) -> Vec<u8> {
        let mut encoder = Encoder(Vec::with_capacity(self.expected_size()));
        encoder.0.extend(wasm_encoder::Module::HEADER);
        encoder.customs(&self.customs.first);
        encoder.interface(self);
        encoder.segments(self);
        encoder.customs(&self.customs.before_code);
        encoder.code(self);
        encoder.data(self);
        encoder.customs(&self.customs.last);
        encoder.0
    }

    /// An estimate of the encoded size, taken from the output of compilers. With it the buffer of a large
    /// module need not grow.
    fn expected_size(&self) -> usize {
        let data = self.data.iter().map(|data| data.bytes().0.len());
        let customs = [&self.customs.first, &self.customs.before_code, &self.customs.last];
        let customs = customs.into_iter().flatten().map(|custom| custom.bytes.0.len());
        64 + self.instructions() * 5 / 2 + data.chain(customs).sum::<usize>()
    }
}

struct Encoder(Vec<u8>);

impl Encoder {
    fn section(&mut self, section: &impl Section) {
        self.0.push(section.id());
        section.encode(&mut self.0);
    }

    fn section_if(&mut self, wanted: bool, section: &impl Section) {
        if wanted {
            self.section(section);
        }
    }

    fn customs(&mut self, customs: &[Custom]) {
        for custom in customs {
            let (name, data) = (custom.name.0.as_str().into(), custom.bytes.0.as_slice().into());
            self.section(&CustomSection { name, data });
        }
    }

    /// Writes the sections from types to the start function.
    fn interface(&mut self, module: &Module) {
        // The decoder places custom sections by the sections around them: an empty type section ends the
        // first place.
        let mark_begin = !module.customs.first.is_empty() || !module.customs.before_code.is_empty();
        self.section_if(mark_begin || !module.types.is_empty(), &types(module));
        self.section_if(!module.imports.is_empty(), &imports(module));
        self.section_if(!module.functions.is_empty(), &functions(module));
        self.section_if(!module.tables.is_empty(), &tables(module));
        self.section_if(!module.memories.is_empty(), &memories(module));
        self.section_if(!module.globals.is_empty(), &globals(module));
        self.section_if(!module.exports.is_empty(), &exports(module));
        if let Some(function) = module.start {
            self.section(&StartSection { function_index: function.get() });
        }
    }

    fn segments(&mut self, module: &Module) {
        self.section_if(!module.elements.is_empty(), &elements(module));
        if module.data_count == DataCount::Present {
            self.section(&DataCountSection { count: module.data.len() as u32 });
        }
    }

    fn code(&mut self, module: &Module) {
        // An empty code section ends the second place.
        let mark_code = !module.customs.before_code.is_empty();
        if mark_code || !module.functions.is_empty() {
            self.section(&Code(&module.functions));
        }
    }

    fn data(&mut self, module: &Module) {
        if !module.data.is_empty() {
            self.section(&data(module));
        }
    }
}

fn types(module: &Module) -> TypeSection {
    let mut section = TypeSection::new();
    for ty in &module.types {
        section
            .ty()
            .function(ty.params.iter().map(Encoded::encoded), ty.results.iter().map(Encoded::encoded));
    }
    section
}

fn imports(module: &Module) -> ImportSection {
    let mut section = ImportSection::new();
    for import in &module.imports {
        section.import(&import.module.0, &import.name.0, import.item.encoded());
    }
    section
}

fn functions(module: &Module) -> FunctionSection {
    let mut section = FunctionSection::new();
    for function in &module.functions {
        section.function(function.ty.get());
    }
    section
}

fn tables(module: &Module) -> TableSection {
    let mut section = TableSection::new();
    for table in &module.tables {
        section.table(table.encoded());
    }
    section
}

fn memories(module: &Module) -> MemorySection {
    let mut section = MemorySection::new();
    for memory in &module.memories {
        section.memory(memory.encoded());
    }
    section
}

fn globals(module: &Module) -> GlobalSection {
    let mut section = GlobalSection::new();
    for global in &module.globals {
        section.global(global.ty.encoded(), &const_expr(&global.init));
    }
    section
}

fn exports(module: &Module) -> ExportSection {
    let mut section = ExportSection::new();
    for export in &module.exports {
        let (kind, index) = export.item.encoded();
        section.export(&export.name.0, kind, index);
    }
    section
}

fn elements(module: &Module) -> ElementSection {
    let mut section = ElementSection::new();
    for element in &module.elements {
        encode_element(&mut section, element);
    }
    section
}

/// Where a segment goes: the part that is written before its elements.
enum Place<'a> {
    Active(Option<u32>, &'a ConstExpr),
    Passive,
    Declared,
}

fn encode_element(section: &mut ElementSection, element: &Element) {
    match element {
        Element::Active { offset, functions } => {
            element_functions(section, Place::Active(None, offset), functions);
        }
        Element::ActiveIn { table, offset, functions } => {
            element_functions(section, Place::Active(Some(table.get()), offset), functions);
        }
        Element::Passive { functions } => element_functions(section, Place::Passive, functions),
        Element::Declared { functions } => element_functions(section, Place::Declared, functions),
        Element::ActiveExprs { offset, exprs } => {
            element_exprs(section, Place::Active(None, offset), RefType::FuncRef, exprs);
        }
        Element::ActiveExprsIn { table, offset, ty, exprs } => {
            element_exprs(section, Place::Active(Some(table.get()), offset), *ty, exprs);
        }
        Element::PassiveExprs { ty, exprs } => element_exprs(section, Place::Passive, *ty, exprs),
        Element::DeclaredExprs { ty, exprs } => element_exprs(section, Place::Declared, *ty, exprs),
    }
}

fn element_functions(section: &mut ElementSection, place: Place<'_>, functions: &[FuncIdx]) {
    let functions: Vec<u32> = functions.iter().map(|function| function.get()).collect();
    element_segment(section, place, Elements::Functions(functions.into()));
}

fn element_exprs(section: &mut ElementSection, place: Place<'_>, ty: RefType, exprs: &[ConstExpr]) {
    let exprs: Vec<_> = exprs.iter().map(|expr| const_expr(expr)).collect();
    element_segment(section, place, Elements::Expressions(ty.encoded(), exprs.into()));
}

fn element_segment(section: &mut ElementSection, place: Place<'_>, elements: Elements<'_>) {
    match place {
        Place::Active(table, offset) => section.active(table, &const_expr(offset), elements),
        Place::Passive => section.passive(elements),
        Place::Declared => section.declared(elements),
    };
}

/// The code section. It is most of a large module, so it is written without an intermediate buffer.
struct Code<'a>(&'a [Function]);

impl Section for Code<'_> {
    fn id(&self) -> u8 {
        SectionId::Code.into()
    }
}

impl Encode for Code<'_> {
    fn encode(&self, sink: &mut Vec<u8>) {
        with_size(sink, |sink| {
            self.0.len().encode(sink);
            self.0.iter().for_each(|function| with_size(sink, |sink| encode_function(function, sink)));
        });
    }
}

/// Writes the content, then inserts its size before it.
fn with_size(sink: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    let start = sink.len();
    content(sink);
    let mut size = Vec::with_capacity(5);
    (sink.len() - start).encode(&mut size);
    sink.splice(start..start, size);
}

fn encode_function(function: &Function, sink: &mut Vec<u8>) {
    function.locals.len().encode(sink);
    for locals in &function.locals {
        locals.count.0.encode(sink);
        locals.ty.encoded().encode(sink);
    }
    instr::encode_body(&function.body, sink);
    Instruction::End.encode(sink);
}

fn data(module: &Module) -> DataSection {
    let mut section = DataSection::new();
    for segment in &module.data {
        match segment {
            Data::Active { memory, offset, bytes } => {
                section.active(memory.get(), &const_expr(offset), bytes.0.iter().copied())
            }
            Data::Passive { bytes } => section.passive(bytes.0.iter().copied()),
        };
    }
    section
}

fn const_expr(ops: &[Op]) -> wasm_encoder::ConstExpr {
    let mut bytes = Vec::new();
    for op in ops {
        instr::encode_op(op, &mut bytes);
    }
    wasm_encoder::ConstExpr::raw(bytes)
}
