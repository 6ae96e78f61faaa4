//! Guidances: they decide what is tested next.

use crate::{Generate, Listable, Record, Source, Tiers, Trace, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

// MUTAGEN and its parts.
mod batch;
mod config;
mod fragments;
mod mutagen;
mod queue;
mod repeats;
mod twins;

// Its peers.
mod afl;
mod crowbar;
mod fuzzchick;
mod libfuzzer;
mod perffuzz;
mod random;
mod repro;
mod smallcheck;
mod turns;
mod zest;

// What several of them share.
mod havoc;
mod score;
mod sequence;
pub(crate) mod switches;

pub use afl::{Afl, AflConfig, AflError};
pub use config::{Coverage, MutagenConfig, Priority, Sizes, Ties};
pub use crowbar::{Crowbar, CrowbarConfig};
pub use fuzzchick::{FuzzChick, FuzzChickConfig};
pub use libfuzzer::{LibFuzzer, LibFuzzerError};
pub use mutagen::Mutagen;
pub use perffuzz::{Cost, PerfFuzz, PerfFuzzConfig};
pub use random::{Random, RandomConfig};
pub use repro::Repro;
pub use smallcheck::{SmallCheck, SmallCheckConfig};
pub use switches::{Switch, UnknownSwitch};
pub use turns::{Guided, Turns};
pub use zest::{Zest, ZestConfig};

/// What there is to know about a test of another worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other {
    /// Which of several searches of that worker [gave](Guidance::part) it.
    pub part: usize,
    /// Whether its mutants are left to its own worker.
    pub is_left: bool,
}

/// Decides which value is tested next, and learns from what the last one did.
///
/// A campaign asks for a value with [`next`](Guidance::next), runs the property, and tells the outcome with
/// [`learn`](Guidance::learn). That is all a guidance needs, whether it generates ([`Random`]), mutates values
/// ([`Mutagen`]) or mutates the bytes behind them ([`Zest`]). [Writing a guidance](crate::writing_a_guidance) is a page of
/// its own.
///
/// ## Invariants
///
/// * A guidance is deterministic: the seed it was made with and what it learned decide what it gives. It reads no
///   clock and no address, and it never iterates over a hash map.
/// * `next` always gives a value; when a guidance runs out of ideas it generates, or says that it is
///   [exhausted](Guidance::is_exhausted).
/// * Values that `next` gave are learned in order, one by one. A value learned without having been asked for is an
///   example of the user's.
///
/// ```
/// use mutagen_engine::{Campaign, Figures, Guidance, StopReason, Trace, Verdict};
///
/// /// Counts upwards.
/// struct Upwards(u32);
///
/// impl Guidance<u32> for Upwards {
///     fn next(&mut self) -> u32 {
///         self.0 += 1;
///         self.0
///     }
///     fn learn(&mut self, _: &u32, _: &Verdict, _: Trace<'_>) -> bool {
///         false
///     }
///     fn figures(&self) -> Figures {
///         Figures::new("upwards").count("given", self.0.into())
///     }
///     fn wants_traces(&self) -> bool {
///         false
///     }
/// }
///
/// let report = Campaign::new(0).tests(100).run(&mut Upwards(0), &mut |n: &u32| n * n != 49);
/// assert_eq!(report.stop, StopReason::Found);
/// assert_eq!(report.findings[0].value, 7);
/// ```
pub trait Guidance<T> {
    /// The next value to test.
    fn next(&mut self) -> T;

    /// Learns what the value did that `next` gave last, or an example of the user's. Returns whether the value is
    /// interesting, so that the guidance keeps it.
    fn learn(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>) -> bool;

    /// Which of several searches gave the last value; 0 if there is but one.
    fn part(&self) -> usize {
        0
    }

    /// Learns what a test of another worker did. Returns whether it is interesting. Unless the guidance says otherwise, it learns from
    /// it as from a test of its own.
    fn learn_from_other(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>, _: Other) -> bool {
        self.learn(value, verdict, trace)
    }

    /// The statistics for the report.
    fn figures(&self) -> Figures;

    /// Whether `learn` looks at traces. If not, runs are not recorded, and the traces are empty.
    fn wants_traces(&self) -> bool {
        true
    }

    /// How often the guidance forgot what it had learned and started afresh, for whatever reason.
    fn resets(&self) -> u64 {
        0
    }

    /// How many tests wait to be mutated. Progress displays ask for it now and then.
    fn queued(&self) -> u64 {
        0
    }

    /// How much of the code under test is known: paths, edges or probes, whatever the guidance tells apart. Progress
    /// displays ask for it now and then.
    fn known(&self) -> u64 {
        0
    }

    /// Whether there is nothing left to test, so that the campaign ends.
    fn is_exhausted(&self) -> bool {
        false
    }

    /// Why the guidance is exhausted although there would be more to test: something outside of it failed, such as a program
    /// that it runs.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// Tests that are worth showing at the end although they did not fail, the most remarkable first.
    fn records(&self) -> Vec<Record<T>> {
        Vec::new()
    }
}

impl<T, G: Guidance<T> + ?Sized> Guidance<T> for Box<G> {
    fn next(&mut self) -> T {
        (**self).next()
    }

    fn learn(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>) -> bool {
        (**self).learn(value, verdict, trace)
    }

    fn part(&self) -> usize {
        (**self).part()
    }

    fn learn_from_other(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>, other: Other) -> bool {
        (**self).learn_from_other(value, verdict, trace, other)
    }

    fn figures(&self) -> Figures {
        (**self).figures()
    }

    fn wants_traces(&self) -> bool {
        (**self).wants_traces()
    }

    fn resets(&self) -> u64 {
        (**self).resets()
    }

    fn queued(&self) -> u64 {
        (**self).queued()
    }

    fn known(&self) -> u64 {
        (**self).known()
    }

    fn is_exhausted(&self) -> bool {
        (**self).is_exhausted()
    }

    fn trouble(&self) -> Option<String> {
        (**self).trouble()
    }

    fn records(&self) -> Vec<Record<T>> {
        (**self).records()
    }
}

/// The statistics of a guidance, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// The name of the guidance.
    pub guidance: String,
    /// Its settings, one line each.
    pub switches: Vec<String>,
    /// Counts. The report of several jobs has their sums.
    pub counts: BTreeMap<String, u64>,
    /// Current values, such as a size. The report of several jobs has the largest.
    pub levels: BTreeMap<String, u64>,
}

impl Figures {
    /// No statistics yet.
    pub fn new(guidance: impl Into<String>) -> Self {
        Figures { guidance: guidance.into(), ..Self::default() }
    }

    /// Adds settings.
    pub fn switches(mut self, switches: Vec<String>) -> Self {
        self.switches = switches;
        self
    }

    /// Adds a count.
    pub fn count(mut self, name: &str, count: u64) -> Self {
        self.counts.insert(name.into(), count);
        self
    }

    /// Adds a current value.
    pub fn level(mut self, name: &str, level: u64) -> Self {
        self.levels.insert(name.into(), level);
        self
    }

    /// Adds the figures of another worker.
    pub fn merge(&mut self, other: Figures) {
        for (name, count) in other.counts {
            *self.counts.entry(name).or_default() += count;
        }
        for (name, level) in other.levels {
            let largest = self.levels.entry(name).or_default();
            *largest = level.max(*largest);
        }
    }
}

/// Makes fresh values. Any `FnMut(&mut Source, usize) -> T` is a generator, and so is [`Derived`].
pub trait Generator<T> {
    /// A value of about the given size.
    fn generate(&mut self, source: &mut Source, size: usize) -> T;

    /// Repairs a mutant by a small change, if the generator makes only values that satisfy a precondition. [`Mutagen`] then tests
    /// the repaired mutant, and skips it if that was tested already. A value that needs no repair must stay as it is.
    ///
    /// ```
    /// use mutagen_engine::{Campaign, Generator, Mutagen, MutagenConfig, Source};
    ///
    /// /// Lists without gaps: every number but the first is one above the one before.
    /// struct Runs;
    ///
    /// impl Generator<Vec<u8>> for Runs {
    ///     fn generate(&mut self, source: &mut Source, size: usize) -> Vec<u8> {
    ///         (0..source.below(size + 1) as u8).collect()
    ///     }
    ///     fn repair(&self, run: &mut Vec<u8>) {
    ///         let first = run.first().copied().unwrap_or(0);
    ///         run.iter_mut().enumerate().for_each(|(place, number)| *number = first.wrapping_add(place as u8));
    ///     }
    /// }
    ///
    /// let mut guidance = Mutagen::with_generator(MutagenConfig::default(), 1, Runs).hashed();
    /// let is_run = |run: &Vec<u8>| run.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1));
    /// let report = Campaign::new(1).tests(1000).run(&mut guidance, &mut { is_run });
    /// assert_eq!(report.passed, 1000);
    /// ```
    fn repair(&self, value: &mut T) {
        let _ = value;
    }

    /// The enumeration of the values, if there is a better one than all choices of the generator: [`Listed`] has one.
    fn tiers(&self) -> Option<Tiers<T>> {
        None
    }
}

impl<T, F: FnMut(&mut Source, usize) -> T> Generator<T> for F {
    fn generate(&mut self, source: &mut Source, size: usize) -> T {
        self(source, size)
    }
}

/// The generator that comes with a type: its [`Generate`] implementation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Derived;

impl<T: Generate> Generator<T> for Derived {
    fn generate(&mut self, source: &mut Source, size: usize) -> T {
        T::generate(source, size)
    }
}

/// Generates as [`Derived`] does, and enumerates what [`Listable`] lists: each value once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Listed;

impl<T: Generate + Listable> Generator<T> for Listed {
    fn generate(&mut self, source: &mut Source, size: usize) -> T {
        T::generate(source, size)
    }

    fn tiers(&self) -> Option<Tiers<T>> {
        Some(T::tiers())
    }
}
