//! Memory: frames of cells, in a separate region for each stamp.
//!
//! The stamp of a block is the secrecy of the decision to allocate it. Each stamp allocates independently of
//! the others, so the allocations of a secret computation change no block that the observer knows.

use mutagen_engine::{Generate, Mutable, Source};
use serde::{Deserialize, Serialize};

use super::label::Label;
use super::state::{Atom, Value};
use crate::pairs::exactly;

/// The identity of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct Block {
    /// The place among the frames of the same stamp.
    pub index: i64,
    /// The secrecy of the allocation.
    pub stamp: Label,
}

/// A place in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct Pointer {
    /// The frame.
    pub block: Block,
    /// The cell.
    pub offset: i64,
}

/// A list of cells with a label that never changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct Frame {
    /// Who may know its content.
    pub label: Label,
    /// The cells.
    #[mutagen(generate = exactly)]
    pub cells: Vec<Atom>,
}

/// The memory: a list of frames for every stamp.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub struct Memory {
    /// The frames by stamp, in the order of [`Label::ALL`].
    #[mutagen(generate = some_regions)]
    pub regions: [Vec<Frame>; 4],
}

/// Lists of frames at random stamps; a stamp that is drawn twice keeps the later list.
fn some_regions(source: &mut Source, size: usize) -> [Vec<Frame>; 4] {
    let mut regions = <[Vec<Frame>; 4]>::default();
    for _ in 0..size {
        let stamp = Label::generate(source, size);
        regions[stamp as usize] = exactly(source, size);
    }
    regions
}

impl Frame {
    /// A frame of `size` public zeroes.
    pub fn zeroed(label: Label, size: usize) -> Self {
        Self { label, cells: vec![Atom::new(Value::Int(0), Label::L); size] }
    }
}

impl Memory {
    /// A memory without frames.
    pub fn empty() -> Self {
        Self { regions: Default::default() }
    }

    /// The frames of one stamp.
    pub fn region(&self, stamp: Label) -> &[Frame] {
        &self.regions[stamp as usize]
    }

    /// The frame of a block.
    pub fn frame(&self, block: Block) -> Option<&Frame> {
        self.region(block.stamp).get(usize::try_from(block.index).ok()?)
    }

    /// The cell that a pointer addresses.
    pub fn load(&self, pointer: Pointer) -> Option<Atom> {
        self.frame(pointer.block)?.cells.get(usize::try_from(pointer.offset).ok()?).copied()
    }

    /// Overwrites a cell; `None` if there is no such cell.
    pub fn store(&mut self, pointer: Pointer, atom: Atom) -> Option<()> {
        let Pointer { block, offset } = pointer;
        let frame = self.regions[block.stamp as usize].get_mut(usize::try_from(block.index).ok()?)?;
        *frame.cells.get_mut(usize::try_from(offset).ok()?)? = atom;
        Some(())
    }

    /// Appends a frame to the region of `stamp`.
    pub fn allocate(&mut self, stamp: Label, frame: Frame) -> Block {
        let region = &mut self.regions[stamp as usize];
        region.push(frame);
        Block { index: region.len() as i64 - 1, stamp }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocation_at_one_stamp_does_not_move_blocks_of_another() {
        let mut memory = Memory::empty();
        let public = memory.allocate(Label::L, Frame::zeroed(Label::L, 1));
        memory.allocate(Label::H, Frame::zeroed(Label::H, 2));
        let next = memory.allocate(Label::L, Frame::zeroed(Label::M1, 3));
        assert_eq!((public.index, next.index), (0, 1));
        assert_eq!(memory.frame(next).map(|frame| frame.cells.len()), Some(3));
    }

    #[test]
    fn cells_outside_a_frame_do_not_exist() {
        let mut memory = Memory::empty();
        let block = memory.allocate(Label::L, Frame::zeroed(Label::L, 1));
        let atom = Atom::new(Value::Int(7), Label::H);
        for offset in [-1, 1] {
            let outside = Pointer { block, offset };
            assert_eq!((memory.load(outside), memory.store(outside, atom)), (None, None));
        }
        let inside = Pointer { block, offset: 0 };
        assert_eq!(memory.store(inside, atom), Some(()));
        assert_eq!(memory.load(inside), Some(atom));
        let missing = Pointer { block: Block { index: -1, stamp: Label::L }, offset: 0 };
        assert_eq!(memory.load(missing), None);
    }
}
