// A search tree whose removal has a bug.
#[cfg_attr(test, derive(Clone, Debug, PartialEq, mutagen_engine::Generate, mutagen_engine::Mutable))]
pub enum Tree {
    Leaf,
    Node(Box<Tree>, u8, Box<Tree>),
}
use Tree::*;

impl Tree {
    pub fn keys(&self) -> Vec<u8> {
        let Node(left, key, right) = self else { return Vec::new() };
        [left.keys(), vec![*key], right.keys()].concat()
    }
    pub fn remove(self, old: u8) -> Tree {
        match self {
            Node(left, key, right) if old < key => Node(left.remove(old).into(), key, right),
            Node(left, key, right) if old > key => Node(left, key, right.remove(old).into()),
            Node(left, _, right) => left.join(*right),
            Leaf => Leaf,
        }
    }
    fn join(self, larger: Tree) -> Tree {
        let Node(a, low, b) = self else { return larger };
        let Node(c, high, d) = larger else { return Node(a, low, b) };
        // Wrong: what lies between the two keys changes sides.
        Node(a, low, Node(c.join(*b).into(), high, d).into())
    }
}

/// *If* the keys are sorted, *then* they still are after a removal.
#[cfg(test)]
#[mutagen_engine::test]
fn removal_keeps_the_order(tree: Tree, key: u8) -> Option<bool> {
    tree.keys().is_sorted_by(|one, next| one < next).then(|| tree.remove(key).keys().is_sorted())
}
