//! Parts of interesting values, to be used again.

use crate::Mutable;
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};

/// All parts of all interesting values, by type, without repeats.
#[derive(Default)]
pub(super) struct Fragments {
    by_type: FxHashMap<TypeId, Vec<Box<dyn Any>>>,
    stored: u64,
}

/// Per type. Looking for a repeat compares with all, and more than these are not tried at a position anyway.
const MAX_PER_TYPE: usize = 256;

impl Fragments {
    /// Stores a value and all its parts.
    pub(super) fn store(&mut self, value: &dyn Mutable) {
        self.store_one(value);
        for index in 0..value.children() {
            self.store(value.child(index));
        }
    }

    fn store_one(&mut self, value: &dyn Mutable) {
        let same_type = self.by_type.entry(value.as_any().type_id()).or_default();
        if same_type.len() < MAX_PER_TYPE && !same_type.iter().any(|known| value.equals(known.as_ref())) {
            same_type.push(value.clone_boxed());
            self.stored += 1;
        }
    }

    /// The fragments of the type of `value`, oldest first.
    pub(super) fn like(&self, value: &dyn Mutable) -> &[Box<dyn Any>] {
        self.by_type.get(&value.as_any().type_id()).map_or(&[], Vec::as_slice)
    }

    pub(super) fn clear(&mut self) {
        self.by_type.clear();
    }

    /// How many were ever stored.
    pub(super) fn stored(&self) -> u64 {
        self.stored
    }

    pub(super) fn types(&self) -> usize {
        self.by_type.len()
    }
}
