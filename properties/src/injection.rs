//! Catalogue entries that are on while an engine works, and only then.

use mutagen_oracles::Around;
use mutagen_weave::switch_on;

/// The entries that are on: the bug that is hunted, and fixes of bugs that the published engine has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Injection {
    /// The bug.
    pub bug: Option<&'static str>,
    /// The fixes.
    pub fixes: Vec<&'static str>,
}

impl Injection {
    /// The injection without the bug. It shows whether a difference is due to the bug.
    pub fn without_bug(&self) -> Self {
        Self { bug: None, fixes: self.fixes.clone() }
    }
}

impl Around for Injection {
    fn around<R>(&self, ask: impl FnOnce() -> R) -> R {
        let _on = switch_on(self.bug.into_iter().chain(self.fixes.iter().copied()));
        ask()
    }
}
