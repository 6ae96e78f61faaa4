//! Definitions that are not needed: exports, segments, functions, globals, tables, memories, types, locals.

use mutagen_engine::Mutable;
use mutagen_wasm_ast::{Instr, LocalCount, LocalIdx, Locals, Module};

use crate::indices::Space;
use crate::search::Search;

impl Search<'_> {
    /// Leaves out definitions, first those that nothing refers to.
    pub(crate) fn drop_definitions(&mut self) {
        self.drop_unused();
        self.in_chunks(
            |module| module.exports.len(),
            |module, range| {
                let mut candidate = module.clone();
                candidate.exports.drain(range);
                Some(candidate)
            },
        );
        let mut startless = self.module.clone();
        if startless.start.take().is_some() {
            self.attempt(startless);
        }
        for space in Space::ALL {
            self.in_chunks(
                |module| space.count(module),
                |module, range| {
                    let doomed: Vec<bool> =
                        (0..space.count(module)).map(|place| range.contains(&place)).collect();
                    Some(space.without(module, &doomed))
                },
            );
        }
        self.drop_locals();
        self.drop_unused();
    }

    fn drop_unused(&mut self) {
        for space in Space::ALL {
            let unused: Vec<bool> = space.used(&self.module).into_iter().map(|used| !used).collect();
            if unused.contains(&true) {
                self.attempt(space.without(&self.module, &unused));
            }
        }
    }

    /// Leaves out the locals that no instruction names, of each function.
    fn drop_locals(&mut self) {
        for place in 0..self.module.functions.len() {
            let mut candidate = self.module.clone();
            if without_unused_locals(&mut candidate, place) {
                self.attempt(candidate);
            }
        }
    }
}

/// Leaves out the unused locals of a function, and says whether there were any.
fn without_unused_locals(module: &mut Module, place: usize) -> bool {
    let function = &mut module.functions[place];
    let Some(ty) = module.types.get(function.ty.get() as usize) else { return false };
    let parameters = ty.params.len();
    let each = |function: &Locals| std::iter::repeat_n(function.ty, function.count.0 as usize);
    // A function with that many locals is not about any one of them.
    if function.locals.iter().map(|locals| u64::from(locals.count.0)).sum::<u64>() > 100_000 {
        return false;
    }
    let types: Vec<_> = function.locals.iter().flat_map(each).collect();
    let mut used = vec![false; types.len()];
    each_local(&mut function.body, &mut |index| {
        let own = (index as usize).checked_sub(parameters).and_then(|own| used.get_mut(own));
        own.into_iter().for_each(|used| *used = true);
        index
    });
    if !used.contains(&false) {
        return false;
    }
    let unused_before = |index: u32| {
        let own = (index as usize).saturating_sub(parameters).min(used.len());
        used[..own].iter().filter(|used| !**used).count() as u32
    };
    each_local(&mut function.body, &mut |index| index - unused_before(index));
    let kept = types.into_iter().zip(&used).filter(|(_, used)| **used).map(|(ty, _)| ty);
    function.locals = Vec::new();
    for ty in kept {
        match function.locals.last_mut() {
            Some(last) if last.ty == ty => last.count.0 += 1,
            _ => function.locals.push(Locals { count: LocalCount(1), ty }),
        }
    }
    true
}

fn each_local(body: &mut Vec<Instr>, visit: &mut dyn FnMut(u32) -> u32) {
    fn walk(part: &mut dyn Mutable, visit: &mut dyn FnMut(u32) -> u32) {
        if let Some(index) = part.as_any_mut().downcast_mut::<LocalIdx>() {
            *index = LocalIdx::new(visit(index.get()));
            return;
        }
        (0..part.children()).for_each(|child| walk(part.child_mut(child), visit));
    }
    walk(body, visit);
}
