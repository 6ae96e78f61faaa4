//! SmallCheck: all values up to a size.

use super::switches::{Switch, Switches, max_size};
use super::{Derived, Figures, Generator, Guidance};
use crate::{Generate, Scope, Source, Tier, Tiers, Trace, Verdict};
use std::cell::RefCell;
use std::iter::Peekable;
use std::rc::Rc;

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

impl Switches for SmallCheckConfig {
    const GUIDANCE: &'static str = "smallcheck";
    const SWITCHES: &'static [Switch<Self>] = &[max_size(|config| &mut config.max_size)];
}

/// Tests all values up to a size, the smallest first, and learns nothing.
///
/// It goes through the [`Tiers`] of the generator. [`Listed`](crate::Listed) has those of the type: each value once. Any other
/// generator has those of [all choices](Tiers::of_generator) that it asks for; of a choice among more than a thousand, such
/// as a 32-bit number, these are three, and as in the original, the values of one size include those of smaller ones. When
/// the largest size is done, so is the campaign. No seed has a say, so that several workers would all test the same.
///
/// ```
/// use mutagen_engine::{Campaign, Listed, SmallCheck, SmallCheckConfig, StopReason};
///
/// let mut all = Vec::new();
/// let report = Campaign::new(0).tests(1000).run(
///     &mut SmallCheck::with_generator(SmallCheckConfig { max_size: 2 }, Listed),
///     &mut |list: &Vec<u8>| all.push(list.clone()),
/// );
/// assert_eq!(report.stop, StopReason::Exhausted);
/// assert_eq!(all, [vec![], vec![0], vec![0, 0], vec![1]]);
/// ```
pub struct SmallCheck<T> {
    config: SmallCheckConfig,
    scope: Scope,
    generator: Rc<RefCell<dyn Generator<T>>>,
    /// What is still to be tested, each value with its size. It begins with the first test.
    values: Option<Peekable<Tier<(usize, T)>>>,
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

impl<T: 'static> SmallCheck<T> {
    /// Enumerates what a generator of your own makes.
    pub fn with_generator(config: SmallCheckConfig, generator: impl Generator<T> + 'static) -> Self {
        SmallCheck {
            config,
            scope: Scope::new(),
            generator: Rc::new(RefCell::new(generator)),
            values: None,
            size: 0,
            exhausted: false,
            tests: 0,
        }
    }

    /// Gives generators these settings to ask for.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Everything, from the beginning.
    fn values(&self) -> Peekable<Tier<(usize, T)>> {
        let own = self.generator.borrow().tiers().filter(|tiers| tiers.tier(0).next().is_some());
        let tiers = own.unwrap_or_else(|| {
            let generator = Rc::clone(&self.generator);
            let generate = move |source: &mut Source, size| generator.borrow_mut().generate(source, size);
            Tiers::of_generator(generate, self.scope.clone())
        });
        let values =
            (0..=self.config.max_size).flat_map(move |size| tiers.tier(size).map(move |value| (size, value)));
        (Box::new(values) as Tier<(usize, T)>).peekable()
    }
}

impl<T: 'static> Guidance<T> for SmallCheck<T> {
    /// Whoever asks for more than everything gets it again from the beginning.
    fn next(&mut self) -> T {
        self.tests += 1;
        loop {
            let mut values = self.values.take().unwrap_or_else(|| self.values());
            if let Some((size, value)) = values.next() {
                self.size = size;
                self.exhausted |= values.peek().is_none();
                self.values = Some(values);
                return value;
            }
        }
    }

    fn learn(&mut self, _: &T, _: &Verdict, _: Trace<'_>) -> bool {
        false
    }

    fn figures(&self) -> Figures {
        Figures::new(SmallCheckConfig::GUIDANCE)
            .switches(self.config.present())
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
