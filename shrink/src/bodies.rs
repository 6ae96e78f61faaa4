//! Functions without their bodies.

use mutagen_wasm_ast::{Instr, Op};

use crate::search::Search;

impl Search<'_> {
    /// Puts a trap in place of bodies. Functions are the largest things, and most of them have no part in what is interesting.
    pub(crate) fn empty_bodies(&mut self) {
        self.in_chunks(
            |module| module.functions.len(),
            |module, range| {
                let trap = [Instr::Op(Op::Unreachable)];
                let has_more = |place: &usize| module.functions[*place].body != trap;
                let places: Vec<usize> = range.filter(has_more).collect();
                let mut candidate = module.clone();
                for place in &places {
                    let function = &mut candidate.functions[*place];
                    (function.body, function.locals) = (trap.to_vec(), Vec::new());
                }
                (!places.is_empty()).then_some(candidate)
            },
        );
    }
}
