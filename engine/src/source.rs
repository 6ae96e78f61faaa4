//! The source of all choices.

mod enumeration;

use crate::Scope;
use crate::campaign::alarm;
use enumeration::Enumeration;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use std::any::TypeId;

/// Where the choices of a generator or a mutator come from: a seeded random generator, a string of bytes, or all choices
/// that there are, one after the other.
///
/// The same source gives the same choices: on every machine, in every run.
///
/// ```
/// use mutagen_engine::{Generate, Source};
///
/// let one = Vec::<i32>::generate(&mut Source::seeded(7), 10);
/// let two = Vec::<i32>::generate(&mut Source::seeded(7), 10);
/// assert_eq!(one, two);
///
/// // No bytes: every choice is the first one, and the value is the simplest.
/// assert_eq!(Vec::<i32>::generate(&mut Source::from_bytes(vec![]), 10), []);
/// ```
#[derive(Clone, Debug)]
pub struct Source {
    origin: Origin,
    scope: Scope,
    /// The types whose values are being generated right now, outermost first, each with its size.
    open: Vec<(TypeId, usize)>,
    /// How many choices are made until the alarm of the campaign is listened to again.
    unheard: u32,
}

#[derive(Clone, Debug)]
enum Origin {
    Random(Xoshiro256PlusPlus),
    Bytes { bytes: Vec<u8>, used: usize, then: Option<Xoshiro256PlusPlus> },
    All(Enumeration),
}

impl Source {
    /// How many bytes are remembered at most, including those that were given. Every choice after them is the smallest.
    pub const MAX_REMEMBERED: usize = 10_240;
    /// How many choices are made between two looks at the clock: a fraction of a millisecond.
    const DEAF: u32 = 4096;

    /// Random choices, decided by `seed` alone.
    pub fn seeded(seed: u64) -> Self {
        Self::new(Origin::Random(Xoshiro256PlusPlus::seed_from_u64(seed)))
    }

    /// Choices read from `bytes`; when they run out, every choice is the smallest one (0).
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self::new(Origin::Bytes { bytes, used: 0, then: None })
    }

    /// Choices read from `bytes`, and then from random bytes that are remembered, see [`Source::consumed`] and
    /// [`Source::MAX_REMEMBERED`].
    pub fn from_bytes_then_random(bytes: Vec<u8>, seed: u64) -> Self {
        Self::new(Origin::Bytes { bytes, used: 0, then: Some(Xoshiro256PlusPlus::seed_from_u64(seed)) })
    }

    /// The first of all sequences of choices: [`advance`](Source::advance) goes on to the next one. A choice among more than
    /// 1024 is one among the first, the middle and the last.
    ///
    /// ```
    /// use mutagen_engine::{Generate, Source};
    ///
    /// let mut source = Source::enumerating();
    /// let mut lists = vec![Vec::<bool>::generate(&mut source, 2)];
    /// while source.advance() {
    ///     lists.push(Generate::generate(&mut source, 2));
    /// }
    /// assert_eq!(lists.len(), 1 + 2 + 4);
    /// ```
    pub fn enumerating() -> Self {
        Self::new(Origin::All(Enumeration::default()))
    }

    /// Starts over with the next sequence of choices. It differs in the last choice that has another alternative: that one
    /// is taken next, and all later choices begin with their first one. False if no sequence is left, or if the source does
    /// not enumerate.
    pub fn advance(&mut self) -> bool {
        match &mut self.origin {
            Origin::All(enumeration) => enumeration.advance(),
            Origin::Random(_) | Origin::Bytes { .. } => false,
        }
    }

    fn new(origin: Origin) -> Self {
        Self { origin, scope: Scope::new(), open: Vec::new(), unheard: Self::DEAF }
    }

    /// The bytes that choices were read from so far; empty for a source without bytes.
    ///
    /// ```
    /// use mutagen_engine::Source;
    ///
    /// let mut source = Source::from_bytes_then_random(vec![1], 0);
    /// let choices = [source.below(100), source.below(100), source.below(100)];
    ///
    /// let mut replay = Source::from_bytes(source.consumed().to_vec());
    /// assert_eq!(choices, [replay.below(100), replay.below(100), replay.below(100)]);
    /// ```
    pub fn consumed(&self) -> &[u8] {
        match &self.origin {
            Origin::Random(_) | Origin::All(_) => &[],
            Origin::Bytes { bytes, used, .. } => &bytes[..*used],
        }
    }

    /// The same source, whose users see the settings of `scope`.
    pub fn with_scope(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// The settings that generators and mutators may ask for.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// A number in `0..n`, every one as likely as the others.
    ///
    /// `n` must not be 0: there is nothing to choose from then.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "Source::below(0): there is nothing to choose from");
        self.below_u64(n as u64) as usize
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.listen();
        match &mut self.origin {
            Origin::Random(random) => random.next_u64(),
            Origin::Bytes { .. } => self.read(8),
            Origin::All(enumeration) => enumeration.bits(),
        }
    }

    /// A number from `low` to `high`, both included. `low` must not exceed `high`.
    pub fn range_i64(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "Source::range_i64({low}, {high}): the range is empty");
        let offset = match high.wrapping_sub(low) as u64 {
            u64::MAX => self.bits(),
            distance => self.below_u64(distance + 1),
        };
        low.wrapping_add(offset as i64)
    }

    /// True in `numerator` of `denominator` cases; false is the smallest choice.
    pub fn chance(&mut self, numerator: u32, denominator: u32) -> bool {
        self.listen();
        if let Origin::All(enumeration) = &mut self.origin {
            let weights = [denominator.saturating_sub(numerator), numerator];
            return enumeration.weighted(&weights) == 1;
        }
        self.below_u64(u64::from(denominator).max(1)) >= u64::from(denominator.saturating_sub(numerator))
    }

    /// An index into `weights`, each as likely as its weight says. All weights 0: the first index.
    ///
    /// ```
    /// let mut source = mutagen_engine::Source::seeded(1);
    /// assert!((0..100).all(|_| source.weighted(&[0, 3, 0, 1]) % 2 == 1));
    /// ```
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        if total == 0 {
            return 0;
        }
        self.listen();
        if let Origin::All(enumeration) = &mut self.origin {
            return enumeration.weighted(weights);
        }
        let mut rest = self.below_u64(total);
        weights.iter().position(|&weight| step_below(&mut rest, u64::from(weight))).unwrap_or(0)
    }

    /// Runs the generator of a `T` and guards it against types that contain each other without end.
    ///
    /// Derived generators call it. Direct recursion lowers the size by itself; recursion through another type does not
    /// show in either type's definition, so it shows here: `T` is entered again at a size that did not shrink. The size is
    /// then one less than that of the enclosing `T`, and `body` gets `None`, "give the smallest value", once that was 0.
    pub fn nested<T: 'static, R>(
        &mut self,
        size: usize,
        body: impl FnOnce(&mut Source, Option<usize>) -> R,
    ) -> R {
        let this = TypeId::of::<T>();
        let enclosing = self.open.iter().rev().find(|(open, _)| *open == this).map(|(_, size)| *size);
        let size = match enclosing {
            Some(enclosing) if enclosing <= size => enclosing.checked_sub(1),
            _ => Some(size),
        };
        self.open.push((this, size.unwrap_or(0)));
        let result = body(self, size);
        self.open.pop();
        result
    }

    /// Leaves the generation if the campaign is to stop. Asked seldom, since choices are made all the time.
    fn listen(&mut self) {
        self.unheard -= 1;
        if self.unheard == 0 {
            self.unheard = Self::DEAF;
            alarm::listen();
        }
    }

    fn below_u64(&mut self, n: u64) -> u64 {
        self.listen();
        match &mut self.origin {
            // Multiply and shift. The bias is below n / 2^64, and each choice takes exactly one number from the
            // generator, also among very many; `random_range` sometimes takes two.
            Origin::Random(random) => ((u128::from(random.next_u64()) * u128::from(n)) >> 64) as u64,
            Origin::Bytes { .. } => self.read(bytes_for(n)) % n,
            Origin::All(enumeration) => enumeration.below(n),
        }
    }

    /// The next `count` bytes, little end first; bytes beyond the end are random, or 0.
    fn read(&mut self, count: usize) -> u64 {
        let Origin::Bytes { bytes, used, then } = &mut self.origin else { return 0 };
        if let Some(random) = then {
            while bytes.len() < (*used + count).min(Self::MAX_REMEMBERED) {
                bytes.push(random.next_u64() as u8);
            }
        }
        let end = bytes.len().min(*used + count);
        let value = bytes[*used..end].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        *used = end;
        value
    }
}

/// How many bytes a choice among `n` reads: no more than needed, so that most byte strings make sense.
fn bytes_for(n: u64) -> usize {
    match n {
        0..=1 => 0,
        2..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        0x1_0001..=0x1_0000_0000 => 4,
        _ => 8,
    }
}

/// Whether `rest` lies below `width`; steps over it if not.
fn step_below(rest: &mut u64, width: u64) -> bool {
    let below = *rest < width;
    if !below {
        *rest -= width;
    }
    below
}
