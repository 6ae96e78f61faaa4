//! A typed WebAssembly syntax tree: decode, encode, print, generate, mutate.

mod decode;
mod encode;
pub mod features;
mod immediate;
mod index;
mod instr;
mod module;
mod stack;
mod table;
mod types;

pub struct Scope;
impl Scope {
    pub fn get<T>(&self) -> Option<&T> { None }
}

pub use decode::{DecodeError, MAX_DEPTH};
pub use features::{Feature, Features, UnknownFeature};
pub use immediate::*;
pub use index::*;
pub use instr::*;
pub use module::*;
pub use types::*;
