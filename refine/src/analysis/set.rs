//! Sets of properties.

use serde::{Serialize, Serializer};
use std::fmt;

/// A set of properties, by their numbers. It shows them counted from 1: `{1,3}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PropertySet(u64);

impl PropertySet {
    /// How many properties there can be.
    pub const MOST: usize = 64;

    /// The properties, counted from 0.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |property| self.0 >> property & 1 == 1)
    }

    /// Whether the property, counted from 0, is one of them.
    pub fn contains(self, property: usize) -> bool {
        property < Self::MOST && self.0 >> property & 1 == 1
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of them are in `other`.
    pub fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    pub(super) fn union(self, other: Self) -> Self {
        PropertySet(self.0 | other.0)
    }

    pub(super) fn intersection(self, other: Self) -> Self {
        PropertySet(self.0 & other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        PropertySet(self.0 & !other.0)
    }

    pub(super) fn with(self, property: usize) -> Self {
        PropertySet(self.0 | 1 << property)
    }

    /// Short sets first; of equal length, those with the first properties.
    pub(super) fn rank(self) -> impl Ord {
        (self.len(), std::cmp::Reverse(self.0.reverse_bits()))
    }
}

impl FromIterator<usize> for PropertySet {
    /// Those beyond [`PropertySet::MOST`] are left out.
    fn from_iter<I: IntoIterator<Item = usize>>(properties: I) -> Self {
        let possible = properties.into_iter().filter(|property| *property < Self::MOST);
        possible.fold(Self::default(), Self::with)
    }
}

impl fmt::Display for PropertySet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.iter().map(|property| (property + 1).to_string()).collect();
        formatter.pad(&format!("{{{}}}", numbers.join(",")))
    }
}

impl Serialize for PropertySet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|property| property + 1))
    }
}
