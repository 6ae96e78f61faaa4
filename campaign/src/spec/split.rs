//! How the tests of a campaign are split between single functions and whole modules.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::SpecError;

/// How many tests of single functions and of whole modules take turns, written as two numbers with a colon between.
///
/// ```
/// use mutagen_campaign::Split;
///
/// let split: Split = "100:5".parse()?;
/// assert_eq!((split.functions, split.modules), (100, 5));
/// assert_eq!(split.to_string(), "100:5");
/// assert!("100".parse::<Split>().is_err() && "0:1".parse::<Split>().is_err());
/// # Ok::<(), mutagen_campaign::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// How many functions are tested in a turn.
    pub functions: u32,
    /// How many modules are tested in a turn.
    pub modules: u32,
}

impl Default for Split {
    /// Most of the time for modules: they also show what single functions show, and most bugs of the published wasmi need more than a
    /// function of this type can have (docs/benchmarks.md).
    fn default() -> Self {
        Split { functions: 32, modules: 64 }
    }
}

impl Split {
    /// The lengths of the turns.
    pub(crate) fn lengths(self) -> [usize; 2] {
        [self.functions as usize, self.modules as usize]
    }
}

impl FromStr for Split {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let number = |text: &str| text.trim().parse().ok().filter(|number| *number > 0);
        let numbers = text.split_once(':').and_then(|(functions, modules)| {
            Some(Split { functions: number(functions)?, modules: number(modules)? })
        });
        numbers.ok_or_else(|| SpecError::Split(text.to_owned()))
    }
}

impl fmt::Display for Split {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.functions, self.modules)
    }
}

impl Serialize for Split {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Split {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
