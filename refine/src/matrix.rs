//! Which property kills which mutant.

use fixedbitset::FixedBitSet;
use std::fmt;

/// What a property says about a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A test of the property fails.
    Killed,
    /// No test fails.
    Survived,
    /// The tests did not get that far, or could not run. Counts as survived, and is told.
    Unknown,
}

impl Fate {
    pub(crate) fn from_killed(killed: bool) -> Self {
        if killed { Fate::Killed } else { Fate::Survived }
    }
}

/// Which property kills which mutant: one bit for each pair.
///
/// [`Refine`](crate::Refine) makes one of functions. One that comes from elsewhere is made mutant by mutant:
///
/// ```
/// use mutagen_refine::{Fate::*, KillMatrix, RefineReport};
///
/// let mut matrix = KillMatrix::new(["results", "memory"]);
/// matrix.push("i32.add adds one too many", [Killed, Survived]);
/// matrix.push("i32.store forgets the offset", [Killed, Killed]);
/// let report = RefineReport::of(matrix)?;
/// assert!(report.is_complete());
/// assert_eq!(report.minimal_sets()[0].to_string(), "{1}");
/// // A matrix is shown as a table: a column for each property, by its number.
/// let table = "  1  2\n  #  .  i32.add adds one too many\n  #  #  i32.store forgets the offset\n";
/// assert_eq!(report.matrix().to_string(), table);
/// # Ok::<(), mutagen_refine::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KillMatrix {
    properties: Vec<String>,
    mutants: Vec<String>,
    /// A row of mutants for each property.
    killed: Vec<FixedBitSet>,
    unknown: Vec<FixedBitSet>,
}

impl KillMatrix {
    /// A matrix without mutants.
    pub fn new<N: Into<String>>(properties: impl IntoIterator<Item = N>) -> Self {
        let properties: Vec<String> = properties.into_iter().map(Into::into).collect();
        let rows = vec![FixedBitSet::new(); properties.len()];
        KillMatrix { properties, mutants: Vec::new(), killed: rows.clone(), unknown: rows }
    }

    /// Adds a mutant, with a cell for each property in their order. Cells that are missing are unknown.
    pub fn push(&mut self, mutant: impl Into<String>, cells: impl IntoIterator<Item = Fate>) {
        let number = self.mutants.len();
        self.mutants.push(mutant.into());
        let mut cells = cells.into_iter();
        for (killed, unknown) in self.killed.iter_mut().zip(&mut self.unknown) {
            let cell = cells.next().unwrap_or(Fate::Unknown);
            killed.grow(number + 1);
            unknown.grow(number + 1);
            killed.set(number, cell == Fate::Killed);
            unknown.set(number, cell == Fate::Unknown);
        }
    }

    /// The names of the properties.
    pub fn properties(&self) -> &[String] {
        &self.properties
    }

    /// The names of the mutants.
    pub fn mutants(&self) -> &[String] {
        &self.mutants
    }

    /// What the property says about the mutant, both counted from 0.
    ///
    /// # Panics
    ///
    /// If there is no such property.
    pub fn cell(&self, property: usize, mutant: usize) -> Fate {
        match (self.killed[property].contains(mutant), self.unknown[property].contains(mutant)) {
            (true, _) => Fate::Killed,
            (false, true) => Fate::Unknown,
            (false, false) => Fate::Survived,
        }
    }

    /// How many mutants the property kills, counted from 0.
    ///
    /// # Panics
    ///
    /// If there is no such property.
    pub fn kills(&self, property: usize) -> usize {
        self.killed[property].count_ones(..)
    }

    /// How many cells are unknown.
    pub fn unknown(&self) -> usize {
        self.unknown.iter().map(|row| row.count_ones(..)).sum()
    }
}

/// A line for each mutant and a column for each property: `#` is killed, `.` survived, `?` unknown.
impl fmt::Display for KillMatrix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let properties = 0..self.properties.len();
        let numbers: String = properties.clone().map(|property| format!("{:>3}", property + 1)).collect();
        writeln!(formatter, "{numbers}")?;
        for (mutant, name) in self.mutants.iter().enumerate() {
            for property in properties.clone() {
                let mark = match self.cell(property, mutant) {
                    Fate::Killed => '#',
                    Fate::Survived => '.',
                    Fate::Unknown => '?',
                };
                write!(formatter, "{mark:>3}")?;
            }
            writeln!(formatter, "  {name}")?;
        }
        Ok(())
    }
}
