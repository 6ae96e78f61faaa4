//! A map as a binary search tree, without balance.

use crate::Demo;
use mutagen_engine::{Generate, Mutable, Outcome};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A tree. It should be a search tree: smaller keys to the left, larger ones to the right.
#[cfg_attr(feature = "race", derive(arbitrary::Arbitrary, bolero_generator::TypeGenerator))]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub enum Tree {
    /// Nothing.
    Leaf,
    /// A key with its value between two trees. One bit is enough to see whether a value is the right one.
    Node(Box<Tree>, i8, bool, Box<Tree>),
}

/// What is done to a tree.
#[cfg_attr(
    feature = "race",
    derive(arbitrary::Arbitrary, bolero_generator::TypeGenerator, proptest_derive::Arbitrary)
)]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Generate, Mutable)]
pub enum Operation {
    /// Inserts a key with a value, or changes the value of a key.
    Insert(i8, bool),
    /// Removes a key.
    Delete(i8),
    /// Takes in another tree, in favour of what is there.
    Union(Tree),
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
        /// Deleting gives what is left of the subtree alone.
        DeleteForgetsTheRest,
        /// Deleting looks on the wrong side.
        DeleteLooksOnTheWrongSide,
        /// The union takes all keys of one tree to be smaller than those of the other.
        UnionAssumesOrder,
        /// The union takes one tree to be smaller than the other if its root is smaller.
        UnionComparesRootsOnly,
        /// The union prefers the wrong value in part of the tree.
        UnionPrefersTheOther,
    }
}

use Tree::{Leaf, Node};

fn node(left: Tree, key: i8, value: bool, right: Tree) -> Tree {
    Node(Box::new(left), key, value, Box::new(right))
}

/// The tree with the key set to the value.
pub fn insert(bug: Option<Bug>, key: i8, value: bool, tree: Tree) -> Tree {
    match tree {
        Leaf => node(Leaf, key, value, Leaf),
        Node(..) if bug == Some(InsertForgetsTheRest) => node(Leaf, key, value, Leaf),
        Node(left, there, old, right) => match key.cmp(&there) {
            Ordering::Less => node(insert(bug, key, value, *left), there, old, *right),
            Ordering::Equal if bug == Some(InsertDoesNotUpdate) => node(*left, there, old, *right),
            Ordering::Equal if bug != Some(InsertDuplicates) => node(*left, key, value, *right),
            _ => node(*left, there, old, insert(bug, key, value, *right)),
        },
    }
}

/// The tree without the key.
pub fn delete(bug: Option<Bug>, key: i8, tree: Tree) -> Tree {
    let Node(left, there, value, right) = tree else { return Leaf };
    let mut order = key.cmp(&there);
    if bug == Some(DeleteLooksOnTheWrongSide) {
        order = order.reverse();
    }
    match order {
        Ordering::Less if bug == Some(DeleteForgetsTheRest) => delete(bug, key, *left),
        Ordering::Less => node(delete(bug, key, *left), there, value, *right),
        Ordering::Greater if bug == Some(DeleteForgetsTheRest) => delete(bug, key, *right),
        Ordering::Greater => node(*left, there, value, delete(bug, key, *right)),
        Ordering::Equal => join(*left, *right),
    }
}

/// One tree of two, the keys of the first all smaller.
fn join(left: Tree, right: Tree) -> Tree {
    match (left, right) {
        (Leaf, tree) | (tree, Leaf) => tree,
        (Node(a, x, v, b), Node(c, y, w, d)) => node(*a, x, v, node(join(*b, *c), y, w, *d)),
    }
}

/// All entries of both trees; where both have a key, the value of the first.
pub fn union(bug: Option<Bug>, left: Tree, right: Tree) -> Tree {
    match (left, right) {
        (Leaf, tree) | (tree, Leaf) => tree,
        (left, right) if bug == Some(UnionAssumesOrder) => join(left, right),
        (Node(a, x, v, b), Node(c, y, w, d)) if bug == Some(UnionComparesRootsOnly) && x < y => {
            node(*a, x, v, node(union(bug, *b, *c), y, w, *d))
        }
        (Node(a, x, v, b), right) => {
            let (below, found, above) = split(x, right);
            let value = if bug == Some(UnionPrefersTheOther) { found.unwrap_or(v) } else { v };
            node(union(bug, *a, below), x, value, union(bug, *b, above))
        }
    }
}

/// The entries below the key, the value at the key, the entries above the key.
fn split(key: i8, tree: Tree) -> (Tree, Option<bool>, Tree) {
    let Node(left, there, value, right) = tree else { return (Leaf, None, Leaf) };
    match key.cmp(&there) {
        Ordering::Equal => (*left, Some(value), *right),
        Ordering::Less => {
            let (below, found, above) = split(key, *left);
            (below, found, node(above, there, value, *right))
        }
        Ordering::Greater => {
            let (below, found, above) = split(key, *right);
            (node(*left, there, value, below), found, above)
        }
    }
}

/// Whether all keys are in order, and between the bounds.
pub fn is_search_tree(tree: &Tree, above: Option<i8>, below: Option<i8>) -> bool {
    let Node(left, key, _, right) = tree else { return true };
    above.is_none_or(|bound| *key > bound)
        && below.is_none_or(|bound| *key < bound)
        && is_search_tree(left, above, Some(*key))
        && is_search_tree(right, Some(*key), below)
}

fn entries(tree: &Tree, into: &mut BTreeMap<i8, bool>) {
    if let Node(left, key, value, right) = tree {
        entries(left, into);
        into.insert(*key, *value);
        entries(right, into);
    }
}

fn model(tree: &Tree) -> BTreeMap<i8, bool> {
    let mut map = BTreeMap::new();
    entries(tree, &mut map);
    map
}

/// What the operation should give, and what it gives.
fn run(bug: Option<Bug>, case: &Case) -> (BTreeMap<i8, bool>, Tree) {
    let tree = case.tree.clone();
    let mut expected = model(&tree);
    let result = match &case.operation {
        Operation::Insert(key, value) => {
            expected.insert(*key, *value);
            insert(bug, *key, *value, tree)
        }
        Operation::Delete(key) => {
            expected.remove(key);
            delete(bug, *key, tree)
        }
        Operation::Union(other) => {
            for (key, value) in model(other) {
                expected.entry(key).or_insert(value);
            }
            union(bug, tree, other.clone())
        }
    };
    (expected, result)
}

impl Demo for Bug {
    const NAME: &'static str = "search tree";
    const ALL: &'static [Self] = Self::LIST;
    type Case = Case;

    fn check(bug: Option<Self>, case: &Case) -> Outcome {
        let is_fine = |tree| is_search_tree(tree, None, None);
        let other_is_fine = match &case.operation {
            Operation::Union(other) => is_fine(other),
            _ => true,
        };
        if !is_fine(&case.tree) || !other_is_fine {
            return Outcome::discarded();
        }
        let (expected, result) = run(bug, case);
        (is_fine(&result) && model(&result) == expected).into()
    }
}
