//! Indistinguishability for an observer who sees `L`.

use super::state::{Atom, Label, Stack, State};

impl Atom {
    /// Whether both are secret, or both public and equal.
    pub fn indistinguishable(self, other: Atom) -> bool {
        match (self.label, other.label) {
            (Label::L, Label::L) => self.value == other.value,
            (Label::H, Label::H) => true,
            _ => false,
        }
    }
}

impl Stack {
    /// Whether the stacks have the same height, the same kinds of elements and indistinguishable atoms.
    pub fn indistinguishable(&self, other: &Stack) -> bool {
        let (mut left, mut right) = (self, other);
        loop {
            match (left, right) {
                (Stack::Empty, Stack::Empty) => return true,
                (Stack::Data(one, left_rest), Stack::Data(two, right_rest))
                | (Stack::Return(one, left_rest), Stack::Return(two, right_rest)) => {
                    if !one.indistinguishable(*two) {
                        return false;
                    }
                    (left, right) = (left_rest, right_rest);
                }
                _ => return false,
            }
        }
    }

    /// The stack from the first public return marker down: the part that remains when a secret computation
    /// has returned.
    pub fn crop(&self) -> &Stack {
        let mut stack = self;
        loop {
            match stack {
                Stack::Empty => return stack,
                Stack::Return(atom, _) if atom.label == Label::L => return stack,
                Stack::Data(_, rest) | Stack::Return(_, rest) => stack = rest,
            }
        }
    }
}

impl State {
    /// Whether the observer cannot tell the two states apart.
    ///
    /// While the pc is secret, the stack above the first public return marker belongs to a secret computation
    /// and is not compared.
    pub fn indistinguishable(&self, other: &State) -> bool {
        if !memories(&self.mem, &other.mem) {
            return false;
        }
        if self.imem != other.imem {
            return false;
        }
        if !self.pc.indistinguishable(other.pc) {
            return false;
        }
        match self.pc.label {
            Label::L => self.stack.indistinguishable(&other.stack),
            Label::H => self.stack.crop().indistinguishable(other.stack.crop()),
        }
    }
}

fn memories(left: &[Atom], right: &[Atom]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    for (one, two) in left.iter().zip(right) {
        if !one.indistinguishable(*two) {
            return false;
        }
    }
    true
}
