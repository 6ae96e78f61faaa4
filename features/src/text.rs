//! Sets of features as text: what users write, what is shown, what is stored.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{Feature, Features};

impl Features {
    /// Names of sets, for parsing and for messages.
    const SETS: [(&str, Self); 4] =
        [(NONE, Self::NONE), ("wasm1", Self::WASM1), ("wasm2", Self::WASM2), ("wasmi", Self::WASMI)];

    /// The set after one more word of a list.
    fn adjusted(self, word: &str) -> Result<Self, UnknownFeature> {
        let (name, on) = match word.strip_prefix('-') {
            Some(name) => (name, false),
            None => (word.strip_prefix('+').unwrap_or(word), true),
        };
        if let (true, Some((_, set))) = (on, Self::SETS.iter().find(|(set, _)| *set == name)) {
            return Ok(self | *set);
        }
        let feature = Feature::named(name).ok_or_else(|| UnknownFeature(word.to_owned()))?;
        Ok(if on { self.with(feature) } else { self.without(feature) })
    }
}

/// The name of the empty set, which has no features that could be listed.
const NONE: &str = "none";

/// Parses a list such as `wasm2,-simd,+tail-call`. Each word changes the set that the words before it gave; the first
/// one changes the empty set. `+` may be left out.
impl FromStr for Features {
    type Err = UnknownFeature;

    fn from_str(text: &str) -> Result<Self, UnknownFeature> {
        text.split(',').map(str::trim).try_fold(Self::NONE, Self::adjusted)
    }
}

/// Lists the features that are on, in a form that can be parsed again.
impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return f.write_str(NONE);
        }
        f.write_str(&self.iter().map(Feature::name).collect::<Vec<_>>().join(","))
    }
}

impl Serialize for Features {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Features {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A word in a list of features that is not the name of a feature or of a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFeature(String);

impl fmt::Display for UnknownFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets = Features::SETS.map(|(name, _)| name).join(", ");
        write!(f, "unknown feature `{}`: give one of the sets {sets}, ", self.0)?;
        write!(f, "then +NAME or -NAME with a name from {}", Features::WASMI.to_string().replace(',', ", "))
    }
}

impl std::error::Error for UnknownFeature {}
