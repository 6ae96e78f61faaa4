//! Which parts of two engines' answers are compared.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::agreement::{Agreement, What};

/// A part of what engines answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Whether a module is valid, and whether a valid one can be compiled.
    Validity,
    /// What a call returns, and whether the host is allowed to make it.
    Results,
    /// Whether an instantiation or a call traps, and for which reason.
    Traps,
    /// The contents of memories.
    Memory,
    /// The values of globals.
    Globals,
    /// The elements of tables.
    Tables,
    /// The calls of imported functions.
    HostCalls,
    /// The names and types of exported functions.
    Exports,
}

impl Part {
    /// All parts, in the order in which users see them.
    pub const ALL: [Part; 8] = [
        Part::Validity,
        Part::Results,
        Part::Traps,
        Part::Memory,
        Part::Globals,
        Part::Tables,
        Part::HostCalls,
        Part::Exports,
    ];

    /// The name that users write, such as `host-calls`.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Validity => "validity",
            Part::Results => "results",
            Part::Traps => "traps",
            Part::Memory => "memory",
            Part::Globals => "globals",
            Part::Tables => "tables",
            Part::HostCalls => "host-calls",
            Part::Exports => "exports",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// A set of parts: those that are compared. A difference in any other part is overlooked, and the comparison goes on. A
/// panic of the target is never overlooked.
///
/// ```
/// use mutagen_oracles::{Part, Parts};
///
/// let parts: Parts = "results,memory".parse()?;
/// assert!(parts.contains(Part::Memory) && !parts.contains(Part::Traps));
/// assert_eq!((parts.to_string(), Parts::default()), ("results,memory".to_owned(), Parts::ALL));
/// assert_eq!("memroy".parse::<Parts>().unwrap_err().to_string(),
///     "there is no part `memroy`; choose from validity, results, traps, memory, globals, tables, host-calls, exports, or all");
/// # Ok::<(), mutagen_oracles::UnknownPart>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Parts(u16);

impl Parts {
    /// Every part.
    pub const ALL: Parts = Parts((1 << Part::ALL.len()) - 1);

    /// This part alone.
    pub const fn only(part: Part) -> Self {
        Parts(part.bit())
    }

    /// These parts and another.
    #[must_use]
    pub const fn with(self, part: Part) -> Self {
        Parts(self.0 | part.bit())
    }

    /// Whether a part is compared.
    pub const fn contains(self, part: Part) -> bool {
        self.0 & part.bit() != 0
    }

    /// The agreement as far as these parts go: a difference in another part is none.
    pub fn overlook(self, agreement: Agreement) -> Agreement {
        match &agreement {
            Agreement::Differ(difference) if !self.sees(&difference.what) => Agreement::Equal,
            _ => agreement,
        }
    }

    /// What `compare` says, if this part is compared.
    pub(crate) fn compare(self, part: Part, compare: impl FnOnce() -> Agreement) -> Agreement {
        if self.contains(part) { compare() } else { Agreement::Equal }
    }

    fn sees(self, what: &What) -> bool {
        what.part().is_none_or(|part| self.contains(part))
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self::ALL
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ALL {
            return f.write_str("all");
        }
        let names: Vec<&str> =
            Part::ALL.into_iter().filter(|part| self.contains(*part)).map(Part::name).collect();
        f.write_str(&names.join(","))
    }
}

impl FromStr for Parts {
    type Err = UnknownPart;

    fn from_str(text: &str) -> Result<Self, UnknownPart> {
        if text == "all" {
            return Ok(Self::ALL);
        }
        text.split(',').try_fold(Parts(0), |parts, name| {
            let part = Part::ALL.into_iter().find(|part| part.name() == name);
            part.map(|part| parts.with(part)).ok_or_else(|| UnknownPart(name.to_owned()))
        })
    }
}

impl TryFrom<String> for Parts {
    type Error = UnknownPart;

    fn try_from(text: String) -> Result<Self, UnknownPart> {
        text.parse()
    }
}

impl From<Parts> for String {
    fn from(parts: Parts) -> Self {
        parts.to_string()
    }
}

/// No part has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no part `{0}`; choose from {known}, or all", known = Part::ALL.map(Part::name).join(", "))]
pub struct UnknownPart(String);
