//! proptest: its derive does not know recursive types, so these use `prop_recursive`.

use crate::{lambda, red_black_tree, search_tree};
use proptest::prelude::*;

/// How deep a value is at most, how many parts it has about, and how many children a part has.
///
/// These are the sizes that the other contenders use. With those of proptest's own example (8, 256, 10) it finds fewer bugs:
/// hardly any tree of that size is in order.
const DEPTH: u32 = 5;
const SIZE: u32 = 10;
const CHILDREN: u32 = 2;

impl Arbitrary for search_tree::Tree {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        use search_tree::Tree::{Leaf, Node};
        let node = |below: BoxedStrategy<Self>| {
            (below.clone(), any::<i8>(), any::<bool>(), below)
                .prop_map(|(left, key, value, right)| Node(Box::new(left), key, value, Box::new(right)))
        };
        Just(Leaf).prop_recursive(DEPTH, SIZE, CHILDREN, node).boxed()
    }
}

impl Arbitrary for red_black_tree::Tree {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        use red_black_tree::Tree::{Leaf, Node};
        let node = |below: BoxedStrategy<Self>| {
            (any::<red_black_tree::Color>(), below.clone(), any::<red_black_tree::Entry>(), below)
                .prop_map(|(color, left, entry, right)| Node(color, Box::new(left), entry, Box::new(right)))
        };
        Just(Leaf).prop_recursive(DEPTH, SIZE, CHILDREN, node).boxed()
    }
}

impl Arbitrary for lambda::Type {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        let function = |below: BoxedStrategy<Self>| {
            (below.clone(), below).prop_map(|(from, to)| lambda::Type::Function(Box::new(from), Box::new(to)))
        };
        Just(lambda::Type::Bool).prop_recursive(DEPTH, SIZE, CHILDREN, function).boxed()
    }
}

impl Arbitrary for lambda::Term {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        use lambda::Term::{Apply, Bool, Lambda, Variable};
        let leaf = prop_oneof![any::<bool>().prop_map(Bool), any::<u8>().prop_map(Variable)];
        let inner = |below: BoxedStrategy<Self>| {
            let lambda = (any::<lambda::Type>(), below.clone());
            let apply = (below.clone(), below);
            prop_oneof![
                lambda.prop_map(|(from, body)| Lambda(from, Box::new(body))),
                apply.prop_map(|(function, argument)| Apply(Box::new(function), Box::new(argument))),
            ]
        };
        leaf.prop_recursive(DEPTH, SIZE, CHILDREN, inner).boxed()
    }
}
