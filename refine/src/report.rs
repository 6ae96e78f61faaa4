//! What was found out, for people and for programs.

mod html;
mod json;
mod picture;
mod text;

use crate::{Analysis, Conjecture, Error, Fate, KillMatrix, PropertySet};
use serde::Serialize;

/// How many of something there were, and whether these were all that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Effort {
    /// How many.
    pub count: usize,
    /// Whether there are no more.
    pub exhausted: bool,
}

/// Whether the properties are enough, and which of them are.
///
/// It is shown as text; `{:#}` shows more survivors and all classes. [`RefineReport::to_json`] and [`RefineReport::to_html`] have the
/// whole matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefineReport {
    matrix: KillMatrix,
    analysis: Analysis,
    /// For each property, if they are known.
    tests: Vec<Effort>,
    mutants: Effort,
    /// What else the reader should know, a line each.
    about: Vec<String>,
}

impl RefineReport {
    /// The report on a matrix that comes from anywhere.
    pub fn of(matrix: KillMatrix) -> Result<Self, Error> {
        let analysis = Analysis::of(&matrix)?;
        let mutants = Effort { count: matrix.mutants().len(), exhausted: false };
        Ok(RefineReport { matrix, analysis, tests: Vec::new(), mutants, about: Vec::new() })
    }

    /// Says how many tests each property had, and whether tests and mutants were all that exist.
    pub fn with_extents(mut self, tests: Vec<Effort>, mutants: Effort) -> Self {
        (self.tests, self.mutants) = (tests, mutants);
        self
    }

    /// Adds a line on where the matrix comes from.
    pub fn with_about(mut self, line: impl Into<String>) -> Self {
        self.about.push(line.into());
        self
    }

    /// The matrix.
    pub fn matrix(&self) -> &KillMatrix {
        &self.matrix
    }

    /// The classes, minimal sets and conjectures.
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// How many tests each property had, if that is known.
    pub fn tests(&self) -> &[Effort] {
        &self.tests
    }

    /// How many mutants there were.
    pub fn mutants(&self) -> Effort {
        self.mutants
    }

    /// Whether no mutant survives all properties.
    pub fn is_complete(&self) -> bool {
        self.analysis.is_complete()
    }

    /// Whether no property can be left out.
    pub fn is_minimal(&self) -> bool {
        self.analysis.is_minimal()
    }

    /// Whether all tests and all mutants that exist were tried, so that nothing is left to chance.
    pub fn is_exhaustive(&self) -> bool {
        self.mutants.exhausted && !self.tests.is_empty() && self.tests.iter().all(|tests| tests.exhausted)
    }

    /// The smallest sets of properties that are as good as all of them.
    pub fn minimal_sets(&self) -> &[PropertySet] {
        &self.analysis.strongest().sets
    }

    /// The mutants that survive all properties, the smallest first, by their numbers.
    pub fn survivors(&self) -> impl Iterator<Item = usize> {
        let properties = 0..self.matrix.properties().len();
        (0..self.matrix.mutants().len()).filter(move |mutant| {
            properties.clone().all(|property| self.matrix.cell(property, *mutant) != Fate::Killed)
        })
    }

    /// The conjectures for which there is evidence.
    pub fn conjectures(&self) -> impl Iterator<Item = &Conjecture> {
        self.analysis.conjectures.iter().filter(|conjecture| conjecture.is_supported())
    }
}
