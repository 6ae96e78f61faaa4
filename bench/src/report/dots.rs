//! Mean time to failure and failure rate of every task: Fig. 3 and Fig. 4 of the MUTAGEN paper.

use super::markup::{Figure, drawing, element, escape, label, number, stroke, table};
use super::scale::{Scale, seconds_tick};
use super::series::{Series, legend};
use crate::format::seconds;
use crate::{Summary, Table, counterpart, published};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 96.0;
const TIMES: [f64; 2] = [LEFT, 580.0];
const RATES: [f64; 2] = [620.0, 840.0];
const TOP: f64 = 26.0;
/// The height of a strategy's lane within a task.
const LANE: f64 = 11.0;

/// The result of a strategy or tool at a task.
struct Point {
    rate: Option<f64>,
    /// The mean; a time-out counts as the limit.
    mean: Option<f64>,
    words: String,
}

impl Point {
    fn ours(summary: &Summary) -> Option<Point> {
        let (rate, mean) = (summary.failure_rate()?, summary.mean_seconds()?);
        let sign = if rate < 1.0 { "≥ " } else { "" };
        let words = format!("{}/{}, {sign}{}", summary.found(), summary.runs(), seconds(mean));
        Some(Point { rate: Some(rate), mean: Some(mean), words })
    }

    fn published(tool: &str, task: &str) -> Option<Point> {
        let row = published().into_iter().find(|row| row.tool == tool && row.task == task)?;
        let rate = row.failure_rate.map(|rate| format!("{:.0} %", rate * 100.0));
        let words: Vec<String> = rate.into_iter().chain(row.seconds.map(seconds)).collect();
        Some(Point { rate: row.failure_rate, mean: row.seconds, words: words.join(", ") })
    }
}

/// A chart of these tasks and strategies, with the published results of these tools beside them.
pub struct Dots<'a> {
    /// Its anchor.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The quantity that is shown.
    pub caption: String,
    /// All results.
    pub table: &'a Table,
    /// The tasks, from top to bottom.
    pub tasks: Vec<&'a str>,
    /// The strategies.
    pub ours: Vec<Series>,
    /// Published tools.
    pub tools: Vec<&'static str>,
}

impl Dots<'_> {
    /// The chart.
    pub fn figure(self) -> Figure {
        let series: Vec<Series> =
            self.ours.iter().cloned().chain(self.tools.iter().map(|tool| Series::of_tool(tool))).collect();
        let about = format!("{} tasks, one row each; {} kinds of mark.", self.tasks.len(), series.len());
        Figure {
            drawing: drawing(&self.id, [WIDTH, self.bottom() + 40.0], &self.title, &about, &self.content()),
            legend: legend(&series),
            data: self.data(&series),
            id: self.id,
            title: self.title,
            caption: self.caption,
        }
    }

    fn row_height(&self) -> f64 {
        LANE * self.lanes() as f64 + 9.0
    }

    /// One lane for each strategy; published tools without a counterpart share the last lane.
    fn lanes(&self) -> usize {
        let alone = self.tools.iter().any(|tool| self.lane_of_tool(tool) == self.ours.len());
        self.ours.len() + usize::from(alone)
    }

    fn lane_of_tool(&self, tool: &str) -> usize {
        let same = |series: &Series| counterpart(tool) == Some(series.name.as_str());
        self.ours.iter().position(same).unwrap_or(self.ours.len())
    }

    fn bottom(&self) -> f64 {
        TOP + self.row_height() * self.tasks.len() as f64
    }

    fn content(&self) -> String {
        let bottom = self.bottom();
        let limit = self.table.plan.limit;
        let means = self.tasks.iter().flat_map(|task| self.points(task)).filter_map(|(.., point)| point.mean);
        let times = Scale::decades(means.chain([limit]), TIMES);
        let rates = Scale::linear(0.0, 1.0, RATES);
        let mut content = times.vertical_grid([TOP, bottom], seconds_tick)
            + &rates.vertical_grid([TOP, bottom], |rate| format!("{:.0} %", rate * 100.0))
            + &label(
                "axis",
                [(TIMES[0] + TIMES[1]) / 2.0, bottom + 32.0],
                "middle",
                "mean time to failure (log scale)",
            )
            + &label("axis", [(RATES[0] + RATES[1]) / 2.0, bottom + 32.0], "middle", "failure rate")
            + &stroke("limit", [times.at(limit), TOP - 6.0, times.at(limit), bottom])
            + &label("tick", [times.at(limit), TOP - 10.0], "middle", &format!("limit {}", seconds(limit)));
        for (index, task) in self.tasks.iter().enumerate() {
            let top = TOP + self.row_height() * index as f64;
            content += &stroke("row", [8.0, top, RATES[1], top]);
            content += &label("task", [LEFT - 10.0, top + self.row_height() / 2.0 + 4.0], "end", task);
            for (series, lane, point) in self.points(task) {
                let y = top + 4.5 + LANE * (lane as f64 + 0.5);
                content += &draw(&series, &point, [times, rates], y, task);
            }
        }
        content
    }

    /// All results at a task, each with its look and lane.
    fn points(&self, task: &str) -> Vec<(Series, usize, Point)> {
        let tools = self.tools.iter().filter_map(|tool| {
            Some((Series::of_tool(tool), self.lane_of_tool(tool), Point::published(tool, task)?))
        });
        let ours = self.ours.iter().enumerate().filter_map(|(lane, series)| {
            Some((series.clone(), lane, Point::ours(self.table.get(task, &series.name)?)?))
        });
        tools.chain(ours).collect()
    }

    fn data(&self, series: &[Series]) -> String {
        let header: Vec<String> =
            ["task".to_owned()].into_iter().chain(series.iter().map(|one| escape(&one.name))).collect();
        let row = |task: &&str| {
            let points = self.points(task);
            let cell = |one: &Series| {
                let point = points.iter().find(|(series, ..)| series == one);
                point.map_or(String::new(), |(.., point)| escape(&point.words))
            };
            [escape(task)].into_iter().chain(series.iter().map(cell)).collect()
        };
        table(&header, &self.tasks.iter().map(row).collect::<Vec<Vec<String>>>())
    }
}

/// The mark of a point in both halves of the chart. An arrow shows that the true mean lies further right.
fn draw(series: &Series, point: &Point, [times, rates]: [Scale; 2], y: f64, task: &str) -> String {
    let words = format!("{task}, {}: {}", series.name, point.words);
    let mut drawn = String::new();
    if let Some(mean) = point.mean {
        let x = times.at(mean);
        if point.rate.is_some_and(|rate| rate < 1.0) && !series.published {
            let class = format!("more {}", series.class());
            let path = format!("M{} {}h10m-3 -3l3 3l-3 3", number(x + 4.0), number(y));
            drawn += &element("path", &[("class", &class), ("d", &path)], "");
        }
        drawn += &series.mark([x, y], &words);
    }
    if let Some(rate) = point.rate {
        if !series.published {
            let class = format!("line {}", series.class());
            drawn += &stroke(&class, [rates.at(0.0), y, rates.at(rate), y]);
        }
        drawn += &series.mark([rates.at(rate), y], &words);
    }
    drawn
}
