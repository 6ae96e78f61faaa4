//! Batches waiting for their turn.

use super::{Priority, Ties};
use crate::Novelty;
use std::collections::BTreeMap;

/// A priority queue whose front is used in place. Smaller keys come first.
#[derive(Debug)]
pub(super) struct Queue<B> {
    batches: BTreeMap<Key, B>,
    ties: Ties,
    /// Counts pushes, and so decides between equal priorities.
    sequence: u64,
    max_length: usize,
    dropped: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    priority: u64,
    tie: u64,
}

impl<B> Queue<B> {
    pub(super) fn new(ties: Ties, max_length: usize) -> Self {
        Queue { batches: BTreeMap::new(), ties, sequence: 0, max_length, dropped: 0 }
    }

    pub(super) fn push(&mut self, priority: u64, batch: B) {
        self.sequence += 1;
        let tie = match self.ties {
            Ties::Lifo => u64::MAX - self.sequence,
            Ties::Fifo => self.sequence,
        };
        self.batches.insert(Key { priority, tie }, batch);
        if self.batches.len() > self.max_length {
            self.batches.pop_last();
            self.dropped += 1;
        }
    }

    pub(super) fn front(&mut self) -> Option<&mut B> {
        self.batches.first_entry().map(|entry| entry.into_mut())
    }

    /// The front, for reading only.
    pub(super) fn peek(&self) -> Option<&B> {
        self.batches.first_key_value().map(|(_, batch)| batch)
    }

    pub(super) fn pop(&mut self) {
        self.batches.pop_first();
    }

    pub(super) fn clear(&mut self) {
        self.batches.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.batches.len()
    }

    /// How many batches were dropped because the queue was full.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }
}

impl Priority {
    /// The key for the queue: smaller is sooner.
    pub(super) fn of(self, novelty: Novelty) -> u64 {
        match self {
            Priority::BranchingDepth => novelty.depth as u64,
            Priority::MostNew => u64::MAX - novelty.new as u64,
            Priority::Constant => 0,
        }
    }
}
