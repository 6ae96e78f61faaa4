//! Well-formed states: an observer who reaches a block may know that it was allocated.

use super::label::Label;
use super::memory::{Block, Memory};
use super::state::{Atom, State, Value};
use crate::lattice::Lattice;

/// A block that is reached from less secret places than its stamp allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exposed {
    /// The block.
    pub block: Block,
    /// The label at which it is reached.
    pub at: Label,
}

impl State {
    /// A block whose stamp does not flow to a label at which it is reached; `None` in a well-formed state.
    ///
    /// For each label, the search follows pointers that flow to the label. It starts at the registers, and at
    /// saved registers, if their pc flows to the label, and goes on through frames whose label flows to it. A
    /// pointer to a block that does not exist reaches that block, but leads no further.
    pub fn exposed(&self) -> Option<Exposed> {
        // Every stamp flows to the top label, so nothing is exposed there.
        let below_top = [Label::L, Label::M1, Label::M2];
        below_top.into_iter().find_map(|at| Search::new(&self.memory, at).run(self).err())
    }

    /// Whether no block is exposed.
    pub fn is_well_formed(&self) -> bool {
        self.exposed().is_none()
    }
}

/// A search through the blocks that are reachable at one label. It ends at the first exposed block.
struct Search<'a> {
    memory: &'a Memory,
    at: Label,
    reached: Vec<Block>,
}

impl<'a> Search<'a> {
    fn new(memory: &'a Memory, at: Label) -> Self {
        Self { memory, at, reached: Vec::new() }
    }

    fn run(mut self, state: &State) -> Result<(), Exposed> {
        // Start at the registers and the saved registers.
        if state.pc.label.flows_to(self.at) {
            self.follow(&state.registers)?;
        }
        for frame in &state.stack {
            if frame.pc.label.flows_to(self.at) {
                self.follow(&frame.registers)?;
            }
        }
        // Then go on through memory.
        self.close()
    }

    /// Follows the pointers in all blocks that were reached, including blocks that are reached on the way.
    fn close(&mut self) -> Result<(), Exposed> {
        let mut next = 0;
        while let Some(&block) = self.reached.get(next) {
            next += 1;
            let Some(frame) = self.memory.frame(block) else { continue };
            if frame.label.flows_to(self.at) {
                self.follow(&frame.cells)?;
            }
        }
        Ok(())
    }

    fn follow(&mut self, atoms: &[Atom]) -> Result<(), Exposed> {
        for atom in atoms {
            match atom.value {
                Value::Ptr(pointer) if atom.label.flows_to(self.at) => self.reach(pointer.block)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn reach(&mut self, block: Block) -> Result<(), Exposed> {
        if !block.stamp.flows_to(self.at) {
            return Err(Exposed { block, at: self.at });
        }
        if !self.reached.contains(&block) {
            self.reached.push(block);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Frame, PcAtom, Pointer, StackFrame};
    use super::*;

    fn pointer(stamp: Label, label: Label) -> Atom {
        Atom::new(Value::Ptr(Pointer { block: Block { index: 0, stamp }, offset: 0 }), label)
    }

    fn state(pc: Label, registers: Vec<Atom>) -> State {
        let (imem, memory, stack) = (vec![], Memory::empty(), vec![]);
        State { imem, memory, stack, registers, pc: PcAtom::new(0, pc) }
    }

    #[test]
    fn a_pointer_must_be_at_least_as_secret_as_the_stamp_of_its_block() {
        let exposed = state(Label::L, vec![pointer(Label::M1, Label::M2)]).exposed();
        assert_eq!(exposed, Some(Exposed { block: Block { index: 0, stamp: Label::M1 }, at: Label::M2 }));
        assert!(state(Label::L, vec![pointer(Label::M1, Label::M1)]).is_well_formed());
    }

    #[test]
    fn a_secret_pc_hides_the_registers() {
        assert!(state(Label::M1, vec![pointer(Label::M1, Label::L)]).is_well_formed());
        assert!(!state(Label::M2, vec![pointer(Label::M1, Label::L)]).is_well_formed());
    }

    #[test]
    fn saved_registers_count_where_their_return_address_is_visible() {
        let frame = |label| StackFrame {
            pc: PcAtom::new(0, label),
            registers: vec![pointer(Label::H, Label::L)],
            target: 0,
            label: Label::L,
        };
        let with = |label| State { stack: vec![frame(label)], ..state(Label::L, vec![]) };
        assert!(with(Label::H).is_well_formed());
        assert!(!with(Label::M1).is_well_formed());
    }

    #[test]
    fn pointers_are_followed_through_visible_frames_only() {
        let through = |frame_label| {
            let mut state = state(Label::L, vec![pointer(Label::L, Label::L)]);
            let cells = vec![pointer(Label::M1, Label::L)];
            state.memory.allocate(Label::L, Frame { label: frame_label, cells });
            state
        };
        assert!(!through(Label::L).is_well_formed());
        assert!(!through(Label::M2).is_well_formed());
        assert!(through(Label::M1).is_well_formed());
    }

    #[test]
    fn cycles_of_pointers_come_to_an_end() {
        let mut state = state(Label::L, vec![pointer(Label::L, Label::L)]);
        let cells = vec![pointer(Label::L, Label::L)];
        state.memory.allocate(Label::L, Frame { label: Label::L, cells });
        assert!(state.is_well_formed());
    }
}
