//! All mutants of a value, one at a time.

use super::walk::{Draws, Walk};
use super::{Address, Order, Position, apply};
use crate::stable::GOLDEN;
use crate::{Count, Mutable, Scope, Source};

/// Which mutants [`mutants`] gives, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MutantsConfig {
    /// The order of positions.
    pub order: Order,
    /// How often each sampler is drawn (R).
    pub samples: usize,
    /// Decides what samplers draw and, with `shuffle`, the order inside a position.
    pub seed: u64,
    /// Whether the seed permutes the mutants inside each position.
    pub shuffle: bool,
    /// Whether a mutant that equals an earlier one is left out. This keeps all mutants, and compares each with all others.
    pub distinct: bool,
}

impl Default for MutantsConfig {
    fn default() -> Self {
        Self { order: Order::Level, samples: 1, seed: 0, shuffle: false, distinct: false }
    }
}

/// Every mutant of `value`, once, with its address. Lazy: the next one is built when it is asked for.
///
/// ```
/// use mutagen_engine::{MutantsConfig, Scope, mutants};
///
/// let (config, scope) = (MutantsConfig::default(), Scope::new());
/// let all: Vec<_> = mutants(&Some(true), &config, &scope).map(|(_, mutant)| mutant).collect();
/// assert_eq!(all, [None, Some(false)]);
/// assert_eq!(mutants(&Some(true), &config, &scope).count_all(), 2);
///
/// // Either of two equal elements can be removed.
/// let twice = vec![7_u8, 7];
/// let mutants = |distinct| mutants(&twice, &MutantsConfig { distinct, ..config }, &scope);
/// let shorter = |distinct| mutants(distinct).filter(|(_, mutant)| mutant == &[7]).count();
/// assert!(shorter(false) > 1);
/// assert_eq!(shorter(true), 1);
/// ```
pub fn mutants<'a, T: Mutable + Clone>(
    value: &'a T,
    config: &MutantsConfig,
    scope: &Scope,
) -> Mutants<'a, T> {
    let source = Source::seeded(config.seed).with_scope(scope.clone());
    let given = config.distinct.then(Vec::new);
    Mutants { value, source, addresses: Addresses::new(value, config, scope), given }
}

/// The mutants of a value, see [`mutants`].
#[derive(Clone, Debug)]
pub struct Mutants<'a, T> {
    value: &'a T,
    source: Source,
    addresses: Addresses<'a, T>,
    /// The mutants that were given, if none is to be given twice.
    given: Option<Vec<T>>,
}

impl<'a, T: Mutable + Clone> Mutants<'a, T> {
    /// How many addresses are left, without building a mutant. A few of them may turn out equal to the value, where it has
    /// equal parts that change places: those are not mutants, and the iterator passes over them, as it does over repeats if
    /// asked to.
    pub fn count_all(self) -> usize {
        self.addresses.count_all()
    }

    /// The addresses that are left, without building a mutant.
    pub fn addresses(self) -> Addresses<'a, T> {
        self.addresses
    }
}

impl<T: Mutable + Clone> Iterator for Mutants<'_, T> {
    type Item = (Address, T);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let address = self.addresses.next()?;
            if let Some(mutant) = apply(self.value, &address, &mut self.source)
                && self.is_wanted(&mutant)
            {
                return Some((address, mutant));
            }
        }
    }
}

impl<T: Mutable + Clone> Mutants<'_, T> {
    fn is_wanted(&mut self, mutant: &T) -> bool {
        let Some(given) = &mut self.given else { return true };
        let wanted = !given.iter().any(|earlier| mutant.equals(earlier.as_any()));
        if wanted {
            given.push(mutant.clone());
        }
        wanted
    }
}

/// The addresses of all mutants of a value; costs a cursor, however many there are. See [`Mutants::addresses`].
#[derive(Clone, Debug)]
pub struct Addresses<'a, T> {
    value: &'a T,
    config: MutantsConfig,
    scope: Scope,
    walk: Walk,
    /// How many mutants there are where the walk is.
    count: Count,
}

impl<'a, T: Mutable> Addresses<'a, T> {
    fn new(value: &'a T, config: &MutantsConfig, scope: &Scope) -> Self {
        let (config, scope) = (*config, scope.clone());
        Self { value, config, scope, walk: Walk::new(config.order), count: Count::NONE }
    }

    /// How many addresses are left.
    pub fn count_all(mut self) -> usize {
        let mut total = self.walk.left_here();
        while self.enter_next() {
            total = total.saturating_add(self.walk.left_here());
        }
        total
    }

    fn enter_next(&mut self) -> bool {
        let Self { config, scope, count, .. } = self;
        self.walk.enter_next(self.value, |node, path| {
            *count = node.count(scope);
            let seed = config.shuffle.then(|| seed_at(path, config.seed));
            Draws::new(count.draws(config.samples), seed)
        })
    }
}

/// A seed for one position: the same order everywhere would make one sample out of many positions.
fn seed_at(path: &[u32], seed: u64) -> u64 {
    path.iter().fold(seed, |seed, index| (seed ^ u64::from(*index)).wrapping_mul(GOLDEN).rotate_left(23))
}

impl<T: Mutable> Iterator for Addresses<'_, T> {
    type Item = Address;

    fn next(&mut self) -> Option<Address> {
        loop {
            if let Some(draw) = self.walk.next_here() {
                let position = Position::from(self.walk.path());
                return Some(Address { position, number: self.count.number(draw) });
            }
            if !self.enter_next() {
                return None;
            }
        }
    }
}
