//! A typed WebAssembly syntax tree: decode, encode, print, generate, mutate.
//!
//! What a fuzzer can reach is what its values can say. Random bytes say little: a module of random bytes is malformed, and one
//! byte changed in a good module makes it malformed too. A [`Module`] is well-formed whatever is done to it, and its
//! types carry the structure of WebAssembly, so that many changes keep it valid as well: instructions are grouped by what they
//! take and leave ([`Op::I32Binary`], [`Op::I64Load`]), each index space has its type ([`LocalIdx`], [`FuncIdx`]), blocks nest
//! as trees.
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
//! * `Module::decode(&module.encode())` is `module`, for every module, valid or not, within the limits that wasmparser sets
//!   to what it reads.
//! * Encoding what was decoded changes nothing from the second time on: numbers in their shortest form, custom sections in one
//!   of three places, no empty sections (but see [`Customs`]).
//! * Everything works at any depth of nesting, on any thread: what recurses moves to a fresh stack in time. Decoding alone
//!   refuses more than [`MAX_DEPTH`] levels. Code elsewhere that walks a decoded module recursively, such as shrinking,
//!   gets along with a stack of 16 MiB, or 64 MiB without optimisation.
//! * Decoding takes memory in proportion to the bytes: less than ten times as much for what compilers make.
//!
//! ## What is not modelled
//!
//! Garbage collection, typed function references, exceptions, threads, stack switching, custom page sizes, components.
//! Decoding names the one that it met. Blocks in constant expressions do not exist: the binary format has no room for them.
//!
//! ## Where to find what
//!
//! One table (`table.rs`) lists the instructions; their types, the decoder and the encoder are made from it. Generation and
//! mutation of all types are derived; `leaf` and `bytes` say which numbers, bytes and names are worth trying.
//! wasmparser is known to `decode`, wasm-encoder to `encode`, wat and wasmprinter to `text` alone.

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
mod shape;
mod stack;
mod stub;
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
pub use text::TextError;
pub use types::{AddressType, BlockType, Bound, FuncType, GlobalType, Limits, RefType, TableType, ValType};
