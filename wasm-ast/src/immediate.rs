//! Immediates of instructions other than indices: constants, memory arguments, lanes. Constants are kept as
//! bits, so that comparing and hashing are exact.

mod candidates;

use std::fmt;

use mutagen_engine::{Generate, Mutable};

use crate::index::MemIdx;
use crate::leaf::{self, Candidates};

/// The bits of a 32-bit float.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Generate, Mutable)]
#[mutagen(mutants = Candidates, generate = leaf::generate)]
pub struct F32(#[mutagen(skip)] pub u32);

impl fmt::Debug for F32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "F32({:#010x} = {:?})", self.0, f32::from_bits(self.0))
    }
}

/// The bits of a 64-bit float.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Generate, Mutable)]
#[mutagen(mutants = Candidates, generate = leaf::generate)]
pub struct F64(#[mutagen(skip)] pub u64);

impl fmt::Debug for F64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "F64({:#018x} = {:?})", self.0, f64::from_bits(self.0))
    }
}

/// The sixteen bytes of a vector constant, lowest first. They are boxed to keep instructions small: vectors
/// are rare.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
#[mutagen(mutants = Candidates, generate = leaf::generate)]
pub struct V128(#[mutagen(skip)] pub Box<[u8; 16]>);

/// The lane numbers of `i8x16.shuffle`. Valid ones are below 32.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
#[mutagen(mutants = Candidates, generate = leaf::generate)]
pub struct Lanes(#[mutagen(skip)] pub Box<[u8; 16]>);

/// A lane number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
#[mutagen(mutants = Candidates, generate = leaf::generate)]
pub struct Lane(#[mutagen(skip)] pub u8);

/// The alignment that a memory access promises, as an exponent of two. In a valid module it is at most the
/// natural alignment of the access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
#[mutagen(mutants = Candidates, generate = leaf::generate)]
pub struct Align(#[mutagen(skip)] u8);

impl Align {
    /// The largest exponent. The next bit of the binary format says that a memory index follows.
    pub const MAX: u8 = 63;

    /// The alignment 2^`exponent`, or `None` beyond [`Align::MAX`], which the binary format cannot express.
    pub const fn new(exponent: u8) -> Option<Self> {
        if exponent <= Self::MAX { Some(Self(exponent)) } else { None }
    }

    /// The exponent.
    pub const fn exponent(self) -> u8 {
        self.0
    }
}

/// The constant that a memory access adds to its address. It holds bytes rather than a `u64` for the same
/// reason as indices do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Generate, Mutable)]
#[mutagen(mutants = Candidates, generate = leaf::generate)]
pub struct Offset(#[mutagen(skip)] [u8; 8]);

impl Offset {
    /// The offset of this many bytes. Above `u32::MAX` it needs memory64.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes.to_le_bytes())
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        u64::from_le_bytes(self.0)
    }
}

impl fmt::Debug for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Offset({})", self.get())
    }
}

/// The memory argument of an instruction: which memory it accesses, where and how.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct MemArg {
    /// The constant that is added to the address.
    pub offset: Offset,
    /// The promised alignment.
    pub align: Align,
    /// The memory. An index other than 0 needs multi-memory.
    pub memory: MemIdx,
}
