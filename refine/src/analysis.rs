//! What a kill matrix says about the properties.

mod columns;
mod conjectures;
mod set;
mod transversals;

pub use conjectures::{Conjecture, Relation, Strength};
pub use set::PropertySet;

use crate::{Error, KillMatrix};
use columns::{Columns, Survivors};
use std::collections::BTreeSet;

/// More classes than this, or more minimal sets in one class, are not looked for.
const LIMIT: usize = 1 << 16;

/// What a kill matrix says about the properties: the sets of properties that do the same job.
///
/// All subsets of the properties fall into classes of those that the same mutants survive. There may be a billion subsets;
/// the classes are found without going through them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The classes, the strongest first: it has the fewest survivors, and all properties together belong to it.
    pub classes: Vec<Class>,
    /// What seems to hold between sets of properties, those with the best evidence first.
    pub conjectures: Vec<Conjecture>,
}

/// Sets of properties that the same mutants survive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The minimal sets: none contains another set of the class. Short ones first.
    pub sets: Vec<PropertySet>,
    /// The properties that belong to the class and to none of its minimal sets: they follow from the others.
    pub implied: PropertySet,
    /// How many mutants are killed.
    pub killed: usize,
    /// How many survive.
    pub survivors: usize,
    /// The number of the first survivor.
    pub smallest: Option<usize>,
}

impl Class {
    /// How many mutants of a hundred are killed, rounded down.
    pub fn score(&self) -> usize {
        100 * self.killed / (self.killed + self.survivors).max(1)
    }
}

impl Analysis {
    /// Finds classes, minimal sets and conjectures.
    pub fn of(matrix: &KillMatrix) -> Result<Self, Error> {
        let properties = matrix.properties().len();
        match (properties, matrix.mutants().len()) {
            (0, _) => return Err(Error::NoProperties),
            (_, 0) => return Err(Error::NoMutants),
            _ if properties > PropertySet::MOST => return Err(Error::TooManyProperties(properties)),
            _ => {}
        }
        let columns = Columns::of(matrix);
        let classes = distinct_survivors(&columns, properties)?;
        let mut classes: Vec<(Survivors, Class)> = classes
            .into_iter()
            .map(|survivors| Ok((survivors.clone(), class(&columns, &survivors, properties)?)))
            .collect::<Result<_, Error>>()?;
        classes.sort_by(|(survivors, class), (others, other)| {
            (class.survivors, survivors).cmp(&(other.survivors, others))
        });
        let classes: Vec<Class> = classes.into_iter().map(|(_, class)| class).collect();
        let conjectures = conjectures::conjectures(&classes);
        Ok(Analysis { classes, conjectures })
    }

    /// The class of all properties together.
    pub fn strongest(&self) -> &Class {
        &self.classes[0]
    }

    /// Whether no mutant survives.
    pub fn is_complete(&self) -> bool {
        self.strongest().survivors == 0
    }

    /// Whether no property can be left out.
    pub fn is_minimal(&self) -> bool {
        self.strongest().implied.is_empty() && self.strongest().sets.len() == 1
    }
}

/// The survivors of all sets of properties, each different one once. They are those of smaller sets without those that one more
/// property kills.
fn distinct_survivors(columns: &Columns, properties: usize) -> Result<BTreeSet<Survivors>, Error> {
    let mut distinct = BTreeSet::from([columns.all()]);
    for property in 0..properties {
        let row = columns.survivors(property);
        let fewer: Vec<Survivors> = distinct.iter().map(|survivors| survivors.and(&row)).collect();
        distinct.extend(fewer);
        if distinct.len() > LIMIT {
            return Err(Error::TooManyClasses(LIMIT));
        }
    }
    Ok(distinct)
}

/// The class of the sets with these survivors.
fn class(columns: &Columns, survivors: &Survivors, properties: usize) -> Result<Class, Error> {
    let members =
        (0..properties).filter(|property| columns.survivors(*property).and(survivors) == *survivors);
    let closure: PropertySet = members.collect();
    // A set of the class has, for each mutant that dies, a property that kills it.
    let killers = columns.killers(survivors).map(|killers| killers.intersection(closure));
    let sets = transversals::minimal(killers, LIMIT).ok_or(Error::TooManyClasses(LIMIT))?;
    let used = sets.iter().fold(PropertySet::default(), |all, set| all.union(*set));
    let alive = columns.count(survivors);
    Ok(Class {
        sets,
        implied: closure.without(used),
        killed: columns.mutants() - alive,
        survivors: alive,
        smallest: columns.first(survivors),
    })
}
