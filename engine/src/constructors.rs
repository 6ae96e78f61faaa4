//! The root mutants of types with several constructors. Derived code describes the constructors one by one; this module
//! finds out at run time which can turn into which. So derived code grows with the number of constructors, not with its
//! square.
//!
//! Written for the derive of [`Mutable`](crate::Mutable) and not meant to be used by hand.

use crate::Scope;
use std::any::Any;
use std::ops::ControlFlow;

mod random;

pub use random::{Renewal, mutate_field_randomly, mutate_randomly};

/// The type of a field, as a number. Equal numbers mean equal types, not counting boxes.
pub type Kind = usize;

/// The type that the constructors belong to.
const OWN: Kind = 0;

/// A type with several constructors.
pub trait Constructed: Sized + 'static {
    /// All of them, in the order of declaration.
    const CONSTRUCTORS: &'static [Constructor];

    /// The constructor of this value, as an index.
    fn constructor(&self) -> usize;

    /// Which of the conditions that constructors have are true in the scope.
    fn conditions(scope: &Scope) -> impl AsRef<[bool]>;

    /// Any value. It stands in for another one while that is taken apart.
    fn placeholder() -> Self;

    /// Takes the value apart and makes another one of its parts.
    fn rebuild(self, make: &mut dyn FnMut(&mut [Spare<'_>]) -> Self) -> Self;

    /// A value of this constructor. Where the parts do not suffice, fields get their smallest value.
    fn build(constructor: usize, parts: &mut Parts<'_, '_>) -> Self;

    /// A value of this constructor. Where the parts do not suffice, fields get random values.
    fn renew(constructor: usize, renewal: &mut Renewal<'_, '_>) -> Self;

    /// Makes the parts change places, in the way with this number. False, and unchanged, if they are equal.
    fn exchange(&mut self, number: usize) -> bool;
}

/// A constructor.
pub struct Constructor {
    /// The fields that can be reused, and be filled by reuse.
    kinds: &'static [Kind],
    /// A bit for each kind, or for several if they are many: constructors without a common bit have no common kind.
    bits: u64,
    target: Target,
}

/// Whether mutants can have a constructor.
pub enum Target {
    /// In every scope.
    Always,
    /// If the condition with this number is true.
    When(usize),
    /// In no scope.
    Never,
}

impl Constructor {
    /// A constructor with reusable fields of these kinds.
    pub const fn new(kinds: &'static [Kind], target: Target) -> Self {
        let (mut bits, mut index) = (0, 0);
        while index < kinds.len() {
            bits |= 1 << (kinds[index] % 64);
            index += 1;
        }
        Self { kinds, bits, target }
    }

    /// In how many ways the parts of `origin` can fill the fields.
    fn combinations(&self, origin: &Self) -> usize {
        if self.bits & origin.bits == 0 {
            return 1;
        }
        self.kinds.iter().map(|kind| origin.parts(*kind).max(1)).product()
    }

    /// How many parts of that kind there are.
    fn parts(&self, kind: Kind) -> usize {
        self.kinds.iter().filter(|other| **other == kind).count()
    }

    fn is_target(&self, conditions: &[bool]) -> bool {
        match self.target {
            Target::Always => true,
            Target::When(condition) => conditions[condition],
            Target::Never => false,
        }
    }
}

/// The value of a field, in or out of a box.
#[derive(Clone)]
pub enum Part<T> {
    /// The value itself.
    Plain(T),
    /// The value in the box that it was found in.
    Boxed(Box<T>),
}

impl<T> Part<T> {
    /// The value.
    pub fn plain(self) -> T {
        match self {
            Self::Plain(value) => value,
            Self::Boxed(value) => *value,
        }
    }

    /// The value in a box.
    pub fn boxed(self) -> Box<T> {
        match self {
            Self::Plain(value) => Box::new(value),
            Self::Boxed(value) => value,
        }
    }
}

/// A part of a value that was taken apart: its kind, and an `Option<Part<T>>` for the `T` that the kind stands for.
pub type Spare<'a> = (Kind, &'a mut dyn Any);

/// The parts of a value that was taken apart, and the choice which of them goes where.
pub struct Parts<'a, 'b> {
    spares: &'a mut [Spare<'b>],
    combination: Combination,
}

impl Parts<'_, '_> {
    /// The part for the next field, whose kind is `kind`, if there is one: moved, because no field of that kind follows.
    pub fn take<T: 'static>(&mut self, kind: Kind) -> Option<Part<T>> {
        self.choose(kind)?.downcast_mut::<Option<Part<T>>>()?.take()
    }

    /// A copy of the part for the next field, whose kind is `kind`, if there is one.
    pub fn copy<T: Clone + 'static>(&mut self, kind: Kind) -> Option<Part<T>> {
        self.choose(kind)?.downcast_ref::<Option<Part<T>>>()?.clone()
    }

    /// The part of the own type that the value becomes.
    fn returned<T: Constructed>(&mut self) -> T {
        self.take(OWN).map_or_else(T::placeholder, Part::plain)
    }

    fn choose(&mut self, kind: Kind) -> Option<&mut dyn Any> {
        let fitting = self.spares.iter().filter(|(other, _)| *other == kind).count();
        let digit = self.combination.next_digit(fitting);
        let (_, part) = self.spares.iter_mut().filter(|(other, _)| *other == kind).nth(digit)?;
        Some(&mut **part)
    }
}

/// One way out of several to choose a part for each field: digits in a mixed radix, that of the last field varying fastest.
#[derive(Clone, Copy)]
struct Combination {
    number: usize,
    /// How many combinations the fields that have no part yet allow.
    amount: usize,
}

impl Combination {
    fn next_digit(&mut self, radix: usize) -> usize {
        if radix <= 1 {
            return 0;
        }
        self.amount /= radix;
        let digit = self.number / self.amount;
        self.number %= self.amount;
        digit
    }
}

/// What a value can turn into, and in how many ways: a part of its own type, or any constructor that the scope allows.
fn ways(
    constructors: &'static [Constructor],
    own: usize,
    conditions: &[bool],
) -> impl Iterator<Item = (Turn, usize)> {
    let origin = &constructors[own];
    let swaps = constructors.iter().enumerate().filter(|(_, target)| target.is_target(conditions));
    let swaps = swaps.map(move |(index, target)| match target.combinations(origin) {
        // One of them leaves the value as it is.
        combinations if index == own => (Turn::Exchange, combinations - 1),
        combinations => (Turn::Swap(index), combinations),
    });
    [(Turn::Return, origin.parts(OWN))].into_iter().chain(swaps)
}

/// What happens to a value.
enum Turn {
    /// It becomes one of its parts.
    Return,
    /// Its parts change places.
    Exchange,
    /// It gets another constructor.
    Swap(usize),
}

/// The turn that mutant `number` takes; or how far the number is beyond the last mutant.
fn find(mut ways: impl Iterator<Item = (Turn, usize)>, number: usize) -> Result<(Turn, Combination), usize> {
    let found = ways.try_fold(number, |number, (turn, amount)| match number.checked_sub(amount) {
        Some(beyond) => ControlFlow::Continue(beyond),
        None => ControlFlow::Break((turn, Combination { number, amount })),
    });
    match found {
        ControlFlow::Break(found) => Ok(found),
        ControlFlow::Continue(beyond) => Err(beyond),
    }
}

/// How many mutants there are.
pub fn count<T: Constructed>(value: &T, scope: &Scope) -> usize {
    ways(T::CONSTRUCTORS, value.constructor(), T::conditions(scope).as_ref()).map(|(_, amount)| amount).sum()
}

/// Turns the value into mutant `number` and says whether that differs; or how far the number is beyond the last mutant.
pub fn mutate<T: Constructed>(value: &mut T, number: usize, scope: &Scope) -> Result<bool, usize> {
    let conditions = T::conditions(scope);
    let (turn, combination) = find(ways(T::CONSTRUCTORS, value.constructor(), conditions.as_ref()), number)?;
    let swap = match turn {
        Turn::Exchange => return Ok(value.exchange(combination.number)),
        Turn::Return => None,
        Turn::Swap(target) => Some(target),
    };
    rebuild(value, |spares| {
        let mut parts = Parts { spares, combination };
        match swap {
            Some(target) => T::build(target, &mut parts),
            None => parts.returned(),
        }
    });
    Ok(true)
}

/// Takes the value apart and makes another one of its parts.
fn rebuild<T: Constructed>(value: &mut T, mut make: impl FnMut(&mut [Spare<'_>]) -> T) {
    *value = std::mem::replace(value, T::placeholder()).rebuild(&mut make);
}
