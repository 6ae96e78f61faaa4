//! What is switched on in a campaign.

use mutagen_properties::Injection;

use crate::catalogue::{Entry, Kind, entries};

/// What is injected while `bug` is hunted: the bug, and the fixes of known bugs of the published engine, so that those do
/// not stand in the way. Without a bug the engine is as published, but for fixes without which it can end the process.
pub fn injection(bug: Option<&'static Entry>) -> Injection {
    let wanted = |entry: &&Entry| match bug {
        Some(bug) => entry.kind == Kind::Fix && entry.id != bug.id,
        None => entry.is_vital(),
    };
    Injection {
        bug: bug.map(|entry| entry.id),
        fixes: entries().iter().filter(wanted).map(|entry| entry.id).collect(),
    }
}
