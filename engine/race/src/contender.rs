//! Who takes part: each library in its own idiomatic form, with its own derive.

mod arbtest;
mod bolero;
mod proptest;
mod quickcheck;

use crate::Smart;
use mutagen_engine::{Figures, Generate, Guidance, Mutable, Mutagen, MutagenConfig, Random, Trace, Verdict};
use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

/// A way to make tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contender {
    /// The MUTAGEN loop with default settings.
    Mutagen,
    /// The engine's derived generator alone.
    Random,
    /// proptest: `any` of the type, by its derive and `prop_recursive`.
    Proptest,
    /// quickcheck: its `Arbitrary`, which users write by hand, at its default size.
    Quickcheck,
    /// bolero: its derived `TypeGenerator`, as its default engine calls it.
    Bolero,
    /// arbtest: the derived `Arbitrary` of the crate `arbitrary`, on ever more random bytes.
    Arbtest,
    /// Generators by hand that only make values which satisfy the precondition: the upper bound.
    Smart,
}

impl Contender {
    /// All of them. The last one is no peer: it knows the precondition.
    pub const ALL: [Contender; 7] = [
        Contender::Mutagen,
        Contender::Random,
        Contender::Proptest,
        Contender::Quickcheck,
        Contender::Bolero,
        Contender::Arbtest,
        Contender::Smart,
    ];

    /// Its name in results and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Contender::Mutagen => "mutagen",
            Contender::Random => "random",
            Contender::Proptest => "proptest",
            Contender::Quickcheck => "quickcheck",
            Contender::Bolero => "bolero",
            Contender::Arbtest => "arbtest",
            Contender::Smart => "smart",
        }
    }

    /// The guidance that makes this contender's tests.
    pub(crate) fn guidance<T: Raced>(self, seed: u64) -> Box<dyn Guidance<T>> {
        match self {
            Contender::Mutagen => Box::new(Mutagen::new(MutagenConfig::default(), seed).hashed()),
            Contender::Random => Box::new(Random::new(seed)),
            Contender::Proptest => Box::new(Fresh(proptest::values(seed))),
            Contender::Quickcheck => Box::new(Fresh(quickcheck::values(seed))),
            Contender::Bolero => Box::new(Fresh(bolero::values(seed))),
            Contender::Arbtest => Box::new(Fresh(arbtest::values(seed))),
            Contender::Smart => Box::new(Random::with_generator(seed, T::smart)),
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is no contender of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no contender `{0}`; there are {all}", all = Contender::ALL.map(Contender::name).join(", "))]
pub struct UnknownContender(String);

impl FromStr for Contender {
    type Err = UnknownContender;

    fn from_str(name: &str) -> Result<Self, UnknownContender> {
        let found = Contender::ALL.into_iter().find(|contender| contender.name() == name);
        found.ok_or_else(|| UnknownContender(name.to_owned()))
    }
}

/// A type that every contender can make values of.
pub(crate) trait Raced:
    Mutable
    + Generate
    + Hash
    + Smart
    + ::proptest::arbitrary::Arbitrary
    + ::quickcheck::Arbitrary
    + ::bolero_generator::TypeGenerator
    + for<'a> ::arbitrary::Arbitrary<'a>
{
}

impl<T> Raced for T where
    T: Mutable
        + Generate
        + Hash
        + Smart
        + ::proptest::arbitrary::Arbitrary
        + ::quickcheck::Arbitrary
        + ::bolero_generator::TypeGenerator
        + for<'a> ::arbitrary::Arbitrary<'a>
{
}

/// Makes every value afresh and learns nothing: what all peers do.
struct Fresh<F>(F);

impl<T, F: FnMut() -> T> Guidance<T> for Fresh<F> {
    fn next(&mut self) -> T {
        (self.0)()
    }

    fn learn(&mut self, _: &T, _: &Verdict, _: Trace<'_>) -> bool {
        false
    }

    fn figures(&self) -> Figures {
        Figures::new("peer")
    }

    fn wants_traces(&self) -> bool {
        false
    }
}
