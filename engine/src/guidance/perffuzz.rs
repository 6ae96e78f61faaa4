//! PerfFuzz: inputs that make the target work hard.

use super::crowbar::children_for;
use super::score::Scores;
use super::sequence::Sequences;
use super::switches::{Switch, Switches, max_size, word};
use super::{Derived, Figures, Generator, Guidance, havoc};
use crate::{Generate, HitClasses, HitCounts, HitCoverage, Record, Scope, Source, Trace, Verdict};

mod maxima;

use maxima::{Maxima, Slowest};

/// What makes a test expensive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// How often each probe fires, and how often all of them together.
    Probes,
    /// What the property says the test cost, such as fuel: [`Outcome::cost`](crate::Outcome::cost).
    Fuel,
}

/// The settings of [`PerfFuzz`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerfFuzzConfig {
    /// What is maximised.
    pub cost: Cost,
    /// The size of the largest value.
    pub max_size: usize,
}

impl Default for PerfFuzzConfig {
    fn default() -> Self {
        PerfFuzzConfig { cost: Cost::Probes, max_size: 10 }
    }
}

impl Switches for PerfFuzzConfig {
    const GUIDANCE: &'static str = "perffuzz";
    const SWITCHES: &'static [Switch<Self>] = &[
        word("probes", "a test costs one for each probe that fires", |config| config.cost = Cost::Probes),
        word("fuel", "a test costs what the property says", |config| config.cost = Cost::Fuel),
        max_size(|config| &mut config.max_size),
    ];
}

impl Cost {
    /// The unit of the cost.
    pub fn unit(self) -> &'static str {
        match self {
            Cost::Probes => "probes",
            Cost::Fuel => "fuel",
        }
    }
}

/// Looks for inputs that are slow in the target: PerfFuzz.
///
/// It mutates byte strings as [`Crowbar`](super::Crowbar) does. An input is kept for new coverage, or if it passed and set a
/// new maximum: of how often some probe fired, of how many fired together, or of fuel. Inputs that hold a maximum
/// take turns; the others are passed over 99 times in 100. At the end the costliest tests are in the report's
/// [`records`](crate::Report::records).
///
/// ```
/// use mutagen_engine::{Campaign, Cost, Outcome, PerfFuzz, PerfFuzzConfig};
///
/// let config = PerfFuzzConfig { cost: Cost::Fuel, max_size: 5 };
/// let mut sorting = |list: &Vec<u8>| Outcome::passed().costing((list.len() * list.len()) as u64);
/// let report = Campaign::new(1).tests(1000).run(&mut PerfFuzz::new(config, 1), &mut sorting);
/// assert_eq!((report.records[0].amount, report.records[0].value.len()), (25, 5));
/// ```
pub struct PerfFuzz<T> {
    config: PerfFuzzConfig,
    source: Source,
    sequences: Sequences<T>,
    hits: HitCounts,
    coverage: HitCoverage,
    scores: Scores,
    maxima: Maxima,
    slowest: Slowest<T>,
    queue: Vec<Kept>,
    turn: Option<usize>,
    left: u64,
    tests: u64,
    generated: u64,
    mutated: u64,
    for_maxima: u64,
}

struct Kept {
    bytes: Vec<u8>,
    /// How many probes it hits.
    size: usize,
}

/// An input without a maximum has its turn one time in so many.
const PASSED_OVER: u32 = 100;

impl<T: Generate + Clone + 'static> PerfFuzz<T> {
    /// Generates with the type's own generator.
    pub fn new(config: PerfFuzzConfig, seed: u64) -> Self {
        Self::with_generator(config, seed, Derived)
    }
}

impl<T: Clone> PerfFuzz<T> {
    /// Generates with a generator of your own.
    pub fn with_generator(config: PerfFuzzConfig, seed: u64, generator: impl Generator<T> + 'static) -> Self {
        PerfFuzz {
            source: Source::seeded(seed),
            sequences: Sequences::new(generator, config.max_size),
            hits: HitCounts::new(),
            coverage: HitCoverage::new(HitClasses::Afl),
            scores: Scores::default(),
            maxima: Maxima::default(),
            slowest: Slowest::default(),
            queue: Vec::new(),
            turn: None,
            left: 0,
            tests: 0,
            generated: 0,
            mutated: 0,
            for_maxima: 0,
            config,
        }
    }

    /// Gives generators these settings to ask for.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.sequences.set_scope(scope);
        self
    }

    fn parent(&mut self) -> Option<Vec<u8>> {
        let turn = self.turn.filter(|_| self.left > 0).or_else(|| self.next_turn())?;
        let Kept { bytes, size } = &self.queue[turn];
        if self.left == 0 {
            // Slow inputs are wanted, so the length of a run does not count.
            self.left = children_for(self.scores.score(0, *size, 100));
            self.turn = Some(turn);
        }
        self.left -= 1;
        Some(bytes.clone())
    }

    /// The next input that holds a maximum, or, now and then, one that does not; after a whole round without any, the
    /// next one of all.
    fn next_turn(&mut self) -> Option<usize> {
        let inputs = self.queue.len();
        let first = self.turn.map_or(0, |turn| (turn + 1) % inputs);
        let mut round = (0..inputs).map(|step| (first + step) % inputs);
        let chosen = round.find(|turn| self.maxima.are_held_by(*turn) || self.source.chance(1, PASSED_OVER));
        chosen.or((inputs > 0).then_some(first))
    }

    /// How much a test cost, all together.
    fn amount(&self, trace: Trace<'_>) -> u64 {
        match self.config.cost {
            Cost::Probes => trace.events.len() as u64,
            Cost::Fuel => trace.cost,
        }
    }

    /// Whether an input that is about to be kept sets a maximum. It holds it from then on.
    fn set_maxima(&mut self, amount: u64) -> bool {
        let holder = self.queue.len();
        // No probe has the number 0: it stands for all of them.
        let mut higher = self.maxima.set(0, amount, holder);
        if self.config.cost == Cost::Probes {
            for (probe, count) in self.hits.iter() {
                higher |= self.maxima.set(probe, count.into(), holder);
            }
        }
        higher
    }
}

impl<T: Clone> Guidance<T> for PerfFuzz<T> {
    fn next(&mut self) -> T {
        let Some(mut bytes) = self.parent() else {
            self.generated += 1;
            return self.sequences.extended(Vec::new(), &mut self.source);
        };
        self.mutated += 1;
        havoc::stack(&mut bytes, &mut self.source);
        self.sequences.value(bytes)
    }

    fn learn(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>) -> bool {
        let bytes = self.sequences.take();
        self.tests += 1;
        if let Verdict::Failed(_) = verdict {
            return false;
        }
        let passed = *verdict == Verdict::Passed;
        let amount = self.amount(trace);
        if passed {
            self.slowest.offer(amount, value, self.tests);
        }
        self.hits.count_probes(trace);
        let new = self.coverage.add(&self.hits).classes;
        // An example of the user's has no bytes: there is nothing to mutate.
        let Some(bytes) = bytes else { return false };
        // A test that did not finish, because it ran out of fuel for example, sets no maximum.
        let slow = passed && self.set_maxima(amount);
        if new || slow {
            self.for_maxima += u64::from(slow);
            self.scores.kept(self.hits.len());
            self.queue.push(Kept { bytes, size: self.hits.len() });
        }
        new || slow
    }

    fn figures(&self) -> Figures {
        Figures::new(PerfFuzzConfig::GUIDANCE)
            .switches(self.config.present())
            .count("generated", self.generated)
            .count("mutated", self.mutated)
            .count("kept", self.queue.len() as u64)
            .count("kept for a maximum", self.for_maxima)
            .level("children left", self.left)
            .level("known probes", self.coverage.covered() as u64)
            .level("largest cost", self.maxima.largest())
    }

    fn queued(&self) -> u64 {
        self.queue.len() as u64
    }

    fn known(&self) -> u64 {
        self.coverage.covered() as u64
    }

    fn records(&self) -> Vec<Record<T>> {
        self.slowest.records(self.config.cost.unit())
    }
}
