//! quickcheck: it has no derive. A constructor is chosen at random, and the parts of a recursive one have half the size.

use crate::{lambda, red_black_tree, search_tree, sorted_list};
use quickcheck::{Arbitrary, Gen};

impl Arbitrary for sorted_list::Case {
    fn arbitrary(g: &mut Gen) -> Self {
        sorted_list::Case { list: Arbitrary::arbitrary(g), element: Arbitrary::arbitrary(g) }
    }
}

impl Arbitrary for search_tree::Tree {
    fn arbitrary(g: &mut Gen) -> Self {
        fn tree(g: &mut Gen, size: usize) -> search_tree::Tree {
            if size == 0 || bool::arbitrary(g) {
                return search_tree::Tree::Leaf;
            }
            let (left, right) = (Box::new(tree(g, size / 2)), Box::new(tree(g, size / 2)));
            search_tree::Tree::Node(left, Arbitrary::arbitrary(g), Arbitrary::arbitrary(g), right)
        }
        tree(g, g.size())
    }
}

impl Arbitrary for search_tree::Operation {
    fn arbitrary(g: &mut Gen) -> Self {
        match g.choose(&[0, 1, 2]) {
            Some(0) => search_tree::Operation::Insert(Arbitrary::arbitrary(g), Arbitrary::arbitrary(g)),
            Some(1) => search_tree::Operation::Delete(Arbitrary::arbitrary(g)),
            _ => search_tree::Operation::Union(Arbitrary::arbitrary(g)),
        }
    }
}

impl Arbitrary for search_tree::Case {
    fn arbitrary(g: &mut Gen) -> Self {
        search_tree::Case { tree: Arbitrary::arbitrary(g), operation: Arbitrary::arbitrary(g) }
    }
}

impl Arbitrary for red_black_tree::Color {
    fn arbitrary(g: &mut Gen) -> Self {
        if bool::arbitrary(g) { red_black_tree::Color::Red } else { red_black_tree::Color::Black }
    }
}

impl Arbitrary for red_black_tree::Entry {
    fn arbitrary(g: &mut Gen) -> Self {
        red_black_tree::Entry { key: Arbitrary::arbitrary(g), value: Arbitrary::arbitrary(g) }
    }
}

impl Arbitrary for red_black_tree::Tree {
    fn arbitrary(g: &mut Gen) -> Self {
        fn tree(g: &mut Gen, size: usize) -> red_black_tree::Tree {
            if size == 0 || bool::arbitrary(g) {
                return red_black_tree::Tree::Leaf;
            }
            let (left, right) = (Box::new(tree(g, size / 2)), Box::new(tree(g, size / 2)));
            red_black_tree::Tree::Node(Arbitrary::arbitrary(g), left, Arbitrary::arbitrary(g), right)
        }
        tree(g, g.size())
    }
}

impl Arbitrary for red_black_tree::Operation {
    fn arbitrary(g: &mut Gen) -> Self {
        if bool::arbitrary(g) {
            red_black_tree::Operation::Insert(Arbitrary::arbitrary(g))
        } else {
            red_black_tree::Operation::Delete(Arbitrary::arbitrary(g))
        }
    }
}

impl Arbitrary for red_black_tree::Case {
    fn arbitrary(g: &mut Gen) -> Self {
        red_black_tree::Case { tree: Arbitrary::arbitrary(g), operation: Arbitrary::arbitrary(g) }
    }
}

impl Arbitrary for lambda::Type {
    fn arbitrary(g: &mut Gen) -> Self {
        fn type_of_size(g: &mut Gen, size: usize) -> lambda::Type {
            if size == 0 || bool::arbitrary(g) {
                return lambda::Type::Bool;
            }
            lambda::Type::Function(Box::new(type_of_size(g, size / 2)), Box::new(type_of_size(g, size / 2)))
        }
        type_of_size(g, g.size())
    }
}

impl Arbitrary for lambda::Term {
    fn arbitrary(g: &mut Gen) -> Self {
        use lambda::Term::{Apply, Bool, Lambda, Variable};
        fn term(g: &mut Gen, size: usize) -> lambda::Term {
            let constructors: &[u8] = if size == 0 { &[0, 1] } else { &[0, 1, 2, 3] };
            match g.choose(constructors) {
                Some(0) => Bool(Arbitrary::arbitrary(g)),
                Some(1) => Variable(Arbitrary::arbitrary(g)),
                Some(2) => Lambda(Arbitrary::arbitrary(g), Box::new(term(g, size / 2))),
                _ => Apply(Box::new(term(g, size / 2)), Box::new(term(g, size / 2))),
            }
        }
        term(g, g.size())
    }
}
