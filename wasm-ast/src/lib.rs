//! A typed WebAssembly syntax tree: decode, encode, print, generate, mutate.
