//! Known groups: what a campaign meets but shall not report again.

use std::path::Path;

use mutagen_properties::Shape;
use serde::Deserialize;
use toml::value::Datetime;

use crate::Error;
use crate::store::files;

/// The groups that are known, from a file `known.toml`:
///
/// ```
/// use mutagen_campaign::Known;
///
/// let known = Known::parse(r#"
///     [[known]]
///     shape = "result-0123456789abcdef"
///     reason = "reported, number 1234"
///     date = 2026-11-18
///
///     [[known]]
///     shape = "wasm-f1"
///     reason = "fixed in the next version"
///     date = 2026-11-18
/// "#)?;
/// assert_eq!(known.len(), 2);
/// # Ok::<(), mutagen_campaign::NotKnown>(())
/// ```
///
/// `shape` is the field of that name in a group, or the catalogue fix that explains the group.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    #[serde(default)]
    known: Vec<KnownGroup>,
}

/// A group that is known.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownGroup {
    shape: Name,
    reason: String,
    date: Datetime,
}

/// What a group is known by.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
enum Name {
    Shape(Shape),
    Fix(String),
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if mutagen_bugs::fixes().any(|fix| fix.id == text) {
            return Ok(Name::Fix(text));
        }
        text.parse().map(Name::Shape).map_err(|error: mutagen_properties::NoShape| error.to_string())
    }
}

/// The error for a text that does not list known groups.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotKnown(String);

impl Known {
    /// The name of the file in an output directory.
    pub const FILE: &'static str = "known.toml";

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or does not list known groups. The error names the file and the line.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let text = files::read_text(file)?;
        Self::parse(&text).map_err(|error| Error::unusable(file, error))
    }

    /// Reads a text.
    ///
    /// # Errors
    ///
    /// If it does not list known groups.
    pub fn parse(text: &str) -> Result<Self, NotKnown> {
        let known: Known = toml::from_str(text).map_err(|error| NotKnown(in_line(text, &error)))?;
        match known.known.iter().find(|group| group.date.date.is_none()) {
            Some(group) => {
                Err(NotKnown(format!("`date = {}` has no day; write `date = 2026-11-18`", group.date)))
            }
            None => Ok(known),
        }
    }

    /// How many groups are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Why a group of this shape, or one that this fix explains, is silenced: the reason and the date.
    pub fn reason(&self, shape: &Shape, fix: Option<&str>) -> Option<String> {
        let is = |group: &&KnownGroup| match &group.shape {
            Name::Shape(known) => known == shape,
            Name::Fix(known) => Some(known.as_str()) == fix,
        };
        self.known.iter().find(is).map(|group| format!("{} ({})", group.reason, group.date))
    }
}

/// The error in one line, with the number of the line that is wrong.
fn in_line(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', " ");
    match error.span() {
        Some(span) => {
            let line =
                text.as_bytes()[..span.start.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
                    + 1;
            format!("line {line}: {message}")
        }
        None => message,
    }
}
