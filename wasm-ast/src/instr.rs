//! Bodies: trees of instructions, [`Op`] for those without a body and [`Block`] for those with one.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem;

use mutagen_engine::{Generate, Mutable};

use crate::op::Op;
use crate::stack::deep;
use crate::types::BlockType;

/// One instruction of a function's body.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum Instr {
    /// An instruction without a body.
    #[mutagen(default, weight = 16)]
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

/// The body of a new block. `unreachable` is valid for every block type, an empty body only for blocks
/// without results.
fn trap() -> Vec<Instr> {
    vec![Instr::Op(Op::Unreachable)]
}

/// The body of a new function: three times `unreachable`. The one in the middle can become any instruction,
/// whatever its operands and results.
pub(crate) fn traps() -> Vec<Instr> {
    vec![Instr::Op(Op::Unreachable); 3]
}

/// The four instructions that have a body.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Generate, Mutable)]
pub enum BlockKind {
    /// `block`
    Block,
    /// `loop`
    Loop,
    /// `if` without `else`
    If,
    /// `if` with this `else`
    IfElse(#[mutagen(default = trap())] Vec<Instr>),
}

/// An instruction with a body.
///
/// Cloning, comparing, hashing, printing and dropping work at any depth of nesting: they move to a fresh
/// stack before the current one overflows. As a block implements `Drop`, its fields cannot be moved out; use
/// [`std::mem::take`].
#[derive(Generate, Mutable)]
pub struct Block {
    /// Which of the four instructions it is. Mutation can change the kind and keep the body.
    pub kind: BlockKind,
    /// Its parameters and results.
    pub ty: BlockType,
    /// The body. For `if` with `else`, the one before `else`.
    #[mutagen(default = trap())]
    pub body: Vec<Instr>,
}

impl Block {
    /// A block of this kind and type around `body`.
    pub fn new(kind: BlockKind, ty: BlockType, body: Vec<Instr>) -> Self {
        Self { kind, ty, body }
    }

    /// The body after `else`, if there is one.
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
        // The compiler drops the fields after this function, outside `deep`: take them out to drop them here.
        let bodies = (mem::replace(&mut self.kind, BlockKind::Block), mem::take(&mut self.body));
        deep(|| drop(bodies));
    }
}
