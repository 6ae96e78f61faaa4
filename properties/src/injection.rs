//! Catalogue entries that are on while an engine works, and only then.

use std::sync::{Arc, PoisonError, RwLock};

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

    /// The injection with these fixes as well.
    #[must_use]
    pub fn with(mut self, fixes: impl IntoIterator<Item = &'static str>) -> Self {
        for fix in fixes {
            if !self.fixes.contains(&fix) {
                self.fixes.push(fix);
            }
        }
        self
    }
}

impl Around for Injection {
    fn around<R>(&self, ask: impl FnOnce() -> R) -> R {
        let _on = switch_on(self.bug.into_iter().chain(self.fixes.iter().copied()));
        ask()
    }
}

/// Fixes that a campaign switches on while it runs, because it has met their bugs often enough. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct LateFixes(Arc<RwLock<Vec<&'static str>>>);

impl LateFixes {
    /// Switches a fix on, for all tests from now on.
    pub fn switch_on(&self, fix: &'static str) {
        let mut fixes = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !fixes.contains(&fix) {
            fixes.push(fix);
        }
    }

    /// The fixes that were switched on so far.
    pub fn list(&self) -> Vec<&'static str> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// An injection together with the fixes that were switched on since.
#[derive(Clone)]
pub(crate) struct Present {
    pub(crate) injection: Injection,
    pub(crate) late: LateFixes,
}

impl Around for Present {
    fn around<R>(&self, ask: impl FnOnce() -> R) -> R {
        let _late = switch_on(self.late.0.read().unwrap_or_else(PoisonError::into_inner).iter().copied());
        self.injection.around(ask)
    }
}
