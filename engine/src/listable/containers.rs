//! Lists, sets, maps and text.

use crate::{Listable, Tiers};
use std::collections::{BTreeMap, BTreeSet};

impl<T: Listable> Listable for Vec<T> {
    fn tiers() -> Tiers<Self> {
        Tiers::lists(T::tiers())
    }
}

impl Listable for String {
    fn tiers() -> Tiers<Self> {
        Vec::<char>::tiers().map(String::from_iter)
    }
}

impl<T: Listable + Ord> Listable for BTreeSet<T> {
    fn tiers() -> Tiers<Self> {
        T::tiers().sets().map(BTreeSet::from_iter)
    }
}

impl<K: Listable + Ord, V: Listable> Listable for BTreeMap<K, V> {
    fn tiers() -> Tiers<Self> {
        let values = V::tiers().remembered();
        K::tiers().sets().flat_map(move |keys| {
            let values = Tiers::all_of(vec![values.clone(); keys.len()]);
            values.map(move |values| keys.iter().cloned().zip(values).collect())
        })
    }
}
