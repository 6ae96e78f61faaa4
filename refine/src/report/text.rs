//! The report as text.

use super::{Effort, RefineReport};
use crate::{Class, Conjecture, PropertySet};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// How many survivors the long report shows.
const SURVIVORS: usize = 10;

impl Display for RefineReport {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{} specification based on", self.verdict())?;
        self.write_extents(formatter)?;
        self.write_properties(formatter)?;
        self.write_survivors(formatter)?;
        let apparent = if self.is_exhaustive() { "" } else { "apparent " };
        writeln!(formatter, "{apparent}minimal property subsets: {}", joined(self.minimal_sets(), " "))?;
        if formatter.alternate() {
            self.write_classes(formatter)?;
        }
        self.write_conjectures(formatter)
    }
}

impl RefineReport {
    /// Complete or not, minimal or not.
    pub(super) fn verdict(&self) -> String {
        let verdict = match (self.is_complete(), self.is_minimal()) {
            (true, true) => "complete and minimal",
            (true, false) => "complete but non-minimal",
            (false, true) => "minimal but incomplete",
            (false, false) => "incomplete and non-minimal",
        };
        match (self.is_exhaustive(), verdict.split_at(1)) {
            (true, (first, rest)) => first.to_uppercase() + rest,
            (false, _) => format!("Apparent {verdict}"),
        }
    }

    fn write_extents(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for line in self.test_lines() {
            writeln!(formatter, "  {line}")?;
        }
        let each = if self.tests.is_empty() { "" } else { "for each of " };
        writeln!(
            formatter,
            "  {each}{}{}",
            amount(self.mutants.count, "mutant variation"),
            exhausted(self.mutants, "exhausted")
        )?;
        for line in self.about.iter().chain(&self.unknown_line()) {
            writeln!(formatter, "  {line}")?;
        }
        writeln!(formatter)
    }

    /// How many cells are unknown, if any are.
    pub(super) fn unknown_line(&self) -> Option<String> {
        let unknown = self.matrix.unknown();
        (unknown > 0).then(|| format!("unknown, and counted as survived: {}", amount(unknown, "outcome")))
    }

    /// One line for all properties with equally many tests.
    pub(super) fn test_lines(&self) -> Vec<String> {
        let mut groups: BTreeMap<(usize, bool), Vec<usize>> = BTreeMap::new();
        for (property, tests) in self.tests.iter().enumerate() {
            groups.entry((tests.count, tests.exhausted)).or_default().push(property + 1);
        }
        let line = |((count, is_exhausted), properties): (_, Vec<usize>)| {
            let tests = Effort { count, exhausted: is_exhausted };
            let what = match &properties[..] {
                [only] => format!("property {only}"),
                [first @ .., last] => format!("each of properties {} and {last}", joined(first, ", ")),
                [] => String::new(),
            };
            format!("{} for {what}{}", amount(count, "test case"), exhausted(tests, "test cases exhausted"))
        };
        groups.into_iter().map(line).collect()
    }

    fn write_properties(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for (property, name) in self.matrix.properties().iter().enumerate() {
            let survivors = self.matrix.mutants().len() - self.matrix.kills(property);
            writeln!(formatter, "{:>3} {name}: {}", property + 1, amount(survivors, "survivor"))?;
        }
        writeln!(formatter)
    }

    fn write_survivors(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let strongest = self.analysis.strongest();
        write!(formatter, "{} ({}% killed)", amount(strongest.survivors, "survivor"), strongest.score())?;
        if strongest.survivors == 0 {
            return writeln!(formatter, "\n");
        }
        let shown = if formatter.alternate() { SURVIVORS } else { 1 };
        writeln!(formatter, ", smallest:")?;
        for survivor in self.survivors().take(shown) {
            writeln!(formatter, "  {}", self.matrix.mutants()[survivor])?;
        }
        writeln!(formatter)
    }

    fn write_classes(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "\nproperty sets, survivors, smallest survivor:")?;
        for class in &self.analysis.classes {
            let smallest = class.smallest.map_or("", |mutant| &self.matrix.mutants()[mutant]);
            let Class { survivors, sets, .. } = class;
            writeln!(
                formatter,
                "  {}  {survivors} ({}%)  {smallest}",
                joined(sets, " "),
                100 - class.score()
            )?;
        }
        writeln!(formatter)
    }

    fn write_conjectures(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let conjectures: Vec<&Conjecture> = self.conjectures().collect();
        if conjectures.is_empty() {
            return writeln!(formatter, "No conjectures.");
        }
        writeln!(formatter, "conjectures:")?;
        let width = |side: fn(&Conjecture) -> PropertySet| {
            conjectures.iter().map(|conjecture| side(conjecture).to_string().len()).max().unwrap_or(0)
        };
        let (left, right) = (width(|conjecture| conjecture.left), width(|conjecture| conjecture.right));
        for conjecture in conjectures {
            writeln!(
                formatter,
                "  {:left$} {:>3} {:right$}  {:>2}% killed ({})",
                conjecture.left,
                conjecture.relation,
                conjecture.right,
                conjecture.score(),
                conjecture.strength()
            )?;
        }
        Ok(())
    }
}

/// So many of something: `1 survivor`, `2 survivors`.
fn amount(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn exhausted(extent: Effort, words: &str) -> String {
    if extent.exhausted { format!(" ({words})") } else { String::new() }
}

/// The items with something in between.
pub(super) fn joined<T: Display>(items: &[T], between: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}
