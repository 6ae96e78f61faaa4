//! `Generate` and `Mutable` for the types of the standard library, one file per family.
//!
//! Hash maps are left out on purpose: their order depends on the hasher and on their history, so that equal maps would list
//! their mutants in different orders. Use a [`BTreeMap`](std::collections::BTreeMap). `Rc` and `Arc` are left out because
//! a part that two owners share cannot be changed in place.

/// The part of `Mutable` that all values without children have in common.
macro_rules! no_children {
    () => {
        fn children(&self) -> usize {
            0
        }

        fn child(&self, index: usize) -> &dyn crate::Mutable {
            crate::no_child(index, 0)
        }

        fn child_mut(&mut self, index: usize) -> &mut dyn crate::Mutable {
            crate::no_child(index, 0)
        }
    };
}

mod array;
mod boxed;
mod edit;
mod either;
mod floats;
mod integers;
mod map;
mod one_of;
mod scalars;
mod string;
mod tuples;
mod vec;

pub use one_of::OneOf;
