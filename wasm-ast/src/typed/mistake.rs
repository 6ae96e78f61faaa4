//! Mistakes: what makes a module invalid that would be valid without it.
//!
//! A module has one mistake at most, since a validator stops at the first. It is made at a random choice: a value of a wrong
//! type, or an instruction that names the wrong thing. All around it is as in valid modules, so that rules are broken that take
//! several things in different places.

use mutagen_engine::Source;

use super::choice::pick;
use super::outline::Outline;
use super::swarm::Swarm;
use super::writer::Writer;
use crate::immediate::{Align, MemArg, Offset};
use crate::index::{FuncIdx, GlobalIdx, LabelIdx, MemIdx};
use crate::types::ValType;

/// The first offset that 32 bits cannot hold.
const TOO_FAR: u64 = 1 << 32;

/// When the mistake is made.
#[derive(Clone, Copy)]
pub(super) enum Mistake {
    /// After so many choices at which it could have been made.
    After(usize),
    /// It was made, or there is none.
    None,
}

impl Mistake {
    /// Whether the mistake is made at this choice.
    fn is_now(&mut self) -> bool {
        let (now, next) = match *self {
            Mistake::After(0) => (true, Mistake::None),
            Mistake::After(choices) => (false, Mistake::After(choices - 1)),
            Mistake::None => (false, Mistake::None),
        };
        *self = next;
        now
    }
}

impl Outline {
    /// The type of the value that is written in place of one of this type: the same, unless this is the mistake.
    pub(super) fn mistaken(&mut self, ty: ValType, swarm: &Swarm, source: &mut Source) -> ValType {
        if self.mistake.is_now() { swarm.ty(source) } else { ty }
    }
}

impl Writer<'_> {
    /// Whether `select` loses its type by mistake.
    pub(super) fn forgets_type(&mut self) -> bool {
        self.outline.mistake.is_now()
    }

    /// The access itself, unless this is the mistake: then its offset, its alignment or its memory is another one.
    pub(super) fn mistaken_access(&mut self, access: MemArg, width: u8) -> MemArg {
        if !self.outline.mistake.is_now() {
            return access;
        }
        let small = self.source.below(2) as u64;
        match self.source.below(3) {
            0 => MemArg { offset: Offset::new(TOO_FAR + small), ..access },
            1 => MemArg { align: Align::new(width + 1).unwrap_or(access.align), ..access },
            _ => {
                let memory = self.source.below(self.outline.spaces.memories.len() + 1);
                MemArg { memory: MemIdx::new(memory as u32), ..access }
            }
        }
    }

    /// The function itself, unless this is the mistake: then any one is called.
    pub(super) fn mistaken_function(&mut self, function: FuncIdx) -> FuncIdx {
        if self.outline.mistake.is_now() {
            self.any(self.outline.spaces.functions.len(), FuncIdx::new)
        } else {
            function
        }
    }

    /// The global to assign to, unless this is the mistake: then any one of this type, which may be one that never changes.
    pub(super) fn mistaken_global(&mut self, global: GlobalIdx, ty: ValType) -> GlobalIdx {
        if !self.outline.mistake.is_now() {
            return global;
        }
        let like = (0..).zip(&self.outline.spaces.globals).filter(|(_, other)| other.value == ty);
        pick(like, self.source).map_or(global, |(index, _)| GlobalIdx::new(index))
    }

    /// The label itself, unless this is the mistake: then any one.
    pub(super) fn mistaken_label(&mut self, label: LabelIdx) -> LabelIdx {
        if self.outline.mistake.is_now() { self.any(self.labels.len(), LabelIdx::new) } else { label }
    }

    /// Any index of a space of this size, or the first one beyond it.
    fn any<I>(&mut self, size: usize, index: impl Fn(u32) -> I) -> I {
        index(self.source.below(size + 1) as u32)
    }
}
