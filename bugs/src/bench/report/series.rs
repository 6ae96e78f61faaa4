//! Which strategy looks how: the same in every chart, in colour and in shape, so that neither is needed to tell them apart.

use super::markup::{element, escape, number, text};
use crate::bench::{Suite, Table, counterpart};

/// How many colours the style sheet has.
const COLOURS: usize = 8;
/// How many shapes there are.
const SHAPES: usize = 6;

/// The look of a strategy or published tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Whether it is a published tool and not a strategy of ours.
    pub published: bool,
    look: usize,
}

impl Series {
    /// The strategies of a table.
    pub fn of_table(table: &Table) -> Vec<Series> {
        let series = |name: &str| Series { name: name.to_owned(), published: false, look: look(name) };
        table.strategies().into_iter().map(series).collect()
    }

    /// A published tool: it looks like the strategy that does the same, but hollow.
    pub fn of_tool(tool: &str) -> Series {
        let look = counterpart(tool).map_or(COLOURS - 1, look);
        Series { name: format!("{tool} (published)"), published: true, look }
    }

    /// Its classes in the style sheet.
    pub fn class(&self) -> String {
        let kind = if self.published { "published" } else { "ours" };
        format!("s{} {kind}", self.look % COLOURS)
    }

    /// A mark at this place, that says `words` when pointed at.
    pub fn mark(&self, [x, y]: [f64; 2], words: &str) -> String {
        let class = format!("mark {}", self.class());
        element("path", &[("class", &class), ("d", &self.shape(x, y))], &text("title", &[], words))
    }

    /// The pattern of its lines.
    pub fn dashes(&self) -> &'static str {
        ["none", "7 3", "2 3", "9 3 2 3", "4 4", "12 4"][self.look % SHAPES]
    }

    /// The outline of its mark around a point.
    fn shape(&self, x: f64, y: f64) -> String {
        let polygon = |corners: &[[f64; 2]]| {
            let corners: Vec<String> =
                corners.iter().map(|[dx, dy]| format!("{} {}", number(x + dx), number(y + dy))).collect();
            format!("M{}Z", corners.join("L"))
        };
        match self.look % SHAPES {
            0 => format!("M{} {}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z", number(x - 4.0), number(y)),
            1 => polygon(&[[-3.5, -3.5], [3.5, -3.5], [3.5, 3.5], [-3.5, 3.5]]),
            2 => polygon(&[[0.0, -4.6], [4.4, 3.4], [-4.4, 3.4]]),
            3 => polygon(&[[0.0, -5.0], [5.0, 0.0], [0.0, 5.0], [-5.0, 0.0]]),
            4 => polygon(&[[0.0, 4.6], [4.4, -3.4], [-4.4, -3.4]]),
            _ => polygon(&[
                [-1.6, -4.6],
                [1.6, -4.6],
                [1.6, -1.6],
                [4.6, -1.6],
                [4.6, 1.6],
                [1.6, 1.6],
                [1.6, 4.6],
                [-1.6, 4.6],
                [-1.6, 1.6],
                [-4.6, 1.6],
                [-4.6, -1.6],
                [-1.6, -1.6],
            ]),
        }
    }
}

/// The number of a strategy's look: its place among all that ship, so that it is the same in every report.
fn look(strategy: &str) -> usize {
    let known = Suite::find("all").and_then(Suite::contenders).unwrap_or_default();
    known.iter().position(|contender| contender.name == strategy).unwrap_or(known.len())
}

/// Marks and what they stand for.
pub fn legend(series: &[Series]) -> String {
    let entry = |one: &Series| {
        let class = format!("mark {}", one.class());
        let mark = element("path", &[("class", &class), ("d", &one.shape(8.0, 8.0))], "");
        let dashes = element(
            "line",
            &[
                ("class", &format!("line {}", one.class())),
                ("x1", "0"),
                ("y1", "8"),
                ("x2", "16"),
                ("y2", "8"),
                ("stroke-dasharray", one.dashes()),
            ],
            "",
        );
        let drawn = if one.published { mark } else { dashes + &mark };
        let icon = element("svg", &[("viewBox", "0 0 16 16"), ("aria-hidden", "true")], &drawn);
        element("li", &[], &(icon + &escape(&one.name)))
    };
    element("ul", &[("class", "legend")], &series.iter().map(entry).collect::<String>())
}
