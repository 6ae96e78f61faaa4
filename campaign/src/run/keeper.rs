//! Which modules are kept in the corpus of an output directory: those that add coverage.

use std::collections::BTreeSet;

use mutagen_engine::{HitClasses, HitCounts, HitCoverage, Trace, stable};

use crate::Store;

/// Keeps modules that reach probes which no module of the corpus reaches, or that pass them in another order of magnitude. A
/// guidance keeps many more: it asks for new edges, and forgets from time to time.
pub(super) struct Keeper<'a> {
    store: &'a Store,
    hits: HitCounts,
    coverage: HitCoverage,
    /// The hashes of modules of earlier runs that were not tested yet.
    loading: BTreeSet<u64>,
    /// How many modules the corpus has.
    size: u64,
}

impl<'a> Keeper<'a> {
    /// A keeper of this corpus, with these modules of earlier runs.
    pub(super) fn new(store: &'a Store, loaded: &[Vec<u8>]) -> Self {
        let loading = loaded.iter().map(|wasm| stable::hash(wasm)).collect();
        let (hits, coverage) = (HitCounts::new(), HitCoverage::new(HitClasses::Afl));
        Keeper { store, hits, coverage, loading, size: loaded.len() as u64 }
    }

    /// How many modules the corpus has.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// How many probes of the target the kept modules reach.
    pub(super) fn probes(&self) -> u64 {
        self.coverage.covered() as u64
    }

    /// Whether modules of earlier runs may still be tested.
    pub(super) fn is_loading(&self) -> bool {
        !self.loading.is_empty()
    }

    /// Looks at a test while modules of earlier runs are tested. One that adds nothing is removed.
    pub(super) fn tested(&mut self, wasm: &[u8], trace: Trace<'_>) {
        // A guidance without traces cannot tell.
        let was_loading = self.loading.remove(&stable::hash(wasm));
        if was_loading && !trace.events.is_empty() && !self.adds(trace) {
            self.store.forget(wasm);
            self.size = self.size.saturating_sub(1);
        }
    }

    /// Keeps a module if it adds coverage.
    pub(super) fn interesting(&mut self, wasm: impl FnOnce() -> Option<Vec<u8>>, trace: Trace<'_>) {
        if self.adds(trace)
            && let Some(wasm) = wasm()
        {
            self.store.keep(&wasm);
            self.size += 1;
        }
    }

    fn adds(&mut self, trace: Trace<'_>) -> bool {
        self.hits.count_probes(trace);
        let new = self.coverage.add(&self.hits);
        new.keys > 0 || new.classes
    }
}
