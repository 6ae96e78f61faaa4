//! A typed WebAssembly syntax tree: decode, encode, print, generate, mutate.

mod bytes;
mod decode;
mod encode;
pub mod features;
mod immediate;
mod index;
mod instr;
mod leaf;
mod measure;
mod module;
mod op;
mod stack;
mod stub;
mod table;
mod text;
mod types;

pub use bytes::{Bytes, Name};
pub use decode::{DecodeError, MAX_DEPTH};
pub use features::{Feature, Features, UnknownFeature};
pub use immediate::*;
pub use index::*;
pub use instr::*;
pub use module::*;
pub use op::*;
pub use stub::Stub;
pub use text::TextError;
pub use types::*;
