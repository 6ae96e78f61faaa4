//! Parts of interesting values, to be used again.

use crate::Mutable;
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::ops::RangeInclusive;

/// The parts of interesting values, by type, without repeats.
///
/// They outlive a reset: what was once part of an interesting value is worth trying in the next round, too.
#[derive(Default)]
pub(super) struct Fragments {
    by_type: FxHashMap<TypeId, Vec<Box<dyn Any>>>,
    stored: u64,
}

/// Looking for a repeat compares with all fragments of a type. With these limits that takes well below 100 microseconds for each
/// interesting test, however large it is.
const MAX_PER_TYPE: usize = 256;
const MAX_PER_VALUE: usize = 64;
/// In positions. Parts without parts of their own are reached by ordinary mutants. Large ones fit few places, and values that
/// are put together from them would grow without end.
const SIZES: RangeInclusive<usize> = 2..=64;

impl Fragments {
    /// Stores parts of a value: all, or if there are many, every so many-th.
    pub(super) fn store(&mut self, value: &dyn Mutable) {
        let stride = positions(value).div_ceil(MAX_PER_VALUE);
        self.store_every(stride, &mut 0, value);
    }

    /// Returns how many positions the value has.
    fn store_every(&mut self, stride: usize, number: &mut usize, value: &dyn Mutable) -> usize {
        let chosen = number.is_multiple_of(stride);
        *number += 1;
        let mut size = 1;
        for index in 0..value.children() {
            size += self.store_every(stride, number, value.child(index));
        }
        if chosen && SIZES.contains(&size) {
            self.store_one(value);
        }
        size
    }

    fn store_one(&mut self, value: &dyn Mutable) {
        let same_type = self.by_type.entry(value.as_any().type_id()).or_default();
        if same_type.iter().any(|known| value.equals(known.as_ref())) {
            return;
        }
        if same_type.len() < MAX_PER_TYPE {
            same_type.push(value.clone_boxed());
        } else {
            // Newer ones take the places of older ones.
            same_type[self.stored as usize % MAX_PER_TYPE] = value.clone_boxed();
        }
        self.stored += 1;
    }

    /// The fragments of the type of `value`.
    pub(super) fn like(&self, value: &dyn Mutable) -> &[Box<dyn Any>] {
        self.by_type.get(&value.as_any().type_id()).map_or(&[], Vec::as_slice)
    }

    /// How many were ever stored.
    pub(super) fn stored(&self) -> u64 {
        self.stored
    }

    pub(super) fn types(&self) -> usize {
        self.by_type.len()
    }
}

/// How many positions a value has.
fn positions(node: &dyn Mutable) -> usize {
    1 + (0..node.children()).map(|index| positions(node.child(index))).sum::<usize>()
}
