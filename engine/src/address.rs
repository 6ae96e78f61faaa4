//! Addresses of mutants: a position in the value, and a number at that position.

mod cursor;
mod mutants;
mod walk;

pub use cursor::{Order, PositionCursor, positions};
pub use mutants::{Addresses, Mutants, MutantsConfig, mutants};
pub(crate) use walk::{Draws, Walk};

use crate::{Mutable, Source};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A place in a value: the indices of the children on the way down from the root, which is `[]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(Vec<u32>);

impl Position {
    /// The root.
    pub fn root() -> Self {
        Self::default()
    }

    /// The indices on the way down.
    pub fn path(&self) -> &[u32] {
        &self.0
    }
}

impl From<&[u32]> for Position {
    fn from(path: &[u32]) -> Self {
        Self(path.to_vec())
    }
}

impl From<Vec<u32>> for Position {
    fn from(path: Vec<u32>) -> Self {
        Self(path)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (depth, index) in self.0.iter().enumerate() {
            let separator = if depth > 0 { "," } else { "" };
            write!(f, "{separator}{index}")?;
        }
        f.write_str("]")
    }
}

/// The address of a mutant: the position that changes, and which of its root mutants it changes to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Address {
    /// The place that changes.
    pub position: Position,
    /// The number of the mutant there, see [`Mutable::mutate`].
    pub number: usize,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.position, self.number)
    }
}

/// The part of `root` at the end of `path`, if there is one.
pub fn node_at<'a>(root: &'a dyn Mutable, path: &[u32]) -> Option<&'a dyn Mutable> {
    path.iter().try_fold(root, |node, &index| {
        let index = index as usize;
        (index < node.children()).then(|| node.child(index))
    })
}

/// The part of `root` at the end of `path`, if there is one, to be changed.
pub fn node_at_mut<'a>(root: &'a mut dyn Mutable, path: &[u32]) -> Option<&'a mut dyn Mutable> {
    path.iter().try_fold(root, |node, &index| {
        let index = index as usize;
        (index < node.children()).then(|| node.child_mut(index))
    })
}

/// Clones `value` once and changes it into the mutant at `address`; `None` if there is none, or if it equals `value`.
///
/// ```
/// use mutagen_engine::{Address, Position, Source, apply};
///
/// let address = Address { position: Position::from(vec![0]), number: 0 };
/// assert_eq!(apply(&vec![true, true], &address, &mut Source::seeded(0)), Some(vec![false, true]));
/// ```
pub fn apply<T: Mutable + Clone>(value: &T, address: &Address, source: &mut Source) -> Option<T> {
    let mut mutant = value.clone();
    let changed = node_at_mut(&mut mutant, address.position.path())?.mutate(address.number, source);
    changed.then_some(mutant)
}
