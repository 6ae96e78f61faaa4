//! Recognises values that were tested already.

use crate::stable::GOLDEN;
use rustc_hash::FxHashMap;

/// Remembers the fingerprints of recent tests, each in its slot. A newer fingerprint may push out an older one, so a repeat
/// can slip through, but memory is bounded however long the campaign.
///
/// Only slots in use take memory. With a reset every thousand tests all of them fit into the processor's fastest cache; an
/// array of all slots would miss it nearly every time.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    recent: FxHashMap<u32, u64>,
}

/// About as many slots as a campaign runs tests between two resets: 36 MiB if all are in use.
const SLOT_BITS: u32 = 20;

impl Repeats {
    /// Whether this fingerprint was met recently. It is remembered.
    pub(super) fn met(&mut self, fingerprint: u64) -> bool {
        // The high bits are the well-mixed ones of a multiplicative hash.
        let slot = fingerprint.wrapping_mul(GOLDEN) >> (u64::BITS - SLOT_BITS);
        self.recent.insert(slot as u32, fingerprint) == Some(fingerprint)
    }

    /// How many fingerprints are remembered.
    pub(super) fn len(&self) -> usize {
        self.recent.len()
    }

    /// Forgets everything. Clearing takes time in proportion to the memory held, so unused memory is given back.
    pub(super) fn clear(&mut self) {
        let used = self.recent.len();
        self.recent.clear();
        self.recent.shrink_to(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_was_met_if_it_came_before() {
        let mut repeats = Repeats::default();
        assert!([0, 1, u64::MAX].into_iter().all(|fingerprint| !repeats.met(fingerprint)));
        assert!([0, 1, u64::MAX].into_iter().all(|fingerprint| repeats.met(fingerprint)));
    }

    #[test]
    fn what_was_cleared_was_never_met() {
        let mut repeats = Repeats::default();
        assert!((0..1000).all(|fingerprint| !repeats.met(fingerprint)));
        repeats.clear();
        assert!((0..1000).all(|fingerprint| !repeats.met(fingerprint)));
    }

    #[test]
    fn there_are_never_more_fingerprints_than_slots_and_the_newer_ones_stay() {
        let mut repeats = Repeats::default();
        let many = 3 << SLOT_BITS;
        assert!((0..many).all(|fingerprint| !repeats.met(fingerprint)));
        assert!(repeats.len() <= 1 << SLOT_BITS);
        assert!((many - 1000..many).all(|fingerprint| repeats.met(fingerprint)));
    }
}
