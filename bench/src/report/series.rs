//! The look of each strategy. It is the same in every chart. Strategies differ in colour and in shape, so
//! either is enough to tell them apart.

use super::markup::{element, escape, number, text};
use crate::{Table, counterpart};

/// Strategies that look the same in every report: those of the papers. Others take the next free looks.
const OF_PAPERS: [&str; 7] = [
    "mutagen",
    "mutagen/paper",
    "mutagen/paper,no-fifo",
    "mutagen/paper,no-reset",
    "random",
    "fuzzchick",
    "crowbar",
];
/// The look of published tools without a corresponding strategy.
const UNLIKE_OURS: usize = OF_PAPERS.len();
/// The number of colours in the style sheet. Together with six shapes this makes 24 looks.
const COLOURS: usize = 8;
/// The number of shapes.
const SHAPES: usize = 6;

/// The look of a strategy or published tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Whether it is a published tool, not one of our strategies.
    pub published: bool,
    look: usize,
}

impl Series {
    /// The strategies of a table.
    pub fn of_table(table: &Table) -> Vec<Series> {
        let mut free = UNLIKE_OURS + 1..;
        let mut series = |name: &str| {
            let look = look(name).or_else(|| free.next()).unwrap_or(UNLIKE_OURS);
            Series { name: name.to_owned(), published: false, look }
        };
        table.strategies().into_iter().map(&mut series).collect()
    }

    /// A published tool. It looks like the strategy that does the same, but hollow.
    pub fn of_tool(tool: &str) -> Series {
        let look = counterpart(tool).and_then(look).unwrap_or(UNLIKE_OURS);
        Series { name: format!("{tool} (published)"), published: true, look }
    }

    /// Its classes in the style sheet.
    pub fn class(&self) -> String {
        let kind = if self.published { "published" } else { "ours" };
        format!("s{} {kind}", self.look % COLOURS)
    }

    /// A mark at this place, with `words` as its tooltip.
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

fn look(strategy: &str) -> Option<usize> {
    OF_PAPERS.iter().position(|name| *name == strategy)
}

/// The legend: each mark and its meaning.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Plan, Suite, Wish};

    #[test]
    fn no_two_strategies_of_a_report_look_the_same() {
        let depths = (1..=12).map(|depth| format!("mutagen,depth={depth}"));
        let names = OF_PAPERS[..5].iter().map(|name| (*name).to_owned()).chain(depths);
        let strategies = names.map(|name| name.parse().expect("it exists")).collect();
        let suite = Suite::find("smoke").expect("it exists");
        let plan = Plan::of(suite, &Wish { strategies, ..Wish::default() }).expect("it exists");
        let series = Series::of_table(&Table::of(&plan, &[]));
        let looks: std::collections::BTreeSet<(String, String)> =
            series.iter().map(|one| (one.class(), one.shape(0.0, 0.0))).collect();
        assert_eq!(looks.len(), 17);
        assert!(OF_PAPERS.iter().zip(&series).take(5).all(|(name, one)| one.name == *name && one.look < 5));
    }
}
