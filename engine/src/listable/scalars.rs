//! Values without parts: one of each size, except those of types that have only a few.

use crate::{Listable, Tiers};
use std::marker::PhantomData;

impl Listable for () {
    fn tiers() -> Tiers<Self> {
        Tiers::once(())
    }
}

impl<T: 'static> Listable for PhantomData<T> {
    fn tiers() -> Tiers<Self> {
        Tiers::once(PhantomData)
    }
}

impl Listable for bool {
    fn tiers() -> Tiers<Self> {
        Tiers::same_size([false, true])
    }
}

macro_rules! unsigned {
    ($($type:ty)*) => {
        $(impl Listable for $type {
            fn tiers() -> Tiers<Self> {
                single(|size| <$type>::try_from(size).ok())
            }
        })*
    };
}

macro_rules! signed {
    ($($type:ty)*) => {
        $(impl Listable for $type {
            /// 0, 1, -1, 2, -2, ...
            fn tiers() -> Tiers<Self> {
                single(|size| {
                    let half = i128::try_from(size.div_ceil(2)).ok()?;
                    let smallest = <$type>::MIN as i128;
                    // The smallest number has no opposite: it comes where that would be.
                    let number = if size % 2 == 1 && half != -smallest { half } else { -half };
                    let repeated = size % 2 == 0 && number == smallest;
                    <$type>::try_from(number).ok().filter(|_| !repeated)
                })
            }
        })*
    };
}

unsigned!(u8 u16 u32 u64 u128 usize);
signed!(i8 i16 i32 i64 isize);

impl Listable for i128 {
    /// As many as anybody can list.
    fn tiers() -> Tiers<Self> {
        i64::tiers().map(i128::from)
    }
}

impl Listable for char {
    /// Small letters with blanks, capital letters and digits in between, and then all other characters.
    fn tiers() -> Tiers<Self> {
        let others =
            (0..=u32::from(char::MAX)).filter_map(char::from_u32).filter(|c| !usual().any(|u| u == *c));
        Tiers::one_by_one(usual().chain(others))
    }
}

/// The characters that come first.
fn usual() -> impl Iterator<Item = char> + Clone {
    let spread = [' '].into_iter().chain('A'..='Z').chain('0'..='9').chain(['\n']).map(Some);
    let letters = ('a'..='z').map(Some).chain(std::iter::repeat(None));
    letters.zip(spread).flat_map(|(letter, other)| [letter, other]).flatten()
}

macro_rules! floats {
    ($($type:ty)*) => {
        $(impl Listable for $type {
            /// Simple fractions, the infinities, and what is easily forgotten: -0 and one NaN.
            fn tiers() -> Tiers<Self> {
                Tiers::one_by_one(floats().map(|number| number as $type))
            }
        })*
    };
}

floats!(f32 f64);

fn floats() -> impl Iterator<Item = f64> + Clone {
    let simple = [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, f64::INFINITY, f64::NEG_INFINITY, -2.0];
    let fractions = fractions().skip(3).flat_map(|fraction| [fraction, -fraction]);
    simple.into_iter().chain(fractions.clone().take(3)).chain([f64::NAN, -0.0]).chain(fractions.skip(3))
}

/// All positive fractions, each once: 1, 1/2, 2, 1/3, 3/2, ... Each is made of the one before, by Newman's formula.
fn fractions() -> impl Iterator<Item = f64> + Clone {
    let next = |(over, under): &(u64, u64)| Some((*under, under * (2 * (over / under) + 1) - over));
    std::iter::successors(Some((1, 1)), next).map(|(over, under)| over as f64 / under as f64)
}

/// The value of each size, if there is one; beyond the first size without one there are no more.
fn single<T: 'static>(value: fn(usize) -> Option<T>) -> Tiers<T> {
    Tiers::new(move |size| Box::new(value(size).into_iter()), move |size| value(size).is_some())
}
