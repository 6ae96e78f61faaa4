//! The highest counts, the inputs that reached them, and the costliest tests.

use crate::Record;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The highest amount of each slot, and which kept input holds it.
#[derive(Default)]
pub(super) struct Maxima {
    slots: Vec<Maximum>,
    /// How many maxima each input holds.
    titles: Vec<usize>,
}

#[derive(Clone, Copy, Default)]
struct Maximum {
    amount: u64,
    holder: usize,
}

impl Maxima {
    /// Sets the maximum of this slot if the amount is higher than any before. Returns whether it is.
    pub(super) fn set(&mut self, slot: usize, amount: u64, holder: usize) -> bool {
        if slot >= self.slots.len() {
            self.slots.resize((slot + 1).next_power_of_two(), Maximum::default());
        }
        let maximum = &mut self.slots[slot];
        if amount <= maximum.amount {
            return false;
        }
        let before = std::mem::replace(maximum, Maximum { amount, holder });
        self.titles.resize(self.titles.len().max(holder + 1), 0);
        if before.amount > 0 {
            self.titles[before.holder] -= 1;
        }
        self.titles[holder] += 1;
        true
    }

    pub(super) fn are_held_by(&self, holder: usize) -> bool {
        self.titles.get(holder).is_some_and(|titles| *titles > 0)
    }

    /// The highest amount of slot 0.
    pub(super) fn largest(&self) -> u64 {
        self.slots.first().map_or(0, |maximum| maximum.amount)
    }
}

/// The costliest tests, one of each cost, because tests of the same cost are mostly alike.
pub(super) struct Slowest<T> {
    tests: BTreeMap<u64, (T, u64)>,
}

impl<T> Default for Slowest<T> {
    fn default() -> Self {
        Slowest { tests: BTreeMap::new() }
    }
}

impl<T: Clone> Slowest<T> {
    pub(super) fn offer(&mut self, amount: u64, value: &T, test: u64) {
        let full = self.tests.len() == Record::<T>::MOST;
        let worse = full && self.tests.first_key_value().is_some_and(|(least, _)| amount < *least);
        if amount == 0 || worse || self.tests.contains_key(&amount) {
            return;
        }
        self.tests.insert(amount, (value.clone(), test));
        if full {
            self.tests.pop_first();
        }
    }

    pub(super) fn records(&self, unit: &'static str) -> Vec<Record<T>> {
        let record = |(amount, (value, tests)): (&u64, &(T, u64))| Record {
            value: value.clone(),
            amount: *amount,
            unit,
            tests: *tests,
        };
        let mut records: Vec<_> = self.tests.iter().map(record).collect();
        records.sort_by_key(|record| Reverse(record.amount));
        records
    }
}
