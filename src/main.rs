//! The command line of mutagen-wasm.

fn main() {}
