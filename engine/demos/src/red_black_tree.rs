//! A map as a red-black tree: a search tree in which no red node has a red child and every path from the root to a
//! leaf meets the same number of black nodes.

use crate::Demo;
use mutagen_engine::{Generate, Mutable, Outcome};
use std::cmp::Ordering;
use std::collections::BTreeMap;

mod delete;
mod insert;

pub use delete::delete;
pub use insert::insert;

/// The color of a node.
#[cfg_attr(
    feature = "race",
    derive(arbitrary::Arbitrary, bolero_generator::TypeGenerator, proptest_derive::Arbitrary)
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub enum Color {
    /// Does not count.
    Red,
    /// Counts for the height.
    Black,
}

use Color::{Black, Red};

/// A key with its value.
#[cfg_attr(
    feature = "race",
    derive(arbitrary::Arbitrary, bolero_generator::TypeGenerator, proptest_derive::Arbitrary)
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub struct Entry {
    /// The key.
    pub key: i8,
    /// The value. One bit is enough to see whether it is the right one.
    pub value: bool,
}

/// A tree. It should be a red-black tree with a black root.
#[cfg_attr(feature = "race", derive(arbitrary::Arbitrary, bolero_generator::TypeGenerator))]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub enum Tree {
    /// Nothing. Black.
    Leaf,
    /// An entry between two trees.
    Node(Color, Box<Tree>, Entry, Box<Tree>),
}

use Tree::{Leaf, Node};

/// What is done to a tree.
#[cfg_attr(
    feature = "race",
    derive(arbitrary::Arbitrary, bolero_generator::TypeGenerator, proptest_derive::Arbitrary)
)]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub enum Operation {
    /// Inserts an entry, or changes the value of a key.
    Insert(Entry),
    /// Removes a key.
    Delete(i8),
}

/// A tree and what is done to it.
#[cfg_attr(
    feature = "race",
    derive(arbitrary::Arbitrary, bolero_generator::TypeGenerator, proptest_derive::Arbitrary)
)]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub struct Case {
    /// The tree.
    pub tree: Tree,
    /// What is done to it.
    pub operation: Operation,
}

bugs! {
    /// What can be wrong.
    pub enum Bug {
        /// Inserting gives a tree with the new entry alone.
        InsertForgetsTheRest,
        /// Inserting a key that is there adds it again.
        InsertDuplicates,
        /// Inserting a key that is there leaves its value as it is.
        InsertDoesNotUpdate,
        /// The root may stay red after an insertion.
        InsertLeavesTheRootRed,
        /// An insertion to the left of a black node does not restore the balance.
        InsertDoesNotBalanceLeft,
        /// An insertion to the right of a black node does not restore the balance.
        InsertDoesNotBalanceRight,
        /// Restoring the balance exchanges the second and third subtree.
        BalanceSwapsInnerTrees,
        /// Restoring the balance exchanges the third and fourth subtree.
        BalanceSwapsRightTrees,
        /// Deleting gives what is left of the subtree alone.
        DeleteForgetsTheRest,
        /// Deleting looks on the wrong side.
        DeleteLooksOnTheWrongSide,
        /// The root may stay red after a deletion.
        DeleteLeavesTheRootRed,
        /// A deletion from the left forgets to make the far nephew red.
        DeleteMiscolorsLeft,
        /// A deletion from the right forgets to make the far nephew red.
        DeleteMiscolorsRight,
        /// Joining two black trees makes their halves red.
        JoinMiscolorsBlack,
    }
}

fn node(color: Color, left: Tree, entry: Entry, right: Tree) -> Tree {
    Node(color, Box::new(left), entry, Box::new(right))
}

impl Tree {
    fn is_red(&self) -> bool {
        matches!(self, Node(Red, ..))
    }

    /// The tree with its root in another color.
    fn painted(self, color: Color) -> Tree {
        match self {
            Leaf => Leaf,
            Node(_, left, entry, right) => Node(color, left, entry, right),
        }
    }
}

/// A tree of a black root with the given parts, where one of them may have a red root with a red child.
fn balance(bug: Option<Bug>, left: Tree, entry: Entry, right: Tree) -> Tree {
    match (left, right) {
        (left, right) if left.is_red() && right.is_red() => {
            node(Red, left.painted(Black), entry, right.painted(Black))
        }
        (Node(Red, outer, y, c), d) if outer.is_red() => {
            node(Red, outer.painted(Black), y, node(Black, *c, entry, d))
        }
        (Node(Red, a, x, inner), d) if inner.is_red() => rotate(bug, *a, x, *inner, entry, d),
        (a, Node(Red, inner, z, d)) if inner.is_red() => rotate(bug, a, entry, *inner, z, *d),
        (a, Node(Red, b, y, outer)) if outer.is_red() => {
            node(Red, node(Black, a, entry, *b), y, outer.painted(Black))
        }
        (left, right) => node(Black, left, entry, right),
    }
}

/// Lifts the inner tree, which is red, above its neighbours.
fn rotate(bug: Option<Bug>, a: Tree, x: Entry, inner: Tree, z: Entry, d: Tree) -> Tree {
    let Node(_, b, y, c) = inner else { return node(Black, a, x, d) };
    let (b, c, d) = match bug {
        Some(BalanceSwapsInnerTrees) => (*c, *b, d),
        Some(BalanceSwapsRightTrees) => (*b, d, *c),
        _ => (*b, *c, d),
    };
    node(Red, node(Black, a, x, b), y, node(Black, c, z, d))
}

/// Whether all keys are in order, and between the bounds.
fn is_ordered(tree: &Tree, above: Option<i8>, below: Option<i8>) -> bool {
    let Node(_, left, Entry { key, .. }, right) = tree else { return true };
    above.is_none_or(|bound| *key > bound)
        && below.is_none_or(|bound| *key < bound)
        && is_ordered(left, above, Some(*key))
        && is_ordered(right, Some(*key), below)
}

fn has_no_red_pair(tree: &Tree) -> bool {
    let Node(color, left, _, right) = tree else { return true };
    let pair = *color == Red && (left.is_red() || right.is_red());
    !pair && has_no_red_pair(left) && has_no_red_pair(right)
}

/// How many black nodes every path to a leaf meets, if they all meet as many.
fn black_height(tree: &Tree) -> Option<usize> {
    let Node(color, left, _, right) = tree else { return Some(0) };
    let height = black_height(left)?;
    if height != black_height(right)? {
        return None;
    }
    Some(height + usize::from(*color == Black))
}

/// The precondition, and what every operation must keep.
pub fn is_red_black_tree(tree: &Tree) -> bool {
    !tree.is_red() && is_ordered(tree, None, None) && has_no_red_pair(tree) && black_height(tree).is_some()
}

fn entries(tree: &Tree, into: &mut BTreeMap<i8, bool>) {
    if let Node(_, left, entry, right) = tree {
        entries(left, into);
        into.insert(entry.key, entry.value);
        entries(right, into);
    }
}

fn model(tree: &Tree) -> BTreeMap<i8, bool> {
    let mut map = BTreeMap::new();
    entries(tree, &mut map);
    map
}

impl Demo for Bug {
    const NAME: &'static str = "red-black tree";
    const ALL: &'static [Self] = Self::LIST;
    type Case = Case;

    fn check(bug: Option<Self>, case: &Case) -> Outcome {
        if !is_red_black_tree(&case.tree) {
            return Outcome::discarded();
        }
        let tree = case.tree.clone();
        let mut expected = model(&tree);
        let result = match case.operation {
            Operation::Insert(entry) => {
                expected.insert(entry.key, entry.value);
                insert(bug, entry, tree)
            }
            Operation::Delete(key) => {
                expected.remove(&key);
                delete(bug, key, tree)
            }
        };
        (is_red_black_tree(&result) && model(&result) == expected).into()
    }
}

/// How a key lies to a node.
fn compare(key: i8, entry: Entry) -> Ordering {
    key.cmp(&entry.key)
}
