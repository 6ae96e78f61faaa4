//! The heuristics of the loop, each on a switch of its own.

use crate::{NumberMutants, Order, SequenceMutants, Source};
use std::fmt;

mod switches;

/// What counts as new about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// A path never taken, in a [`PathTrie`](crate::PathTrie).
    Paths,
    /// A step from one probe to another never taken, in an [`EdgeMap`](crate::EdgeMap).
    Edges,
    /// A step never taken about as often in one run: the counts are those of AFL.
    HitBuckets,
}

/// Which interesting test is mutated first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// The one whose path left the known ones soonest. Without [`Coverage::Paths`] all are equal.
    BranchingDepth,
    /// The one with most new edges (or nodes).
    MostNew,
    /// All are equal.
    Constant,
}

/// Which of two interesting tests of equal priority is mutated first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The newest. Mutation goes deep.
    Lifo,
    /// The oldest. Mutation goes broad.
    Fifo,
}

/// How large generated values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Grow with the number of passed tests, faster with that of discarded ones.
    QuickCheck,
    /// Any size up to the largest.
    Uniform,
}

impl Sizes {
    /// The size of the next generated value.
    pub(super) fn pick(self, max_size: usize, passed: u64, discarded: u64, source: &mut Source) -> usize {
        match self {
            Sizes::QuickCheck => {
                let grown = passed % (max_size.max(1) as u64) + discarded / 10;
                grown.min(max_size as u64) as usize
            }
            Sizes::Uniform => source.below(max_size + 1),
        }
    }
}

/// The settings of [`Mutagen`](super::Mutagen): one field per heuristic.
///
/// Two presets: [`default`](MutagenConfig::default) is what finds bugs, [`paper`](MutagenConfig::paper) is what was
/// published. Each field can also be set by name, which is what a command line wants:
///
/// ```
/// use mutagen_engine::{Coverage, MutagenConfig};
///
/// let mut config = MutagenConfig::default();
/// config.set("trie").unwrap();
/// config.set("no-reset").unwrap();
/// config.set("depth=5").unwrap();
/// assert_eq!((config.novelty, config.reset_after, config.max_depth), (Coverage::Paths, None, Some(5)));
/// assert!(config.set("triee").unwrap_err().to_string().contains("trie"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutagenConfig {
    /// What counts as new.
    pub novelty: Coverage,
    /// Which interesting test is mutated first.
    pub priority: Priority,
    /// Which is first among equals.
    pub ties: Ties,
    /// Whether passed and discarded tests are remembered apart, so that one does not use up the other's novelty.
    pub two_stores: bool,
    /// Whether a discarded test is interesting only if its parent passed.
    pub parent_passed_rule: bool,
    /// After how many boring tests in a row everything is forgotten and R doubles: a reset.
    pub reset_after: Option<usize>,
    /// Whether that number doubles with each reset.
    pub reset_doubles: bool,
    /// Whether a reset waits until all mutants of all interesting tests were run.
    pub reset_waits: bool,
    /// After how many tests without a reset everything is forgotten, mutants that wait included: a restart. The number
    /// doubles with each restart, up to sixteen times the first. Some campaigns lose their way among ever more tests that
    /// are just new enough, and a fresh start is then quicker.
    pub restart_after: Option<usize>,
    /// R at first: how often each random mutant is drawn.
    pub samples: usize,
    /// R does not grow beyond this.
    pub samples_cap: Option<usize>,
    /// How many generations of descendants a generated test may have.
    pub max_depth: Option<usize>,
    /// How many events of a trace are looked at.
    pub max_trace: Option<usize>,
    /// Whether mutants that were tested already are skipped. Works only with a
    /// [fingerprint](super::Mutagen::fingerprint).
    pub dedup: bool,
    /// Every how many tests one is generated although there are mutants.
    pub generate_every: Option<usize>,
    /// Every how many tests one is mutated from a discarded test although there are mutants of passed ones.
    pub discarded_every: Option<usize>,
    /// In which order the positions of a value are mutated.
    pub order: Order,
    /// Whether the seed permutes the mutants of a position. The set stays the same.
    pub shuffle: bool,
    /// How many parts of earlier interesting tests are tried at each position.
    pub fragments: Option<usize>,
    /// Which mutants a sequence has.
    pub sequences: SequenceMutants,
    /// Which mutants a number has.
    pub numbers: NumberMutants,
    /// The size of the largest generated value.
    pub max_size: usize,
    /// How large generated values are.
    pub sizes: Sizes,
    /// Whether a value may be replaced by a part of itself of the same type.
    pub return_subvalues: bool,
    /// Whether what two fields of the value have in common is also mutated in both at once: for properties of pairs.
    pub twins: bool,
    /// Whether plain fields beside two such fields change along with them. Every other mutant of a part that the two fields
    /// have in common then has other values in the plain fields. Only with `twins`.
    pub parameters: bool,
    /// How many interesting tests may wait. If there are more, the least interesting one is dropped.
    pub max_queue: usize,
}

impl Default for MutagenConfig {
    /// The settings that find bugs fastest and most reliably: new edges, most new first, newest first among equals. Parts of
    /// earlier tests are tried, the halves of a pair are mutated alike, and some tests are generated.
    fn default() -> Self {
        MutagenConfig {
            novelty: Coverage::Edges,
            priority: Priority::MostNew,
            ties: Ties::Lifo,
            two_stores: true,
            parent_passed_rule: true,
            reset_after: Some(1000),
            reset_doubles: false,
            reset_waits: true,
            restart_after: Some(50_000),
            samples: 1,
            samples_cap: Some(8),
            max_depth: None,
            max_trace: None,
            dedup: true,
            generate_every: Some(8),
            discarded_every: Some(4),
            order: Order::Level,
            shuffle: true,
            fragments: Some(2),
            sequences: SequenceMutants::Rich,
            numbers: NumberMutants::Boundary,
            max_size: 10,
            sizes: Sizes::Uniform,
            return_subvalues: true,
            twins: true,
            parameters: true,
            max_queue: MAX_QUEUE,
        }
    }
}

/// No campaign that was measured needed more, and this many take some ten megabytes at most.
const MAX_QUEUE: usize = 1 << 16;

impl MutagenConfig {
    /// MUTAGEN as it was measured for its paper: full paths in a trie, soonest branching first, and the limits that its
    /// code had (depth 10, 100 events of a trace, R up to 256).
    ///
    /// One thing differs: here all elements of a list are one level below it. In the original each element is one level
    /// deeper than the one before, so that level order comes to the ends of long lists late.
    ///
    /// On a large target this preset starves. Nearly every path is new there, and it never gets beyond the first places
    /// where paths part. It is here to compare with.
    pub fn paper() -> Self {
        MutagenConfig {
            novelty: Coverage::Paths,
            priority: Priority::BranchingDepth,
            reset_doubles: true,
            restart_after: None,
            samples_cap: Some(256),
            max_depth: Some(10),
            max_trace: Some(100),
            dedup: false,
            generate_every: None,
            discarded_every: None,
            shuffle: false,
            fragments: None,
            sequences: SequenceMutants::Paper,
            numbers: NumberMutants::Paper,
            sizes: Sizes::QuickCheck,
            twins: false,
            parameters: false,
            ..Self::default()
        }
    }
}

/// The settings as switches, in one line.
impl fmt::Display for MutagenConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.switches().join(" "))
    }
}
