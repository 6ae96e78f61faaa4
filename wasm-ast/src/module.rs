//! A whole module. Sections are lists. A function has its type, locals and body in one place, although the
//! binary format puts them into two sections.

use mutagen_engine::{Generate, Mutable, Scope, Source};

use crate::bytes::{Bytes, Name};
use crate::features::when;
use crate::index::{FuncIdx, GlobalIdx, MemIdx, TableIdx, TypeIdx};
use crate::instr::{Instr, traps};
use crate::leaf::{self, Candidates, Leaf};
use crate::op::Op;
use crate::types::{FuncType, GlobalType, Limits, RefType, TableType, ValType};

/// A WebAssembly module, valid or not.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Generate, Mutable)]
pub struct Module {
    /// Function types.
    pub types: Vec<FuncType>,
    /// Imports.
    pub imports: Vec<Import>,
    /// Functions, with their bodies.
    pub functions: Vec<Function>,
    /// Tables.
    pub tables: Vec<TableType>,
    /// Memories. Their limits are their whole type.
    pub memories: Vec<Limits>,
    /// Globals.
    pub globals: Vec<Global>,
    /// Exports.
    pub exports: Vec<Export>,
    /// Function that runs at instantiation.
    pub start: Option<FuncIdx>,
    /// Element segments.
    pub elements: Vec<Element>,
    /// Whether the number of data segments is announced before the code.
    pub data_count: DataCount,
    /// Data segments.
    pub data: Vec<Data>,
    /// Custom sections. Engines ignore them, so generation makes none; mutation can add and remove them.
    #[mutagen(generate = no_customs)]
    pub customs: Customs,
}

fn no_customs(_: &mut Source, _: usize) -> Customs {
    Customs::default()
}

/// An import.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct Import {
    /// Name of the module to import from.
    pub module: Name,
    /// Name of the item in that module.
    pub name: Name,
    /// The item to import.
    pub item: ImportItem,
}

/// The item that is imported, with its type.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum ImportItem {
    /// A function of that type.
    Func(TypeIdx),
    /// A table.
    Table(TableType),
    /// A memory.
    Memory(Limits),
    /// A global.
    Global(GlobalType),
}

/// A function with its body.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct Function {
    /// Its type.
    pub ty: TypeIdx,
    /// Its locals besides the parameters.
    pub locals: Vec<Locals>,
    /// Its body.
    #[mutagen(default = traps())]
    pub body: Vec<Instr>,
}

/// A group of locals of one type, as in the binary format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct Locals {
    /// Number of locals.
    #[mutagen(default = LocalCount(1))]
    pub count: LocalCount,
    /// Type of each.
    pub ty: ValType,
}

/// A number of locals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
#[mutagen(mutants = Candidates, generate = leaf::generate)]
pub struct LocalCount(#[mutagen(skip)] pub u32);

impl Leaf for LocalCount {
    type Bits = u32;

    fn bits(&self) -> u32 {
        self.0
    }

    fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Only small numbers: many locals cost engines much time and show little.
    fn candidates(count: u32, _: &Scope) -> impl AsRef<[u32]> {
        [count.saturating_sub(1), count.saturating_add(1), 0, 1, 2, 3]
    }
}

/// A constant expression: the initial value of a global, the offset of a segment, or a reference in a
/// segment. The binary format allows every instruction here but blocks.
pub type ConstExpr = Vec<Op>;

/// A global with its initial value.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct Global {
    /// Its type.
    pub ty: GlobalType,
    /// Its initial value.
    #[mutagen(default = zero())]
    pub init: ConstExpr,
}

/// An export.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct Export {
    /// Its name. The exports of a valid module have different names.
    pub name: Name,
    /// The exported item.
    pub item: ExportItem,
}

/// The item that is exported.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum ExportItem {
    /// A function.
    Func(FuncIdx),
    /// A table.
    Table(TableIdx),
    /// A memory.
    Memory(MemIdx),
    /// A global.
    Global(GlobalIdx),
}

/// An element segment. There is one constructor for each of the eight forms of the binary format, in a
/// different order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum Element {
    /// Functions for table 0.
    Active {
        /// Index of the first element in the table.
        #[mutagen(default = zero())]
        offset: ConstExpr,
        /// The functions.
        functions: Vec<FuncIdx>,
    },
    /// Functions for `table.init`.
    #[mutagen(when = when::bulk_memory)]
    Passive {
        /// The functions.
        functions: Vec<FuncIdx>,
    },
    /// Functions for a table with an explicit index.
    #[mutagen(when = when::bulk_memory)]
    ActiveIn {
        /// The table.
        table: TableIdx,
        /// Index of the first element in the table.
        #[mutagen(default = zero())]
        offset: ConstExpr,
        /// The functions.
        functions: Vec<FuncIdx>,
    },
    /// Functions that are only declared, so that `ref.func` may name them.
    #[mutagen(when = when::reference_types)]
    Declared {
        /// The functions.
        functions: Vec<FuncIdx>,
    },
    /// Expressions for table 0.
    #[mutagen(when = when::reference_types)]
    ActiveExprs {
        /// Index of the first element in the table.
        #[mutagen(default = zero())]
        offset: ConstExpr,
        /// The references.
        exprs: Vec<ConstExpr>,
    },
    /// Expressions for `table.init`.
    #[mutagen(when = when::reference_types)]
    PassiveExprs {
        /// The type of the references.
        ty: RefType,
        /// The references.
        exprs: Vec<ConstExpr>,
    },
    /// Expressions for a table with an explicit index.
    #[mutagen(when = when::reference_types)]
    ActiveExprsIn {
        /// The table.
        table: TableIdx,
        /// Index of the first element in the table.
        #[mutagen(default = zero())]
        offset: ConstExpr,
        /// The type of the references.
        ty: RefType,
        /// The references.
        exprs: Vec<ConstExpr>,
    },
    /// Expressions that only declare functions, so that `ref.func` may name them.
    #[mutagen(when = when::reference_types)]
    DeclaredExprs {
        /// The type of the references.
        ty: RefType,
        /// The references.
        exprs: Vec<ConstExpr>,
    },
}

impl Element {
    /// The type of its elements.
    pub(crate) fn reference(&self) -> RefType {
        match self {
            Self::PassiveExprs { ty, .. }
            | Self::ActiveExprsIn { ty, .. }
            | Self::DeclaredExprs { ty, .. } => *ty,
            _ => RefType::FuncRef,
        }
    }

    /// The number of its elements.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Active { functions, .. }
            | Self::ActiveIn { functions, .. }
            | Self::Passive { functions }
            | Self::Declared { functions } => functions.len(),
            Self::ActiveExprs { exprs, .. }
            | Self::ActiveExprsIn { exprs, .. }
            | Self::PassiveExprs { exprs, .. }
            | Self::DeclaredExprs { exprs, .. } => exprs.len(),
        }
    }
}

/// A data segment.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum Data {
    /// Bytes that instantiation writes to memory.
    Active {
        /// The memory.
        memory: MemIdx,
        /// Address of the first byte.
        #[mutagen(default = zero())]
        offset: ConstExpr,
        /// The bytes.
        bytes: Bytes,
    },
    /// Bytes for `memory.init`.
    #[mutagen(when = when::bulk_memory)]
    Passive {
        /// The bytes.
        bytes: Bytes,
    },
}

impl Data {
    /// The bytes.
    pub fn bytes(&self) -> &Bytes {
        match self {
            Self::Active { bytes, .. } | Self::Passive { bytes } => bytes,
        }
    }
}

/// Whether there is a data count section. The encoder computes its number, because a module with a wrong one
/// is malformed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Generate, Mutable)]
pub enum DataCount {
    /// There is none. Then the code must not refer to data segments.
    #[default]
    Absent,
    /// There is one.
    #[mutagen(when = when::bulk_memory)]
    Present,
}

/// A custom section: a name and bytes that engines may ignore.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Generate, Mutable)]
pub struct Custom {
    /// Its name, such as `name` or `producers`.
    pub name: Name,
    /// Its content.
    pub bytes: Bytes,
}

/// Custom sections, in the three places that tools distinguish. The decoder moves those elsewhere to the next
/// of these places.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Generate, Mutable)]
pub struct Customs {
    /// Before all other sections, such as `dylink.0`.
    pub first: Vec<Custom>,
    /// Between the other sections and the code, such as branch hints.
    pub before_code: Vec<Custom>,
    /// After the code, such as names.
    pub last: Vec<Custom>,
}

/// The constant expression that mutation puts into a new segment or global.
pub(crate) fn zero() -> ConstExpr {
    vec![Op::I32Const(0)]
}
