//! Instructions: [`Op`] for those without a body, made from the table, and [`Block`] for those with one.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem;

use crate::immediate::{F32, F64, Lane, Lanes, MemArg, V128};
use crate::index::{
    DataIdx, ElemIdx, FuncIdx, GlobalIdx, LabelIdx, LocalIdx, MemIdx, TableIdx, TypeIdx,
};
use crate::stack::deep;
use crate::table::for_each_op;
use crate::types::{BlockType, RefType, ValType};

/// One instruction of a function's body.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(any(), derive(Generate, Mutable))]
pub enum Instr {
    /// An instruction without a body.
    #[cfg_attr(any(), mutagen(default, weight = 16))]
    Op(Op),
    /// An instruction with a body.
    Block(Box<Block>),
}

impl From<Op> for Instr {
    fn from(op: Op) -> Self {
        Self::Op(op)
    }
}

impl From<Block> for Instr {
    fn from(block: Block) -> Self {
        Self::Block(Box::new(block))
    }
}

macro_rules! define_ops {
    (
        singles { $($feature:ident: $($single:ident $(( $($field:ident: $type:ident),* ))?)*;)* }
        groups { $(
            #[doc = $signature:literal]
            $group:ident ($($group_field:ident: $group_type:ident),*) {
                $first_feature:ident: $($first_op:ident)*;
                $($more_feature:ident: $($more_op:ident)*;)*
            }
        )* }
    ) => {
        /// An instruction without a body.
        ///
        /// Constructors are named as in wasmparser. Those that hold a group, such as [`Op::I32Binary`], share it among all
        /// instructions of one stack signature: to exchange one of the group for another keeps a function valid.
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        #[cfg_attr(any(), derive(Generate, Mutable))]
        pub enum Op {
            $($(
                #[doc = concat!("`", stringify!($single), "`")]
                #[cfg_attr(any(), mutagen(when = when::$feature))]
                $single $(( $($type),* ))?,
            )*)*
            $(
                #[doc = concat!("Group with signature", $signature)]
                #[cfg_attr(any(), mutagen(when = when::$first_feature))]
                $group($group, $($group_type),*),
            )*
            /// `br_table`
            BrTable(Box<BrTable>),
            /// `select` with types
            #[cfg_attr(any(), mutagen(when = when::reference_types))]
            TypedSelect(Box<SelectTypes>),
        }

        $(
            #[doc = concat!("Instructions with signature", $signature)]
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
            #[cfg_attr(any(), derive(Generate, Mutable))]
            pub enum $group {
                $(
                    #[doc = concat!("`", stringify!($first_op), "`")]
                    $first_op,
                )*
                $($(
                    #[doc = concat!("`", stringify!($more_op), "`")]
                    #[cfg_attr(any(), mutagen(when = when::$more_feature))]
                    $more_op,
                )*)*
            }
        )*
    };
}

for_each_op!(define_ops);

/// Where `br_table` goes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(any(), derive(Generate, Mutable))]
pub struct BrTable {
    /// Targets of the operands 0, 1, ...
    pub targets: Vec<LabelIdx>,
    /// Target of every larger operand.
    pub default: LabelIdx,
}

/// The types written at a `select`. Valid is exactly one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(any(), derive(Generate, Mutable))]
pub struct SelectTypes {
    /// Types of the results.
    #[cfg_attr(any(), mutagen(default = vec![ValType::I32]))]
    pub types: Vec<ValType>,
}

/// The four instructions that have a body.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(any(), derive(Generate, Mutable))]
pub enum BlockKind {
    /// `block`
    Block,
    /// `loop`
    Loop,
    /// `if` without `else`
    If,
    /// `if` with this `else`
    IfElse(Vec<Instr>),
}

/// An instruction with a body.
///
/// Cloning, comparing, hashing, printing and dropping it work at any depth of nesting: they move to a fresh stack before
/// the current one ends. So fields cannot be moved out of a block; use [`std::mem::take`].
#[cfg_attr(any(), derive(Generate, Mutable))]
pub struct Block {
    /// Which of the four it is. The kind can change while the body stays.
    pub kind: BlockKind,
    /// What it takes and leaves.
    pub ty: BlockType,
    /// The body; the first of the two of `if` with `else`.
    pub body: Vec<Instr>,
}

impl Block {
    /// A block of that kind and type around `body`.
    pub fn new(kind: BlockKind, ty: BlockType, body: Vec<Instr>) -> Self {
        Self { kind, ty, body }
    }

    /// The second body, if there is one.
    pub fn otherwise(&self) -> Option<&[Instr]> {
        match &self.kind {
            BlockKind::IfElse(body) => Some(body),
            _ => None,
        }
    }
}

impl Clone for Block {
    fn clone(&self) -> Self {
        deep(|| Self { kind: self.kind.clone(), ty: self.ty, body: self.body.clone() })
    }
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        deep(|| self.ty == other.ty && self.kind == other.kind && self.body == other.body)
    }
}

impl Eq for Block {}

impl Hash for Block {
    fn hash<H: Hasher>(&self, state: &mut H) {
        deep(|| (&self.kind, self.ty, &self.body).hash(state));
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        deep(|| {
            f.debug_struct("Block")
                .field("kind", &self.kind)
                .field("ty", &self.ty)
                .field("body", &self.body)
                .finish()
        })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // Fields are taken out because the compiler drops what is left after this function, outside of `deep`.
        let bodies = (mem::replace(&mut self.kind, BlockKind::Block), mem::take(&mut self.body));
        deep(|| drop(bodies));
    }
}
