//! Modules that mean the same, in words that an engine with known faults understands.
//!
//! An engine that gives first opinions is of no use where it is known to be wrong, and one fault in a module is in most of its
//! mutants. As a target it runs modules as they are.

mod blocks;

use std::collections::VecDeque;

use wasm_encoder::{
    CodeSection, ConstExpr, Encode, ExportKind, ExportSection, FunctionSection, GlobalSection, GlobalType,
    HeapType, Instruction, Module, RawSection, TypeSection, ValType,
    reencode::{Reencode, RoundtripReencoder},
};
use wasmparser::{
    CompositeInnerType, ExportSectionReader, FunctionBody, FunctionSectionReader, GlobalSectionReader,
    Operator, Parser, Payload, TypeRef, TypeSectionReader,
};

use self::blocks::Block;
use super::{bounded::Unbounded, nans};

/// What is to be put into other words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mending {
    /// Every NaN that an operator makes is canonicalised: the smaller of it and infinity is taken, and an engine for this must
    /// make the canonical NaN there.
    pub nans: bool,
    /// Locals of reference types are set to null.
    pub references: bool,
    /// Tail calls of functions that may be imported are calls before a return.
    pub tail_calls: bool,
    /// What a local is set to at the end of a block is set before it is left on the stack.
    pub joins: bool,
    /// Floats are put into a local before they are made 32-bit integers.
    pub truncations: bool,
    /// Code that cannot be reached is left out.
    pub dead_code: bool,
    /// Blocks of 64-bit memories are filled, copied and initialised by functions that pass on 32 bits: more do not fit anyway.
    pub wide_blocks: bool,
    /// Functions and rounds of loops are counted down, in a global of its own, and trap when that is 0.
    pub ticks: bool,
}

/// The module in other words.
pub(crate) struct Mended {
    pub bytes: Vec<u8>,
    /// The export of the global that counts.
    pub ticks: Option<String>,
}

/// The module in other words. It must be valid.
pub(crate) fn mended(bytes: &[u8], mending: Mending) -> Result<Mended, Unbounded> {
    let mut writing = Writing { mending, ..Writing::default() };
    for payload in Parser::new(0).parse_all(bytes) {
        writing.take(bytes, payload?)?;
    }
    // Globals and exports are there although nothing stands behind them.
    writing.before(u8::MAX)?;
    writing.finish()
}

/// Sections in the order in which they stand in a module. Those of kinds that are not known stand anywhere.
const ORDER: [u8; 13] = [1, 2, 3, 4, 5, 13, GLOBALS, EXPORTS, 8, 9, 12, CODE, 11];
const GLOBALS: u8 = 6;
const EXPORTS: u8 = 7;
const CODE: u8 = 10;

/// A section of the new module.
enum Part<'a> {
    /// As it was.
    Raw(u8, &'a [u8]),
    /// These may get more when the code is known.
    Types(TypeSectionReader<'a>),
    Functions(FunctionSectionReader<'a>),
    Globals(GlobalSection),
    Exports(ExportSection),
    Code(CodeSection),
}

#[derive(Default)]
struct Writing<'a> {
    mending: Mending,
    parts: Vec<Part<'a>>,
    /// How many parameters each type has.
    parameters: Vec<u32>,
    imported_functions: u32,
    functions: u32,
    /// The types of the functions whose bodies are to come.
    types: VecDeque<u32>,
    /// Whether each memory has 64-bit addresses.
    memories: Vec<bool>,
    /// What functions of ours do, which stand behind those of the module.
    blocks: Vec<Block>,
    globals: u32,
    code: CodeSection,
    bodies_to_come: u32,
    has_globals: bool,
    has_exports: bool,
    ticks: Option<String>,
}

impl<'a> Writing<'a> {
    fn take(&mut self, bytes: &'a [u8], payload: Payload<'a>) -> Result<(), Unbounded> {
        match &payload {
            Payload::TypeSection(section) => {
                for group in section.clone() {
                    let types = group?.into_types();
                    self.parameters.extend(types.map(|ty| match &ty.composite_type.inner {
                        CompositeInnerType::Func(ty) => ty.params().len() as u32,
                        _ => 0,
                    }));
                }
                self.parts.push(Part::Types(section.clone()));
                return Ok(());
            }
            Payload::ImportSection(section) => {
                for import in section.clone().into_imports() {
                    match import?.ty {
                        TypeRef::Func(_) | TypeRef::FuncExact(_) => self.imported_functions += 1,
                        TypeRef::Global(_) => self.globals += 1,
                        TypeRef::Memory(ty) => self.memories.push(ty.memory64),
                        _ => {}
                    }
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section.clone() {
                    self.types.push_back(ty?);
                }
                self.functions = self.imported_functions + section.count();
                self.parts.push(Part::Functions(section.clone()));
                return Ok(());
            }
            Payload::MemorySection(section) => {
                for memory in section.clone() {
                    self.memories.push(memory?.memory64);
                }
            }
            Payload::GlobalSection(section) => return self.globals(Some(section.clone())),
            Payload::ExportSection(section) => {
                self.before(EXPORTS)?;
                return self.exports(Some(section.clone()));
            }
            Payload::CodeSectionStart { count, .. } => {
                self.before(CODE)?;
                self.bodies_to_come = *count;
                return Ok(());
            }
            Payload::CodeSectionEntry(body) => return self.take_body(bytes, body),
            _ => {}
        }
        if let Some((id, range)) = payload.as_section()
            && ORDER.contains(&id)
        {
            self.before(id)?;
            self.parts.push(Part::Raw(id, &bytes[range]));
        }
        Ok(())
    }

    /// The whole module, with our functions.
    fn finish(self) -> Result<Mended, Unbounded> {
        let Writing { parts, parameters, memories, blocks, ticks, .. } = self;
        let mut module = Module::new();
        for part in parts {
            match part {
                Part::Raw(id, data) => module.section(&RawSection { id, data }),
                Part::Types(section) => {
                    let mut types = TypeSection::new();
                    RoundtripReencoder.parse_type_section(&mut types, section)?;
                    blocks.iter().for_each(|block| types.ty().function(block.parameters(&memories), []));
                    module.section(&types)
                }
                Part::Functions(section) => {
                    let mut functions = FunctionSection::new();
                    for ty in section {
                        functions.function(ty?);
                    }
                    for number in 0..blocks.len() {
                        functions.function((parameters.len() + number) as u32);
                    }
                    module.section(&functions)
                }
                Part::Globals(globals) => module.section(&globals),
                Part::Exports(exports) => module.section(&exports),
                Part::Code(mut code) => {
                    for block in &blocks {
                        code.raw(&block.body(&memories));
                    }
                    module.section(&code)
                }
            };
        }
        Ok(Mended { bytes: module.finish(), ticks })
    }

    /// Writes what is missing before the section with this number.
    fn before(&mut self, id: u8) -> Result<(), Unbounded> {
        let place = |id: u8| ORDER.iter().position(|other| *other == id).unwrap_or(ORDER.len());
        if self.mending.ticks && place(id) > place(GLOBALS) && !self.has_globals {
            self.globals(None)?;
        }
        if self.mending.ticks && place(id) > place(EXPORTS) && !self.has_exports {
            self.exports(None)?;
        }
        Ok(())
    }

    fn globals(&mut self, section: Option<GlobalSectionReader<'_>>) -> Result<(), Unbounded> {
        self.has_globals = true;
        let mut globals = GlobalSection::new();
        if let Some(section) = section {
            self.globals += section.count();
            RoundtripReencoder.parse_global_section(&mut globals, section)?;
        }
        if self.mending.ticks {
            let ty = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
            globals.global(ty, &ConstExpr::i32_const(0));
        }
        self.parts.push(Part::Globals(globals));
        Ok(())
    }

    fn exports(&mut self, section: Option<ExportSectionReader<'_>>) -> Result<(), Unbounded> {
        self.has_exports = true;
        let (mut exports, mut name) = (ExportSection::new(), "ticks".to_owned());
        for export in section.into_iter().flatten() {
            let export = export?;
            exports.export(export.name, RoundtripReencoder.export_kind(export.kind)?, export.index);
            // Longer than every name so far that it might be.
            if export.name.starts_with(&name) {
                name = format!("{}+", export.name);
            }
        }
        if self.mending.ticks {
            exports.export(&name, ExportKind::Global, self.globals);
            self.ticks = Some(name);
        }
        self.parts.push(Part::Exports(exports));
        Ok(())
    }

    fn take_body(&mut self, bytes: &[u8], body: &FunctionBody<'_>) -> Result<(), Unbounded> {
        let ty = self.types.pop_front().unwrap_or(0);
        let parameters = self.parameters.get(ty as usize).copied().unwrap_or(0);
        let body = self.body(bytes, body, parameters)?;
        self.code.raw(&body);
        self.bodies_to_come = self.bodies_to_come.saturating_sub(1);
        if self.bodies_to_come == 0 {
            self.parts.push(Part::Code(std::mem::take(&mut self.code)));
        }
        Ok(())
    }

    fn body(&mut self, bytes: &[u8], body: &FunctionBody<'_>, parameters: u32) -> Result<Vec<u8>, Unbounded> {
        let mut operators = body.get_operators_reader()?;
        let mut code = Code { bytes: Vec::new(), dead: None, spare: 0, is_after_end: false };
        let runs = body.get_locals_reader()?.into_iter().collect::<Result<Vec<_>, _>>()?;
        if self.mending.truncations {
            code.spare = parameters + runs.iter().map(|(count, _)| count).sum::<u32>();
            code.declare(&runs)?;
        } else {
            let locals = body.range().start..operators.original_position();
            code.bytes.extend(&bytes[locals]);
        }
        if self.mending.references {
            let mut local = parameters;
            for (count, ty) in runs {
                if let wasmparser::ValType::Ref(ty) = ty {
                    let null = RoundtripReencoder.heap_type(ty.heap_type())?;
                    code.set_to_null(local, count, null);
                }
                local += count;
            }
        }
        self.tick(&mut code);
        while !operators.eof() {
            let (operator, start) = operators.read_with_offset()?;
            if code.is_reached(&operator) {
                self.operator(&mut code, &operator, &bytes[start..operators.original_position()]);
            }
        }
        Ok(code.bytes)
    }

    fn operator(&mut self, code: &mut Code, operator: &Operator<'_>, bytes: &[u8]) {
        match operator {
            Operator::ReturnCall { function_index }
                if self.mending.tail_calls && *function_index < self.imported_functions =>
            {
                code.add([Instruction::Call(*function_index), Instruction::Return]);
            }
            Operator::ReturnCallIndirect { type_index, table_index }
                if self.mending.tail_calls && self.imported_functions > 0 =>
            {
                let call = Instruction::CallIndirect { type_index: *type_index, table_index: *table_index };
                code.add([call, Instruction::Return]);
            }
            Operator::LocalTee { local_index } if self.mending.joins && code.is_after_end => {
                code.add([Instruction::LocalSet(*local_index), Instruction::LocalGet(*local_index)]);
            }
            Operator::I32TruncF32S | Operator::I32TruncF32U if self.mending.truncations => {
                code.add([Instruction::LocalTee(code.spare)]);
                code.bytes.extend(bytes);
            }
            Operator::I32TruncF64S | Operator::I32TruncF64U if self.mending.truncations => {
                code.add([Instruction::LocalTee(code.spare + 1)]);
                code.bytes.extend(bytes);
            }
            other => match self.wide_block(other) {
                Some(function) => code.add([Instruction::Call(function)]),
                None => code.bytes.extend(bytes),
            },
        }
        code.is_after_end = matches!(operator, Operator::End);
        match operator {
            Operator::Loop { .. } => self.tick(code),
            Operator::Unreachable
            | Operator::Br { .. }
            | Operator::BrTable { .. }
            | Operator::Return
            | Operator::ReturnCall { .. }
            | Operator::ReturnCallIndirect { .. }
                if self.mending.dead_code =>
            {
                code.dead = Some(0);
            }
            other if self.mending.nans => {
                if let Some(width) = nans::made_by(other) {
                    code.add(width.smaller_than_infinity());
                }
            }
            _ => {}
        }
    }

    /// The function of ours that does what this operator does, if it is about a 64-bit memory.
    fn wide_block(&mut self, operator: &Operator<'_>) -> Option<u32> {
        let block =
            Block::of(operator).filter(|block| self.mending.wide_blocks && block.is_wide(&self.memories))?;
        let known = self.blocks.iter().position(|known| *known == block);
        let number = known.unwrap_or_else(|| {
            self.blocks.push(block);
            self.blocks.len() - 1
        });
        Some(self.functions + number as u32)
    }

    /// Traps if nothing is left, and takes one off.
    fn tick(&self, code: &mut Code) {
        if self.mending.ticks {
            let ticks = self.globals;
            code.add([
                Instruction::GlobalGet(ticks),
                Instruction::I32Eqz,
                Instruction::If(wasm_encoder::BlockType::Empty),
                Instruction::Unreachable,
                Instruction::End,
                Instruction::GlobalGet(ticks),
                Instruction::I32Const(-1),
                Instruction::I32Add,
                Instruction::GlobalSet(ticks),
            ]);
        }
    }
}

/// A body under way.
struct Code {
    bytes: Vec<u8>,
    /// In code that cannot be reached: how many blocks were begun in it.
    dead: Option<u32>,
    /// The first of two locals of ours, of types f32 and f64.
    spare: u32,
    /// Whether the last operator ended a block.
    is_after_end: bool,
}

impl Code {
    fn add<'a>(&mut self, instructions: impl IntoIterator<Item = Instruction<'a>>) {
        instructions.into_iter().for_each(|instruction| instruction.encode(&mut self.bytes));
    }

    /// Declares locals in these runs, and two of ours behind them.
    fn declare(&mut self, runs: &[(u32, wasmparser::ValType)]) -> Result<(), Unbounded> {
        (runs.len() + 2).encode(&mut self.bytes);
        for (count, ty) in runs {
            count.encode(&mut self.bytes);
            RoundtripReencoder.val_type(*ty)?.encode(&mut self.bytes);
        }
        for ty in [ValType::F32, ValType::F64] {
            1u32.encode(&mut self.bytes);
            ty.encode(&mut self.bytes);
        }
        Ok(())
    }

    fn set_to_null(&mut self, first: u32, count: u32, null: HeapType) {
        for local in first..first + count {
            self.add([Instruction::RefNull(null), Instruction::LocalSet(local)]);
        }
    }

    /// Whether an operator is kept: it can be reached, or ends what cannot.
    fn is_reached(&mut self, operator: &Operator<'_>) -> bool {
        let Some(depth) = &mut self.dead else { return true };
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => *depth += 1,
            Operator::Else | Operator::End if *depth == 0 => self.dead = None,
            Operator::End => *depth -= 1,
            _ => {}
        }
        self.dead.is_none()
    }
}
