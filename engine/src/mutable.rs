//! Values that know their mutants.

use crate::{Generate, Scope, Source};
use std::any::Any;
use std::ops::{Add, AddAssign};

/// What every mutable value can do through a reference that has lost its type.
///
/// Implemented for everything that is `Clone + PartialEq + 'static`.
#[diagnostic::on_unimplemented(
    message = "a type with mutants must be Clone, PartialEq and 'static, and `{Self}` is not",
    note = "mutants are copies of a value that change, and must differ from it: derive Clone and PartialEq as well"
)]
pub trait Dynamic: Any {
    /// The value as [`Any`].
    fn as_any(&self) -> &dyn Any;
    /// The value as [`Any`], to be changed.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// A copy of the value.
    fn clone_boxed(&self) -> Box<dyn Any>;
    /// Becomes a copy of `other`. False, and unchanged, if `other` is of another type, or equal.
    fn assign(&mut self, other: &dyn Any) -> bool;
    /// Becomes a copy of `other` even if they are equal (`0.0` equals `-0.0`). False if `other` is of another type.
    fn restore(&mut self, other: &dyn Any) -> bool;
    /// Whether `other` is of the same type, and equal.
    fn equals(&self, other: &dyn Any) -> bool;
    /// The name of the type, for people.
    fn type_name(&self) -> &'static str;
}

impl<T: Clone + PartialEq + 'static> Dynamic for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn clone_boxed(&self) -> Box<dyn Any> {
        Box::new(self.clone())
    }

    fn assign(&mut self, other: &dyn Any) -> bool {
        !self.equals(other) && self.restore(other)
    }

    fn restore(&mut self, other: &dyn Any) -> bool {
        let other = other.downcast_ref::<T>();
        other.inspect(|other| self.clone_from(other)).is_some()
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>() == Some(self)
    }

    fn type_name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
}

/// How many root mutants a value has.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Count {
    /// Mutants that the value alone decides.
    pub fixed: usize,
    /// Samplers: mutants that are drawn at random, as often as a guidance likes.
    pub sampled: usize,
}

impl Count {
    /// No mutants.
    pub const NONE: Count = Count { fixed: 0, sampled: 0 };

    /// `fixed` mutants and no sampler.
    pub const fn fixed(fixed: usize) -> Self {
        Self { fixed, sampled: 0 }
    }

    /// How many mutants there are to try if every sampler is drawn `samples` times.
    pub const fn draws(self, samples: usize) -> usize {
        self.fixed.saturating_add(self.sampled.saturating_mul(samples))
    }

    /// The number, for [`Mutable::mutate`], of the mutant that draw `index` out of [`Count::draws`] makes.
    ///
    /// ```
    /// let count = mutagen_engine::Count { fixed: 2, sampled: 1 };
    /// let numbers: Vec<_> = (0..count.draws(3)).map(|index| count.number(index)).collect();
    /// assert_eq!(numbers, [0, 1, 2, 2, 2]);
    /// ```
    pub const fn number(self, index: usize) -> usize {
        if index < self.fixed || self.sampled == 0 {
            index
        } else {
            self.fixed + (index - self.fixed) % self.sampled
        }
    }
}

impl Add for Count {
    type Output = Count;

    fn add(self, other: Count) -> Count {
        Count { fixed: self.fixed + other.fixed, sampled: self.sampled + other.sampled }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        *self = *self + other;
    }
}

/// A value that can enumerate its mutants. They have addresses, and each is built only when it is asked for.
///
/// Derive it. A value is a tree of positions, its fields being its children. At each position there are root mutants, which
/// have numbers. Derived, in this order:
///
/// 1. *return*: become a field of the same type;
/// 2. *swap*: become any constructor, including its own, filled with the value's own fields by type, in all combinations. A
///    field for which there is no part of its type gets the smallest value. The value itself is left out. Mind that eight
///    fields of one type have 8^8 combinations; an array of eight has none, and its elements are mutated all the same;
/// 3. the mutants of fields with `#[mutagen(mutants = Path)]`.
///
/// ```
/// use mutagen_engine::{Count, Generate, Mutable, Scope, Source};
///
/// #[derive(Generate, Mutable, Clone, PartialEq, Debug)]
/// enum Stack {
///     Empty,
///     Push(i64, Box<Stack>),
///     Return(i64, Box<Stack>),
/// }
/// use Stack::*;
///
/// let stack = Push(7, Box::new(Empty));
/// assert_eq!(stack.count(&Scope::new()), Count::fixed(3));
/// let mutants = (0..3).map(|number| {
///     let mut mutant = stack.clone();
///     assert!(mutant.mutate(number, &mut Source::seeded(0)));
///     mutant
/// });
/// // Return the tail; swap for Empty; swap for Return, with the fields reused.
/// assert_eq!(mutants.collect::<Vec<_>>(), [Empty, Empty, Return(7, Box::new(Empty))]);
/// ```
///
/// ## Attributes
///
/// All of them are written `#[mutagen(..)]`, for both derives.
///
/// | on | attribute | meaning |
/// |---|---|---|
/// | type | `mutants = Type` | a [`RootMutants`] that replaces the root mutants |
/// | type | `generate = path` | `fn(&mut Source, usize) -> Self` that replaces the generator |
/// | type | `smallest = path` | `fn() -> Self` that replaces the smallest value |
/// | type | `remote = path` | it mirrors this foreign type, see [`Remote`](crate::Remote) |
/// | type | `bound = "T: Trait"` | more conditions on the type's parameters |
/// | variant | `skip` | never generated, never a mutant |
/// | variant | `default` | the smallest value |
/// | variant | `weight = 3` | how often it is generated; 1 if not said |
/// | variant | `when = path` | `fn(&Scope) -> bool`: generated and a mutant only if true |
/// | field | `skip` | not mutated, not reused |
/// | field | `default = expr` | what fills it instead of the smallest value; with `skip` also when generating |
/// | field | `generate = path` | `fn(&mut Source, usize) -> FieldType` |
/// | field | `mutants = Type` | a [`RootMutants`] for it; the field is then no position of its own |
/// | field | `with = Mirror` | the field is of a foreign type, see [`Remote`](crate::Remote) |
///
/// ## Invariants
///
/// * The same value and the same scope give the same mutants in the same order.
/// * Counting builds nothing.
/// * `mutate` changes only the root: children are moved or cloned from the value, or are the smallest.
/// * A mutant is never equal to the value: `mutate` returns false instead, as it does for a number that is too large.
///   Floats are equal if their bits are. Fields that change places are compared by `PartialEq`, for which `0.0` and `-0.0`
///   are equal and two `NaN`s are not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no mutants",
    label = "does not implement `Mutable`",
    note = "derive Generate and Mutable for it too, or leave the field alone: `#[mutagen(skip, default = ..)]`"
)]
pub trait Mutable: Generate + Dynamic {
    /// How many child positions there are: fields, in order.
    fn children(&self) -> usize;

    /// The child at `index`, which must be below [`Mutable::children`].
    fn child(&self, index: usize) -> &dyn Mutable;

    /// The child at `index`, which must be below [`Mutable::children`], to be changed.
    fn child_mut(&mut self, index: usize) -> &mut dyn Mutable;

    /// How many root mutants this value has.
    fn count(&self, scope: &Scope) -> Count;

    /// Turns the value into its root mutant `number`: the first ones are fixed, the others draw from `source`. The scope
    /// is that of the source. False, and unchanged, if that mutant equals the value (equal fields exchanged).
    fn mutate(&mut self, number: usize, source: &mut Source) -> bool;

    /// Changes the value at one place, at random, as [`FuzzChick`](crate::FuzzChick) does; random parts are of size
    /// `size`. It may end up as it was.
    ///
    /// Derived: one of these, all as likely: mutate a field; become a field of the same type; become another constructor
    /// whose fields contain the own ones in this order (with random ones for the others), or are contained in them. A value
    /// without any of these becomes a random one.
    ///
    /// Hand-written implementations can leave it out: then mutating a child and each of the root mutants are as likely.
    ///
    /// ```
    /// use mutagen_engine::{Generate, Mutable, Source};
    ///
    /// #[derive(Generate, Mutable, Clone, PartialEq, Debug)]
    /// enum Shape {
    ///     Point,
    ///     Circle(bool),
    /// }
    ///
    /// let mut shape = Shape::Point;
    /// shape.mutate_randomly(&mut Source::seeded(0), 5);
    /// assert!(matches!(shape, Shape::Circle(_)), "the only thing that can happen to a point");
    /// ```
    fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
        let (children, mutants) = (self.children(), self.count(source.scope()).draws(1));
        if children + mutants == 0 {
            return;
        }
        match source.below(children + mutants) {
            child if child < children => self.child_mut(child).mutate_randomly(source, size),
            mutant => {
                self.mutate(mutant - children, source);
            }
        }
    }

    /// How far the root is from the smallest one, for shrinking. 0 is the smallest; children are not included.
    fn magnitude(&self) -> u64 {
        0
    }
}

/// Hand-written root mutants for one type, named in an attribute.
///
/// ```
/// use mutagen_engine::{Count, Generate, Mutable, RootMutants, Scope, Source};
///
/// /// A percentage mutates to none and all, nothing else.
/// struct NoneAndAll;
///
/// impl RootMutants<u8> for NoneAndAll {
///     fn count(_: &u8, _: &Scope) -> Count {
///         Count::fixed(2)
///     }
///     fn mutate(value: &mut u8, number: usize, _: &mut Source) -> bool {
///         let mutant = [0, 100][number];
///         std::mem::replace(value, mutant) != mutant
///     }
/// }
///
/// #[derive(Generate, Mutable, Clone, PartialEq, Debug)]
/// struct Volume(#[mutagen(mutants = NoneAndAll)] u8);
///
/// let mut volume = Volume(30);
/// assert_eq!(volume.count(&Scope::new()), Count::fixed(2));
/// assert!(volume.mutate(1, &mut Source::seeded(0)));
/// assert_eq!(volume, Volume(100));
/// ```
pub trait RootMutants<T> {
    /// How many root mutants `value` has, as [`Mutable::count`].
    fn count(value: &T, scope: &Scope) -> Count;

    /// Turns `value` into its root mutant `number`, as [`Mutable::mutate`].
    fn mutate(value: &mut T, number: usize, source: &mut Source) -> bool;

    /// How far `value` is from the smallest one, as [`Mutable::magnitude`]. Without it, shrinking leaves the value alone.
    fn magnitude(_value: &T) -> u64 {
        0
    }
}

/// Panics because there is no child `index`. For implementations of [`Mutable::child`].
#[cold]
pub fn no_child(index: usize, children: usize) -> ! {
    panic!("there is no child {index}: this value has {children} child positions")
}
