//! The MUTAGEN loop.

use super::batch::{Batch, BatchProgress, Lineage, MutantKind, Next, Workshop};
use super::fragments::Fragments;
use super::queue::Queue;
use super::repeats::Repeats;
use super::{Coverage, Derived, Figures, Generator, Guidance, MutagenConfig, Other};
use crate::{EdgeMap, Mutable, PathTrie, SampleSize, Scope, Source, Trace, TraceStore, Verdict};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Runs every mutant of every interesting test, the most interesting first.
///
/// A test is interesting if it did something new. Then all its mutants are scheduled, once each: those of passed tests
/// before those of discarded ones. When no mutants are left, a test is generated.
///
/// When nothing new happened for a long time, the loop *resets*: it forgets everything it saw, and draws random mutants
/// twice as often from then on. When mutants never run out, it *restarts* after a while: it also forgets the mutants that
/// wait. Each start may last twice as long as the one before, up to a limit.
///
/// The heuristics are in [`MutagenConfig`], each on a switch of its own.
///
/// ```
/// use mutagen_engine::{Campaign, Mutagen, MutagenConfig};
///
/// let mut config = MutagenConfig::default();
/// config.set("fifo").unwrap();
/// let mut guidance = Mutagen::new(config, 1).hashed();
/// let report = Campaign::new(1).tests(1000).run(&mut guidance, &mut |pair: &(bool, u8)| pair.1 < 10 || pair.0);
/// assert_eq!(report.failed, 1);
/// ```
pub struct Mutagen<T> {
    config: MutagenConfig,
    source: Source,
    generator: Box<dyn Generator<T>>,
    fingerprint: Option<Fingerprint<T>>,
    repeats: Option<Repeats>,
    fragments: Fragments,
    passed: Side<T>,
    discarded: Side<T>,
    /// R at present: how often a random mutant is drawn.
    samples: usize,
    /// How many boring tests in a row lead to the next reset.
    reset_after: usize,
    /// How many tests in a row were boring.
    boredom: usize,
    /// How many tests there may be without a reset, and how many there were.
    restart_after: usize,
    since_reset: usize,
    /// Where the test came from that is being run.
    ancestry: Option<Ancestry>,
    counts: MutagenCounts,
}

/// Equal values have equal fingerprints; different ones hardly ever do.
type Fingerprint<T> = Box<dyn Fn(&T) -> u64>;

/// How many mutants that equal their parent, or an earlier test, are skipped before a test is generated instead. Ten equal
/// fields of a struct can be exchanged in 10^10 ways without any effect, and a campaign must be able to stop meanwhile.
const PATIENCE: usize = 1 << 16;

/// A start may last at most so many times as long as the first one. The longest starts find little after their first million
/// tests, and a campaign with an unlucky start would otherwise spend most of its time on it.
const LONGEST_START: usize = 16;

/// The passed tests, or the discarded ones: what their runs did, and which of them wait to be mutated.
struct Side<T> {
    store: Box<dyn TraceStore>,
    queue: Queue<Batch<T>>,
}

/// Where a test came from.
#[derive(Clone, Copy)]
struct Ancestry {
    /// Whether it may be kept if it is discarded.
    parent_passed: bool,
    samples: usize,
    /// How many generations may still follow on it.
    depth: Option<usize>,
}

#[derive(Default)]
struct MutagenCounts {
    tests: u64,
    passed: u64,
    discarded: u64,
    failed: u64,
    interesting: u64,
    boring: u64,
    examples: u64,
    generated: u64,
    from_passed: u64,
    from_discarded: u64,
    fixed: u64,
    sampled: u64,
    twins: u64,
    fragments: u64,
    repeats: u64,
    resets: u64,
    restarts: u64,
    size: usize,
}

impl<T: Mutable + Clone> Mutagen<T> {
    /// Generates with the type's own generator.
    pub fn new(config: MutagenConfig, seed: u64) -> Self {
        Self::with_generator(config, seed, Derived)
    }

    /// Generates with a generator of your own.
    pub fn with_generator(config: MutagenConfig, seed: u64, generator: impl Generator<T> + 'static) -> Self {
        let scope = scope_for(&config, Scope::new());
        Mutagen {
            source: Source::seeded(seed).with_scope(scope),
            generator: Box::new(generator),
            fingerprint: None,
            repeats: None,
            fragments: Fragments::default(),
            passed: Side::new(&config),
            discarded: Side::new(&config),
            samples: config.samples,
            reset_after: config.reset_after.unwrap_or(usize::MAX),
            boredom: 0,
            restart_after: config.restart_after.unwrap_or(usize::MAX),
            since_reset: 0,
            ancestry: None,
            counts: MutagenCounts::default(),
            config,
        }
    }

    /// Gives generators and mutators these settings to ask for. What the configuration says about the mutants of sequences
    /// and numbers takes precedence.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.source = self.source.with_scope(scope_for(&self.config, scope));
        self
    }

    /// Sets how equal tests are recognised: they have the same fingerprint. If the configuration says `dedup`, a mutant that
    /// was tested recently is then skipped.
    pub fn fingerprint(mut self, fingerprint: impl Fn(&T) -> u64 + 'static) -> Self {
        self.repeats = self.config.dedup.then(Repeats::default);
        self.fingerprint = Some(Box::new(fingerprint));
        self
    }

    /// Takes the hash of a value as its [fingerprint](Mutagen::fingerprint).
    pub fn hashed(self) -> Self
    where
        T: Hash,
    {
        self.fingerprint(|value| {
            let mut hasher = FxHasher::default();
            value.hash(&mut hasher);
            hasher.finish()
        })
    }

    fn generate(&mut self) -> T {
        let MutagenCounts { passed, discarded, .. } = self.counts;
        let size = self.config.sizes.pick(self.config.max_size, passed, discarded, &mut self.source);
        let value = self.generator.generate(&mut self.source, size);
        self.counts.generated += 1;
        self.counts.size = size;
        self.ancestry = Some(self.fresh(false));
        self.is_repeat(&value);
        value
    }

    /// The next mutant that is not a repeat. `None` if there is none, or if looking for it takes too long.
    fn mutate(&mut self) -> Option<T> {
        let mut patience = PATIENCE;
        loop {
            // Ask the first batch of the side whose turn it is.
            let from_discarded = self.discarded_first();
            let side = if from_discarded { &mut self.discarded } else { &mut self.passed };
            let batch = side.queue.front()?;
            let mut workshop = Workshop::new(&self.config, &mut self.source, &self.fragments, &mut patience);
            let (mut mutant, kind) = match batch.next(&mut workshop) {
                Next::Mutant(mutant, kind) => (mutant, kind),
                Next::Later => return None,
                Next::Done => {
                    side.queue.pop();
                    continue;
                }
            };
            // Skip what was tested before; otherwise remember where the mutant comes from.
            let lineage = batch.lineage;
            self.generator.repair(&mut mutant);
            if self.is_repeat(&mutant) {
                self.counts.repeats += 1;
                continue;
            }
            self.counts.count_mutant(kind, from_discarded);
            self.ancestry = Some(lineage.child());
            return Some(mutant);
        }
    }

    /// The ancestry of a test without a parent.
    fn fresh(&self, parent_passed: bool) -> Ancestry {
        Ancestry { parent_passed, samples: self.samples, depth: self.config.max_depth }
    }

    /// How far the batch is that the next mutant comes from.
    fn batch_in_turn(&self) -> BatchProgress {
        let side = if self.discarded_first() { &self.discarded } else { &self.passed };
        side.queue.peek().map_or_else(BatchProgress::default, Batch::progress)
    }

    /// Whether the next mutant comes from a discarded test: because no passed one waits, or because it is its turn.
    fn discarded_first(&self) -> bool {
        self.passed.queue.is_empty()
            || (is_due(self.config.discarded_every, self.counts.mutants())
                && !self.discarded.queue.is_empty())
    }

    fn is_repeat(&mut self, value: &T) -> bool {
        match (&mut self.repeats, &self.fingerprint) {
            (Some(repeats), Some(fingerprint)) => repeats.met(fingerprint(value)),
            _ => false,
        }
    }

    /// Forgets everything if nothing new happened for too long, and draws more samples from then on.
    fn reset_if_bored(&mut self) {
        let busy = !self.passed.queue.is_empty() || !self.discarded.queue.is_empty();
        if self.boredom < self.reset_after || (self.config.reset_waits && busy) {
            return;
        }
        self.forget();
        self.counts.resets += 1;
        if self.config.reset_doubles {
            self.reset_after = self.reset_after.saturating_mul(2);
        }
        self.samples = (self.samples * 2).min(self.config.samples_cap.unwrap_or(usize::MAX));
    }

    /// Forgets everything, including waiting mutants and fragments, if there was no reset for too many tests.
    fn restart_if_lost(&mut self) {
        if self.since_reset >= self.restart_after {
            self.forget();
            self.counts.restarts += 1;
            self.passed.queue.clear();
            self.discarded.queue.clear();
            self.fragments.clear();
            let longest =
                self.config.restart_after.map_or(usize::MAX, |first| first.saturating_mul(LONGEST_START));
            self.restart_after = self.restart_after.saturating_mul(2).min(longest);
        }
        self.since_reset += 1;
    }

    fn forget(&mut self) {
        self.passed.store.clear();
        self.discarded.store.clear();
        self.repeats.iter_mut().for_each(Repeats::clear);
        self.boredom = 0;
        self.since_reset = 0;
    }

    /// Schedules the mutants of a test that did something new.
    fn keep(&mut self, value: &T, ancestry: Ancestry, passed: bool, priority: u64) {
        self.boredom = 0;
        self.counts.interesting += 1;
        if self.config.fragments.is_some() {
            self.fragments.store(value);
        }
        if ancestry.depth == Some(0) {
            return;
        }
        let lineage = Lineage { passed, samples: ancestry.samples, depth: ancestry.depth };
        let batch = Batch::new(value.clone(), lineage, self.config.order);
        let side = if passed { &mut self.passed } else { &mut self.discarded };
        side.queue.push(priority, batch);
    }
}

impl<T: Mutable + Clone> Mutagen<T> {
    /// Remembers what a test did, and keeps it if that is new.
    fn learn_from(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>, ancestry: Ancestry) -> bool {
        self.counts.count_verdict(verdict);
        let passed = match verdict {
            Verdict::Passed => true,
            Verdict::Discarded | Verdict::Inconclusive(_) => false,
            Verdict::Failed(_) => return false,
        };
        // What is new, compared with other tests of the same store?
        let apart = !passed && self.config.two_stores;
        let side = if apart { &mut self.discarded } else { &mut self.passed };
        let novelty = side.store.insert(trace);
        let eligible = passed || ancestry.parent_passed || !self.config.parent_passed_rule;
        let interesting = novelty.new > 0 && eligible;
        if interesting {
            self.keep(value, ancestry, passed, self.config.priority.of(novelty));
        } else {
            self.boredom += 1;
            self.counts.boring += 1;
        }
        interesting
    }
}

impl<T: Mutable + Clone> Guidance<T> for Mutagen<T> {
    fn next(&mut self) -> T {
        self.reset_if_bored();
        self.restart_if_lost();
        self.counts.tests += 1;
        let generate = is_due(self.config.generate_every, self.counts.tests);
        let mutant = if generate { None } else { self.mutate() };
        mutant.unwrap_or_else(|| self.generate())
    }

    fn learn(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>) -> bool {
        let ancestry = self.ancestry.take().unwrap_or_else(|| {
            self.counts.examples += 1;
            // The user chose this test, so it may be kept even if it is discarded.
            self.fresh(true)
        });
        self.learn_from(value, verdict, trace, ancestry)
    }

    /// If its own worker runs its mutants, none are scheduled. Parts of it may still be used in other mutants.
    fn learn_from_other(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>, other: Other) -> bool {
        self.counts.examples += 1;
        let fresh = self.fresh(true);
        let ancestry = if other.is_left { Ancestry { depth: Some(0), ..fresh } } else { fresh };
        self.learn_from(value, verdict, trace, ancestry)
    }

    fn figures(&self) -> Figures {
        let batch = self.batch_in_turn();
        let figures = self
            .counts
            .figures()
            .switches(self.settings())
            .count("refused traces", self.passed.store.refused() + self.discarded.store.refused())
            .count("dropped from queues", self.passed.queue.dropped() + self.discarded.queue.dropped())
            .count("fragments stored", self.fragments.stored())
            .count("queued passed", self.passed.queue.len() as u64)
            .count("queued discarded", self.discarded.queue.len() as u64)
            .level("samples", self.samples as u64)
            .level("tests since interesting", self.boredom as u64)
            .level("positions done in the batch", batch.done as u64)
            .level("mutants left at its position", batch.left_here as u64)
            .level("positions to come in the batch", batch.to_come as u64)
            .level("known of passed", self.passed.store.len() as u64)
            .level("known of discarded", self.discarded.store.len() as u64)
            .level("fingerprints", self.repeats.as_ref().map_or(0, Repeats::len) as u64)
            .level("store bytes", (self.passed.store.bytes() + self.discarded.store.bytes()) as u64);
        let per_type = self.fragments.per_type();
        per_type.into_iter().fold(figures, |figures, (name, parts)| {
            figures.level(&format!("fragments of {name}"), parts as u64)
        })
    }

    fn resets(&self) -> u64 {
        self.counts.resets + self.counts.restarts
    }

    fn queued(&self) -> u64 {
        (self.passed.queue.len() + self.discarded.queue.len()) as u64
    }

    fn known(&self) -> u64 {
        (self.passed.store.len() + self.discarded.store.len()) as u64
    }
}

impl<T> Mutagen<T> {
    /// The switches, with a remark where one has no effect.
    fn settings(&self) -> Vec<String> {
        let mut settings = self.config.switches();
        if self.config.dedup && self.fingerprint.is_none() {
            settings.push("(no fingerprint: nothing is deduplicated)".into());
        }
        settings
    }
}

impl<T> Side<T> {
    fn new(config: &MutagenConfig) -> Self {
        let store: Box<dyn TraceStore> = match config.novelty {
            Coverage::Paths => Box::new(PathTrie::new().max_length(config.max_trace)),
            Coverage::Edges => Box::new(EdgeMap::new().max_length(config.max_trace)),
            Coverage::HitBuckets => Box::new(EdgeMap::hit_buckets().max_length(config.max_trace)),
        };
        Side { store, queue: Queue::new(config.ties, config.max_queue) }
    }
}

impl Lineage {
    /// The ancestry of a mutant.
    fn child(&self) -> Ancestry {
        let depth = self.depth.map(|depth| depth - 1);
        Ancestry { parent_passed: self.passed, samples: self.samples, depth }
    }
}

impl MutagenCounts {
    fn count_verdict(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Discarded | Verdict::Inconclusive(_) => self.discarded += 1,
            Verdict::Failed(_) => self.failed += 1,
        }
    }

    fn mutants(&self) -> u64 {
        self.from_passed + self.from_discarded
    }

    fn count_mutant(&mut self, kind: MutantKind, from_discarded: bool) {
        if from_discarded {
            self.from_discarded += 1
        } else {
            self.from_passed += 1
        }
        match kind {
            MutantKind::Fixed => self.fixed += 1,
            MutantKind::Sampled => self.sampled += 1,
            MutantKind::Twins => self.twins += 1,
            MutantKind::Fragment => self.fragments += 1,
        }
    }

    fn figures(&self) -> Figures {
        Figures::new("mutagen")
            .count("passed", self.passed)
            .count("discarded", self.discarded)
            .count("failed", self.failed)
            .count("interesting", self.interesting)
            .count("boring", self.boring)
            .count("examples", self.examples)
            .count("generated", self.generated)
            .count("mutated from passed", self.from_passed)
            .count("mutated from discarded", self.from_discarded)
            .count("fixed mutants", self.fixed)
            .count("sampled mutants", self.sampled)
            .count("mutants of twins", self.twins)
            .count("fragment mutants", self.fragments)
            .count("repeats skipped", self.repeats)
            .count("resets", self.resets)
            .count("restarts", self.restarts)
            .level("generation size", self.size as u64)
    }
}

/// The user's scope with the configuration's mutants of sequences and numbers. Samples are as large as generated values.
fn scope_for(config: &MutagenConfig, scope: Scope) -> Scope {
    scope.with(config.sequences).with(config.numbers).with(SampleSize(config.max_size))
}

fn is_due(every: Option<usize>, tests: u64) -> bool {
    every.is_some_and(|every| every > 0 && tests.is_multiple_of(every as u64))
}
