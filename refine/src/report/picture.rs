//! The kill matrix as a picture.

use super::html::escaped;
use crate::{Fate, KillMatrix};
use std::collections::BTreeMap;
use std::fmt::Write;

/// More mutants than this do not get a column each: those with the same outcomes share one.
const COLUMNS: usize = 150;
/// How wide and how high a cell is.
const CELL: usize = 16;
/// The room below for the longest label of a column, and how long a label may be.
const LABEL: usize = 12;
const SMALL_LETTER: usize = 6;
/// About how wide a letter is.
const LETTER: usize = 7;

/// Mutants with the same outcomes.
struct Column {
    cells: Vec<Fate>,
    mutants: Vec<usize>,
}

/// The matrix as SVG: a row for each property, a column for each mutant or for all mutants with the same outcomes.
pub(super) fn picture(matrix: &KillMatrix) -> String {
    let columns = columns(matrix);
    let longest = matrix.properties().iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let left = LETTER * (longest + "12 ".len()) + CELL;
    let (width, height) =
        (left + CELL * columns.len() + 10, CELL * matrix.properties().len() + SMALL_LETTER * LABEL + 8);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"Kill matrix: {} properties, {} mutants\">\n",
        matrix.properties().len(),
        matrix.mutants().len()
    );
    for (row, name) in matrix.properties().iter().enumerate() {
        let y = CELL * row + CELL - 4;
        let label = escaped(&format!("{} {name}", row + 1));
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{label}</text>", left - 8);
    }
    for (index, column) in columns.iter().enumerate() {
        draw(&mut svg, matrix, left + CELL * index, column);
    }
    svg + "</svg>\n"
}

/// Draws a column whose left side is at `x`.
fn draw(svg: &mut String, matrix: &KillMatrix, x: usize, column: &Column) {
    let first = &matrix.mutants()[column.mutants[0]];
    let name = match column.mutants.len() {
        1 => first.clone(),
        count => format!("{count} mutants, the first: {first}"),
    };
    let _ = writeln!(svg, "<g><title>{}</title>", escaped(&name));
    for (row, cell) in column.cells.iter().enumerate() {
        let (y, side) = (CELL * row, CELL - 1);
        let class = match cell {
            Fate::Killed => "killed",
            Fate::Survived => "survived",
            Fate::Unknown => "unknown",
        };
        let _ =
            writeln!(svg, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\"/>");
    }
    let y = CELL * column.cells.len() + 4;
    let label = escaped(&label(matrix, column));
    let _ = writeln!(
        svg,
        "<text class=\"number\" transform=\"translate({} {y}) rotate(90)\">{label}</text></g>",
        x + 4
    );
}

/// What stands below a column: the number of its mutants if there are several, or else what the mutant's name has before a
/// colon, such as the id of a bug, or its number.
fn label(matrix: &KillMatrix, column: &Column) -> String {
    match column.mutants[..] {
        [only] => match matrix.mutants()[only].split_once(": ") {
            Some((id, _)) if id.chars().count() <= LABEL => id.to_owned(),
            _ => (only + 1).to_string(),
        },
        _ => column.mutants.len().to_string(),
    }
}

/// The columns in the order of their first mutants.
fn columns(matrix: &KillMatrix) -> Vec<Column> {
    let share = shares_columns(matrix);
    let mut columns: Vec<Column> = Vec::new();
    let mut known = BTreeMap::new();
    for mutant in 0..matrix.mutants().len() {
        let cells: Vec<Fate> =
            (0..matrix.properties().len()).map(|property| matrix.cell(property, mutant)).collect();
        let outcomes: Vec<u8> = cells.iter().map(|cell| *cell as u8).collect();
        let index = *known.entry((outcomes, if share { 0 } else { mutant })).or_insert(columns.len());
        match columns.get_mut(index) {
            Some(column) => column.mutants.push(mutant),
            None => columns.push(Column { cells, mutants: vec![mutant] }),
        }
    }
    columns
}

/// Whether a column stands for all mutants with the same outcomes.
pub(super) fn shares_columns(matrix: &KillMatrix) -> bool {
    matrix.mutants().len() > COLUMNS
}
