//! Sorting, with the properties of FitSpec's paper.

use mutagen_engine::Listable;
use mutagen_refine::{Function, Refine, function};
use std::fmt::Debug;
use std::hash::Hash;

/// What lists have as elements.
pub trait Element: Listable + Ord + Hash + Debug {}
impl<T: Listable + Ord + Hash + Debug> Element for T {}

pub type Sort<T> = Refine<Function<fn(Vec<T>) -> Vec<T>>>;

pub fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list
}

pub fn sort<T: Element>() -> Sort<T> {
    Refine::new(function("sort", sorted))
}

fn count<T: PartialEq>(x: &T, list: &[T]) -> usize {
    list.iter().filter(|y| *y == x).count()
}

fn prepend<T>(x: T, mut list: Vec<T>) -> Vec<T> {
    list.insert(0, x);
    list
}

fn ordered_length_element<T: Element>() -> Sort<T> {
    sort()
        .property("ordered", |sort, xs: Vec<T>| sort(xs).is_sorted())
        .property("length", |sort, xs: Vec<T>| sort(xs.clone()).len() == xs.len())
        .property("element", |sort, (x, xs): (T, Vec<T>)| sort(xs.clone()).contains(&x) == xs.contains(&x))
}

/// The five properties of the introduction.
pub fn five<T: Element>() -> Sort<T> {
    ordered_length_element()
        .property("no element", |sort, (x, xs): (T, Vec<T>)| {
            sort(xs.clone()).iter().all(|y| *y != x) == xs.iter().all(|y| *y != x)
        })
        .property("head", |sort, (x, xs): (T, Vec<T>)| {
            let list = prepend(x, xs);
            sort(list.clone()).first() == list.iter().min()
        })
}

/// The four properties with which the introduction ends.
pub fn four<T: Element>() -> Sort<T> {
    ordered_length_element()
        .property("count", |sort, (x, xs): (T, Vec<T>)| count(&x, &sort(xs.clone())) == count(&x, &xs))
}

/// The six properties of section 5.2.
pub fn six<T: Element>() -> Sort<T> {
    four().property("permutation", |sort, xs: Vec<T>| sorted(sort(xs.clone())) == sorted(xs)).property(
        "insert",
        |sort, (x, xs): (T, Vec<T>)| {
            let mut inserted = sort(xs.clone());
            let place = inserted.iter().position(|y| *y >= x).unwrap_or(inserted.len());
            inserted.insert(place, x.clone());
            inserted == sort(prepend(x, xs))
        },
    )
}
