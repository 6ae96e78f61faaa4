//! Boxes are transparent: a boxed value has the positions and the mutants of the value.

use crate::{Count, Generate, Mutable, NoText, Scope, Source, Text, TextError};
use std::any::type_name;
use std::cell::Cell;

impl<T: Generate> Generate for Box<T> {
    fn generate(source: &mut Source, size: usize) -> Self {
        Box::new(T::generate(source, size))
    }

    /// # Panics
    ///
    /// If it has no end, because the smallest values of several types contain each other.
    fn smallest() -> Self {
        let depth = DEPTH.get();
        if depth == DEEPEST {
            endless::<T>();
        }
        DEPTH.set(depth + 1);
        let smallest = Box::new(T::smallest());
        DEPTH.set(depth);
        smallest
    }

    fn to_text(&self) -> Result<Text, NoText> {
        (**self).to_text()
    }

    fn from_text(text: &Text) -> Result<Self, TextError> {
        T::from_text(text).map(Box::new)
    }
}

thread_local! {
    /// How many boxes are around the smallest value that is being made.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// A type contains itself only through a box, and the smallest value of a sensible type never has so many boxes.
const DEEPEST: usize = 256;

/// Panics, because a derive cannot: it sees one definition at a time, and it takes several to be endless.
#[cold]
fn endless<T>() -> ! {
    DEPTH.set(0);
    panic!(
        "the smallest value of `{}` has no end: mark a variant that does not lead back to the type with \
         `#[mutagen(default)]`, there or in a type that it contains",
        type_name::<T>()
    )
}

impl<T: Mutable + Clone + PartialEq> Mutable for Box<T> {
    fn children(&self) -> usize {
        (**self).children()
    }

    fn child(&self, index: usize) -> &dyn Mutable {
        (**self).child(index)
    }

    fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {
        (**self).child_mut(index)
    }

    fn count(&self, scope: &Scope) -> Count {
        (**self).count(scope)
    }

    fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
        (**self).mutate(number, source)
    }

    fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
        (**self).mutate_randomly(source, size);
    }

    fn magnitude(&self) -> u64 {
        (**self).magnitude()
    }
}
