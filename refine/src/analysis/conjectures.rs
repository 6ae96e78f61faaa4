//! What seems to hold between sets of properties.

use super::{Class, PropertySet};
use serde::Serialize;
use std::fmt;

/// Something that seems to hold between sets of properties: it holds of all mutants that were tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conjecture {
    /// The one side.
    pub left: PropertySet,
    /// How they relate.
    pub relation: Relation,
    /// The other side.
    pub right: PropertySet,
    /// How many mutants the left side kills.
    pub killed: usize,
    /// How many survive it.
    pub survivors: usize,
}

/// How two sets of properties relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The same mutants survive both.
    Equals,
    /// What survives the left side survives the right side.
    Implies,
}

impl fmt::Display for Relation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Relation::Equals => "=",
            Relation::Implies => "==>",
        })
    }
}

/// How much evidence there is: much if about half of the mutants are killed, little if nearly none or nearly all are, because
/// such sets agree by accident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// Less than 1 % or more than 99 % are killed.
    VeryWeak,
    /// Less than 11 % or more than 89 %.
    Weak,
    /// Less than 33 % or more than 67 %.
    Mild,
    /// All others.
    Strong,
}

impl Strength {
    fn of(score: usize) -> Self {
        match score {
            0 | 100.. => Strength::VeryWeak,
            1..11 | 90..100 => Strength::Weak,
            11..33 | 68..90 => Strength::Mild,
            33..68 => Strength::Strong,
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Strength::VeryWeak => "very weak",
            Strength::Weak => "weak",
            Strength::Mild => "mild",
            Strength::Strong => "strong",
        })
    }
}

impl Conjecture {
    fn new(class: &Class, relation: Relation, right: PropertySet) -> Self {
        let (killed, survivors) = (class.killed, class.survivors);
        Conjecture { left: class.sets[0], relation, right, killed, survivors }
    }

    /// How many mutants of a hundred the left side kills, rounded down.
    pub fn score(&self) -> usize {
        100 * self.killed / (self.killed + self.survivors).max(1)
    }

    /// How much evidence there is.
    pub fn strength(&self) -> Strength {
        Strength::of(self.score())
    }

    /// Whether some mutants are killed and some are not. Otherwise there is no evidence at all.
    pub fn is_supported(&self) -> bool {
        self.killed > 0 && self.survivors > 0
    }
}

/// The conjectures that follow from the classes, the strongest class first.
pub(super) fn conjectures(classes: &[Class]) -> Vec<Conjecture> {
    let weakest_first: Vec<Class> = classes.iter().rev().cloned().collect();
    let mut classes = without_repeated_equations(weakest_first);
    leave_out_repeated_implications(&mut classes);
    classes.sort_by_key(|class| class.score().abs_diff(50));
    classes.iter().flat_map(of_class).collect()
}

/// Equal sets may stand for each other, so that what holds of the first need not be said of the others again: later classes
/// lose the sets that contain one of the others.
fn without_repeated_equations(classes: Vec<Class>) -> Vec<Class> {
    let mut kept: Vec<Class> = Vec::new();
    for mut class in classes {
        let others: Vec<PropertySet> =
            kept.iter().flat_map(|kept| kept.sets.iter().skip(1)).copied().collect();
        class.sets.retain(|set| !others.iter().any(|other| other.is_subset(*set)));
        if !class.sets.is_empty() {
            kept.push(class);
        }
    }
    kept
}

/// What a set implies is implied by each larger set, and need not be said again.
fn leave_out_repeated_implications(classes: &mut [Class]) {
    for index in (0..classes.len()).rev() {
        let (class, stronger) = (classes[index].clone(), &mut classes[index + 1..]);
        let larger = |other: &&mut Class| {
            let contains = |set: &PropertySet| other.sets.iter().any(|larger| set.is_subset(*larger));
            class.sets.iter().any(contains)
        };
        for other in stronger.iter_mut().filter(larger) {
            other.implied = other.implied.without(class.implied);
        }
    }
}

fn of_class(class: &Class) -> Vec<Conjecture> {
    let equal = class.sets.iter().skip(1).map(|set| Conjecture::new(class, Relation::Equals, *set));
    let implied =
        (!class.implied.is_empty()).then(|| Conjecture::new(class, Relation::Implies, class.implied));
    equal.chain(implied).collect()
}
