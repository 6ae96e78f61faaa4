//! Types that implement `arbitrary::Arbitrary`, so that existing fuzz targets can move over.

use crate::remote::{count_everywhere, magnitude_everywhere, mutate_somewhere};
use crate::{Count, Generate, Mutable, NoText, Scope, Source, Text, TextError, no_child};
use arbitrary::{Arbitrary, Unstructured};
use std::fmt;
use std::ops::Deref;

/// A value that its type's `Arbitrary` makes of bytes. Generation draws bytes, and mutants are those of the bytes.
///
/// Types that derive [`Mutable`] have better mutants: those of their structure. This is for types that have only `Arbitrary`.
///
/// ```
/// use mutagen_engine::{Arbitrarily, Generate, Source};
///
/// let pair = Arbitrarily::<(u8, bool)>::generate(&mut Source::seeded(1), 10);
/// let (number, _) = *pair;
/// assert_eq!(Arbitrarily::from_text(&pair.to_text().unwrap()), Ok(pair.clone()));
/// assert_eq!(pair.0, number);
/// ```
pub struct Arbitrarily<T> {
    bytes: Vec<u8>,
    value: T,
}

/// How many bytes a value of size 1 is made of, more or less: an integer needs up to 8 of them.
const BYTES_PER_SIZE: usize = 8;

impl<T: for<'a> Arbitrary<'a>> Arbitrarily<T> {
    /// The value that these bytes stand for. Types can refuse bytes; then it is the value of no bytes at all.
    ///
    /// # Panics
    ///
    /// If the type makes no value of no bytes, either.
    pub fn new(bytes: Vec<u8>) -> Self {
        let value = T::arbitrary(&mut Unstructured::new(&bytes));
        match value {
            Ok(value) => Arbitrarily { bytes, value },
            Err(_) if !bytes.is_empty() => Self::new(Vec::new()),
            Err(error) => panic!("`{}` makes no value of no bytes: {error}", std::any::type_name::<T>()),
        }
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Arbitrarily<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Arbitrarily<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(formatter)
    }
}

impl<T: for<'a> Arbitrary<'a>> Clone for Arbitrarily<T> {
    fn clone(&self) -> Self {
        Self::new(self.bytes.clone())
    }
}

/// Equal bytes make equal values.
impl<T> PartialEq for Arbitrarily<T> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<T: for<'a> Arbitrary<'a>> Generate for Arbitrarily<T> {
    fn generate(source: &mut Source, size: usize) -> Self {
        let length = source.below(size.saturating_mul(BYTES_PER_SIZE).saturating_add(1));
        Self::new((0..length).map(|_| source.below(256) as u8).collect())
    }

    fn smallest() -> Self {
        Self::new(Vec::new())
    }

    /// The bytes.
    fn to_text(&self) -> Result<Text, NoText> {
        self.bytes.to_text()
    }

    fn from_text(text: &Text) -> Result<Self, TextError> {
        Vec::from_text(text).map(Self::new)
    }
}

impl<T: for<'a> Arbitrary<'a> + 'static> Mutable for Arbitrarily<T> {
    fn children(&self) -> usize {
        0
    }

    fn child(&self, index: usize) -> &dyn Mutable {
        no_child(index, 0)
    }

    fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {
        no_child(index, 0)
    }

    fn count(&self, scope: &Scope) -> Count {
        count_everywhere(&self.bytes, scope)
    }

    fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
        let mut bytes = self.bytes.clone();
        let changed = mutate_somewhere(&mut bytes, number, source);
        let mutant = Self::new(bytes);
        let changed = changed && mutant != *self;
        if changed {
            *self = mutant;
        }
        changed
    }

    fn magnitude(&self) -> u64 {
        magnitude_everywhere(&self.bytes)
    }
}
