//! How often a run did something, and which such counts were seen before.

use super::Trace;

/// How often each key was hit in one run. A key is a probe, or a slot of AFL's map of edges.
///
/// Use the same one for all runs: counting only clears the keys that the run before had hit.
///
/// ```
/// use mutagen_engine::{HitCounts, Trace};
///
/// let mut hits = HitCounts::new();
/// hits.count_probes(Trace::new(&[5, 2, 5]));
/// assert_eq!(hits.iter().collect::<Vec<_>>(), [(5, 2), (2, 1)]);
/// hits.count_probes(Trace::new(&[7]));
/// assert_eq!(hits.iter().collect::<Vec<_>>(), [(7, 1)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct HitCounts {
    counts: Vec<u32>,
    /// The keys with a count, in the order of their first hit.
    hit: Vec<u32>,
}

impl HitCounts {
    /// How many slots AFL's map has.
    pub const AFL_SLOTS: usize = 1 << 16;

    /// No hits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts how often each probe fired.
    pub fn count_probes(&mut self, trace: Trace<'_>) {
        self.clear();
        for &event in trace.events {
            self.hit(event);
        }
    }

    /// Counts how often each edge was taken, in AFL's map: two edges that share a slot count as one.
    pub fn count_edges(&mut self, trace: Trace<'_>) {
        self.clear();
        let mut previous = 0;
        for &event in trace.events {
            let location = location(event);
            self.hit((previous >> 1) ^ location);
            previous = location;
        }
    }

    /// Each key that was hit, and how often, in the order of their first hit.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u32)> {
        self.hit.iter().map(|&key| (key as usize, self.counts[key as usize]))
    }

    /// How many keys were hit.
    pub fn len(&self) -> usize {
        self.hit.len()
    }

    /// Whether nothing was hit.
    pub fn is_empty(&self) -> bool {
        self.hit.is_empty()
    }

    fn clear(&mut self) {
        for key in self.hit.drain(..) {
            self.counts[key as usize] = 0;
        }
    }

    fn hit(&mut self, key: u32) {
        let index = key as usize;
        if index >= self.counts.len() {
            self.counts.resize((index + 1).next_power_of_two(), 0);
        }
        if self.counts[index] == 0 {
            self.hit.push(key);
        }
        self.counts[index] += 1;
    }
}

/// The place of a probe in AFL's map: 16 bits that look random. AFL draws them at random when it compiles.
fn location(probe: u32) -> u32 {
    probe.wrapping_mul(0x9e37_79b1) >> 16
}

/// Which counts are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitClasses {
    /// Each bit of the count's lowest byte is a class, as in FuzzChick.
    Bits,
    /// 1, 2, 3, 4-7, 8-15, 16-31, 32-127 and more, of the count's lowest byte: AFL.
    Afl,
    /// Each power of two, up to the next one: Zest.
    PowersOfTwo,
}

impl HitClasses {
    /// The class of a count, as a set of bits. Empty if AFL's byte wrapped to 0.
    pub fn of(self, count: u32) -> u32 {
        let byte = count & 0xff;
        match self {
            HitClasses::Bits => byte,
            HitClasses::Afl => afl_class(byte as usize).into(),
            HitClasses::PowersOfTwo => 1 << count.max(1).ilog2(),
        }
    }
}

/// AFL's class of a count, one bit out of eight: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, more. No bit for 0.
pub(super) fn afl_class(count: usize) -> u8 {
    match count {
        0 => 0,
        1..=3 => 1 << (count - 1),
        4..=7 => 1 << 3,
        8..=15 => 1 << 4,
        16..=31 => 1 << 5,
        32..=127 => 1 << 6,
        _ => 1 << 7,
    }
}

/// Which keys were hit in any run so far, and in which classes of counts.
///
/// ```
/// use mutagen_engine::{HitClasses, HitCounts, HitCoverage, NewHits, Trace};
///
/// let mut coverage = HitCoverage::new(HitClasses::Afl);
/// let mut hits = HitCounts::new();
/// let mut run = |events| {
///     hits.count_probes(Trace::new(events));
///     coverage.add(&hits)
/// };
/// assert_eq!(run(&[1, 2]), NewHits { keys: 2, classes: true });
/// assert_eq!(run(&[1, 2, 2]), NewHits { keys: 0, classes: true }, "2 was never hit twice");
/// assert_eq!(run(&[2, 1]), NewHits { keys: 0, classes: false });
/// ```
#[derive(Clone, Debug)]
pub struct HitCoverage {
    classes: HitClasses,
    seen: Vec<u32>,
    covered: usize,
}

/// What was new about a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewHits {
    /// How many keys were never hit before.
    pub keys: usize,
    /// Whether a key was hit in a class of counts in which it never was before.
    pub classes: bool,
}

impl HitCoverage {
    /// Nothing was hit yet.
    pub fn new(classes: HitClasses) -> Self {
        HitCoverage { classes, seen: Vec::new(), covered: 0 }
    }

    /// Adds a run, and says what was new about it.
    pub fn add(&mut self, hits: &HitCounts) -> NewHits {
        let mut new = NewHits::default();
        for (key, count) in hits.iter() {
            if key >= self.seen.len() {
                self.seen.resize((key + 1).next_power_of_two(), 0);
            }
            let class = self.classes.of(count);
            let seen = &mut self.seen[key];
            new.keys += usize::from(*seen == 0 && class != 0);
            new.classes |= class & !*seen != 0;
            *seen |= class;
        }
        self.covered += new.keys;
        new
    }

    /// How many keys were ever hit.
    pub fn covered(&self) -> usize {
        self.covered
    }

    /// How many keys of a run have a class.
    pub fn size_of(&self, hits: &HitCounts) -> usize {
        hits.iter().filter(|(_, count)| self.classes.of(*count) != 0).count()
    }
}
