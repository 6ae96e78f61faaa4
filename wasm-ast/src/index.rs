//! Indices: one type per index space, so that a mutant of a call never takes a local for a function.

use std::fmt;

/// Defines an index type: four bytes rather than a `u32`, which keeps an instruction with a memory argument small.
macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
            #[cfg_attr(any(), derive(Generate, Mutable))]
            #[cfg_attr(any(), mutagen(mutants = Boundary, generate = Boundary::generate))]
            pub struct $name(#[cfg_attr(any(), mutagen(skip))] [u8; 4]);

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
    TypeIdx
    /// Index of a function: imported ones come first.
    FuncIdx
    /// Index of a table: imported ones come first.
    TableIdx
    /// Index of a memory: imported ones come first.
    MemIdx
    /// Index of a global: imported ones come first.
    GlobalIdx
    /// Index of an element segment.
    ElemIdx
    /// Index of a data segment.
    DataIdx
    /// Index of a local: parameters come first.
    LocalIdx
    /// How many enclosing blocks a branch leaves behind: 0 is the innermost block.
    LabelIdx
}
