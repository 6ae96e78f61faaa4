//! All values of a type, by size.

mod choices;
mod selections;

use std::cell::RefCell;
use std::rc::Rc;

/// The values of one size, one after the other.
pub type Tier<T> = Box<dyn Iterator<Item = T>>;

/// An enumeration of values: tier `k` holds those of size `k`, each tier is finite, and there may be tiers without end.
///
/// Types come with one, see [`Listable`](crate::Listable). Larger enumerations are made of smaller ones; the sizes of parts add
/// up, and the order inside each tier is fixed. Values are made when they are asked for, so that a tier may be larger than
/// the memory.
///
/// ```
/// use mutagen_engine::{Listable, Tiers};
///
/// // A pair is as large as its parts together.
/// let pairs = u8::tiers().and(bool::tiers());
/// assert_eq!(pairs.tier(1).collect::<Vec<_>>(), [(1, false), (1, true)]);
///
/// // All sets of digits, the smallest first.
/// let digits = Tiers::one_by_one(0..10);
/// let sets: Vec<Vec<i32>> = digits.sets().values().take(5).collect();
/// assert_eq!(sets, [vec![], vec![0], vec![1], vec![0, 1], vec![2]]);
/// ```
pub struct Tiers<T> {
    tier: Rc<dyn Fn(usize) -> Tier<T>>,
    /// Whether there may be values of this size, or of a larger one.
    goes_on: Rc<dyn Fn(usize) -> bool>,
}

impl<T> Clone for Tiers<T> {
    fn clone(&self) -> Self {
        Tiers { tier: Rc::clone(&self.tier), goes_on: Rc::clone(&self.goes_on) }
    }
}

impl<T: 'static> Tiers<T> {
    /// An enumeration of your own. `tier` gives the values of a size; `goes_on` says whether there may be any of this size
    /// or of a larger one.
    pub fn new(tier: impl Fn(usize) -> Tier<T> + 'static, goes_on: impl Fn(usize) -> bool + 'static) -> Self {
        Tiers { tier: Rc::new(tier), goes_on: Rc::new(goes_on) }
    }

    /// No values.
    pub fn empty() -> Self {
        Self::new(|_| Box::new(std::iter::empty()), |_| false)
    }

    /// One value, of size 0.
    pub fn once(value: T) -> Self
    where
        T: Clone,
    {
        Self::same_size([value])
    }

    /// Some values, all of size 0.
    pub fn same_size(values: impl IntoIterator<Item = T>) -> Self
    where
        T: Clone,
    {
        let values: Rc<[T]> = values.into_iter().collect();
        let tier = move |size| match size {
            0 => items(Rc::clone(&values)),
            _ => Box::new(std::iter::empty()),
        };
        Self::new(tier, |size| size == 0)
    }

    /// One value of each size, in this order.
    pub fn one_by_one<I>(values: I) -> Self
    where
        I: Iterator<Item = T> + Clone + 'static,
    {
        let first = values.clone();
        let tier = move |size| -> Tier<T> { Box::new(first.clone().nth(size).into_iter()) };
        Self::new(tier, move |size| values.clone().nth(size).is_some())
    }

    /// What `make` gives, asked for only when it is needed: a recursive type contains itself that way.
    pub fn later(make: impl Fn() -> Tiers<T> + Clone + 'static) -> Self {
        let made = make.clone();
        let tier = move |size| -> Tier<T> {
            let make = made.clone();
            Box::new(std::iter::once_with(move || make().tier(size)).flatten())
        };
        Self::new(tier, move |size| make().goes_on(size))
    }

    /// The values of this size.
    pub fn tier(&self, size: usize) -> Tier<T> {
        (self.tier)(size)
    }

    /// Whether there may be values of this size or of a larger one. Where the answer is no, there are none.
    pub fn goes_on(&self, size: usize) -> bool {
        (self.goes_on)(size)
    }

    /// All values, the smallest first. Without an end if the tiers have none, even if they are all empty.
    pub fn values(&self) -> impl Iterator<Item = T> + 'static {
        let (tiers, same) = (self.clone(), self.clone());
        (0..).take_while(move |size| same.goes_on(*size)).flat_map(move |size| tiers.tier(size))
    }

    /// These values and then, of the same size, those of `other`.
    pub fn or(self, other: Tiers<T>) -> Self {
        let (this, that) = (self.clone(), other.clone());
        let tier = move |size| -> Tier<T> { Box::new(this.tier(size).chain(that.tier(size))) };
        Self::new(tier, move |size| self.goes_on(size) || other.goes_on(size))
    }

    /// All pairs. Those with a small first part come first.
    pub fn and<U: 'static>(self, other: Tiers<U>) -> Tiers<(T, U)>
    where
        T: Clone,
    {
        let goes_on = {
            let (first, second) = (self.clone(), other.clone());
            move |size| (0..=size).any(|part| first.goes_on(part) && second.goes_on(size - part))
        };
        let tier = move |size| -> Tier<(T, U)> {
            let (first, second) = (self.clone(), other.clone());
            let parts = (0..=size).filter(move |part| second.goes_on(size - part));
            let other = other.clone();
            Box::new(parts.flat_map(move |part| {
                let other = other.clone();
                let pairs = move |value: T| other.tier(size - part).map(move |next| (value.clone(), next));
                first.tier(part).flat_map(pairs)
            }))
        };
        Tiers::new(tier, goes_on)
    }

    /// The same values, each one size larger.
    pub fn delayed(self) -> Self {
        let this = self.clone();
        let tier = move |size: usize| -> Tier<T> {
            size.checked_sub(1)
                .map_or_else(|| Box::new(std::iter::empty()) as Tier<T>, |size| this.tier(size))
        };
        Self::new(tier, move |size| size == 0 || self.goes_on(size - 1))
    }

    /// The same values without those of size 0, each one size smaller.
    pub fn without_the_first(self) -> Self {
        let this = self.clone();
        Self::new(move |size| this.tier(size + 1), move |size| self.goes_on(size + 1))
    }

    /// Each value turned into another one of the same size.
    pub fn map<U: 'static>(self, turn: impl Fn(T) -> U + Clone + 'static) -> Tiers<U> {
        let this = self.clone();
        let tier = move |size| -> Tier<U> { Box::new(this.tier(size).map(turn.clone())) };
        Tiers::new(tier, move |size| self.goes_on(size))
    }

    /// The values of which `keep` is true. The others leave gaps.
    pub fn filter(self, keep: impl Fn(&T) -> bool + Clone + 'static) -> Self {
        let this = self.clone();
        let tier = move |size| -> Tier<T> { Box::new(this.tier(size).filter(keep.clone())) };
        Self::new(tier, move |size| self.goes_on(size))
    }

    /// For each value the enumeration that `follow` gives: the sizes of both add up.
    pub fn flat_map<U: 'static>(self, follow: impl Fn(T) -> Tiers<U> + Clone + 'static) -> Tiers<U> {
        let goes_on = {
            let (this, follow) = (self.clone(), follow.clone());
            move |size| {
                let reached = |part| this.tier(part).any(|value| follow(value).goes_on(size - part));
                this.goes_on(size) || (0..size).any(reached)
            }
        };
        let tier = move |size| -> Tier<U> {
            let (this, follow) = (self.clone(), follow.clone());
            Box::new((0..=size).flat_map(move |part| {
                let follow = follow.clone();
                this.tier(part).flat_map(move |value| follow(value).tier(size - part))
            }))
        };
        Tiers::new(tier, goes_on)
    }

    /// The same values, each made only once and then remembered: for small enumerations that are asked for again and again.
    pub fn remembered(self) -> Self
    where
        T: Clone,
    {
        let known: RefCell<Vec<Rc<[T]>>> = RefCell::default();
        let this = self.clone();
        let tier = move |size| {
            let mut known = known.borrow_mut();
            let missing = known.len()..=size;
            known.extend(missing.map(|next| this.tier(next).collect::<Rc<[T]>>()));
            items(Rc::clone(&known[size]))
        };
        Self::new(tier, move |size| self.goes_on(size))
    }
}

impl<T: Clone + 'static> Tiers<Vec<T>> {
    /// All lists with one value of each of `parts`, in this order.
    ///
    /// ```
    /// use mutagen_engine::{Listable, Tiers};
    ///
    /// let pairs = Tiers::all_of(vec![u8::tiers(), u8::tiers()]);
    /// assert_eq!(pairs.tier(1).collect::<Vec<_>>(), [[0, 1], [1, 0]]);
    /// ```
    pub fn all_of(parts: Vec<Tiers<T>>) -> Self {
        let nothing = Tiers::once(Vec::new());
        // Lists are built from the back, so that each step is a push.
        let reversed = parts.into_iter().rev().fold(nothing, |rest, part| {
            part.and(rest).map(|(value, mut rest): (T, Vec<T>)| {
                rest.push(value);
                rest
            })
        });
        reversed.map(|mut list| {
            list.reverse();
            list
        })
    }

    /// All lists of `elements`: a list is larger by one for each element than the elements together.
    pub(crate) fn lists(elements: Tiers<T>) -> Self {
        let longer = move || {
            elements.clone().and(Tiers::lists(elements.clone())).map(|(first, mut list)| {
                list.insert(0, first);
                list
            })
        };
        Tiers::once(Vec::new()).or(Tiers::later(longer).delayed())
    }
}

/// The items of a shared list.
fn items<T: Clone + 'static>(list: Rc<[T]>) -> Tier<T> {
    Box::new((0..list.len()).map(move |index| list[index].clone()))
}
