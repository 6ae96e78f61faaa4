//! Random walks among values that pass.

use super::batch::Workshop;
use crate::{Mutable, Source, Trace};

/// Goes from a value that passed to a mutant that passes, and on from there. Unlike the enumeration of mutants it does
/// not need every step to be new, so it gets to values that are many steps away from anything new.
pub(super) struct Walk<T> {
    /// Where walks begin: interesting tests that passed.
    starts: Vec<T>,
    /// Where the walk is.
    at: Option<T>,
    /// Tests until the next walk begins.
    left: usize,
    /// How much the program does there: the length of the trace.
    work: usize,
    seen: u64,
}

/// How many tests a walk takes. Walks go to ever larger values, which take ever longer, so they must end.
const LENGTH: usize = 300;
/// More events than this are not better: long runs are slow runs.
const ENOUGH_WORK: usize = 2000;
/// Enough to be of many kinds; a walk goes far from where it began anyway.
const MAX_STARTS: usize = 64;

impl<T: Mutable + Clone> Walk<T> {
    pub(super) fn new() -> Self {
        Walk { starts: Vec::new(), at: None, left: 0, work: 0, seen: 0 }
    }

    /// Remembers an interesting test that passed. When there are too many, each has the same chance to stay.
    pub(super) fn offer(&mut self, value: &T, source: &mut Source) {
        self.seen += 1;
        if self.starts.len() < MAX_STARTS {
            self.starts.push(value.clone());
        } else if let Some(start) = self.starts.get_mut(source.below(self.seen as usize)) {
            start.clone_from(value);
        }
    }

    /// The next test: some random mutants at once of where the walk is. `None` if there is nowhere to begin.
    pub(super) fn next(&mut self, workshop: &mut Workshop<'_>) -> Option<T> {
        if self.left == 0 || self.at.is_none() {
            self.at = Some(self.start(workshop.source)?);
            self.left = LENGTH;
            self.work = 0;
        }
        self.left -= 1;
        let mut mutant = self.at.clone()?;
        workshop.change_somewhere(&mut mutant);
        while workshop.source.chance(1, 2) {
            workshop.change_somewhere(&mut mutant);
        }
        Some(mutant)
    }

    fn start(&self, source: &mut Source) -> Option<T> {
        let last = self.starts.len().checked_sub(1)?;
        self.starts.get(source.below(last + 1)).cloned()
    }

    /// Goes on from this test, which passed, if the program did not do less than before; sometimes even so. Without this
    /// bias walks would stay among the smallest values, of which there are most. Runs that never end are no place to go.
    pub(super) fn go_to(&mut self, value: &T, trace: Trace<'_>, source: &mut Source) {
        let work = trace.events.len().min(ENOUGH_WORK);
        let less = work < self.work && !source.chance(1, 8);
        if less || trace.truncated {
            return;
        }
        self.work = work;
        match &mut self.at {
            Some(at) => at.clone_from(value),
            None => self.at = Some(value.clone()),
        }
    }
}

impl Workshop<'_> {
    /// Applies a random mutant at a random position, each position being equally likely.
    fn change_somewhere(&mut self, value: &mut dyn Mutable) {
        let position = self.source.below(positions(value));
        let Some(node) = nth(value, position) else { return };
        let count = node.count(self.source.scope());
        let fragments = self.fragments.like(node);
        let usable = fragments.len().min(self.max_fragments);
        let total = count.draws(1) + usable;
        if total == 0 {
            return;
        }
        let number = self.source.below(total);
        if number < count.draws(1) {
            node.mutate(number, self.source);
        } else {
            node.assign(fragments[self.source.below(fragments.len())].as_ref());
        }
    }
}

/// How many positions a value has.
pub(super) fn positions(node: &dyn Mutable) -> usize {
    1 + (0..node.children()).map(|index| positions(node.child(index))).sum::<usize>()
}

/// The node with this number in pre-order.
fn nth(node: &mut dyn Mutable, number: usize) -> Option<&mut dyn Mutable> {
    let Some(mut left) = number.checked_sub(1) else { return Some(node) };
    let index = (0..node.children()).find(|&index| {
        let inside = positions(node.child(index));
        let found = left < inside;
        left -= if found { 0 } else { inside };
        found
    })?;
    nth(node.child_mut(index), left)
}
