//! Crowbar: AFL on the bytes behind values.

use super::score::Scores;
use super::sequence::Sequences;
use super::switches::{Switch, Switches, max_size};
use super::{Derived, Figures, Generator, Guidance, havoc};
use crate::{Generate, HitClasses, HitCounts, HitCoverage, Scope, Source, Trace, Verdict};

/// The settings of [`Crowbar`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrowbarConfig {
    /// The size of the largest value.
    pub max_size: usize,
}

impl Default for CrowbarConfig {
    fn default() -> Self {
        CrowbarConfig { max_size: 10 }
    }
}

impl Switches for CrowbarConfig {
    const GUIDANCE: &'static str = "crowbar";
    const SWITCHES: &'static [Switch<Self>] = &[max_size(|config| &mut config.max_size)];
}

/// Mutates the byte strings that values were generated from as AFL mutates files: the way of OCaml's Crowbar.
///
/// An input is kept if it takes an edge in a new class of counts, whether it passed or was discarded. Kept inputs take turns,
/// each with as many children as AFL's score allows. AFL's deterministic stages, its splicing and its choice of favourites
/// are left out. When the bytes of an input run out, all further choices are the smallest.
///
/// ```
/// use mutagen_engine::{Campaign, Crowbar, CrowbarConfig};
///
/// let mut guidance = Crowbar::new(CrowbarConfig::default(), 1);
/// let report = Campaign::new(1).tests(10_000).run(&mut guidance, &mut |pair: &(bool, u8)| pair.1 < 10 || pair.0);
/// assert_eq!(report.failed, 1);
/// ```
pub struct Crowbar<T> {
    config: CrowbarConfig,
    source: Source,
    sequences: Sequences<T>,
    hits: HitCounts,
    coverage: HitCoverage,
    scores: Scores,
    queue: Vec<Kept>,
    /// Which input is being mutated, and how many children it may still have in this turn.
    turn: Option<usize>,
    left: u64,
    generated: u64,
    mutated: u64,
    cycles: u64,
}

struct Kept {
    bytes: Vec<u8>,
    /// How many events its run had.
    length: usize,
    /// How many edges it took.
    size: usize,
}

/// How many children an input of average score has in one turn.
const CHILDREN: u64 = 256;
/// How many children any input has at least.
const FEWEST: u64 = 16;

/// How many children a score is worth.
pub(super) fn children_for(score: u64) -> u64 {
    (CHILDREN * score / 100).max(FEWEST)
}

impl<T: Generate + 'static> Crowbar<T> {
    /// Generates with the type's own generator.
    pub fn new(config: CrowbarConfig, seed: u64) -> Self {
        Self::with_generator(config, seed, Derived)
    }
}

impl<T> Crowbar<T> {
    /// Generates with a generator of your own.
    pub fn with_generator(config: CrowbarConfig, seed: u64, generator: impl Generator<T> + 'static) -> Self {
        Crowbar {
            source: Source::seeded(seed),
            sequences: Sequences::new(generator, config.max_size),
            hits: HitCounts::new(),
            coverage: HitCoverage::new(HitClasses::Afl),
            scores: Scores::default(),
            queue: Vec::new(),
            turn: None,
            left: 0,
            generated: 0,
            mutated: 0,
            cycles: 0,
            config,
        }
    }

    /// Gives generators these settings to ask for.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.sequences.set_scope(scope);
        self
    }

    /// The bytes to mutate; the next input takes its turn when this one had its children.
    fn parent(&mut self) -> Option<Vec<u8>> {
        let turn = match self.turn {
            Some(turn) if self.left > 0 => turn,
            Some(turn) => (turn + 1) % self.queue.len(),
            None => 0,
        };
        let Kept { bytes, length, size } = self.queue.get(turn)?;
        if self.left == 0 {
            self.left = children_for(self.scores.score(*length, *size, 100));
            self.cycles += u64::from(turn == 0 && self.turn.is_some());
            self.turn = Some(turn);
        }
        self.left -= 1;
        Some(bytes.clone())
    }
}

impl<T> Guidance<T> for Crowbar<T> {
    fn next(&mut self) -> T {
        let Some(mut bytes) = self.parent() else {
            self.generated += 1;
            return self.sequences.extended(Vec::new(), &mut self.source);
        };
        self.mutated += 1;
        havoc::stack(&mut bytes, &mut self.source);
        self.sequences.value(bytes)
    }

    fn learn(&mut self, _: &T, verdict: &Verdict, trace: Trace<'_>) -> bool {
        let bytes = self.sequences.take();
        let length = trace.events.len();
        self.scores.ran(length);
        if let Verdict::Failed(_) = verdict {
            return false;
        }
        self.hits.count_edges(trace);
        let new = self.coverage.add(&self.hits).classes;
        // An example of the user's has no bytes: there is nothing to mutate.
        let Some(bytes) = bytes.filter(|_| new) else { return false };
        let size = self.coverage.size_of(&self.hits);
        self.scores.kept(size);
        self.queue.push(Kept { bytes, length, size });
        true
    }

    fn figures(&self) -> Figures {
        Figures::new(CrowbarConfig::GUIDANCE)
            .switches(self.config.present())
            .count("generated", self.generated)
            .count("mutated", self.mutated)
            .count("cycles", self.cycles)
            .count("kept", self.queue.len() as u64)
            .level("known edges", self.coverage.covered() as u64)
            .level("children left", self.left)
    }

    fn queued(&self) -> u64 {
        self.queue.len() as u64
    }

    fn known(&self) -> u64 {
        self.coverage.covered() as u64
    }
}
