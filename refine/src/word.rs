//! Small unsigned numbers.

use mutagen_engine::{Listable, Tiers};
use std::fmt;

/// A number of so many bits, at most 8: the element type with which polymorphic functions are refined best. Few values mean that
/// lists of them soon have equal elements, and that enumerations reach longer lists.
///
/// ```
/// use mutagen_engine::Listable;
/// use mutagen_refine::Word;
///
/// let all: Vec<Word<2>> = Word::tiers().values().collect();
/// assert_eq!(format!("{all:?}"), "[0, 1, 2, 3]");
/// assert_eq!(all.last(), Some(&Word::LARGEST));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Word<const BITS: u32>(u8);

impl<const BITS: u32> Word<BITS> {
    /// The largest number.
    pub const LARGEST: Self = {
        assert!(BITS <= 8, "a word has at most 8 bits");
        Word(((1_u16 << BITS) - 1) as u8)
    };

    /// The number, without the bits that it has no room for.
    pub fn new(number: u8) -> Self {
        Word(number & Self::LARGEST.0)
    }

    /// The number.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl<const BITS: u32> fmt::Debug for Word<BITS> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<const BITS: u32> Listable for Word<BITS> {
    fn tiers() -> Tiers<Self> {
        Tiers::one_by_one((0..=Self::LARGEST.0).map(Word))
    }
}
