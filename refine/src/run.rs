//! Mutants against properties.

mod log;
mod mutations;
mod row;

pub use log::CallLog;

use crate::properties::Property;
use crate::report::Effort;
use crate::{Error, Fate, KillMatrix, UnderTest};
use mutations::Mutations;
use row::Row;
use std::time::Instant;

/// Mutants against properties, with as many mutants and tests as asked for so far.
///
/// The cost is kept to what can matter: each test runs once with the originals, which note their calls. A mutant can only change the
/// outcome of tests that make one of the calls in which it differs, so it is run on these alone, and only until one fails.
pub(crate) struct Run<S: UnderTest> {
    subject: S,
    log: CallLog,
    recording: S::Functions,
    rows: Vec<Row<S::Functions>>,
    mutations: Mutations<S::Mutation>,
    mutants: Vec<S::Mutation>,
    given: Vec<(String, S::Functions)>,
}

impl<S: UnderTest> Run<S> {
    pub(crate) fn new(
        subject: S,
        properties: Vec<Box<dyn Property<S::Functions>>>,
        given: Vec<(String, S::Functions)>,
    ) -> Self {
        let log = CallLog::default();
        Run {
            recording: subject.recording(&log),
            rows: properties.into_iter().map(|property| Row::new(property, given.len())).collect(),
            mutations: Mutations::new(subject.mutations()),
            mutants: Vec::new(),
            subject,
            log,
            given,
        }
    }

    /// Goes on until there are so many mutants and so many tests for each property, or all that there are. False if the
    /// deadline came first: the matrix is then of no use.
    pub(crate) fn extend(
        &mut self,
        mutants: usize,
        tests: usize,
        deadline: Option<Instant>,
    ) -> Result<bool, Error> {
        for (index, row) in self.rows.iter_mut().enumerate() {
            row.add_tests(index + 1, tests, &self.recording, &self.log)?;
        }
        let known = self.mutants.len();
        self.mutants.extend(self.mutations.by_ref().take(mutants.saturating_sub(known)));
        self.rows.iter_mut().for_each(|row| row.add_mutants(self.mutants.len()));
        for (number, mutation) in self.mutants.iter().enumerate() {
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return Ok(false);
            }
            let calls = self.subject.changed_calls(mutation);
            let functions = self.subject.mutant(mutation.clone());
            for row in &mut self.rows {
                row.run_mutant(number, &functions, &calls, number >= known);
            }
        }
        for row in &mut self.rows {
            row.run_given(&self.given);
            row.finish_round();
        }
        Ok(true)
    }

    /// The names of the mutants and what kills them; those that were given come last.
    pub(crate) fn matrix(&self) -> KillMatrix {
        let mut matrix = KillMatrix::new(self.rows.iter().map(Row::name));
        for (number, mutation) in self.mutants.iter().enumerate() {
            let name = self.subject.describe(mutation).join("; ");
            matrix.push(name, self.rows.iter().map(|row| Fate::from_killed(row.kills_mutant(number))));
        }
        for (number, (name, _)) in self.given.iter().enumerate() {
            matrix.push(name, self.rows.iter().map(|row| Fate::from_killed(row.kills_given(number))));
        }
        matrix
    }

    /// How many tests each property has.
    pub(crate) fn tests(&mut self) -> Vec<Effort> {
        self.rows.iter_mut().map(Row::extent).collect()
    }

    /// How many mutants there are, those that were given included.
    pub(crate) fn mutants(&mut self) -> Effort {
        let count = self.mutants.len() + self.given.len();
        Effort { count, exhausted: self.mutations.is_exhausted() }
    }
}
