//! Curves: bugs over time, and times over solved tasks (a cactus plot).

use super::markup::{Figure, drawing, element, escape, label, number, stroke, table};
use super::scale::{Scale, seconds_tick};
use super::series::{Series, legend};
use crate::format::seconds;
use crate::{Table, Workload, bugs_over_time, solved_times};

const WIDTH: f64 = 860.0;
const BOTTOM: f64 = 320.0;
const TOP: f64 = 22.0;
const SPAN: [f64; 2] = [70.0, 840.0];
/// A curve with more points than this has marks only at some of them.
const MARKS: usize = 24;

/// How many bugs each strategy has found by a given time, on average over trials.
pub fn over_time(table_of: &Table, workload: Workload) -> Figure {
    let series = taking_part(table_of, workload);
    let limit = table_of.plan.limit;
    let tasks = table_of.tasks(workload).len();
    let curves: Vec<Vec<(f64, f64)>> =
        series.iter().map(|one| bugs_over_time(table_of, workload, &one.name)).collect();
    let times = Scale::decades(curves.iter().flatten().map(|(time, _)| *time).chain([limit]), SPAN);
    let bugs = Scale::linear(0.0, tasks as f64, [BOTTOM, TOP]);
    let mut content =
        frame(&times, &bugs, "time (log scale)", "bugs found", seconds_tick, |bugs| format!("{bugs:.0}"));
    content += &stroke("limit", [times.at(limit), TOP - 6.0, times.at(limit), BOTTOM]);
    content += &label("tick", [times.at(limit), TOP - 10.0], "middle", &format!("limit {}", seconds(limit)));
    for (one, curve) in series.iter().zip(&curves) {
        content += &steps(one, curve, &times, &bugs, limit);
    }
    let id = format!("{}-over-time", workload.name());
    let title = format!("{}: bugs found over time", workload.title());
    Figure {
        drawing: drawing(&id, [WIDTH, BOTTOM + 40.0], &title, "One rising curve per strategy.", &content),
        legend: legend(&series),
        data: over_time_data(&series, &curves, limit),
        caption: format!(
            "The sum over {tasks} tasks of the share of trials that have found the bug by then (Kaplan-Meier estimate; \
             trials that are cut off stay unsolved)."
        ),
        id,
        title,
    }
}

/// The mean times of the tasks that each strategy solves, sorted.
pub fn cactus(table_of: &Table, workload: Workload) -> Figure {
    let series = taking_part(table_of, workload);
    let curves: Vec<Vec<f64>> =
        series.iter().map(|one| solved_times(table_of, workload, &one.name)).collect();
    let tasks = table_of.tasks(workload).len();
    let count = Scale::linear(0.0, tasks as f64, SPAN);
    let times = Scale::decades(curves.iter().flatten().copied().chain([table_of.plan.limit]), [BOTTOM, TOP]);
    let mut content = frame(
        &count,
        &times,
        "tasks solved",
        "mean time (log scale)",
        |tasks| format!("{tasks:.0}"),
        seconds_tick,
    );
    for (one, curve) in series.iter().zip(&curves) {
        let points: Vec<[f64; 2]> =
            (1..).zip(curve).map(|(index, time)| [count.at(f64::from(index)), times.at(*time)]).collect();
        content += &path(one, &points);
        for (index, ([x, y], time)) in points.iter().zip(curve).enumerate() {
            let words = format!("{}: {} tasks within {} each", one.name, index + 1, seconds(*time));
            content += &one.mark([*x, *y], &words);
        }
    }
    let id = format!("{}-cactus", workload.name());
    let title = format!("{}: solved tasks, the fastest first", workload.title());
    Figure {
        drawing: drawing(&id, [WIDTH, BOTTOM + 40.0], &title, "One rising curve per strategy.", &content),
        legend: legend(&series),
        data: cactus_data(&series, &curves, tasks),
        caption: format!(
            "A curve that goes further right solves more of the {tasks} tasks in every trial; one that stays lower solves \
             them faster."
        ),
        id,
        title,
    }
}

fn taking_part(table: &Table, workload: Workload) -> Vec<Series> {
    let takes_part = |one: &Series| !table.of_strategy(workload, &one.name).is_empty();
    Series::of_table(table).into_iter().filter(takes_part).collect()
}

/// Grid, axes and their names.
fn frame(
    x: &Scale,
    y: &Scale,
    x_name: &str,
    y_name: &str,
    x_tick: impl Fn(f64) -> String,
    y_tick: impl Fn(f64) -> String,
) -> String {
    x.vertical_grid([TOP, BOTTOM], x_tick)
        + &y.horizontal_grid(SPAN, y_tick)
        + &label("axis", [(SPAN[0] + SPAN[1]) / 2.0, BOTTOM + 32.0], "middle", x_name)
        + &element(
            "g",
            &[("transform", &format!("translate(16 {}) rotate(-90)", number((TOP + BOTTOM) / 2.0)))],
            &label("axis", [0.0, 0.0], "middle", y_name),
        )
}

/// A staircase from zero to the limit, with marks.
fn steps(series: &Series, curve: &[(f64, f64)], times: &Scale, bugs: &Scale, limit: f64) -> String {
    let Some((first, _)) = curve.first() else { return String::new() };
    let mut points = vec![[times.at(*first), bugs.at(0.0)]];
    let mut height = bugs.at(0.0);
    for (time, found) in curve {
        points.push([times.at(*time), height]);
        height = bugs.at(*found);
        points.push([times.at(*time), height]);
    }
    points.push([times.at(limit), height]);
    let every = curve.len().div_ceil(MARKS).max(1);
    let last = curve.len() - 1;
    let marks = curve.iter().enumerate().filter(|(index, _)| index % every == 0 || *index == last);
    let marks = marks.map(|(_, (time, found))| {
        let words = format!("{}: {found:.1} bugs in {}", series.name, seconds(*time));
        series.mark([times.at(*time), bugs.at(*found)], &words)
    });
    path(series, &points) + &marks.collect::<String>()
}

fn path(series: &Series, points: &[[f64; 2]]) -> String {
    if points.is_empty() {
        return String::new();
    }
    let corners: Vec<String> = points.iter().map(|[x, y]| format!("{} {}", number(*x), number(*y))).collect();
    let class = format!("line {}", series.class());
    let attributes = [
        ("class", class.as_str()),
        ("stroke-dasharray", series.dashes()),
        ("d", &format!("M{}", corners.join("L"))),
    ];
    element("path", &attributes, "")
}

/// The number of bugs found by each of some round times up to the limit.
fn over_time_data(series: &[Series], curves: &[Vec<(f64, f64)>], limit: f64) -> String {
    let round = [0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 300.0, 3600.0];
    let times = round.into_iter().filter(|time| *time < limit).chain([limit]);
    let header: Vec<String> =
        ["by".to_owned()].into_iter().chain(series.iter().map(|one| escape(&one.name))).collect();
    let row = |time: f64| {
        let found = |curve: &Vec<(f64, f64)>| {
            let by_then = curve.iter().take_while(|(at, _)| *at <= time).last();
            format!("{:.1}", by_then.map_or(0.0, |(_, found)| *found))
        };
        [seconds(time)].into_iter().chain(curves.iter().map(found)).collect()
    };
    table(&header, &times.map(row).collect::<Vec<Vec<String>>>())
}

fn cactus_data(series: &[Series], curves: &[Vec<f64>], tasks: usize) -> String {
    let header: Vec<String> =
        ["solved".to_owned()].into_iter().chain(series.iter().map(|one| escape(&one.name))).collect();
    let row = |count: usize| {
        let time = |curve: &Vec<f64>| curve.get(count - 1).map_or(String::new(), |time| seconds(*time));
        [count.to_string()].into_iter().chain(curves.iter().map(time)).collect()
    };
    table(&header, &(1..=tasks).map(row).collect::<Vec<Vec<String>>>())
}
