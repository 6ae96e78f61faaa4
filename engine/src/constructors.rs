//! The root mutants of types with several constructors: derived code describes the constructors one by one, and what can be
//! made of what is found out here, at run time. So derived code grows with the number of constructors, not with its square.
//!
//! Written for the derive of [`Mutable`](crate::Mutable) and not meant to be used by hand.

use crate::Scope;
use std::any::Any;

/// The type of a field, as a number: equal numbers, equal types, with or without a box.
pub type Kind = usize;

/// The type that the constructors belong to.
pub const OWN: Kind = 0;

/// A type with several constructors.
pub trait Constructed: Sized + 'static {
    /// All of them, in the order of declaration.
    const CONSTRUCTORS: &'static [Constructor<Self>];

    /// The constructor of this value, as an index.
    fn constructor(&self) -> usize;

    /// Which of the conditions that constructors have are true in the scope.
    fn conditions(scope: &Scope) -> impl AsRef<[bool]>;

    /// Some value, to stand in for another one while that is taken apart.
    fn placeholder() -> Self;

    /// Takes the value apart and gives its parts to `build`.
    fn rebuild(self, combination: Combination, build: Build<Self>) -> Self;

    /// Makes the parts change places, in the way with this number. False, and unchanged, if they are equal.
    fn exchange(&mut self, number: usize) -> bool;
}

/// A constructor.
pub struct Constructor<T> {
    /// The fields that can be reused, and be filled by reuse.
    pub kinds: &'static [Kind],
    /// Whether mutants can have it.
    pub target: Target,
    /// Makes a value of parts.
    pub build: Build<T>,
}

/// Makes a value of the parts of another one. Where they do not suffice, fields get their smallest value.
pub type Build<T> = fn(&mut Parts<'_>) -> T;

/// Whether mutants can have a constructor.
#[derive(Clone, Copy)]
pub enum Target {
    /// In every scope.
    Always,
    /// If the condition with this number is true.
    When(usize),
    /// In no scope.
    Never,
}

/// One way out of several to choose a part for each field: digits in a mixed radix, that of the last field varying fastest.
pub struct Combination {
    number: usize,
    /// How many combinations there are.
    amount: usize,
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

/// The parts of a value that was taken apart, and which of them go where.
pub struct Parts<'a> {
    /// Each part is an `Option<Part<T>>` for the `T` that its kind stands for.
    parts: &'a mut [(Kind, &'a mut dyn Any)],
    combination: Combination,
}

impl<'a> Parts<'a> {
    /// These parts, in that combination.
    pub fn new(parts: &'a mut [(Kind, &'a mut dyn Any)], combination: Combination) -> Self {
        Self { parts, combination }
    }

    /// The part for the next field, whose kind is `kind`, if there is one: moved, because no field of that kind follows.
    pub fn take<T: 'static>(&mut self, kind: Kind) -> Option<Part<T>> {
        self.choose(kind)?.take()
    }

    /// A copy of the part for the next field, whose kind is `kind`, if there is one.
    pub fn copy<T: Clone + 'static>(&mut self, kind: Kind) -> Option<Part<T>> {
        self.choose(kind)?.clone()
    }

    fn choose<T: 'static>(&mut self, kind: Kind) -> Option<&mut Option<Part<T>>> {
        let fitting = self.parts.iter().filter(|(other, _)| *other == kind).count();
        let digit = self.combination.next_digit(fitting);
        let (_, part) = self.parts.iter_mut().filter(|(other, _)| *other == kind).nth(digit)?;
        part.downcast_mut()
    }
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

impl<T> Constructor<T> {
    /// In how many ways the parts of `origin` can fill the fields.
    fn combinations(&self, origin: &Self) -> usize {
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

/// Which constructors a value can have after a swap, each with the number of ways. The way that leaves it as it is does not
/// count.
fn swaps<T: Constructed>(own: usize, conditions: &[bool]) -> impl Iterator<Item = (usize, usize)> {
    let targets = T::CONSTRUCTORS.iter().enumerate().filter(|(_, target)| target.is_target(conditions));
    targets.map(move |(index, target)| {
        let combinations = target.combinations(&T::CONSTRUCTORS[own]);
        (index, combinations - usize::from(index == own))
    })
}

/// How many mutants there are: the value can become one of its parts, or be swapped.
pub fn count<T: Constructed>(value: &T, scope: &Scope) -> usize {
    let own = value.constructor();
    let swaps = swaps::<T>(own, T::conditions(scope).as_ref()).map(|(_, ways)| ways).sum::<usize>();
    T::CONSTRUCTORS[own].parts(OWN) + swaps
}

/// Turns the value into mutant `number` and says whether that differs; or how far the number is beyond the last mutant.
pub fn mutate<T: Constructed>(value: &mut T, number: usize, scope: &Scope) -> Result<bool, usize> {
    let own = value.constructor();
    let returned = T::CONSTRUCTORS[own].parts(OWN);
    if number < returned {
        rebuild(value, Combination { number, amount: returned }, become_part);
        return Ok(true);
    }
    let mut number = number - returned;
    for (target, ways) in swaps::<T>(own, T::conditions(scope).as_ref()) {
        if number >= ways {
            number -= ways;
        } else if target == own {
            return Ok(value.exchange(number));
        } else {
            rebuild(value, Combination { number, amount: ways }, T::CONSTRUCTORS[target].build);
            return Ok(true);
        }
    }
    Err(number)
}

fn rebuild<T: Constructed>(value: &mut T, combination: Combination, build: Build<T>) {
    *value = std::mem::replace(value, T::placeholder()).rebuild(combination, build);
}

fn become_part<T: Constructed>(parts: &mut Parts<'_>) -> T {
    parts.take(OWN).map_or_else(T::placeholder, Part::plain)
}
