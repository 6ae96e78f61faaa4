//! The IFC stack machine: two labels, eight instructions, calls and returns on one stack.

mod indistinguishable;
mod rules;
mod smart;
mod state;
mod step;

pub use rules::{OpCode, faults};
pub use smart::smart;
pub use state::{Atom, Instruction, Label, Stack, State, Variation};
