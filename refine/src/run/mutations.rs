//! The mutations in order.

use mutagen_engine::{Tier, Tiers};
use std::iter::Peekable;

/// So many empty tiers in a row mean that there are no more mutations: tiers of an endless type go on forever, even if the
/// functions panic everywhere.
const GAP: usize = 32;

/// All mutations but the one that changes nothing, the smallest first.
pub(super) struct Mutations<M> {
    tiers: Tiers<M>,
    size: usize,
    tier: Peekable<Tier<M>>,
    ended: bool,
}

impl<M: 'static> Mutations<M> {
    pub(super) fn new(tiers: Tiers<M>) -> Self {
        let tier = tiers.tier(1).peekable();
        Mutations { tiers, size: 1, tier, ended: false }
    }

    /// Whether there are no more. Goes on to the next tier that is not empty.
    pub(super) fn is_exhausted(&mut self) -> bool {
        let last = self.size + GAP;
        while !self.ended && self.tier.peek().is_none() {
            self.ended = self.size == last || !self.tiers.goes_on(self.size + 1);
            self.size += 1;
            self.tier = self.tiers.tier(self.size).peekable();
        }
        self.ended
    }
}

impl<M: 'static> Iterator for Mutations<M> {
    type Item = M;

    fn next(&mut self) -> Option<M> {
        if self.is_exhausted() { None } else { self.tier.next() }
    }
}
