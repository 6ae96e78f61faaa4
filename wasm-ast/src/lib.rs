//! A typed WebAssembly syntax tree: decode, encode, print, generate, mutate.
//!
//! A fuzzer reaches only what its test values can express. Random bytes express little: a module of random
//! bytes is malformed, and changing one byte of a good module often makes it malformed too. A [`Module`] is
//! always well-formed, and its types carry the structure of WebAssembly, so that many changes also keep it
//! valid: instructions are grouped by their stack signature ([`Op::I32Binary`], [`Op::I64Load`]), each index
//! space has its own type ([`LocalIdx`], [`FuncIdx`]), and blocks nest as trees.
//!
//! ```
//! use mutagen_engine::{MutantsConfig, Scope, mutants};
//! use mutagen_wasm_ast::{Features, Module};
//!
//! let module = Module::from_text("(module (func (param i32) (result i32) local.get 0 i32.eqz))")?;
//! let scope = Scope::new().with(Features::WASM1);
//! let mutants = mutants(&module, &MutantsConfig::default(), &scope);
//! let texts: Vec<String> = mutants.filter_map(|(_, mutant)| mutant.to_text().ok()).collect();
//! for instruction in ["i32.clz", "local.get 1", "(param i64)", "unreachable"] {
//!     assert!(texts.iter().any(|text| text.contains(instruction)));
//! }
//! // A later feature: not in this scope.
//! assert!(!texts.iter().any(|text| text.contains("i32.extend8_s")));
//! # Ok::<(), mutagen_wasm_ast::TextError>(())
//! ```
//!
//! ## What holds
//!
//! * `Module::decode(&module.encode())` is `module`, for every module, valid or not, within the limits that
//!   wasmparser checks while it reads.
//! * Decoding and encoding a module brings it into a normal form: numbers in their shortest form, custom
//!   sections in one of three places, no empty sections (but see [`Customs`]). A second time changes nothing.
//! * Everything works at any depth of nesting, on any thread: recursive functions move to a fresh stack in
//!   time. Only decoding refuses more than [`MAX_DEPTH`] levels. Code elsewhere that walks a decoded module
//!   recursively, such as shrinking, needs a stack of at most 16 MiB, or 64 MiB without optimisation.
//! * Decoding takes memory in proportion to the number of bytes: less than ten times as much for the output
//!   of compilers.
//!
//! ## What is not modelled
//!
//! Garbage collection, typed function references, exceptions, threads, stack switching, custom page sizes,
//! components. The error of the decoder names the one that it met. Constant expressions cannot hold blocks,
//! because the binary format does not allow them there.
//!
//! ## Where to find what
//!
//! One table (`table.rs`) lists the instructions; their types, the decoder and the encoder are generated from
//! it. Generation and mutation of all types are derived; `leaf` and `bytes` say which numbers, bytes and
//! names are worth trying. Derived generators seldom make valid modules: `typed` makes functions and modules
//! that are valid ([`Stub::typed`], [`Module::typed`]), and `repair` makes mutants valid again
//! ([`Stub::repair`], [`Module::repair`]). Both read stack signatures from the same table. Only `decode` uses
//! wasmparser, only `encode` uses wasm-encoder, and only `text` uses wat and wasmprinter.

mod bound;
mod bytes;
mod decode;
mod encode;
mod features;
mod immediate;
mod index;
mod instr;
mod leaf;
mod measure;
mod module;
mod op;
mod repair;
mod shape;
mod signature;
mod spaces;
mod stack;
mod stub;
mod surface;
mod table;
mod text;
mod typed;
mod types;

pub use bytes::{Bytes, Name};
pub use decode::{DecodeError, MAX_DEPTH};
pub use features::{Feature, Features, UnknownFeature};
pub use immediate::{Align, F32, F64, Lane, Lanes, MemArg, Offset, V128};
pub use index::{DataIdx, ElemIdx, FuncIdx, GlobalIdx, LabelIdx, LocalIdx, MemIdx, TableIdx, TypeIdx};
pub use instr::{Block, BlockKind, Instr};
pub use module::{
    ConstExpr, Custom, Customs, Data, DataCount, Element, Export, ExportItem, Function, Global, Import,
    ImportItem, LocalCount, Locals, Module,
};
pub use op::*;
pub use stub::Stub;
pub use surface::{ExportedFunction, Surface};
pub use text::TextError;
pub use types::{AddressType, BlockType, Bound, FuncType, GlobalType, Limits, RefType, TableType, ValType};
