//! Generators of pairs of states.

use std::fmt;
use std::str::FromStr;

use mutagen_engine::{Generate, Source};
use serde::{Deserialize, Serialize};

use crate::{register, stack};

/// The size of generated states. At this size most states have the operands that an instruction needs, and
/// few parts that do not matter.
pub const SIZE: usize = 2;

/// The number of generations of mutants that the preset `paper` follows from a generated state. The
/// indistinguishability check has as many paths as a state has labellings, so nearly every mutant of a mutant
/// takes a new path. With the original's limit of ten generations, the mutants of one state would take up the
/// whole campaign. With two, the easy faults take ten times as many tests as with one.
pub const GENERATIONS: usize = 1;

/// A generator of pairs of states.
///
/// ```
/// use mutagen_engine::Source;
/// use mutagen_ifc::pairs::{Pairs, SIZE};
///
/// let pair = Pairs::Copy.stack(&mut Source::seeded(1), SIZE);
/// assert_eq!(pair.first, pair.second);
/// assert_eq!("smart".parse(), Ok(Pairs::Smart));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairs {
    /// One state from the derived generator, twice, as in the published experiments. Mutation has to make the
    /// difference.
    #[default]
    Copy,
    /// Two independent states from the derived generator.
    Independent,
    /// The hand-written generator. It ignores the size that is asked for.
    Smart,
}

impl Pairs {
    /// Every generator.
    pub const ALL: [Pairs; 3] = [Pairs::Copy, Pairs::Independent, Pairs::Smart];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Pairs::Copy => "copy",
            Pairs::Independent => "independent",
            Pairs::Smart => "smart",
        }
    }

    /// A pair of states of the stack machine.
    pub fn stack(self, source: &mut Source, size: usize) -> stack::Variation {
        match self {
            Pairs::Copy => stack::Variation::copy(Generate::generate(source, size)),
            Pairs::Independent => Generate::generate(source, size),
            Pairs::Smart => stack::smart(source),
        }
    }

    /// A pair of states of the register machine, and an observer.
    pub fn register(self, source: &mut Source, size: usize) -> register::Variation {
        match self {
            Pairs::Copy => {
                let observer = Generate::generate(source, size);
                register::Variation::copy(observer, Generate::generate(source, size))
            }
            Pairs::Independent => Generate::generate(source, size),
            Pairs::Smart => register::smart(source),
        }
    }
}

/// A list of exactly `size` elements, as in the published generators. The engine's generator makes up to
/// `size` elements, but states without a program are useless.
pub(crate) fn exactly<T: Generate>(source: &mut Source, size: usize) -> Vec<T> {
    (0..size).map(|_| T::generate(source, size)).collect()
}

impl fmt::Display for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown name of a generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPairs(String);

impl FromStr for Pairs {
    type Err = UnknownPairs;

    fn from_str(name: &str) -> Result<Self, UnknownPairs> {
        Pairs::ALL.into_iter().find(|pairs| pairs.name() == name).ok_or_else(|| UnknownPairs(name.into()))
    }
}

impl fmt::Display for UnknownPairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Pairs::ALL.map(Pairs::name).join(", ");
        write!(f, "there is no generator `{}`; choose one of {known}", self.0)
    }
}

impl std::error::Error for UnknownPairs {}
