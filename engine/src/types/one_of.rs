//! A value of one of two types.

use crate::{Count, Generate, Mutable, Scope, Source};

/// A value of one of two types. It is transparent: it has the positions and the mutants of the value inside, and never turns
/// into the other type. With it, one campaign can test values of two types, see [`Turns`](crate::Turns).
///
/// ```
/// use mutagen_engine::{Mutable, OneOf, Scope, shrink};
///
/// let value: OneOf<Vec<u8>, bool> = OneOf::First(vec![7, 8, 9]);
/// assert_eq!(value.count(&Scope::new()), vec![7_u8, 8, 9].count(&Scope::new()));
/// let shrunk = shrink(value, |value| matches!(value, OneOf::First(list) if list.len() > 1), 100);
/// assert_eq!(shrunk.value, OneOf::First(vec![0, 0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OneOf<A, B> {
    /// A value of the first type.
    First(A),
    /// A value of the second type.
    Second(B),
}

impl<A, B> OneOf<A, B> {
    /// The value, if it is of the first type.
    pub fn first(&self) -> Option<&A> {
        match self {
            OneOf::First(value) => Some(value),
            OneOf::Second(_) => None,
        }
    }

    /// The value, if it is of the second type.
    pub fn second(&self) -> Option<&B> {
        match self {
            OneOf::First(_) => None,
            OneOf::Second(value) => Some(value),
        }
    }
}

impl<A: Generate, B: Generate> Generate for OneOf<A, B> {
    fn generate(source: &mut Source, size: usize) -> Self {
        if source.chance(1, 2) {
            OneOf::First(A::generate(source, size))
        } else {
            OneOf::Second(B::generate(source, size))
        }
    }

    fn smallest() -> Self {
        OneOf::First(A::smallest())
    }
}

impl<A, B> OneOf<A, B>
where
    A: Mutable + Clone + PartialEq,
    B: Mutable + Clone + PartialEq,
{
    fn inside(&self) -> &dyn Mutable {
        match self {
            OneOf::First(value) => value,
            OneOf::Second(value) => value,
        }
    }

    fn inside_mut(&mut self) -> &mut dyn Mutable {
        match self {
            OneOf::First(value) => value,
            OneOf::Second(value) => value,
        }
    }
}

impl<A, B> Mutable for OneOf<A, B>
where
    A: Mutable + Clone + PartialEq,
    B: Mutable + Clone + PartialEq,
{
    fn children(&self) -> usize {
        self.inside().children()
    }

    fn child(&self, index: usize) -> &dyn Mutable {
        self.inside().child(index)
    }

    fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {
        self.inside_mut().child_mut(index)
    }

    fn count(&self, scope: &Scope) -> Count {
        self.inside().count(scope)
    }

    fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
        self.inside_mut().mutate(number, source)
    }

    fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
        self.inside_mut().mutate_randomly(source, size);
    }

    fn magnitude(&self) -> u64 {
        self.inside().magnitude()
    }
}
