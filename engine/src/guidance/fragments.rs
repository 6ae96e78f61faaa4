//! Parts of interesting values, to be used again.

use crate::Mutable;
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The parts of interesting values, by type, without repeats.
///
/// They outlive a reset, because a part of an interesting value is worth trying in the next round as well.
#[derive(Default)]
pub(super) struct Fragments {
    by_type: FxHashMap<TypeId, SameType>,
    stored: u64,
    /// How many were stored before everything was forgotten.
    forgotten: u64,
}

/// The fragments of one type.
struct SameType {
    name: &'static str,
    parts: Vec<Box<dyn Any>>,
}

/// Looking for a repeat compares with all fragments of a type. With these limits that takes well below 100 microseconds for each
/// interesting test, however large it is.
const MAX_PER_TYPE: usize = 256;
const MAX_PER_VALUE: usize = 64;
/// Which sizes are stored, in positions. Ordinary mutants reach parts without parts of their own. Large parts fit few
/// places, and values that are put together from them would grow without end.
const SIZES: RangeInclusive<usize> = 2..=64;

impl Fragments {
    /// Stores the parts of a value. If there are many, it stores only some, evenly spread.
    pub(super) fn store(&mut self, value: &dyn Mutable) {
        let stride = positions(value).div_ceil(MAX_PER_VALUE);
        self.store_every(stride, &mut 0, value);
    }

    /// Stores every `stride`-th part, and returns how many positions the value has.
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
        let SameType { parts: same_type, .. } = self
            .by_type
            .entry(value.as_any().type_id())
            .or_insert_with(|| SameType { name: value.type_name(), parts: Vec::new() });
        if same_type.iter().any(|known| value.equals(known.as_ref())) {
            return;
        }
        if same_type.len() < MAX_PER_TYPE {
            same_type.push(value.clone_boxed());
        } else {
            // Newer fragments replace older ones.
            same_type[self.stored as usize % MAX_PER_TYPE] = value.clone_boxed();
        }
        self.stored += 1;
    }

    /// The fragments of the type of `value`.
    pub(super) fn like(&self, value: &dyn Mutable) -> &[Box<dyn Any>] {
        self.by_type.get(&value.as_any().type_id()).map_or(&[], |same_type| &same_type.parts)
    }

    /// Forgets all fragments, but not how many were stored.
    pub(super) fn clear(&mut self) {
        *self = Fragments { forgotten: self.stored(), ..Fragments::default() };
    }

    /// How many were ever stored.
    pub(super) fn stored(&self) -> u64 {
        self.forgotten + self.stored
    }

    /// How many there are of each type.
    pub(super) fn per_type(&self) -> BTreeMap<String, usize> {
        let mut per_type = BTreeMap::new();
        for SameType { name, parts } in self.by_type.values() {
            *per_type.entry(without_modules(name)).or_default() += parts.len();
        }
        per_type
    }
}

/// The name of a type without those of the modules that it and its parameters are in.
fn without_modules(name: &str) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let mut short = String::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| is_word(letter) != is_word(first)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        short += if is_word(first) { piece.rsplit("::").next().unwrap_or(piece) } else { piece };
        rest = after;
    }
    short
}

/// How many positions a value has.
pub(super) fn positions(node: &dyn Mutable) -> usize {
    1 + (0..node.children()).map(|index| positions(node.child(index))).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_by_type_and_forgetting_them_keeps_the_total() {
        let mut fragments = Fragments::default();
        fragments.store(&(vec![1_u8, 2], Some(true)));
        fragments.store(&(vec![1_u8, 2], Some(false)));
        let per_type = fragments.per_type();
        assert_eq!(per_type["Vec<u8>"], 1, "the same part twice is one part");
        assert_eq!(per_type["Option<bool>"], 2);
        assert_eq!(per_type["(Vec<u8>, Option<bool>)"], 2);
        let stored = fragments.stored();
        fragments.clear();
        assert_eq!((fragments.stored(), fragments.per_type().len()), (stored, 0));
    }

    #[test]
    fn the_names_of_types_lose_their_modules_and_nothing_else() {
        let name = "alloc::vec::Vec<(core::option::Option<a::b::C>, [u8; 4])>";
        assert_eq!(without_modules(name), "Vec<(Option<C>, [u8; 4])>");
    }
}
