//! The race as one page that needs nothing else.

#[path = "../../../report/src/draw/markup.rs"]
#[allow(dead_code, reason = "the reports of the benchmark need more of it")]
mod markup;
#[path = "../../../report/src/draw/scale.rs"]
#[allow(dead_code, reason = "the reports of the benchmark need more of it")]
mod scale;

use crate::{Cell, Contender, Standing, Standings};
use markup::{Figure, document, drawing, element, label, number, stroke, table, text};
use scale::{Scale, seconds_tick};

const WIDTH: f64 = 860.0;

/// The page.
pub fn page(standings: &Standings) -> String {
    let (bugs, ways) = (standings.bugs.len(), standings.contenders.len());
    let title = format!("The race: {bugs} bugs, {ways} ways to make tests");
    let main = [totals(standings), solved(standings).markup(), times(standings).markup(), reading(standings)]
        .join("\n");
    let body = element("header", &[], &text("h1", &[], &title)) + "\n" + &element("main", &[], &main);
    document(&title, "", &body)
}

fn seconds(value: f64) -> String {
    match value {
        _ if value < 0.001 => format!("{:.0} µs", value * 1e6),
        _ if value < 1.0 => format!("{:.1} ms", value * 1e3),
        _ => format!("{value:.1} s"),
    }
}

fn totals(standings: &Standings) -> String {
    let header = ["contender", "solved", "found at all", "time, geometric mean", "tests, geometric mean"]
        .map(String::from);
    let row = |one: Standing| {
        let (solved, found) = (one.solved.to_string(), one.found.to_string());
        vec![one.contender.to_string(), solved, found, seconds(one.seconds), format!("{:.0}", one.tests)]
    };
    table(&header, &standings.standings().into_iter().map(row).collect::<Vec<_>>())
}

const BUCKET_NAMES: [&str; 6] =
    ["below 1 ms", "below 10 ms", "below 0.1 s", "below 1 s", "slower", "not solved"];
const BUCKET_CLASSES: [&str; 6] = ["b0", "b1", "b2", "b3", "b4", "b6"];

/// One stacked bar per contender: bugs by time.
fn solved(standings: &Standings) -> Figure {
    const ROW: f64 = 30.0;
    let scale = Scale::linear(0.0, standings.bugs.len() as f64, [120.0, 840.0]);
    let all = standings.standings();
    let bottom = 8.0 + ROW * all.len() as f64;
    let mut content = scale.vertical_grid([8.0, bottom], |value| format!("{value:.0}"));
    for (index, one) in all.iter().enumerate() {
        let top = 8.0 + ROW * index as f64;
        content += &label("task", [112.0, top + ROW / 2.0 + 4.0], "end", one.contender.name());
        content += &bar(one, &scale, [top + 4.0, ROW - 8.0]);
    }
    let data = all.iter().map(|one| {
        [one.contender.to_string()].into_iter().chain(one.buckets.iter().map(usize::to_string)).collect()
    });
    let header: Vec<String> = ["contender"].into_iter().chain(BUCKET_NAMES).map(String::from).collect();
    Figure {
        id: "solved".into(),
        title: "Bugs solved, by median time".into(),
        caption: format!(
            "A bug is solved if every trial finds it; {} bugs, at most {} s for a trial. The fastest are on the left.",
            standings.bugs.len(),
            standings.limit
        ),
        legend: legend(
            BUCKET_NAMES.iter().zip(BUCKET_CLASSES).map(|(name, class)| (*name, format!("mark {class}"))),
        ),
        drawing: drawing(
            "solved",
            [WIDTH, bottom + 24.0],
            "Bugs solved",
            "One stacked bar per contender.",
            &content,
        ),
        data: table(&header, &data.collect::<Vec<Vec<String>>>()),
    }
}

fn bar(one: &Standing, scale: &Scale, [top, height]: [f64; 2]) -> String {
    let mut drawn = String::new();
    let mut before = 0;
    for (place, &count) in one.buckets.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (left, right) = (scale.at(before as f64), scale.at((before + count) as f64));
        let class = format!("mark {}", BUCKET_CLASSES[place]);
        let place_and_size = [left, top, right - left, height].map(number);
        let [x, y, width, height] = &place_and_size;
        let attributes =
            [("class", class.as_str()), ("x", x), ("y", y), ("width", width), ("height", height)];
        let words = format!("{}, {}: {count}", one.contender, BUCKET_NAMES[place]);
        drawn += &element("rect", &attributes, &text("title", &[], &words));
        before += count;
    }
    drawn
}

/// One row per bug with a mark for each contender.
fn times(standings: &Standings) -> Figure {
    const ROW: f64 = 16.0;
    let all = standings.bugs.iter().flat_map(|(_, cells)| cells.iter().flatten()).map(|cell| cell.seconds);
    let scale = Scale::decades(all, [310.0, 840.0]);
    let bottom = 12.0 + ROW * standings.bugs.len() as f64;
    let mut content = scale.vertical_grid([12.0, bottom], seconds_tick);
    for (index, (bug, cells)) in standings.bugs.iter().enumerate() {
        let middle = 12.0 + ROW * (index as f64 + 0.5);
        let name = format!("{}: {}", bug.program(), bug.name());
        content += &stroke("row", [8.0, middle + ROW / 2.0, 840.0, middle + ROW / 2.0]);
        content += &label("tick", [302.0, middle + 4.0], "end", &name);
        for (contender, cell) in standings.contenders.iter().zip(cells) {
            content += &cell.as_ref().map_or(String::new(), |cell| {
                mark(*contender, cell, &name, [scale.at(cell.seconds), middle])
            });
        }
    }
    Figure {
        id: "times".into(),
        title: "Median time to the first failing test".into(),
        caption: "A trial in vain counts as the limit. Hollow marks: some trial did not find the bug.".into(),
        legend: legend(
            standings.contenders.iter().map(|one| (one.name(), format!("mark ours {}", class(*one)))),
        ),
        drawing: drawing(
            "times",
            [WIDTH, bottom + 24.0],
            "Median times",
            "One row per bug, one mark per contender.",
            &content,
        ),
        data: numbers(standings),
    }
}

fn class(contender: Contender) -> &'static str {
    match contender {
        Contender::Mutagen => "s0",
        Contender::Random => "s7",
        Contender::Proptest => "s1",
        Contender::Quickcheck => "s2",
        Contender::Bolero => "s3",
        Contender::Arbtest => "s4",
        Contender::Smart => "s6",
    }
}

fn mark(contender: Contender, cell: &Cell, name: &str, [x, y]: [f64; 2]) -> String {
    let kind = if cell.is_solved() { "ours" } else { "published" };
    let class = format!("mark {kind} {}", class(contender));
    let words = format!("{name}, {contender}: {}", words(cell));
    let attributes = [("class", class.as_str()), ("cx", &number(x)), ("cy", &number(y)), ("r", "4.5")];
    element("circle", &attributes, &text("title", &[], &words))
}

fn words(cell: &Cell) -> String {
    format!("{}/{}, {:.0} tests, {}", cell.found, cell.trials, cell.tests, seconds(cell.seconds))
}

fn numbers(standings: &Standings) -> String {
    let header: Vec<String> = ["bug"]
        .into_iter()
        .chain(standings.contenders.iter().map(|one| one.name()))
        .map(String::from)
        .collect();
    let rows = standings.bugs.iter().map(|(bug, cells)| {
        let cells = cells.iter().map(|cell| cell.as_ref().map_or(String::new(), words));
        [format!("{}: {}", bug.program(), bug.name())].into_iter().chain(cells).collect()
    });
    table(&header, &rows.collect::<Vec<Vec<String>>>())
}

fn legend<'a>(entries: impl Iterator<Item = (&'a str, String)>) -> String {
    let entry = |(name, class): (&str, String)| {
        let circle = element("circle", &[("class", &class), ("cx", "8"), ("cy", "8"), ("r", "6")], "");
        let icon = element("svg", &[("viewBox", "0 0 16 16"), ("aria-hidden", "true")], &circle);
        element("li", &[], &(icon + &markup::escape(name)))
    };
    element("ul", &[("class", "legend")], &entries.map(entry).collect::<String>())
}

fn reading(standings: &Standings) -> String {
    let items = [
        "All contenders run under one driver. It checks and counts their values, and stops at the first that fails; nothing is shrunk.".to_owned(),
        "The time of a trial begins before the contender prepares itself and ends when a test has failed. Only mutagen pays for traces.".to_owned(),
        format!("Medians are over all trials; one in vain counts as {} s, so those times are lower bounds.", standings.limit),
        "smart generates valid values by hand. It is no peer but the upper bound.".to_owned(),
    ];
    let list: String = items.iter().map(|item| text("li", &[], item)).collect();
    text("h2", &[], "How to read this") + &element("ul", &[], &list)
}
