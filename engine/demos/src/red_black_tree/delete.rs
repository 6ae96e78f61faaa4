//! Deletion. Taking a node from below a black one makes that subtree too low by one, which is repaired on the way up.

use super::Bug::{self, *};
use super::Color::{Black, Red};
use super::Tree::{self, Leaf, Node};
use super::{Entry, balance, compare, node};
use std::cmp::Ordering;

/// The tree without the key.
pub fn delete(bug: Option<Bug>, key: i8, tree: Tree) -> Tree {
    let tree = delete_below(bug, key, tree);
    if bug == Some(DeleteLeavesTheRootRed) { tree } else { tree.painted(Black) }
}

/// The same, but if the root was black the tree is lower by one, and the root may be red with a red child.
fn delete_below(bug: Option<Bug>, key: i8, tree: Tree) -> Tree {
    let Node(_, left, entry, right) = tree else { return Leaf };
    let mut order = compare(key, entry);
    if bug == Some(DeleteLooksOnTheWrongSide) {
        order = order.reverse();
    }
    match order {
        Ordering::Less if bug == Some(DeleteForgetsTheRest) => delete_below(bug, key, *left),
        Ordering::Less => delete_left(bug, key, *left, entry, *right),
        Ordering::Greater if bug == Some(DeleteForgetsTheRest) => delete_below(bug, key, *right),
        Ordering::Greater => delete_right(bug, key, *left, entry, *right),
        Ordering::Equal => join(bug, *left, *right),
    }
}

fn delete_left(bug: Option<Bug>, key: i8, left: Tree, entry: Entry, right: Tree) -> Tree {
    let sinks = is_black_node(&left);
    let left = delete_below(bug, key, left);
    if sinks { raise_left(bug, left, entry, right) } else { node(Red, left, entry, right) }
}

fn delete_right(bug: Option<Bug>, key: i8, left: Tree, entry: Entry, right: Tree) -> Tree {
    let sinks = is_black_node(&right);
    let right = delete_below(bug, key, right);
    if sinks { raise_right(bug, left, entry, right) } else { node(Red, left, entry, right) }
}

fn is_black_node(tree: &Tree) -> bool {
    matches!(tree, Node(Black, ..))
}

/// A tree of two parts of which the left one is too low by one.
fn raise_left(bug: Option<Bug>, left: Tree, entry: Entry, right: Tree) -> Tree {
    match (left, right) {
        (left, right) if left.is_red() => node(Red, left.painted(Black), entry, right),
        (left, right) if is_black_node(&right) => balance(bug, left, entry, right.painted(Red)),
        (left, Node(_, near, z, far)) => match *near {
            Node(_, a, y, b) => {
                let far = if bug == Some(DeleteMiscolorsLeft) { *far } else { far.painted(Red) };
                node(Red, node(Black, left, entry, *a), y, balance(bug, *b, z, far))
            }
            Leaf => node(Red, left, entry, node(Red, Leaf, z, *far)),
        },
        (left, Leaf) => node(Red, left, entry, Leaf),
    }
}

/// A tree of two parts of which the right one is too low by one.
fn raise_right(bug: Option<Bug>, left: Tree, entry: Entry, right: Tree) -> Tree {
    match (left, right) {
        (left, right) if right.is_red() => node(Red, left, entry, right.painted(Black)),
        (left, right) if is_black_node(&left) => balance(bug, left.painted(Red), entry, right),
        (Node(_, far, x, near), right) => match *near {
            Node(_, b, y, c) => {
                let far = if bug == Some(DeleteMiscolorsRight) { *far } else { far.painted(Red) };
                node(Red, balance(bug, far, x, *b), y, node(Black, *c, entry, right))
            }
            Leaf => node(Red, node(Red, *far, x, Leaf), entry, right),
        },
        (Leaf, right) => node(Red, Leaf, entry, right),
    }
}

/// One tree of the two parts of a node that is gone.
fn join(bug: Option<Bug>, left: Tree, right: Tree) -> Tree {
    match (left, right) {
        (Leaf, tree) | (tree, Leaf) => tree,
        (Node(Red, a, x, b), Node(Red, c, y, d)) => join_red(bug, (*a, x, *b), (*c, y, *d)),
        (Node(Black, a, x, b), Node(Black, c, y, d)) => join_black(bug, (*a, x, *b), (*c, y, *d)),
        (left, Node(Red, b, x, c)) => node(Red, join(bug, left, *b), x, *c),
        (Node(Red, a, x, b), right) => node(Red, *a, x, join(bug, *b, right)),
    }
}

type Parts = (Tree, Entry, Tree);

fn join_red(bug: Option<Bug>, (a, x, b): Parts, (c, y, d): Parts) -> Tree {
    match join(bug, b, c) {
        Node(Red, b, z, c) => node(Red, node(Red, a, x, *b), z, node(Red, *c, y, d)),
        middle => node(Red, a, x, node(Red, middle, y, d)),
    }
}

fn join_black(bug: Option<Bug>, (a, x, b): Parts, (c, y, d): Parts) -> Tree {
    match join(bug, b, c) {
        Node(Red, b, z, c) => {
            let color = if bug == Some(JoinMiscolorsBlack) { Red } else { Black };
            node(Red, node(color, a, x, *b), z, node(color, *c, y, d))
        }
        middle => raise_left(bug, a, x, node(Black, middle, y, d)),
    }
}
