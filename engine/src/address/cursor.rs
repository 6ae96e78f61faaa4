//! Visits the positions of a value without a list of them.

use super::Position;
use crate::Mutable;
use serde::{Deserialize, Serialize};

/// The order in which positions are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Order {
    /// Breadth first, from left to right: large changes come before small ones.
    #[default]
    Level,
    /// A value before its children.
    Pre,
    /// A value after its children.
    Post,
}

/// Every position of `value`, one after the other.
///
/// ```
/// use mutagen_engine::{Order, positions};
///
/// let value = (vec![1u8, 2], true);
/// let level: Vec<_> = positions(&value, Order::Level).map(|position| position.to_string()).collect();
/// assert_eq!(level, ["[]", "[0]", "[1]", "[0,0]", "[0,1]"]);
/// ```
pub fn positions<T: Mutable>(value: &T, order: Order) -> impl Iterator<Item = Position> {
    let mut cursor = PositionCursor::new(order);
    std::iter::from_fn(move || cursor.advance(value).then(|| Position::from(cursor.path())))
}

/// A cursor over all positions of a value.
///
/// It keeps only the path that it is at; the value comes in from outside at every step, and must be the same one. In level
/// order it finds the positions of each depth anew from the root, which costs time in proportion to the depth, not memory.
#[derive(Clone, Debug)]
pub struct PositionCursor {
    order: Order,
    state: State,
    path: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Before,
    At,
    Past,
}

impl PositionCursor {
    /// A cursor before the first position.
    pub fn new(order: Order) -> Self {
        Self { order, state: State::Before, path: Vec::new() }
    }

    /// Goes to the next position of `root`. False if there is none, now and at every later call.
    pub fn advance(&mut self, root: &dyn Mutable) -> bool {
        let found = match self.state {
            State::Before => self.first(root),
            State::At => self.next(root),
            State::Past => false,
        };
        self.state = if found { State::At } else { State::Past };
        found
    }

    /// The position that the cursor is at.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    fn first(&mut self, root: &dyn Mutable) -> bool {
        if self.order == Order::Post {
            descend(root, &mut self.path);
        }
        true
    }

    fn next(&mut self, root: &dyn Mutable) -> bool {
        match self.order {
            Order::Level => next_in_level(root, &mut self.path),
            Order::Pre => next_before(root, &mut self.path, 0),
            Order::Post => next_after(root, &mut self.path, 0),
        }
    }
}

/// The next position as deep as this one, or else the first that is one deeper. Without either, there are no more.
fn next_in_level(root: &dyn Mutable, path: &mut Vec<u32>) -> bool {
    let depth = path.len();
    at_depth(root, path, 0, depth, false) || at_depth(root, path, 0, depth + 1, true)
}

/// Finds the next path of length `depth`, by extending the first `level` steps of `path`, which lead to `node`. Unless
/// `fresh`, the rest of `path` is where the search was, and the path found must come after it.
fn at_depth(node: &dyn Mutable, path: &mut Vec<u32>, level: usize, depth: usize, fresh: bool) -> bool {
    if level == depth {
        return fresh;
    }
    let start = if fresh { 0 } else { path[level] };
    for index in start..node.children() as u32 {
        let fresh = fresh || index > start;
        if fresh {
            path.truncate(level);
            path.push(index);
        }
        if at_depth(node.child(index as usize), path, level + 1, depth, fresh) {
            return true;
        }
    }
    false
}

/// Pre-order: the first child, or else the next sibling of the nearest ancestor that has one.
fn next_before(node: &dyn Mutable, path: &mut Vec<u32>, level: usize) -> bool {
    let next = match path.get(level).copied() {
        None => 0,
        Some(index) if next_before(node.child(index as usize), path, level + 1) => return true,
        Some(index) => index + 1,
    };
    path.truncate(level);
    let found = (next as usize) < node.children();
    if found {
        path.push(next);
    }
    found
}

/// Post-order: the first leaf under the next sibling, or else the parent.
fn next_after(node: &dyn Mutable, path: &mut Vec<u32>, level: usize) -> bool {
    let Some(index) = path.get(level).copied() else { return false };
    if next_after(node.child(index as usize), path, level + 1) {
        return true;
    }
    path.truncate(level);
    let sibling = index as usize + 1;
    if sibling < node.children() {
        path.push(index + 1);
        descend(node.child(sibling), path);
    }
    true
}

/// Extends `path`, which leads to `node`, to the first leaf under it.
fn descend(mut node: &dyn Mutable, path: &mut Vec<u32>) {
    while node.children() > 0 {
        path.push(0);
        node = node.child(0);
    }
}
