//! Catalogue entries that are on while an engine works, and only then; and modules that no engine is asked about.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use mutagen_engine::stable;
use mutagen_oracles::{Around, Asked};
use mutagen_weave::{number, switch_on, switch_on_numbers};

use crate::notes::Notes;

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

    /// The numbers of its entries, as the target's code knows them.
    pub(crate) fn numbers(&self) -> Arc<[u32]> {
        self.bug.into_iter().chain(self.fixes.iter().copied()).map(number).collect()
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

/// Modules that no engine is asked about any more, because one ended the process. They are told by their hash. Clones share
/// them.
#[derive(Clone, Debug, Default)]
pub struct Barred(Arc<RwLock<BTreeSet<u64>>>);

impl Barred {
    /// Bars the module with this hash.
    pub fn bar(&self, hash: u64) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(hash);
    }

    /// Whether this module is barred.
    pub fn bars(&self, wasm: &[u8]) -> bool {
        let barred = self.0.read().unwrap_or_else(PoisonError::into_inner);
        !barred.is_empty() && barred.contains(&stable::hash(wasm))
    }
}

/// What is around each question to an engine of a campaign: an injection together with the fixes that were switched on
/// since, and a note of the question.
#[derive(Clone)]
pub(crate) struct Present {
    /// The numbers of the entries of the injection.
    pub(crate) entries: Arc<[u32]>,
    pub(crate) late: LateFixes,
    pub(crate) notes: Notes,
    /// The name of the engine.
    pub(crate) engine: &'static str,
    /// Whether this engine is asked before the other.
    pub(crate) leads: bool,
}

impl Around for Present {
    fn around<R>(&self, ask: impl FnOnce() -> R) -> R {
        let _late = switch_on(self.late.0.read().unwrap_or_else(PoisonError::into_inner).iter().copied());
        let _on = switch_on_numbers(self.entries.iter().copied());
        ask()
    }

    fn asking<R>(&self, asked: Asked<'_>, ask: impl FnOnce() -> R) -> R {
        self.notes.begin(self.engine, self.leads, asked);
        let answer = self.around(ask);
        self.notes.end();
        answer
    }
}
