//! Types of values, functions, blocks, tables, memories and globals.

use mutagen_engine::{Generate, Mutable, Scope};

use crate::features::when;
use crate::index::TypeIdx;
use crate::leaf::{self, Candidates, Leaf};

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum ValType {
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 128-bit vector.
    #[mutagen(when = when::simd)]
    V128,
    /// Nullable reference to a function.
    #[mutagen(when = when::reference_types)]
    FuncRef,
    /// Nullable reference to a value of the host.
    #[mutagen(when = when::reference_types)]
    ExternRef,
}

/// The type of a reference, such as the elements of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum RefType {
    /// Nullable reference to a function.
    FuncRef,
    /// Nullable reference to a value of the host.
    #[mutagen(when = when::reference_types)]
    ExternRef,
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Generate, Mutable)]
pub struct FuncType {
    /// Types of the parameters.
    pub params: Vec<ValType>,
    /// Types of the results. More than one needs multi-value.
    pub results: Vec<ValType>,
}

impl FuncType {
    /// The type of a function from `params` to `results`.
    pub fn new(params: impl Into<Vec<ValType>>, results: impl Into<Vec<ValType>>) -> Self {
        Self { params: params.into(), results: results.into() }
    }
}

/// The type of a block: the values that it takes from the stack and leaves there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum BlockType {
    /// No parameters, no results.
    Empty,
    /// No parameters, one result.
    Value(ValType),
    /// The parameters and results of a function type.
    #[mutagen(when = when::multi_value)]
    Type(TypeIdx),
}

/// The width of the addresses of a memory or of the indices of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum AddressType {
    /// 32 bits.
    I32,
    /// 64 bits.
    #[mutagen(when = when::memory64)]
    I64,
}

/// One end of [`Limits`], in pages for memories and in elements for tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
#[mutagen(mutants = Candidates, generate = leaf::generate)]
pub struct Bound(#[mutagen(skip)] pub u64);

impl Leaf for Bound {
    type Bits = u64;

    fn bits(&self) -> u64 {
        self.0
    }

    fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Both neighbours, small numbers, and both sides of the largest memory, of the largest number and, with
    /// 64-bit addresses, of the largest 64-bit memory.
    fn candidates(bound: u64, scope: &Scope) -> impl AsRef<[u64]> {
        let wide =
            if when::memory64(scope) { [1 << 48, (1 << 48) + 1, u64::MAX] } else { [u32::MAX.into(); 3] };
        let near = [bound.saturating_sub(1), bound.saturating_add(1)];
        [near[0], near[1], 0, 1, 2, 65_535, 65_536, 65_537, u32::MAX.into(), wide[0], wide[1], wide[2]]
    }
}

/// The initial and the largest size of a memory or a table. They are the whole type of a memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct Limits {
    /// Initial size.
    pub min: Bound,
    /// Largest size that it may grow to.
    pub max: Option<Bound>,
    /// Width of addresses.
    pub address: AddressType,
}

impl Limits {
    /// 32-bit limits with initial size `min` and no largest size.
    pub fn at_least(min: u64) -> Self {
        Self { min: Bound(min), max: None, address: AddressType::I32 }
    }
}

/// The type of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct TableType {
    /// Type of the elements.
    pub element: RefType,
    /// Limits of the number of elements.
    pub limits: Limits,
}

/// The type of a global.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct GlobalType {
    /// Type of the value.
    pub value: ValType,
    /// Whether `global.set` may change it.
    pub mutable: bool,
}

impl From<RefType> for ValType {
    fn from(ty: RefType) -> Self {
        match ty {
            RefType::FuncRef => Self::FuncRef,
            RefType::ExternRef => Self::ExternRef,
        }
    }
}
