//! Values made of a fixed number of parts, and values that are one of two.

use crate::{Listable, Tiers};

impl<T: Listable> Listable for Box<T> {
    fn tiers() -> Tiers<Self> {
        Tiers::later(T::tiers).map(Box::new)
    }
}

impl<T: Listable> Listable for Option<T> {
    fn tiers() -> Tiers<Self> {
        Tiers::once(None).or(Tiers::later(T::tiers).map(Some).delayed())
    }
}

impl<T: Listable, E: Listable> Listable for Result<T, E> {
    fn tiers() -> Tiers<Self> {
        let tiers = || (Tiers::later(T::tiers).map(Ok), Tiers::later(E::tiers).map(Err));
        let (results, errors) = tiers();
        Tiers::new(
            move |size| {
                let (mut results, mut errors) = (results.tier(size), errors.tier(size));
                let pairs = std::iter::from_fn(move || match (results.next(), errors.next()) {
                    (None, None) => None,
                    pair => Some([pair.0, pair.1]),
                });
                Box::new(pairs.flatten().flatten())
            },
            move |size| {
                let (results, errors) = tiers();
                results.goes_on(size) || errors.goes_on(size)
            },
        )
    }
}

impl<T: Listable, const N: usize> Listable for [T; N] {
    fn tiers() -> Tiers<Self> {
        let lists = Tiers::all_of(vec![T::tiers(); N]);
        lists.flat_map(|list| <[T; N]>::try_from(list).map_or_else(|_| Tiers::empty(), Tiers::once))
    }
}

macro_rules! tuples {
    ($first:ident $value:ident $(, $rest:ident $values:ident)*) => {
        impl<$first: Listable $(, $rest: Listable)*> Listable for ($first, $($rest,)*) {
            fn tiers() -> Tiers<Self> {
                let rest = <($($rest,)*) as Listable>::tiers();
                $first::tiers().and(rest).map(|($value, ($($values,)*))| ($value, $($values,)*))
            }
        }

        tuples!($($rest $values),*);
    };
    () => {};
}

tuples!(A a, B b, C c, D d, E e, F f, G g, H h);
