//! Values that were tested already.

/// Remembers the fingerprints of recent tests in a table of fixed size. A newer fingerprint may push out an older one,
/// so a repeat can slip through, but memory never grows and a look costs the same however long the campaign.
#[derive(Debug)]
pub(super) struct Repeats {
    recent: Vec<u64>,
}

/// A power of two: 8 MiB, about as many tests as a campaign runs between two resets.
const SLOTS: usize = 1 << 20;

impl Repeats {
    pub(super) fn new() -> Self {
        Repeats { recent: vec![0; SLOTS] }
    }

    /// Whether this fingerprint was met recently. It is remembered.
    pub(super) fn met(&mut self, fingerprint: u64) -> bool {
        // The high bits are the well-mixed ones of a multiplicative hash.
        let mixed = fingerprint.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.recent[(mixed >> 44) as usize % SLOTS];
        // 0 marks a free slot.
        let mark = fingerprint.max(1);
        std::mem::replace(slot, mark) == mark
    }

    pub(super) fn clear(&mut self) {
        self.recent.fill(0);
    }
}
