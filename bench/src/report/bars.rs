//! The chart of how many tasks each strategy solves, and how fast.

use super::markup::{Figure, drawing, element, escape, label, number, table, text};
use super::scale::Scale;
use crate::{Table, Totals, Workload};

const WIDTH: f64 = 860.0;
const SPAN: [f64; 2] = [190.0, 840.0];
const ROW: f64 = 30.0;
const TOP: f64 = 8.0;

/// One stacked bar per strategy: tasks by bucket.
pub fn solved(table_of: &Table, workload: Workload) -> Figure {
    let all: Vec<Totals> =
        Totals::all(table_of).into_iter().filter(|totals| totals.workload == workload).collect();
    let most = all.iter().map(|totals| totals.tasks).max().unwrap_or(1);
    let scale = Scale::linear(0.0, most as f64, SPAN);
    let bottom = TOP + ROW * all.len() as f64;
    let mut content = scale.vertical_grid([TOP, bottom], |value| format!("{value:.0}"));
    content += &label("axis", [(SPAN[0] + SPAN[1]) / 2.0, bottom + 32.0], "middle", "number of tasks");
    for (index, totals) in all.iter().enumerate() {
        content += &bar(totals, &scale, TOP + ROW * index as f64);
    }
    let id = format!("{}-solved", workload.name());
    let title = format!("{}: tasks solved in every trial, by mean time", workload.title());
    Figure {
        drawing: drawing(&id, [WIDTH, bottom + 40.0], &title, "One stacked bar per strategy.", &content),
        legend: legend(&all),
        data: data(&all),
        caption: format!(
            "A task is solved if every trial finds the bug; n = {} tasks. The fastest are on the left. Limit {} s.",
            most, table_of.plan.limit
        ),
        id,
        title,
    }
}

fn bar(totals: &Totals, scale: &Scale, top: f64) -> String {
    let middle = top + ROW / 2.0 + 4.0;
    let mut drawn = label("task", [SPAN[0] - 8.0, middle], "end", &totals.strategy);
    let mut before = 0;
    for (index, (bucket, count)) in totals.buckets.iter().enumerate().filter(|(_, (_, count))| *count > 0) {
        let (left, right) = (scale.at(before as f64), scale.at((before + count) as f64));
        let words = format!("{}, {}: {count} tasks", totals.strategy, bucket.name());
        let attributes = [
            ("class", format!("mark b{index}")),
            ("x", number(left)),
            ("y", number(top + 4.0)),
            ("width", number(right - left)),
            ("height", number(ROW - 8.0)),
        ];
        let attributes: Vec<(&str, &str)> =
            attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
        drawn += &element("rect", &attributes, &text("title", &[], &words));
        drawn +=
            &label(&format!("count t{index}"), [(left + right) / 2.0, middle], "middle", &count.to_string());
        before += count;
    }
    drawn
}

/// The buckets that occur.
fn legend(all: &[Totals]) -> String {
    let Some(first) = all.first() else { return String::new() };
    let occurs = |index: usize| all.iter().any(|totals| totals.buckets[index].1 > 0);
    let entry = |(index, (bucket, _)): (usize, &(crate::statistics::Bucket, usize))| {
        let class = format!("mark b{index}");
        let square = [("class", class.as_str()), ("x", "1"), ("y", "1"), ("width", "14"), ("height", "14")];
        let icon = element(
            "svg",
            &[("viewBox", "0 0 16 16"), ("aria-hidden", "true")],
            &element("rect", &square, ""),
        );
        element("li", &[], &(icon + &escape(&bucket.name())))
    };
    let entries: String =
        first.buckets.iter().enumerate().filter(|(index, _)| occurs(*index)).map(entry).collect();
    element("ul", &[("class", "legend")], &entries)
}

fn data(all: &[Totals]) -> String {
    let Some(first) = all.first() else { return String::new() };
    let buckets = first.buckets.iter().map(|(bucket, _)| escape(&bucket.name()));
    let header: Vec<String> = ["strategy".to_owned()].into_iter().chain(buckets).collect();
    let row = |totals: &Totals| {
        let counts = totals.buckets.iter().map(|(_, count)| count.to_string());
        [escape(&totals.strategy)].into_iter().chain(counts).collect()
    };
    table(&header, &all.iter().map(row).collect::<Vec<Vec<String>>>())
}
