//! All mutants of a value, one at a time.

use super::{Address, Order, Position, PositionCursor, apply, node_at};
use crate::{Count, Mutable, Permutation, Scope, Source};

/// How [`mutants`] goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MutantsConfig {
    /// The order of positions.
    pub order: Order,
    /// How often each sampler is drawn (R).
    pub samples: usize,
    /// Decides samples and, with `shuffle`, the order inside a position.
    pub seed: u64,
    /// Whether the seed permutes the mutants inside each position.
    pub shuffle: bool,
    /// Whether a mutant that equals an earlier one is left out. All of them are kept for that, and each is compared with them.
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
    /// Those that were given, if none is to be given twice.
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
    cursor: PositionCursor,
    count: Count,
    permutation: Permutation,
    /// The next draw at the cursor's position, out of `draws`.
    index: usize,
    draws: usize,
}

impl<'a, T: Mutable> Addresses<'a, T> {
    fn new(value: &'a T, config: &MutantsConfig, scope: &Scope) -> Self {
        Self {
            value,
            config: *config,
            scope: scope.clone(),
            cursor: PositionCursor::new(config.order),
            count: Count::NONE,
            permutation: Permutation::new(0, 0),
            index: 0,
            draws: 0,
        }
    }

    /// How many addresses are left.
    pub fn count_all(mut self) -> usize {
        let mut total = self.draws - self.index;
        while self.next_position() {
            total = total.saturating_add(self.draws);
        }
        total
    }

    fn next_position(&mut self) -> bool {
        if !self.cursor.advance(self.value) {
            return false;
        }
        let node = node_at(self.value, self.cursor.path());
        self.count = node.map_or(Count::NONE, |node| node.count(&self.scope));
        self.draws = self.count.draws(self.config.samples);
        self.index = 0;
        self.permutation = Permutation::new(self.draws, self.seed_here());
        true
    }

    /// A seed for this position: the same order everywhere would make one sample out of many positions.
    fn seed_here(&self) -> u64 {
        self.cursor.path().iter().fold(self.config.seed, |seed, index| {
            (seed ^ u64::from(*index)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
        })
    }
}

impl<T: Mutable> Iterator for Addresses<'_, T> {
    type Item = Address;

    fn next(&mut self) -> Option<Address> {
        while self.index == self.draws {
            if !self.next_position() {
                return None;
            }
        }
        let draw = if self.config.shuffle { self.permutation.image(self.index) } else { self.index };
        self.index += 1;
        Some(Address { position: Position::from(self.cursor.path()), number: self.count.number(draw) })
    }
}
