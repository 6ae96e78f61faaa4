//! SmallCheck: all values up to a size.

use super::settings::{Setting, Settings, number};
use super::{Derived, Figures, Generator, Guidance};
use crate::{Generate, Scope, Source, Trace, Verdict};

/// The settings of [`SmallCheck`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallCheckConfig {
    /// The size of the largest value.
    pub max_size: usize,
}

impl Default for SmallCheckConfig {
    fn default() -> Self {
        SmallCheckConfig { max_size: 10 }
    }
}

impl Settings for SmallCheckConfig {
    const GUIDANCE: &'static str = "smallcheck";
    const ALL: &'static [Setting<Self>] = &[number("max-size=N", |config, size| config.max_size = size)];
}

/// Tests everything that the generator can make, the smallest sizes first, and learns nothing.
///
/// It makes all choices that the generator asks for, see [`Source::enumerating`]: whatever generates also enumerates. Of a choice
/// among more than a thousand, such as a 32-bit number, it makes three. As in
/// the original, the values of one size include those of smaller ones. When the largest size is done, so is the campaign.
/// No seed has a say, so that several workers would all test the same.
///
/// ```
/// use mutagen_engine::{Campaign, SmallCheck, SmallCheckConfig, StopReason};
///
/// let mut all = Vec::new();
/// let report = Campaign::new(0).tests(1000).run(
///     &mut SmallCheck::new(SmallCheckConfig { max_size: 1 }),
///     &mut |list: &Vec<bool>| all.push(list.clone()),
/// );
/// assert_eq!(report.stop, StopReason::Exhausted);
/// assert_eq!(all, [vec![], vec![], vec![false], vec![true]]);
/// ```
pub struct SmallCheck<T> {
    config: SmallCheckConfig,
    scope: Scope,
    source: Source,
    generator: Box<dyn Generator<T>>,
    size: usize,
    exhausted: bool,
    tests: u64,
}

impl<T: Generate + 'static> SmallCheck<T> {
    /// Enumerates what the type's own generator makes.
    pub fn new(config: SmallCheckConfig) -> Self {
        Self::with_generator(config, Derived)
    }
}

impl<T> SmallCheck<T> {
    /// Enumerates what a generator of your own makes.
    pub fn with_generator(config: SmallCheckConfig, generator: impl Generator<T> + 'static) -> Self {
        SmallCheck {
            config,
            scope: Scope::new(),
            source: Source::enumerating(),
            generator: Box::new(generator),
            size: 0,
            exhausted: false,
            tests: 0,
        }
    }

    /// Gives generators these settings to ask for.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.source = self.source.with_scope(scope.clone());
        self.scope = scope;
        self
    }

    /// Goes on to the next size. Whoever asks for more than everything gets it again from the beginning.
    fn grow(&mut self) {
        self.source = Source::enumerating().with_scope(self.scope.clone());
        self.exhausted |= self.size == self.config.max_size;
        self.size = if self.size == self.config.max_size { 0 } else { self.size + 1 };
    }
}

impl<T> Guidance<T> for SmallCheck<T> {
    fn next(&mut self) -> T {
        self.tests += 1;
        let value = self.generator.generate(&mut self.source, self.size);
        if !self.source.advance() {
            self.grow();
        }
        value
    }

    fn learn(&mut self, _: &T, _: &Verdict, _: Trace<'_>) -> bool {
        false
    }

    fn figures(&self) -> Figures {
        Figures::new(SmallCheckConfig::GUIDANCE)
            .switches(vec![format!("max-size={}", self.config.max_size)])
            .count("generated", self.tests)
            .level("generation size", self.size as u64)
    }

    fn wants_traces(&self) -> bool {
        false
    }

    fn is_exhausted(&self) -> bool {
        self.exhausted
    }
}
