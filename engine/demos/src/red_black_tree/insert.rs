//! Insertion.

use super::Bug::{self, *};
use super::Color::{Black, Red};
use super::Tree::{self, Leaf, Node};
use super::{Entry, balance, compare, node};
use std::cmp::Ordering;

/// The tree with the key of the entry set to its value.
pub fn insert(bug: Option<Bug>, new: Entry, tree: Tree) -> Tree {
    let tree = insert_below(bug, new, tree);
    if bug == Some(InsertLeavesTheRootRed) { tree } else { tree.painted(Black) }
}

/// The same, but the root may be red with a red child.
fn insert_below(bug: Option<Bug>, new: Entry, tree: Tree) -> Tree {
    let Node(color, left, entry, right) = tree else { return node(Red, Leaf, new, Leaf) };
    if bug == Some(InsertForgetsTheRest) {
        return node(Red, Leaf, new, Leaf);
    }
    match compare(new.key, entry) {
        Ordering::Less => {
            let left = insert_below(bug, new, *left);
            let skip = color == Red || bug == Some(InsertDoesNotBalanceLeft);
            if skip { node(color, left, entry, *right) } else { balance(bug, left, entry, *right) }
        }
        Ordering::Equal if bug == Some(InsertDoesNotUpdate) => Node(color, left, entry, right),
        Ordering::Equal if bug != Some(InsertDuplicates) => Node(color, left, new, right),
        Ordering::Equal | Ordering::Greater => {
            let right = insert_below(bug, new, *right);
            let skip = color == Red || bug == Some(InsertDoesNotBalanceRight);
            if skip { node(color, *left, entry, right) } else { balance(bug, *left, entry, right) }
        }
    }
}
