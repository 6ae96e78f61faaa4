//! Indistinguishability for an observer who sees everything up to a label.

use super::label::Label;
use super::memory::{Frame, Memory};
use super::state::{Atom, StackFrame, State};
use crate::lattice::Lattice;

impl Atom {
    /// Whether the labels are the same, and also the values if the observer sees them.
    pub fn indistinguishable(&self, other: &Atom, observer: Label) -> bool {
        if self.label != other.label {
            return false;
        }
        if !self.label.flows_to(observer) {
            return true;
        }
        self.value == other.value
    }
}

impl Frame {
    /// Whether the labels are the same, and the cells indistinguishable if the observer sees them.
    pub fn indistinguishable(&self, other: &Frame, observer: Label) -> bool {
        if self.label != other.label {
            return false;
        }
        if !self.label.flows_to(observer) {
            return true;
        }
        atoms(&self.cells, &other.cells, observer)
    }
}

impl Memory {
    /// Whether the frames are indistinguishable in every region that the observer sees.
    pub fn indistinguishable(&self, other: &Memory, observer: Label) -> bool {
        for stamp in Label::ALL {
            if stamp.flows_to(observer) && !frames(self.region(stamp), other.region(stamp), observer) {
                return false;
            }
        }
        true
    }
}

impl StackFrame {
    /// Whether both return to secret places, or both are equal up to secrets in the saved registers.
    pub fn indistinguishable(&self, other: &StackFrame, observer: Label) -> bool {
        if !self.pc.label.flows_to(observer) && !other.pc.label.flows_to(observer) {
            return true;
        }
        if self.pc != other.pc {
            return false;
        }
        if !atoms(&self.registers, &other.registers, observer) {
            return false;
        }
        if self.target != other.target {
            return false;
        }
        self.label == other.label
    }
}

impl State {
    /// Whether the observer cannot tell the two states apart.
    ///
    /// While both pcs are secret, registers and the frames of secret calls belong to secret computations and
    /// are not compared.
    pub fn indistinguishable(&self, other: &State, observer: Label) -> bool {
        if self.imem != other.imem {
            return false;
        }
        if !self.memory.indistinguishable(&other.memory, observer) {
            return false;
        }
        if !self.pc.label.flows_to(observer) && !other.pc.label.flows_to(observer) {
            return stacks(crop(&self.stack, observer), crop(&other.stack, observer), observer);
        }
        if self.pc != other.pc {
            return false;
        }
        if !stacks(&self.stack, &other.stack, observer) {
            return false;
        }
        atoms(&self.registers, &other.registers, observer)
    }
}

/// The stack without the secret calls on top.
fn crop(stack: &[StackFrame], observer: Label) -> &[StackFrame] {
    let secret = stack.iter().take_while(|frame| !frame.pc.label.flows_to(observer)).count();
    &stack[secret..]
}

fn atoms(left: &[Atom], right: &[Atom], observer: Label) -> bool {
    pointwise(left, right, |one, two| one.indistinguishable(two, observer))
}

fn frames(left: &[Frame], right: &[Frame], observer: Label) -> bool {
    pointwise(left, right, |one, two| one.indistinguishable(two, observer))
}

fn stacks(left: &[StackFrame], right: &[StackFrame], observer: Label) -> bool {
    pointwise(left, right, |one, two| one.indistinguishable(two, observer))
}

fn pointwise<T>(left: &[T], right: &[T], indistinguishable: impl Fn(&T, &T) -> bool) -> bool {
    if left.len() != right.len() {
        return false;
    }
    for (one, two) in left.iter().zip(right) {
        if !indistinguishable(one, two) {
            return false;
        }
    }
    true
}
