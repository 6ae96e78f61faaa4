//! What is switched on in a campaign.

use mutagen_properties::Injection;

use crate::catalogue::{Entry, Kind, entries};

/// What is injected while `bug` is hunted: the bug, and the fixes of known bugs of the published engine, so that those do
/// not stand in the way. Without a bug the engine is as published, but for fixes without which it can end the process.
pub fn injection(bug: Option<&'static Entry>) -> Injection {
    match bug {
        Some(bug) => Injection { bug: Some(bug.id), fixes: fixes(|fix| fix.id != bug.id) },
        None => Injection { bug: None, fixes: fixes(Entry::is_vital) },
    }
}

/// No bug, but every fix: the engine without its known bugs.
///
/// ```
/// let ids = mutagen_bugs::repaired().fixes;
/// assert_eq!(ids[..2], ["wasm-f1", "wasm-f2"]);
/// ```
pub fn repaired() -> Injection {
    Injection { bug: None, fixes: fixes(|_| true) }
}

fn fixes(wanted: impl Fn(&Entry) -> bool) -> Vec<&'static str> {
    let fixes = entries().iter().filter(|entry| entry.kind == Kind::Fix);
    fixes.filter(|entry| wanted(entry)).map(|entry| entry.id).collect()
}
