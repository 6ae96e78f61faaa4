//! Makes a WebAssembly module smaller, in bytes, while it stays interesting.
//!
//! What is interesting is up to the caller: the engines differ, a program crashes. The engine's own shrinking tries mutants one
//! by one, which finds small modules but takes long on large ones. So large steps come first, by delta debugging: half of all
//! functions lose their bodies, then a quarter, and so on down to one; unused definitions go; ranges of instructions are cut out,
//! and the code around them is repaired, so that the stack fits again. What is left, which is small, is shrunk by mutants.
//!
//! ```
//! use mutagen_shrink::{Limits, shrink};
//! use mutagen_wasm_ast::Module;
//!
//! let text = r#"(module (memory 1) (global i32 (i32.const 1)) (func nop) (func (export "f") (param i32) (result i32)
//!     (i32.store (i32.const 8) (local.get 0)) (i32.add (i32.rem_u (local.get 0) (i32.const 7)) (i32.load (i32.const 8)))))"#;
//! let wasm = Module::assemble(text.as_bytes())?;
//! let has_remainder = |wasm: &[u8]| Module::disassemble(wasm).is_ok_and(|text| text.contains("i32.rem_u"));
//! let shrunk = shrink(&wasm, Limits::default(), has_remainder, |_| ())?;
//! assert!(shrunk.wasm.len() < wasm.len() / 2, "{}", Module::disassemble(&shrunk.wasm)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bodies;
mod chunks;
mod code;
mod definitions;
mod indices;
mod polish;
mod search;
mod valid;

pub use search::{Limits, NotShrunk, Shrunk, shrink};
