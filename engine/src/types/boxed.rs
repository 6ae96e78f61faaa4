//! Boxes are transparent: a boxed value has the positions and the mutants of the value.

use crate::{Count, Generate, Mutable, Scope, Source};

impl<T: Generate> Generate for Box<T> {
    fn generate(source: &mut Source, size: usize) -> Self {
        Box::new(T::generate(source, size))
    }

    fn smallest() -> Self {
        Box::new(T::smallest())
    }
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
