//! The mutants by what kills them: thousands of mutants have few different columns.

use super::PropertySet;
use crate::{Fate, KillMatrix};
use std::collections::BTreeMap;

/// The different columns of a matrix, in the order of the first mutant of each.
pub(super) struct Columns {
    columns: Vec<Column>,
    mutants: usize,
}

struct Column {
    killers: PropertySet,
    /// The number of the first mutant.
    first: usize,
    /// How many mutants have it.
    count: usize,
}

/// Which columns survive, the first in the highest bit: they are ordered as lists of false and true are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Survivors(Vec<u64>);

impl Survivors {
    pub(super) fn and(&self, other: &Survivors) -> Survivors {
        Survivors(self.0.iter().zip(&other.0).map(|(one, two)| one & two).collect())
    }

    fn contains(&self, column: usize) -> bool {
        self.0[column / 64] >> (63 - column % 64) & 1 == 1
    }
}

impl Columns {
    pub(super) fn of(matrix: &KillMatrix) -> Self {
        let properties = matrix.properties().len();
        let mut columns: Vec<Column> = Vec::new();
        let mut known = BTreeMap::new();
        let mutants = matrix.mutants().len();
        for mutant in 0..mutants {
            let killed = |property: &usize| matrix.cell(*property, mutant) == Fate::Killed;
            let killers: PropertySet = (0..properties).filter(killed).collect();
            let column = *known.entry(killers.rank()).or_insert(columns.len());
            match columns.get_mut(column) {
                Some(column) => column.count += 1,
                None => columns.push(Column { killers, first: mutant, count: 1 }),
            }
        }
        Columns { columns, mutants }
    }

    pub(super) fn mutants(&self) -> usize {
        self.mutants
    }

    /// What survives if nothing is asked.
    pub(super) fn all(&self) -> Survivors {
        self.those(|_| true)
    }

    /// What survives the property.
    pub(super) fn survivors(&self, property: usize) -> Survivors {
        self.those(|column| !column.killers.contains(property))
    }

    fn those(&self, survives: impl Fn(&Column) -> bool) -> Survivors {
        let mut words = vec![0; self.columns.len().div_ceil(64)];
        for (index, _) in self.columns.iter().enumerate().filter(|(_, column)| survives(column)) {
            words[index / 64] |= 1 << (63 - index % 64);
        }
        Survivors(words)
    }

    fn alive<'a>(&'a self, survivors: &'a Survivors) -> impl Iterator<Item = &'a Column> {
        self.columns
            .iter()
            .enumerate()
            .filter(|(index, _)| survivors.contains(*index))
            .map(|(_, column)| column)
    }

    /// How many mutants survive.
    pub(super) fn count(&self, survivors: &Survivors) -> usize {
        self.alive(survivors).map(|column| column.count).sum()
    }

    /// The first mutant that survives.
    pub(super) fn first(&self, survivors: &Survivors) -> Option<usize> {
        self.alive(survivors).map(|column| column.first).next()
    }

    /// For each column that does not survive, what kills it.
    pub(super) fn killers<'a>(&'a self, survivors: &'a Survivors) -> impl Iterator<Item = PropertySet> + 'a {
        let dead = self.columns.iter().enumerate().filter(|(index, _)| !survivors.contains(*index));
        dead.map(|(_, column)| column.killers)
    }
}
