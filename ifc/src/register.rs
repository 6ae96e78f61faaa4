//! The IFC register machine: four labels, memory frames with stamps, first-class pointers and labels.

mod indistinguishable;
mod label;
mod memory;
mod rules;
mod smart;
mod state;
mod step;
mod vary;
mod well_formed;

pub use label::Label;
pub use memory::{Block, Frame, Memory, Pointer};
pub use rules::{OpCode, faults};
pub use smart::smart;
pub use state::{Atom, BinOp, Instruction, PcAtom, RegId, StackFrame, State, Value, Variation};
pub use well_formed::Exposed;
