//! A property against all mutants: a row of the matrix.

use super::CallLog;
use crate::Error;
use crate::properties::Property;
use crate::report::Effort;
use fixedbitset::FixedBitSet;

pub(super) struct Row<F> {
    property: Box<dyn Property<F>>,
    /// By the number of a call: the tests that make it, in order.
    tests_with: Vec<Vec<u32>>,
    /// How many tests there are.
    tests: usize,
    /// How many tests there were in the last finished round.
    finished: usize,
    killed: FixedBitSet,
    killed_given: FixedBitSet,
}

impl<F> Row<F> {
    pub(super) fn new(property: Box<dyn Property<F>>, given: usize) -> Self {
        Row {
            property,
            tests_with: Vec::new(),
            tests: 0,
            finished: 0,
            killed: FixedBitSet::new(),
            killed_given: FixedBitSet::with_capacity(given),
        }
    }

    pub(super) fn name(&self) -> String {
        self.property.name().to_owned()
    }

    pub(super) fn extent(&mut self) -> Effort {
        Effort { count: self.tests, exhausted: self.property.is_exhausted() }
    }

    pub(super) fn kills_mutant(&self, number: usize) -> bool {
        self.killed.contains(number)
    }

    pub(super) fn kills_given(&self, number: usize) -> bool {
        self.killed_given.contains(number)
    }

    /// Lists tests and runs each with the originals, which must pass.
    pub(super) fn add_tests(
        &mut self,
        number: usize,
        tests: usize,
        originals: &F,
        log: &CallLog,
    ) -> Result<(), Error> {
        let known = self.tests;
        self.tests = self.property.list(tests);
        for test in known..self.tests {
            log.take();
            self.property.check(originals, test).map_err(|failure| {
                let (name, arguments, reason) = (self.name(), self.property.arguments(test), failure.reason);
                match failure.panicked {
                    true => Error::OriginalPanics { number, name, arguments, reason },
                    false => Error::OriginalFails { number, name, arguments, reason },
                }
            })?;
            for call in log.take() {
                let call = call as usize;
                if self.tests_with.len() <= call {
                    self.tests_with.resize_with(call + 1, Vec::new);
                }
                self.tests_with[call].push(test as u32);
            }
        }
        Ok(())
    }

    /// Makes room for so many mutants.
    pub(super) fn add_mutants(&mut self, mutants: usize) {
        self.killed.grow(mutants);
    }

    /// Runs the mutant on the tests that make one of these calls; only on those of this round if the mutant is not new.
    pub(super) fn run_mutant(&mut self, number: usize, functions: &F, calls: &[u32], new: bool) {
        if self.killed.contains(number) {
            return;
        }
        let first = if new { 0 } else { self.finished as u32 };
        let lists = calls.iter().filter_map(|call| self.tests_with.get(*call as usize));
        let mut tests: Vec<u32> =
            lists.flat_map(|tests| &tests[tests.partition_point(|test| *test < first)..]).copied().collect();
        tests.sort_unstable();
        tests.dedup();
        let killed = tests.iter().any(|test| self.property.check(functions, *test as usize).is_err());
        self.killed.set(number, killed);
    }

    /// Runs the mutants that were given. Nothing is known about them, so they take all tests of the round.
    pub(super) fn run_given(&mut self, given: &[(String, F)]) {
        for (number, (_, functions)) in given.iter().enumerate() {
            let mut tests = self.finished..self.tests;
            let killed = self.killed_given.contains(number)
                || tests.any(|test| self.property.check(functions, test).is_err());
            self.killed_given.set(number, killed);
        }
    }

    pub(super) fn finish_round(&mut self) {
        self.finished = self.tests;
    }
}
