//! Indices: one type per index space, so that mutation never puts the index of a local into a call.

use std::fmt;

use mutagen_engine::{Generate, Mutable, Scope, Source};

use crate::features::when;
use crate::leaf::{self, Candidates, Leaf};

/// Both neighbours of the index, then small numbers.
fn near(index: u32) -> [u32; 6] {
    [index.saturating_sub(1), index.saturating_add(1), 0, 1, 2, 3]
}

/// Defines the index types. They hold four bytes rather than a `u32`: without alignment, instructions with a
/// memory argument stay small. Mutation tries indices other than 0 only if the feature is on.
macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident $feature:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Generate, Mutable)]
            #[mutagen(mutants = Candidates, generate = leaf::generate)]
            pub struct $name(#[mutagen(skip)] [u8; 4]);

            impl $name {
                /// The index with this number.
                pub const fn new(index: u32) -> Self {
                    Self(index.to_le_bytes())
                }

                /// The number of this index.
                pub const fn get(self) -> u32 {
                    u32::from_le_bytes(self.0)
                }
            }

            impl Leaf for $name {
                type Bits = u32;

                fn bits(&self) -> u32 {
                    self.get()
                }

                fn from_bits(bits: u32) -> Self {
                    Self::new(bits)
                }

                fn random(source: &mut Source, size: usize) -> u32 {
                    if when::$feature(source.scope()) { source.below(size + 1) as u32 } else { 0 }
                }

                fn candidates(index: u32, scope: &Scope) -> impl AsRef<[u32]> {
                    if when::$feature(scope) { near(index) } else { [0; 6] }
                }
            }

            impl From<u32> for $name {
                fn from(index: u32) -> Self {
                    Self::new(index)
                }
            }

            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "{}({})", stringify!($name), self.get())
                }
            }
        )*
    };
}

indices! {
    /// Index of a function type.
    TypeIdx wasm1;
    /// Index of a function: imported ones come first.
    FuncIdx wasm1;
    /// Index of a table: imported ones come first.
    TableIdx reference_types;
    /// Index of a memory: imported ones come first.
    MemIdx multi_memory;
    /// Index of a global: imported ones come first.
    GlobalIdx wasm1;
    /// Index of an element segment.
    ElemIdx wasm1;
    /// Index of a data segment.
    DataIdx wasm1;
    /// Index of a local: parameters come first.
    LocalIdx wasm1;
    /// Index of a label: the number of enclosing blocks to skip. 0 is the innermost block.
    LabelIdx wasm1;
}
