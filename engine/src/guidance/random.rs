//! Plain random testing, to compare the others with.

use super::switches::{Switch, Switches, max_size};
use super::{Derived, Figures, Generator, Guidance, Sizes};
use crate::{Generate, Scope, Source, Trace, Verdict};

/// The settings of [`Random`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomConfig {
    /// The size of the largest value.
    pub max_size: usize,
}

impl Default for RandomConfig {
    fn default() -> Self {
        RandomConfig { max_size: 10 }
    }
}

impl Switches for RandomConfig {
    const GUIDANCE: &'static str = "random";
    const SWITCHES: &'static [Switch<Self>] = &[max_size(|config| &mut config.max_size)];
}

/// Generates every test afresh and learns nothing.
///
/// ```
/// use mutagen_engine::{Campaign, Random};
///
/// let mut sums_are_small = |numbers: &Vec<u8>| numbers.iter().map(|&n| u32::from(n)).sum::<u32>() < 60;
/// let report = Campaign::new(1).tests(10_000).run(&mut Random::new(1), &mut sums_are_small);
/// assert_eq!(report.failed, 1);
/// ```
pub struct Random<T> {
    source: Source,
    generator: Box<dyn Generator<T>>,
    config: RandomConfig,
    tests: u64,
}

impl<T: Generate + 'static> Random<T> {
    /// Generates with the type's own generator, in sizes up to 10.
    pub fn new(seed: u64) -> Self {
        Self::with_generator(seed, Derived)
    }
}

impl<T> Random<T> {
    /// Generates with a generator of your own, in sizes up to 10.
    pub fn with_generator(seed: u64, generator: impl Generator<T> + 'static) -> Self {
        Random {
            source: Source::seeded(seed),
            generator: Box::new(generator),
            config: RandomConfig::default(),
            tests: 0,
        }
    }

    /// Generates in sizes from 0 to `size`.
    pub fn max_size(mut self, size: usize) -> Self {
        self.config.max_size = size;
        self
    }

    /// Gives generators these settings to ask for.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.source = self.source.with_scope(scope);
        self
    }
}

impl<T> Guidance<T> for Random<T> {
    fn next(&mut self) -> T {
        self.tests += 1;
        let size = Sizes::Uniform.pick(self.config.max_size, 0, 0, &mut self.source);
        self.generator.generate(&mut self.source, size)
    }

    fn learn(&mut self, _: &T, _: &Verdict, _: Trace<'_>) -> bool {
        false
    }

    fn figures(&self) -> Figures {
        Figures::new(RandomConfig::GUIDANCE).switches(self.config.present()).count("generated", self.tests)
    }

    fn wants_traces(&self) -> bool {
        false
    }
}
