//! Zest: mutates the bytes behind values, and counts the coverage of valid inputs apart.

use super::sequence::Sequences;
use super::switches::{Switch, Switches, max_size, word};
use super::{Derived, Figures, Generator, Guidance, havoc};
use crate::{Generate, HitClasses, HitCounts, HitCoverage, Scope, Source, Trace, Verdict};

/// The settings of [`Zest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZestConfig {
    /// Whether to save an input that hits a probe in a new order of magnitude.
    pub counts: bool,
    /// Whether to save a passed input that hits a probe which no passed one did before.
    pub valid: bool,
    /// Whether discarded inputs are ignored altogether.
    pub only_valid: bool,
    /// The size of the largest value.
    pub max_size: usize,
}

impl Default for ZestConfig {
    fn default() -> Self {
        ZestConfig { counts: true, valid: true, only_valid: false, max_size: 10 }
    }
}

impl Switches for ZestConfig {
    const GUIDANCE: &'static str = "zest";
    const SWITCHES: &'static [Switch<Self>] = &[
        word("counts", "new is also another order of magnitude", |config| config.counts = true),
        word("no-counts", "how often a probe is hit does not count", |config| config.counts = false),
        word("valid", "new is also a probe new to passed tests", |config| config.valid = true),
        word("no-valid", "passed tests are like all others", |config| config.valid = false),
        word("only-valid", "ignore discarded tests", |config| config.only_valid = true),
        word("no-only-valid", "learn from discarded tests as well", |config| config.only_valid = false),
        max_size(|config| &mut config.max_size),
    ];
}

/// Mutates the byte strings that values were generated from: Zest, the guidance of JQF.
///
/// An input is saved if a probe is hit that never was before, or in a new order of magnitude, or for the first time by
/// an input that passed. Saved inputs take turns, each with as many children as its share of the coverage allows; those
/// that were first at a probe have twenty times as many. Once something is saved, nothing is generated from scratch.
///
/// It counts hits of probes, without collisions, which is the newer of JQF's two ways.
///
/// ```
/// use mutagen_engine::{Campaign, Zest, ZestConfig};
///
/// let mut guidance = Zest::new(ZestConfig::default(), 1);
/// let report = Campaign::new(1).tests(10_000).run(&mut guidance, &mut |pair: &(bool, u8)| pair.1 < 10 || pair.0);
/// assert_eq!(report.failed, 1);
/// ```
pub struct Zest<T> {
    config: ZestConfig,
    source: Source,
    sequences: Sequences<T>,
    hits: HitCounts,
    total: HitCoverage,
    valid: HitCoverage,
    saved: Vec<Saved>,
    /// Which saved input is being mutated, and how many children it had in this turn.
    parent: usize,
    children: usize,
    counts: ZestCounts,
}

struct Saved {
    bytes: Vec<u8>,
    /// How many probes it hits.
    coverage: usize,
    /// Whether it was the first at one of them.
    favoured: bool,
}

#[derive(Default)]
struct ZestCounts {
    generated: u64,
    mutated: u64,
    cycles: u64,
    favoured: u64,
    for_counts: u64,
    for_coverage: u64,
    for_valid: u64,
}

/// How many children an input has that hits everything that was ever hit.
const CHILDREN: usize = 50;
/// A favoured input has so many times as many.
const FAVOURED: usize = 20;

impl<T: Generate + 'static> Zest<T> {
    /// Generates with the type's own generator.
    pub fn new(config: ZestConfig, seed: u64) -> Self {
        Self::with_generator(config, seed, Derived)
    }
}

impl<T> Zest<T> {
    /// Generates with a generator of your own.
    pub fn with_generator(config: ZestConfig, seed: u64, generator: impl Generator<T> + 'static) -> Self {
        Zest {
            source: Source::seeded(seed),
            sequences: Sequences::new(generator, config.max_size),
            hits: HitCounts::new(),
            total: HitCoverage::new(HitClasses::PowersOfTwo),
            valid: HitCoverage::new(HitClasses::PowersOfTwo),
            saved: Vec::new(),
            parent: 0,
            children: 0,
            counts: ZestCounts::default(),
            config,
        }
    }

    /// Gives generators these settings to ask for.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.sequences.set_scope(scope);
        self
    }

    /// How many children a saved input may have in one turn.
    fn target(&self, saved: &Saved) -> usize {
        let share = CHILDREN * saved.coverage / self.total.covered().max(1);
        if saved.favoured { share * FAVOURED } else { share }
    }

    /// The bytes to mutate; the next input takes its turn when this one had enough children, but at least one.
    fn parent(&mut self) -> Option<Vec<u8>> {
        let current = self.saved.get(self.parent)?;
        if self.children >= self.target(current) {
            self.parent = (self.parent + 1) % self.saved.len();
            self.counts.cycles += u64::from(self.parent == 0);
            self.children = 0;
        }
        self.children += 1;
        Some(self.saved[self.parent].bytes.clone())
    }
}

impl<T> Guidance<T> for Zest<T> {
    fn next(&mut self) -> T {
        let Some(mut bytes) = self.parent() else {
            self.counts.generated += 1;
            return self.sequences.extended(Vec::new(), &mut self.source);
        };
        self.counts.mutated += 1;
        havoc::overwrite(&mut bytes, &mut self.source);
        self.sequences.extended(bytes, &mut self.source)
    }

    fn learn(&mut self, _: &T, verdict: &Verdict, trace: Trace<'_>) -> bool {
        let bytes = self.sequences.take();
        let passed = *verdict == Verdict::Passed;
        let invalid = matches!(verdict, Verdict::Discarded | Verdict::Inconclusive(_));
        if !passed && (!invalid || self.config.only_valid) {
            return false;
        }
        self.hits.count_probes(trace);
        let total = self.total.add(&self.hits);
        let valid = if passed { self.valid.add(&self.hits).keys } else { 0 };
        let reasons = [self.config.counts && total.classes, total.keys > 0, self.config.valid && valid > 0];
        // An example of the user's has no bytes: there is nothing to mutate.
        let Some(bytes) = bytes.filter(|_| reasons.contains(&true)) else { return false };
        let favoured = total.keys + valid > 0;
        self.counts.count(reasons, favoured);
        self.saved.push(Saved { bytes, coverage: self.hits.len(), favoured });
        true
    }

    fn figures(&self) -> Figures {
        Figures::new(ZestConfig::GUIDANCE)
            .switches(self.config.present())
            .count("generated", self.counts.generated)
            .count("mutated", self.counts.mutated)
            .count("cycles", self.counts.cycles)
            .count("saved", self.saved.len() as u64)
            .count("favoured", self.counts.favoured)
            .count("saved for counts", self.counts.for_counts)
            .count("saved for coverage", self.counts.for_coverage)
            .count("saved for valid coverage", self.counts.for_valid)
            .level("known probes", self.total.covered() as u64)
            .level("known probes of passed", self.valid.covered() as u64)
    }

    fn queued(&self) -> u64 {
        self.saved.len() as u64
    }

    fn known(&self) -> u64 {
        self.total.covered() as u64
    }
}

impl ZestCounts {
    fn count(&mut self, [counts, coverage, valid]: [bool; 3], favoured: bool) {
        self.for_counts += u64::from(counts);
        self.for_coverage += u64::from(coverage);
        self.for_valid += u64::from(valid);
        self.favoured += u64::from(favoured);
    }
}
