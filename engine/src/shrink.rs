//! Shrinking: makes counterexamples smaller with the same mutants that found them.

use crate::{Mutable, Order, PositionCursor, Scope, Source, node_at, node_at_mut};
use std::any::Any;

mod failure;

pub use failure::{SHRINK_TESTS, ShrunkFailure, shrink_failure};

/// The outcome of [`shrink`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk<T> {
    /// The smallest failing value that was found.
    pub value: T,
    /// How many values were tested.
    pub tests: usize,
    /// How many of them still failed, each smaller than the one before.
    pub steps: usize,
}

/// Makes a failing value smaller: replaces it by a fixed mutant that is smaller and still fails, again and again, until there
/// is no such mutant or `budget` tests were made.
///
/// Smaller means fewer positions, or as many with a smaller sum of [`Mutable::magnitude`]. Mutants that lose at least half of
/// the positions are tried first, so that large values fall apart quickly. Then come all others, from the root down. When
/// none of them helps, several steps of one kind are made at once, for example to remove neighbours that need each other.
///
/// The result depends on the value and the test alone. Mutants are those of an empty scope; see [`shrink_in`] for others.
///
/// ```
/// use mutagen_engine::shrink;
///
/// let shrunk = shrink(vec![3, 14, 15, 92, 65, 35], |list| list.iter().any(|&n| n > 20), 1_000);
/// assert_eq!(shrunk.value, [21]);
/// ```
pub fn shrink<T: Mutable>(value: T, still_fails: impl FnMut(&T) -> bool, budget: usize) -> Shrunk<T> {
    shrink_in(&Scope::new(), value, still_fails, budget)
}

/// [`shrink`] with the mutants that `scope` allows.
pub fn shrink_in<T: Mutable>(
    scope: &Scope,
    value: T,
    still_fails: impl FnMut(&T) -> bool,
    budget: usize,
) -> Shrunk<T> {
    let source = Source::seeded(0).with_scope(scope.clone());
    let shrunk = Shrunk { value, tests: 0, steps: 0 };
    let mut run = Shrinking { still_fails, budget, source, shrunk };
    while run.pass(Pass::Halving) | run.pass(Pass::Rest)
        || (2..=MOST_AT_ONCE).any(|times| run.pass(Pass::Repeated(times)))
    {}
    run.shrunk
}

/// At most so many neighbours are removed together. A statement of a program, operands included, hardly has more instructions.
const MOST_AT_ONCE: usize = 8;

/// At most so many mutants of a position are tried. A struct with many fields of one type has more than anyone can try, and
/// the other positions must get their turn.
const MOST_AT_ONE_POSITION: usize = 100_000;

/// Which of the smaller mutants are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Those with at most half of the positions.
    Halving,
    /// All others, so that no pass repeats the tests of the one before it.
    Rest,
    /// The same mutant so many times in a row, if that loses positions. It removes neighbours that need each other.
    Repeated(usize),
}

impl Pass {
    fn takes(self, positions: usize, before: &Before) -> bool {
        match self {
            Pass::Halving => positions <= before.whole / 2,
            Pass::Rest => positions > before.whole / 2,
            Pass::Repeated(_) => positions < before.whole,
        }
    }

    fn times(self) -> usize {
        match self {
            Pass::Repeated(times) => times,
            _ => 1,
        }
    }
}

/// The number of positions, and the sum of their magnitudes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Measure {
    positions: usize,
    magnitude: u128,
}

impl Measure {
    fn of(node: &dyn Mutable) -> Self {
        let own = Measure { positions: 1, magnitude: u128::from(node.magnitude()) };
        (0..node.children()).map(|index| Measure::of(node.child(index))).fold(own, |sum, child| Measure {
            positions: sum.positions + child.positions,
            magnitude: sum.magnitude + child.magnitude,
        })
    }
}

/// The part of the value that is about to change.
struct Before {
    saved: Box<dyn Any>,
    measure: Measure,
    mutants: usize,
    /// The positions of the whole value.
    whole: usize,
}

/// Shrinking in progress.
struct Shrinking<T, F> {
    still_fails: F,
    budget: usize,
    source: Source,
    shrunk: Shrunk<T>,
}

impl<T: Mutable, F: FnMut(&T) -> bool> Shrinking<T, F> {
    /// Visits every position once; true if the value became smaller.
    fn pass(&mut self, pass: Pass) -> bool {
        let steps = self.shrunk.steps;
        let mut cursor = PositionCursor::new(Order::Level);
        while self.shrunk.tests < self.budget && cursor.advance(&self.shrunk.value) {
            while self.round_at(cursor.path(), pass) {}
        }
        self.shrunk.steps > steps
    }

    /// Tries each mutant at `path` once, and goes on from those that are smaller and still fail; true if there were any.
    /// It does not start again after each of them, so that a list loses its elements, and a number its bits, in one round.
    fn round_at(&mut self, path: &[u32], pass: Pass) -> bool {
        let steps = self.shrunk.steps;
        let mut number = 0;
        while let Some(before) = self.part_at(path).filter(|part| number < part.mutants) {
            while number < before.mutants && !self.try_mutant(path, number, &before, pass) {
                number += 1;
            }
            number += 1;
        }
        self.shrunk.steps > steps
    }

    fn part_at(&self, path: &[u32]) -> Option<Before> {
        let node = node_at(&self.shrunk.value, path)?;
        let whole = Measure::of(&self.shrunk.value).positions;
        let mutants = node.count(self.source.scope()).fixed.min(MOST_AT_ONE_POSITION);
        Some(Before { saved: node.clone_boxed(), measure: Measure::of(node), mutants, whole })
    }

    /// Keeps the mutant if it is smaller and still fails. The mutant is made in place and undone if need be, so that only
    /// the part that changes is ever copied.
    fn try_mutant(&mut self, path: &[u32], number: usize, before: &Before, pass: Pass) -> bool {
        let Some(node) = node_at_mut(&mut self.shrunk.value, path) else { return false };
        if !node.mutate(number, &mut self.source) {
            return false;
        }
        let made = (1..pass.times()).all(|_| {
            // The mutant may have fewer mutants of its own.
            number < node.count(self.source.scope()).fixed && node.mutate(number, &mut self.source)
        });
        let after = Measure::of(node);
        let positions = before.whole - before.measure.positions + after.positions;
        let accepted = made && after < before.measure && pass.takes(positions, before) && self.fails();
        if !accepted && let Some(node) = node_at_mut(&mut self.shrunk.value, path) {
            node.restore(&*before.saved);
        }
        accepted
    }

    /// Tests the value as it is now.
    fn fails(&mut self) -> bool {
        if self.shrunk.tests == self.budget {
            return false;
        }
        self.shrunk.tests += 1;
        let fails = (self.still_fails)(&self.shrunk.value);
        self.shrunk.steps += usize::from(fails);
        fails
    }
}
