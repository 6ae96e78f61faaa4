//! Traces: what a run did, and whether it did something new.
//!
//! A run of woven code is a [`Trace`]: the probes it passed, in order. A [`TraceStore`] remembers traces and says how
//! much of each new one is [`Novelty`]. There are two: [`PathTrie`] tells whole paths apart, [`EdgeMap`] only the
//! steps from one probe to the next. Fuzzers also ask *how often* a run did something: [`HitCounts`] counts, and
//! [`HitCoverage`] remembers which counts were seen.

mod edge_map;
mod hits;
mod path_trie;

pub use edge_map::EdgeMap;
pub use hits::{HitClasses, HitCounts, HitCoverage, NewHits};
pub use path_trie::PathTrie;

/// The probes that fired in one run, in order. Ids are never 0: that is the virtual start of every run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trace<'a> {
    /// The probe ids.
    pub events: &'a [u32],
    /// Whether the run went on after the last event that could be kept.
    pub truncated: bool,
    /// What the run cost by the property's own measure, see [`Outcome::cost`](crate::Outcome::cost). 0 if it has none.
    pub cost: u64,
}

impl<'a> Trace<'a> {
    /// The trace of a run that was not recorded: it is never interesting.
    pub const EMPTY: Trace<'static> = Trace { events: &[], truncated: false, cost: 0 };

    /// A complete trace.
    pub fn new(events: &'a [u32]) -> Self {
        Trace { events, truncated: false, cost: 0 }
    }

    /// The first `length` events, or all.
    fn limited(&self, length: Option<usize>) -> &'a [u32] {
        match length {
            Some(length) if length < self.events.len() => &self.events[..length],
            _ => self.events,
        }
    }
}

/// What a store had not seen before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Novelty {
    /// How many nodes (of a trie) or edges (of a map) were new. 0 means that the trace is not interesting.
    pub new: usize,
    /// How many nodes were known before the first new one. Always 0 for edges.
    pub depth: usize,
}

/// Remembers traces and says what is new about the next one.
///
/// ## Invariants
///
/// * The answers depend on the inserted traces and their order alone.
/// * Inserting a trace again gives `new: 0`, and so does an empty trace.
/// * A store that is full *refuses*: it gives `new: 0` for what it cannot keep, and counts it in
///   [`refused`](TraceStore::refused). Otherwise a campaign would take the same trace for new for ever.
pub trait TraceStore {
    /// Adds a trace and says what of it was new.
    fn insert(&mut self, trace: Trace<'_>) -> Novelty;
    /// Forgets all traces.
    fn clear(&mut self);
    /// How many nodes or edges are known.
    fn len(&self) -> usize;
    /// Whether nothing is known.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Memory held, in bytes.
    fn bytes(&self) -> usize;
    /// How many inserts were refused because the store was full.
    fn refused(&self) -> u64;
}

/// The capacity of a growing table once it holds `needed` entries: it doubles, as in the standard library.
fn grown(capacity: usize, needed: usize) -> usize {
    if needed <= capacity { capacity } else { needed.max(capacity * 2) }
}

/// The bytes of a hash table with room for `capacity` entries: a control byte beside each bucket, at most 7/8 full.
fn table_bytes(capacity: usize, entry: usize) -> usize {
    if capacity == 0 { 0 } else { (capacity * 8 / 7).next_power_of_two() * (entry + 1) }
}
