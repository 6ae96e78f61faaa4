//! FuzzChick: values mutated at random, those that cover more first.

use super::score::Scores;
use super::switches::{Switch, Switches, max_size, word};
use super::{Derived, Figures, Generator, Guidance, Sizes};
use crate::{HitClasses, HitCounts, HitCoverage, Mutable, Scope, Source, Trace, Verdict};
use std::collections::VecDeque;

/// The settings of [`FuzzChick`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuzzChickConfig {
    /// Whether counts of an edge are told apart in AFL's classes, as the paper says, rather than bit by bit, as its code
    /// does.
    pub hit_buckets: bool,
    /// Whether interesting tests wait in plain queues, as the paper says, rather than in stacks that wait for the
    /// current list to end, as in its code.
    pub fifo: bool,
    /// The size of the largest random part.
    pub max_size: usize,
}

impl Default for FuzzChickConfig {
    /// As in its code, with the size that it had when its paper was written.
    fn default() -> Self {
        FuzzChickConfig { hit_buckets: false, fifo: false, max_size: 7 }
    }
}

impl Switches for FuzzChickConfig {
    const GUIDANCE: &'static str = "fuzzchick";
    const SWITCHES: &'static [Switch<Self>] = &[
        word("bits", "new is a bit of an edge's count never set", |config| config.hit_buckets = false),
        word("hit-buckets", "new is an edge never taken about as often", |config| config.hit_buckets = true),
        word("stacks", "newest interesting test first, list by list", |config| config.fifo = false),
        word("fifo", "oldest interesting test first", |config| config.fifo = true),
        max_size(|config| &mut config.max_size),
    ];
}

/// Mutates tests that covered something new, at random, as often as their energy allows: FuzzChick, the coverage-guided
/// property tester for Coq, as it was when its paper was written.
///
/// Each mutation is one [`mutate_randomly`](Mutable::mutate_randomly). Passed tests come first. New is a bit of an edge's
/// count that was never set before, in AFL's map. One thing differs from the original: where its energy depends on
/// execution time, here it depends on the length of the trace, so that a campaign can be repeated.
///
/// ```
/// use mutagen_engine::{Campaign, FuzzChick, FuzzChickConfig};
///
/// let mut guidance = FuzzChick::new(FuzzChickConfig::default(), 1);
/// let report = Campaign::new(1).tests(10_000).run(&mut guidance, &mut |pair: &(bool, u8)| pair.1 < 5 || pair.0);
/// assert_eq!(report.failed, 1);
/// ```
pub struct FuzzChick<T> {
    config: FuzzChickConfig,
    source: Source,
    generator: Box<dyn Generator<T>>,
    hits: HitCounts,
    coverage: HitCoverage,
    scores: Scores,
    passed: Seeds<T>,
    discarded: Seeds<T>,
    counts: FuzzChickCounts,
}

/// Interesting tests: those that are being mutated, and those that wait until there are none left.
struct Seeds<T> {
    current: VecDeque<Seed<T>>,
    pending: VecDeque<Seed<T>>,
}

struct Seed<T> {
    value: T,
    /// How many mutants it may still have.
    energy: u64,
}

#[derive(Default)]
struct FuzzChickCounts {
    passed: u64,
    discarded: u64,
    interesting: u64,
    generated: u64,
    from_passed: u64,
    from_discarded: u64,
    energy: u64,
}

/// How often the lists are looked at for a test to mutate before one is generated.
const MOVES: usize = 4;
/// A discarded test gets this percentage of the energy of a passed one.
const DISCARDED_PERCENT: u64 = 33;
/// The energy is AFL's score times this.
const ENERGY_PER_SCORE: u64 = 10;

impl<T: Mutable + Clone> FuzzChick<T> {
    /// Generates with the type's own generator.
    pub fn new(config: FuzzChickConfig, seed: u64) -> Self {
        Self::with_generator(config, seed, Derived)
    }

    /// Generates with a generator of your own.
    pub fn with_generator(
        config: FuzzChickConfig,
        seed: u64,
        generator: impl Generator<T> + 'static,
    ) -> Self {
        let classes = if config.hit_buckets { HitClasses::Afl } else { HitClasses::Bits };
        FuzzChick {
            source: Source::seeded(seed),
            generator: Box::new(generator),
            hits: HitCounts::new(),
            coverage: HitCoverage::new(classes),
            scores: Scores::default(),
            passed: Seeds::new(),
            discarded: Seeds::new(),
            counts: FuzzChickCounts::default(),
            config,
        }
    }

    /// Gives generators and mutators these settings to ask for.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.source = self.source.with_scope(scope);
        self
    }

    /// A mutant of the test whose turn it is. `None` if a fresh one is due.
    fn mutate(&mut self) -> Option<T> {
        for _ in 0..MOVES {
            if let Some(seed) = self.passed.current.front_mut() {
                let Some(parent) = seed.spend() else {
                    self.passed.current.pop_front();
                    continue;
                };
                self.counts.from_passed += 1;
                return Some(parent);
            }
            if self.passed.refill() {
                continue;
            }
            if let Some(seed) = self.discarded.current.front_mut() {
                let Some(parent) = seed.spend() else {
                    // NB: a fresh test comes between two discarded ones, but not between two passed ones, as in its code.
                    self.discarded.current.pop_front();
                    return None;
                };
                self.counts.from_discarded += 1;
                return Some(parent);
            }
            if !self.discarded.refill() {
                return None;
            }
        }
        None
    }

    fn size(&mut self) -> usize {
        let FuzzChickCounts { passed, discarded, .. } = self.counts;
        Sizes::QuickCheck.pick(self.config.max_size, passed, discarded, &mut self.source)
    }
}

impl<T: Mutable + Clone> Guidance<T> for FuzzChick<T> {
    fn next(&mut self) -> T {
        let size = self.size();
        if let Some(mut value) = self.mutate() {
            value.mutate_randomly(&mut self.source, size);
            return value;
        }
        self.counts.generated += 1;
        self.generator.generate(&mut self.source, size)
    }

    fn learn(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>) -> bool {
        let length = trace.events.len();
        self.scores.ran(length);
        let (seeds, count, percent) = match verdict {
            Verdict::Passed => (&mut self.passed, &mut self.counts.passed, 100),
            Verdict::Discarded | Verdict::Inconclusive(_) => {
                (&mut self.discarded, &mut self.counts.discarded, DISCARDED_PERCENT)
            }
            Verdict::Failed(_) => return false,
        };
        *count += 1;
        self.hits.count_edges(trace);
        if !self.coverage.add(&self.hits).classes {
            return false;
        }
        let size = self.coverage.size_of(&self.hits);
        self.scores.kept(size);
        let energy = ENERGY_PER_SCORE * self.scores.score(length, size, percent);
        seeds.add(Seed { value: value.clone(), energy }, self.config.fifo);
        self.counts.interesting += 1;
        self.counts.energy += energy;
        true
    }

    fn figures(&self) -> Figures {
        Figures::new(FuzzChickConfig::GUIDANCE)
            .switches(self.config.present())
            .count("passed", self.counts.passed)
            .count("discarded", self.counts.discarded)
            .count("interesting", self.counts.interesting)
            .count("generated", self.counts.generated)
            .count("mutated from passed", self.counts.from_passed)
            .count("mutated from discarded", self.counts.from_discarded)
            .count("energy given", self.counts.energy)
            .count("queued passed", self.passed.len())
            .count("queued discarded", self.discarded.len())
            .level("known edges", self.coverage.covered() as u64)
    }

    fn queued(&self) -> u64 {
        self.passed.len() + self.discarded.len()
    }

    fn known(&self) -> u64 {
        self.coverage.covered() as u64
    }
}

impl<T> Seeds<T> {
    fn new() -> Self {
        Seeds { current: VecDeque::new(), pending: VecDeque::new() }
    }

    fn add(&mut self, seed: Seed<T>, fifo: bool) {
        if fifo { self.current.push_back(seed) } else { self.pending.push_front(seed) }
    }

    /// Makes the waiting tests the current ones, of which there are none left. False if nothing waits.
    fn refill(&mut self) -> bool {
        std::mem::swap(&mut self.current, &mut self.pending);
        !self.current.is_empty()
    }

    fn len(&self) -> u64 {
        (self.current.len() + self.pending.len()) as u64
    }
}

impl<T: Clone> Seed<T> {
    /// A copy to be mutated, while there is energy.
    fn spend(&mut self) -> Option<T> {
        self.energy = self.energy.checked_sub(1)?;
        Some(self.value.clone())
    }
}
