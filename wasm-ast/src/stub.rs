//! Stubs: single functions that are tested in a fixed module.

use mutagen_engine::{Generate, Mutable};

use crate::bytes::{Bytes, Name};
use crate::index::{FuncIdx, MemIdx, TypeIdx};
use crate::instr::Instr;
use crate::module::{Data, Export, ExportItem, Function, Locals, Module, zero};
use crate::types::{FuncType, Limits};

/// The locals and body of a function. Generation and mutation change nothing else. [`Stub::to_module`] puts
/// them into a module with one memory, as the MUTAGEN study did to compare interpreters. The first bytes of
/// the memory are not zero: if all were, all loads would give the same value.
///
/// ```
/// use mutagen_wasm_ast::{FuncType, Instr, LocalIdx, Op, Stub, ValType};
///
/// let stub = Stub { locals: vec![], body: vec![Instr::Op(Op::LocalGet(LocalIdx::new(0)))] };
/// let module = stub.to_module(&FuncType::new([ValType::I32, ValType::F32], [ValType::I32]));
/// assert_eq!(module.exports[0].name.0, Stub::FUNCTION);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Generate, Mutable)]
pub struct Stub {
    /// Locals besides the parameters.
    pub locals: Vec<Locals>,
    /// The body.
    pub body: Vec<Instr>,
}

impl Stub {
    /// The name under which the function is exported.
    pub const FUNCTION: &'static str = "f";

    /// The name under which the memory is exported.
    pub const MEMORY: &'static str = "memory";

    /// A module with one memory of one page and one function of type `ty`, both exported.
    pub fn to_module(&self, ty: &FuncType) -> Module {
        let function = Function { ty: TypeIdx::new(0), locals: self.locals.clone(), body: self.body.clone() };
        Module {
            types: vec![ty.clone()],
            functions: vec![function],
            memories: vec![Limits::at_least(1)],
            data: vec![contents()],
            exports: vec![
                Export { name: Name::from(Self::FUNCTION), item: ExportItem::Func(FuncIdx::new(0)) },
                Export { name: Name::from(Self::MEMORY), item: ExportItem::Memory(MemIdx::new(0)) },
            ],
            ..Module::default()
        }
    }
}

/// The first bytes of the memory. Both signs occur, and neighbours differ.
fn contents() -> Data {
    let bytes = Bytes(vec![0x80, 0xff, 0x7f, 0x01, 0xfe, 0x00, 0xc0, 0x3f]);
    Data::Active { memory: MemIdx::new(0), offset: zero(), bytes }
}
