//! The diamond of labels.

use std::fmt;
use std::hint::black_box;

use mutagen_engine::{Generate, Mutable};
use serde::{Deserialize, Serialize};

use crate::lattice::Lattice;

/// A label of the diamond: `L` is below `M1` and `M2`, which are incomparable, and both are below `H`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Generate, Mutable)]
pub enum Label {
    /// Public.
    L,
    /// Known to the first principal.
    M1,
    /// Known to the second principal.
    M2,
    /// Known only to both together.
    H,
}

impl Label {
    /// Every label, bottom first, top last.
    pub const ALL: [Label; 4] = [Label::L, Label::M1, Label::M2, Label::H];
}

impl Lattice for Label {
    const BOTTOM: Self = Label::L;

    #[inline(always)]
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Label::L, label) | (label, Label::L) => label,
            (Label::M1, Label::M1) => Label::M1,
            (Label::M2, Label::M2) => Label::M2,
            _ => Label::H,
        }
    }

    #[inline(always)]
    fn told_apart(self) -> Self {
        match self {
            Label::L => black_box(Label::L),
            Label::M1 => black_box(Label::M1),
            Label::M2 => black_box(Label::M2),
            Label::H => black_box(Label::H),
        }
    }

    #[inline(always)]
    fn flows_to(self, other: Self) -> bool {
        match (self, other) {
            (Label::L, _) | (_, Label::H) => true,
            (one, two) => one == two,
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A two-bit encoding of the labels is the independent definition that the methods are compared with.
    #[test]
    fn the_diamond_is_the_lattice_of_two_bits() {
        for one in Label::ALL {
            for two in Label::ALL {
                let (a, b) = (one as u8, two as u8);
                assert_eq!(one.join(two) as u8, a | b, "{one} ∨ {two}");
                assert_eq!(one.flows_to(two), a & !b == 0, "{one} ⊑ {two}");
            }
        }
    }
}
