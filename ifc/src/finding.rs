//! Findings as text for people: both states side by side, their differences, the observer's view, and the
//! wrong rule.

pub mod register;
pub mod stack;

use std::fmt::Write;

use crate::fault::Fault;
use crate::rule::OpCode;

/// One part of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name of the part. Parts of two states with the same name are compared.
    pub name: String,
    /// The content as text.
    pub text: String,
    /// The content as the observer sees it; empty if the observer does not see that the part exists.
    pub view: String,
}

impl Part {
    fn new(name: impl Into<String>, text: impl ToString, view: impl ToString) -> Self {
        Self { name: name.into(), text: text.to_string(), view: view.to_string() }
    }

    /// A part that the observer sees as it is.
    fn seen(name: impl Into<String>, text: impl ToString) -> Self {
        Self::new(name, text.to_string(), text)
    }
}

/// How to read the marks of a comparison.
pub const LEGEND: &str = "~ differs in secret   ! differs, and the observer sees it   ? is a secret";

/// A table of two states, the left and the right one, under a title.
///
/// Each row starts with a mark, explained by [`LEGEND`], and ends with what the observer sees.
pub fn side_by_side(titles: [&str; 3], left: &[Part], right: &[Part]) -> String {
    let [title, left_title, right_title] = titles.map(String::from);
    let header = ["".into(), title, left_title, right_title, "the observer sees".into()];
    let rows: Vec<[String; 5]> = std::iter::once(header).chain(paired(left, right).map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [1, width(1), width(2), width(3)];
    rows.iter().map(|row| line(row, widths)).collect()
}

/// Pairs the parts of both states by name, in an order that agrees with both lists.
fn paired<'a>(
    left: &'a [Part],
    right: &'a [Part],
) -> impl Iterator<Item = (Option<&'a Part>, Option<&'a Part>)> {
    let (mut left, mut right) = (left, right);
    fn take<'a>(parts: &mut &'a [Part]) -> Option<&'a Part> {
        parts.split_off_first()
    }
    std::iter::from_fn(move || match (left.first(), right.first()) {
        (None, None) => None,
        // Both states have the part.
        (Some(one), Some(two)) if one.name == two.name => Some((take(&mut left), take(&mut right))),
        // Only the right state has its next part: the left state is already at a later one.
        (one, Some(_)) if one.is_none_or(|one| right.iter().any(|two| two.name == one.name)) => {
            Some((None, take(&mut right)))
        }
        // Only the left state has its next part.
        _ => Some((take(&mut left), None)),
    })
}

fn row((left, right): (Option<&Part>, Option<&Part>)) -> [String; 5] {
    let name = left.or(right).map_or("", |part| &part.name);
    let text = |part: Option<&Part>| part.map_or("", |part| &part.text).to_string();
    let view = |part: Option<&Part>| part.map_or("", |part| &part.view).to_string();
    let (left_view, right_view) = (view(left), view(right));
    let (mark, seen) = if left_view != right_view {
        ("!", format!("{} ≠ {}", or_nothing(&left_view), or_nothing(&right_view)))
    } else {
        (if text(left) == text(right) { "" } else { "~" }, left_view)
    };
    [mark.into(), name.into(), text(left), text(right), seen]
}

fn or_nothing(view: &str) -> &str {
    if view.is_empty() { "nothing" } else { view }
}

fn line(row: &[String; 5], widths: [usize; 4]) -> String {
    let mut line = String::new();
    for (text, width) in row.iter().zip(widths) {
        let padding = " ".repeat(width - text.chars().count() + 2);
        line.push_str(text);
        line.push_str(&padding);
    }
    line.push_str(&row[4]);
    format!("{}\n", line.trim_end())
}

/// The sentence that names the wrong entry of the rule table.
fn blame<O: OpCode>(fault: &Fault<O>) -> String {
    let Fault { opcode, column, .. } = fault;
    let (original, mutated) = (fault.original_entry(), fault.mutated_entry());
    format!("Wrong rule entry: {opcode:?}, {column}: should be {original}, is {mutated}.\n")
}

/// The lines that all findings have: what happened, the tables, the marks, the wrong rule.
fn assemble<O: OpCode>(headline: &str, tables: &[String], fault: Option<&Fault<O>>) -> String {
    let mut text = format!("{headline}\n");
    for table in tables {
        let _ = write!(text, "\n{table}");
    }
    let _ = write!(text, "\n{LEGEND}\n");
    if let Some(fault) = fault {
        text.push_str(&blame(fault));
    }
    text
}

/// The start of a sentence that says what the two machines execute.
fn executed(first: Option<String>, second: Option<String>) -> String {
    let name = |instruction: Option<String>| instruction.unwrap_or_else(|| "nothing".into());
    if first == second {
        format!("Both machines execute {}", name(first))
    } else {
        format!("The first machine executes {}, the second {}", name(first), name(second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_that_execute_different_instructions_are_said_to_do_so() {
        let text = |name: &str| Some(name.to_string());
        assert_eq!(executed(text("Nop"), text("Nop")), "Both machines execute Nop");
        assert_eq!(executed(text("Nop"), text("Add")), "The first machine executes Nop, the second Add");
    }

    #[test]
    fn parts_that_only_one_state_has_are_shown_in_their_place() {
        let part = |name: &str| Part::seen(name, name);
        let (left, right) = ([part("a"), part("c")], [part("a"), part("b"), part("c"), part("d")]);
        let names = |(one, two): (Option<&Part>, Option<&Part>)| {
            (one.map(|part| part.name.clone()), two.map(|part| part.name.clone()))
        };
        let some = |name: &str| Some(name.to_string());
        let pairs: Vec<_> = paired(&left, &right).map(names).collect();
        let expected =
            vec![(some("a"), some("a")), (None, some("b")), (some("c"), some("c")), (None, some("d"))];
        assert_eq!(pairs, expected);
        let pairs: Vec<_> = paired(&right, &left).map(names).collect();
        assert_eq!(pairs, expected.into_iter().map(|(one, two)| (two, one)).collect::<Vec<_>>());
    }
}
