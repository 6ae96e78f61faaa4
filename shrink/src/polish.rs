//! The last bytes: mutants of the syntax tree, one by one.

use mutagen_engine::{Scope, shrink_in};

use crate::search::Search;

/// Larger modules are not polished: they have more mutants than anyone can test.
const MOST_BYTES: usize = 20_000;

impl Search<'_> {
    /// Tries the mutants of a module that no larger step makes smaller. Returns whether the module has fewer bytes now.
    pub(crate) fn polish(&mut self) -> bool {
        let before = self.module.encode();
        if before.len() > MOST_BYTES {
            return false;
        }
        let scope = Scope::new().with(self.features);
        let budget = self.tests_left();
        let start = self.module.clone();
        let shrunk = shrink_in(
            &scope,
            start,
            |candidate| {
                let better = self.may_replace(candidate);
                if better {
                    self.accept(candidate.clone(), candidate.encode());
                }
                better
            },
            // Most mutants are invalid, and cost next to nothing.
            budget.saturating_mul(20),
        );
        shrunk.value.encode().len() < before.len()
    }
}
