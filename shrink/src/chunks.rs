//! Delta debugging: a step on all things of a list at once, then on halves, quarters and so on down to single things.

use std::ops::Range;

use mutagen_wasm_ast::Module;

use crate::search::Search;

impl Search<'_> {
    /// Tries `change` on ranges of a list with `count` things. It gives the module with these things changed, if there is
    /// something to change. Returns whether anything became smaller.
    pub(crate) fn in_chunks(
        &mut self,
        count: impl Fn(&Module) -> usize,
        change: impl Fn(&Module, Range<usize>) -> Option<Module>,
    ) -> bool {
        let mut any = false;
        let mut size = count(&self.module);
        while size > 0 {
            // From the end: later things use earlier ones.
            let mut end = count(&self.module);
            while end > 0 && !self.is_over() {
                let start = end.saturating_sub(size);
                let candidate = change(&self.module, start..end);
                any |= candidate.is_some_and(|candidate| self.attempt(candidate));
                // Things may be gone, also others than these.
                end = start.min(count(&self.module));
            }
            size /= 2;
        }
        any
    }
}
