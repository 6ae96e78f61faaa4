//! The edges that were ever taken: steps from one probe to the next.

use super::hits::afl_class;
use super::{Novelty, Trace, TraceStore, grown, table_bytes};
use rustc_hash::{FxHashMap, FxHashSet};

/// An exact set of edges: pairs of a probe and the one after it. A trace is new if it takes a step never taken.
///
/// Edges saturate where paths do not: a program has finitely many, and a loop that runs once more adds none. With
/// [`hit_buckets`](EdgeMap::hit_buckets) an edge also counts as new when it is taken in a new order of magnitude, as
/// in AFL.
///
/// ```
/// use mutagen_engine::{EdgeMap, Trace, TraceStore};
///
/// let mut edges = EdgeMap::new();
/// assert_eq!(edges.insert(Trace::new(&[1, 2, 3])).new, 3); // start-1, 1-2, 2-3
/// assert_eq!(edges.insert(Trace::new(&[1, 2, 1, 2, 3])).new, 1); // 2-1
/// ```
#[derive(Debug)]
pub struct EdgeMap {
    max_length: Option<usize>,
    max_bytes: usize,
    refused: u64,
    known: Known,
}

/// What is remembered of an edge.
#[derive(Debug)]
enum Known {
    Edges(Edges),
    Buckets(Buckets),
}

impl Default for EdgeMap {
    fn default() -> Self {
        EdgeMap {
            max_length: None,
            max_bytes: EdgeMap::DEFAULT_MAX_BYTES,
            refused: 0,
            known: Known::Edges(Edges::default()),
        }
    }
}

impl EdgeMap {
    /// Real programs take some ten thousand edges, well below a megabyte. The limit only stops what goes wrong.
    pub const DEFAULT_MAX_BYTES: usize = 1 << 28;

    /// An empty map without hit counts.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty map that tells apart how often an edge was taken in a run: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, more.
    pub fn hit_buckets() -> Self {
        EdgeMap { known: Known::Buckets(Buckets::default()), ..Self::default() }
    }

    /// Looks at the first `length` events of each trace only.
    pub fn max_length(mut self, length: Option<usize>) -> Self {
        self.max_length = length;
        self
    }

    /// Refuses what would need more memory.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }
}

impl TraceStore for EdgeMap {
    fn insert(&mut self, trace: Trace<'_>) -> Novelty {
        let events = trace.limited(self.max_length);
        let inserted = match &mut self.known {
            Known::Edges(edges) => edges.insert(events, self.max_bytes),
            Known::Buckets(buckets) => buckets.insert(events, self.max_bytes),
        };
        self.refused += u64::from(inserted.refused);
        Novelty { new: inserted.new, depth: 0 }
    }

    fn clear(&mut self) {
        match &mut self.known {
            Known::Edges(edges) => edges.clear(),
            Known::Buckets(buckets) => buckets.seen.clear(),
        }
    }

    fn len(&self) -> usize {
        match &self.known {
            Known::Edges(edges) => edges.count,
            Known::Buckets(buckets) => buckets.seen.len(),
        }
    }

    fn bytes(&self) -> usize {
        match &self.known {
            Known::Edges(edges) => edges.bytes(),
            Known::Buckets(buckets) => buckets.bytes(),
        }
    }

    fn refused(&self) -> u64 {
        self.refused
    }
}

#[derive(Default)]
struct Inserted {
    new: usize,
    /// Whether something did not fit.
    refused: bool,
}

/// Edges without counts. A branch has two successors, so two are found without hashing.
#[derive(Debug, Default)]
struct Edges {
    successors: Vec<[u32; 2]>,
    more: FxHashSet<u64>,
    count: usize,
}

impl Edges {
    fn insert(&mut self, events: &[u32], max_bytes: usize) -> Inserted {
        let mut inserted = Inserted::default();
        let mut previous = 0;
        for &event in events {
            let known = self.successors.get(previous as usize).is_some_and(|known| known.contains(&event));
            if !known {
                self.insert_edge(previous, event, max_bytes, &mut inserted);
            }
            previous = event;
        }
        self.count += inserted.new;
        inserted
    }

    /// The slow path: the edge is new, or the third or later from its probe.
    #[inline(never)]
    fn insert_edge(&mut self, previous: u32, event: u32, max_bytes: usize, inserted: &mut Inserted) {
        if self.more.contains(&edge(previous, event)) {
            return;
        }
        if self.bytes_with_room_for(previous) > max_bytes {
            inserted.refused = true;
            return;
        }
        let previous_index = previous as usize;
        if self.successors.len() <= previous_index {
            self.successors.resize(previous_index + 1, [0; 2]);
        }
        match self.successors[previous_index].iter_mut().find(|successor| **successor == 0) {
            Some(free) => *free = event,
            None => {
                self.more.insert(edge(previous, event));
            }
        }
        inserted.new += 1;
    }

    fn clear(&mut self) {
        self.successors.fill([0; 2]);
        self.more.clear();
        self.count = 0;
    }

    fn bytes(&self) -> usize {
        Self::bytes_of(self.successors.capacity(), self.more.capacity())
    }

    fn bytes_with_room_for(&self, previous: u32) -> usize {
        let successors = grown(self.successors.capacity(), previous as usize + 1);
        Self::bytes_of(successors, grown(self.more.capacity(), self.more.len() + 1))
    }

    fn bytes_of(successors: usize, more: usize) -> usize {
        successors * size_of::<[u32; 2]>() + table_bytes(more, size_of::<u64>())
    }
}

/// Edges with the set of buckets in which each was seen, one bit per bucket.
#[derive(Debug, Default)]
struct Buckets {
    seen: FxHashMap<u64, u8>,
    /// The edges of the current run, sorted to count equal ones. Kept to be reused.
    run: Vec<u64>,
}

impl Buckets {
    fn insert(&mut self, events: &[u32], max_bytes: usize) -> Inserted {
        let mut inserted = Inserted::default();
        let previous = std::iter::once(&0).chain(events);
        self.run.clear();
        self.run.extend(previous.zip(events).map(|(&previous, &event)| edge(previous, event)));
        self.run.sort_unstable();
        for hits in self.run.chunk_by(|left, right| left == right) {
            let class = afl_class(hits.len());
            let full = self.seen.len() == self.seen.capacity()
                && table_bytes(grown(self.seen.capacity(), self.seen.len() + 1), ENTRY) > max_bytes;
            if full && !self.seen.contains_key(&hits[0]) {
                inserted.refused = true;
                continue;
            }
            let classes = self.seen.entry(hits[0]).or_default();
            inserted.new += usize::from(*classes & class == 0);
            *classes |= class;
        }
        inserted
    }

    fn bytes(&self) -> usize {
        table_bytes(self.seen.capacity(), ENTRY) + self.run.capacity() * size_of::<u64>()
    }
}

const ENTRY: usize = size_of::<(u64, u8)>();

fn edge(previous: u32, event: u32) -> u64 {
    u64::from(previous) << 32 | u64::from(event)
}
