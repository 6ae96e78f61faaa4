//! A whole module. Sections are lists; a function is held together although the binary format splits it in two.

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
    /// Memories: limits are all there is to their type.
    pub memories: Vec<Limits>,
    /// Globals.
    pub globals: Vec<Global>,
    /// Exports.
    pub exports: Vec<Export>,
    /// Function that runs at instantiation.
    pub start: Option<FuncIdx>,
    /// Element segments.
    pub elements: Vec<Element>,
    /// Whether the number of data segments is announced in front of the code.
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
    /// First half of the name.
    pub module: Name,
    /// Second half of the name.
    pub name: Name,
    /// What is imported.
    pub item: ImportItem,
}

/// What an import asks for.
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

/// Some locals of one type, as the binary format groups them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct Locals {
    /// How many.
    #[mutagen(default = LocalCount(1))]
    pub count: LocalCount,
    /// Of which type.
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

    /// Small numbers only: many locals cost engines much time and teach little.
    fn candidates(count: u32, _: &Scope) -> impl AsRef<[u32]> {
        [count.saturating_sub(1), count.saturating_add(1), 0, 1, 2, 3]
    }
}

/// An expression that gives the first value of a global, or the place of a segment. The binary format has no room for
/// blocks here, but for every other instruction.
pub type ConstExpr = Vec<Op>;

/// A global with its first value.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct Global {
    /// Its type.
    pub ty: GlobalType,
    /// Its first value.
    #[mutagen(default = zero())]
    pub init: ConstExpr,
}

/// An export.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub struct Export {
    /// Its name. No two exports of a valid module have the same.
    pub name: Name,
    /// What is exported.
    pub item: ExportItem,
}

/// What an export gives away.
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

/// An element segment: one constructor for each of the eight forms of the binary format, in another order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum Element {
    /// Functions for table 0.
    Active {
        /// Where they go.
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
    /// Functions for a table that is named.
    #[mutagen(when = when::bulk_memory)]
    ActiveIn {
        /// The table.
        table: TableIdx,
        /// Where they go.
        #[mutagen(default = zero())]
        offset: ConstExpr,
        /// The functions.
        functions: Vec<FuncIdx>,
    },
    /// Functions that `ref.func` may name.
    #[mutagen(when = when::reference_types)]
    Declared {
        /// The functions.
        functions: Vec<FuncIdx>,
    },
    /// Expressions for table 0.
    #[mutagen(when = when::reference_types)]
    ActiveExprs {
        /// Where they go.
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
    /// Expressions for a table that is named.
    #[mutagen(when = when::reference_types)]
    ActiveExprsIn {
        /// The table.
        table: TableIdx,
        /// Where they go.
        #[mutagen(default = zero())]
        offset: ConstExpr,
        /// The type of the references.
        ty: RefType,
        /// The references.
        exprs: Vec<ConstExpr>,
    },
    /// Expressions whose functions `ref.func` may name.
    #[mutagen(when = when::reference_types)]
    DeclaredExprs {
        /// The type of the references.
        ty: RefType,
        /// The references.
        exprs: Vec<ConstExpr>,
    },
}

/// A data segment.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum Data {
    /// Bytes that are in memory after instantiation.
    Active {
        /// The memory.
        memory: MemIdx,
        /// Where they go.
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

/// Whether there is a data count section. Its number is always right: a module where it is not is malformed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Generate, Mutable)]
pub enum DataCount {
    /// No. Then the code must not mention data segments.
    #[default]
    Absent,
    /// Yes.
    #[mutagen(when = when::bulk_memory)]
    Present,
}

/// A custom section: a name and bytes, which no engine has to understand.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Generate, Mutable)]
pub struct Custom {
    /// Its name, such as `name` or `producers`.
    pub name: Name,
    /// Its content.
    pub bytes: Bytes,
}

/// Custom sections, in the three places that mean something to tools. Those found elsewhere go to the next of these places.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Generate, Mutable)]
pub struct Customs {
    /// Before all other sections, such as `dylink.0`.
    pub first: Vec<Custom>,
    /// Between the other sections and the code, such as branch hints.
    pub before_code: Vec<Custom>,
    /// After the code, such as names.
    pub last: Vec<Custom>,
}

/// The expression in segments and globals that mutation puts where there was none.
pub(crate) fn zero() -> ConstExpr {
    vec![Op::I32Const(0)]
}
