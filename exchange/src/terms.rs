//! What all workers of a campaign must agree on.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// The name of a campaign: up to 64 small letters, digits, `-` and `_`, so that it can stand in paths and subjects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CampaignName(String);

impl CampaignName {
    /// The name of a campaign that was given none.
    pub const DEFAULT: &'static str = "default";

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for CampaignName {
    fn default() -> Self {
        CampaignName(Self::DEFAULT.to_owned())
    }
}

impl FromStr for CampaignName {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let is_letter = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
        let is_name = (1..=64).contains(&name.len()) && name.bytes().all(is_letter);
        if is_name { Ok(CampaignName(name.to_owned())) } else { Err(Error::Name(name.to_owned())) }
    }
}

impl TryFrom<String> for CampaignName {
    type Error = Error;

    fn try_from(name: String) -> Result<Self, Error> {
        name.parse()
    }
}

impl From<CampaignName> for String {
    fn from(name: CampaignName) -> String {
        name.0
    }
}

impl fmt::Display for CampaignName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What all workers of a campaign must agree on: values with names. The first worker stores them, and a worker with others is
/// refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms(BTreeMap<String, String>);

impl Terms {
    /// These terms and one more.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// One of the values.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The values with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Refuses terms that differ from these, which the campaign has.
    pub(crate) fn require(&self, other: &Terms) -> Result<(), Error> {
        let names = self.0.keys().chain(other.0.keys().filter(|name| !self.0.contains_key(*name)));
        let differences: Vec<String> = names
            .filter(|name| self.0.get(*name) != other.0.get(*name))
            .map(|name| {
                format!("{name} is {} there and {} here", said(self.get(name)), said(other.get(name)))
            })
            .collect();
        if differences.is_empty() { Ok(()) } else { Err(Error::OtherTerms(differences.join("; "))) }
    }

    /// The terms as they are stored.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads stored terms.
    pub(crate) fn read(text: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(text).map_err(|error| Error::Foreign(error.to_string()))
    }
}

/// A value in a message. One that is very long is cut.
fn said(value: Option<&str>) -> String {
    const LONGEST: usize = 80;
    match value {
        None => "missing".to_owned(),
        Some(value) if value.chars().count() > LONGEST => {
            format!("`{}...`", value.chars().take(LONGEST).collect::<String>())
        }
        Some(value) => format!("`{value}`"),
    }
}
