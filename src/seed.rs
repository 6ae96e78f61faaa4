//! The seed on the command line.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;

/// A seed: a number that was given, or one that was drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed {
    /// The number.
    pub number: u64,
    /// Whether it was drawn, so that nobody knows it yet.
    pub is_drawn: bool,
}

impl FromStr for Seed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "random" {
            // The keys of hash tables are as random as the system can make them.
            return Ok(Seed { number: RandomState::new().hash_one(()), is_drawn: true });
        }
        let number = text.parse();
        let number =
            number.map_err(|_| format!("a seed is `random`, or a whole number from 0 to {}", u64::MAX))?;
        Ok(Seed { number, is_drawn: false })
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number.fmt(formatter)
    }
}
