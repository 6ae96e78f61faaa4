//! The enumeration behind every list of mutants: position after position, and at each one number after number.

use super::{Order, PositionCursor, node_at};
use crate::{Mutable, Permutation};

/// A place in the enumeration of a value's mutants. It costs the same whatever their number.
///
/// Like a [`PositionCursor`], it does not hold the value, which must be the same one at every step. What the mutants at
/// a position are is up to the user, who says how many there are when the walk comes to it.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    cursor: PositionCursor,
    visited: usize,
    here: Draws,
}

impl Walk {
    /// A walk before the first position.
    pub(crate) fn new(order: Order) -> Self {
        Walk { cursor: PositionCursor::new(order), visited: 0, here: Draws::default() }
    }

    /// Goes to the next position; `draws` gets the node there and its path, and says what can be drawn there. False if
    /// there is no further position.
    pub(crate) fn enter_next(
        &mut self,
        value: &dyn Mutable,
        draws: impl FnOnce(&dyn Mutable, &[u32]) -> Draws,
    ) -> bool {
        let entered = self.cursor.advance(value);
        if entered {
            self.visited += 1;
            let path = self.cursor.path();
            self.here = node_at(value, path).map_or_else(Draws::default, |node| draws(node, path));
        }
        entered
    }

    /// The next draw at this position, if there is one left.
    pub(crate) fn next_here(&mut self) -> Option<usize> {
        self.here.next()
    }

    /// How many draws are left at this position.
    pub(crate) fn left_here(&self) -> usize {
        self.here.total - self.here.next
    }

    /// How many positions the walk has come to.
    pub(crate) fn visited(&self) -> usize {
        self.visited
    }

    /// The path of the position.
    pub(crate) fn path(&self) -> &[u32] {
        self.cursor.path()
    }
}

/// The numbers from 0 to below a total, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draws {
    total: usize,
    next: usize,
    /// The order in which they come, if not in their own.
    permutation: Option<Permutation>,
}

impl Draws {
    /// The numbers of `0..total`, in the order that belongs to the seed; without one, in their own.
    pub(crate) fn new(total: usize, seed: Option<u64>) -> Self {
        Draws { total, next: 0, permutation: seed.map(|seed| Permutation::new(total, seed)) }
    }

    fn next(&mut self) -> Option<usize> {
        if self.next == self.total {
            return None;
        }
        let place = self.next;
        self.next += 1;
        Some(self.permutation.as_ref().map_or(place, |permutation| permutation.image(place)))
    }
}
