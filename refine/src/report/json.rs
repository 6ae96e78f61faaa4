//! The report for programs.

use super::{Effort, RefineReport};
use crate::{Class, Conjecture, Fate, KillMatrix, PropertySet, Strength};
use serde::Serialize;

#[derive(Serialize)]
struct View<'a> {
    complete: bool,
    minimal: bool,
    exhaustive: bool,
    properties: Vec<Property<'a>>,
    mutants: Effort,
    about: &'a [String],
    unknown_outcomes: usize,
    minimal_sets: &'a [PropertySet],
    implied: PropertySet,
    survivors: Vec<&'a str>,
    classes: Vec<ClassView<'a>>,
    conjectures: Vec<ConjectureView<'a>>,
    matrix: Vec<Mutant<'a>>,
}

#[derive(Serialize)]
struct Property<'a> {
    number: usize,
    name: &'a str,
    tests: Option<Effort>,
    killed: usize,
}

#[derive(Serialize)]
struct ClassView<'a> {
    sets: &'a [PropertySet],
    implied: PropertySet,
    killed: usize,
    survivors: usize,
    smallest: Option<&'a str>,
}

#[derive(Serialize)]
struct ConjectureView<'a> {
    #[serde(flatten)]
    conjecture: &'a Conjecture,
    score: usize,
    strength: Strength,
}

#[derive(Serialize)]
struct Mutant<'a> {
    name: &'a str,
    killed_by: PropertySet,
    unknown: PropertySet,
}

impl RefineReport {
    /// The report as JSON, with the whole matrix: `matrix` has one entry for each mutant, with the numbers of the properties
    /// that kill it.
    pub fn to_json(&self) -> serde_json::Value {
        let names = self.matrix.mutants();
        let view = View {
            complete: self.is_complete(),
            minimal: self.is_minimal(),
            exhaustive: self.is_exhaustive(),
            properties: self.property_views(),
            mutants: self.mutants,
            about: &self.about,
            unknown_outcomes: self.matrix.unknown(),
            minimal_sets: self.minimal_sets(),
            implied: self.analysis.strongest().implied,
            survivors: self.survivors().map(|mutant| &*names[mutant]).collect(),
            classes: self.analysis.classes.iter().map(|class| class_view(class, names)).collect(),
            conjectures: self.conjectures().map(conjecture_view).collect(),
            matrix: (0..names.len()).map(|mutant| mutant_view(&self.matrix, mutant)).collect(),
        };
        serde_json::json!(view)
    }

    fn property_views(&self) -> Vec<Property<'_>> {
        self.matrix
            .properties()
            .iter()
            .enumerate()
            .map(|(index, name)| Property {
                number: index + 1,
                name,
                tests: self.tests.get(index).copied(),
                killed: self.matrix.kills(index),
            })
            .collect()
    }
}

fn class_view<'a>(class: &'a Class, names: &'a [String]) -> ClassView<'a> {
    let Class { sets, implied, killed, survivors, smallest } = class;
    ClassView {
        sets,
        implied: *implied,
        killed: *killed,
        survivors: *survivors,
        smallest: smallest.map(|mutant| &*names[mutant]),
    }
}

fn conjecture_view(conjecture: &Conjecture) -> ConjectureView<'_> {
    ConjectureView { conjecture, score: conjecture.score(), strength: conjecture.strength() }
}

fn mutant_view(matrix: &KillMatrix, mutant: usize) -> Mutant<'_> {
    let those = |wanted: Fate| {
        (0..matrix.properties().len()).filter(|property| matrix.cell(*property, mutant) == wanted).collect()
    };
    Mutant { name: &matrix.mutants()[mutant], killed_by: those(Fate::Killed), unknown: those(Fate::Unknown) }
}
