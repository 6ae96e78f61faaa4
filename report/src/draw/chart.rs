//! Charts of one campaign: curves over time, and bars.

use super::markup::{Figure, drawing, element, escape, label, number, table, text};
use super::scale::Scale;

/// Curves stand side by side where there is room, bars alone.
const WIDTH: f64 = 480.0;
const BARS_WIDTH: f64 = 860.0;
const SPAN: [f64; 2] = [54.0, 462.0];
const TOP: f64 = 14.0;
const BOTTOM: f64 = 180.0;
/// A curve is drawn through at most so many points, and has a mark at so many of them.
const POINTS: usize = 400;
const MARKS: usize = 24;
/// A table under a curve has at most so many rows.
const ROWS: usize = 120;

/// A curve: its name, and its points.
pub struct Curve {
    /// What it shows.
    pub name: &'static str,
    /// Time and value, in the order of time.
    pub points: Vec<[f64; 2]>,
}

/// What a chart is called.
pub struct Words<'a> {
    /// The anchor.
    pub id: &'a str,
    /// The title.
    pub title: &'a str,
    /// What is shown.
    pub caption: &'a str,
    /// The name of the values.
    pub values: &'a str,
}

/// Curves over time, with the numbers in a table.
pub fn curves(words: &Words<'_>, curves: &[Curve]) -> Figure {
    let most = |place: usize| {
        let all = curves.iter().flat_map(|curve| &curve.points).map(|point| point[place]);
        all.fold(0.0, f64::max)
    };
    let (seconds, highest) = (most(0).max(1.0), most(1).max(1.0));
    let (x, y) = (Scale::linear(0.0, seconds, SPAN), Scale::linear(0.0, highest, [BOTTOM, TOP]).whole());
    let mut content = x.vertical_grid([TOP, BOTTOM], time) + &y.horizontal_grid(SPAN, short);
    content += &label("axis", [(SPAN[0] + SPAN[1]) / 2.0, BOTTOM + 32.0], "middle", "time");
    for (look, curve) in curves.iter().enumerate() {
        content += &line(look, curve, &x, &y);
    }
    let about = format!("{} over time: {}", words.values, ends(curves));
    // A single curve has one as well, so that charts side by side have one height.
    let legend =
        legend(curves.iter().enumerate().map(|(look, curve)| (format!("mark ours s{look}"), curve.name)));
    Figure {
        id: words.id.to_owned(),
        title: words.title.to_owned(),
        caption: words.caption.to_owned(),
        legend,
        drawing: drawing(words.id, [WIDTH, BOTTOM + 40.0], words.title, &about, &content),
        data: data(curves),
    }
}

/// The last value of each curve, for those who do not see it.
fn ends(curves: &[Curve]) -> String {
    let end = |curve: &Curve| {
        curve.points.last().map(|[_, value]| format!("{} {} at the end", curve.name, short(*value)))
    };
    curves.iter().filter_map(end).collect::<Vec<_>>().join(", ")
}

fn line(look: usize, curve: &Curve, x: &Scale, y: &Scale) -> String {
    let points: Vec<&[f64; 2]> = sampled(&curve.points, POINTS);
    let corners: Vec<String> = points
        .iter()
        .map(|[time, value]| format!("{} {}", number(x.at(*time)), number(y.at(*value))))
        .collect();
    let class = format!("line ours s{look}");
    let drawn = if corners.len() > 1 {
        element("path", &[("class", &class), ("d", &format!("M{}", corners.join("L")))], "")
    } else {
        String::new()
    };
    let marks = sampled(&curve.points, MARKS).into_iter().map(|[at, value]| {
        let words = format!("{}: {} after {}", curve.name, short(*value), time(*at));
        let attributes = [
            ("class", format!("mark ours s{look}")),
            ("cx", number(x.at(*at))),
            ("cy", number(y.at(*value))),
            ("r", "3".to_owned()),
        ];
        let attributes: Vec<(&str, &str)> =
            attributes.iter().map(|(name, text)| (*name, text.as_str())).collect();
        element("circle", &attributes, &text("title", &[], &words))
    });
    drawn + &marks.collect::<String>()
}

/// At most so many of the items, evenly spread, always with the first and the last.
fn sampled<T>(items: &[T], most: usize) -> Vec<&T> {
    if items.len() <= most {
        return items.iter().collect();
    }
    (0..most).map(|number| &items[number * (items.len() - 1) / (most - 1)]).collect()
}

/// The numbers of curves that have the same times.
fn data(curves: &[Curve]) -> String {
    let header: Vec<String> =
        ["time".to_owned()].into_iter().chain(curves.iter().map(|curve| escape(curve.name))).collect();
    let places: Vec<usize> = (0..curves.first().map_or(0, |curve| curve.points.len())).collect();
    let row = |place: &usize| {
        let cell =
            |curve: &Curve| curve.points.get(*place).map(|[_, value]| exact(*value)).unwrap_or_default();
        let at = curves.first().map_or(0.0, |curve| curve.points[*place][0]);
        [time(at)].into_iter().chain(curves.iter().map(cell)).collect::<Vec<String>>()
    };
    table(&header, &sampled(&places, ROWS).into_iter().map(row).collect::<Vec<_>>())
}

/// Bars: one for each name, with its value.
pub fn bars(words: &Words<'_>, rows: &[(String, f64)], shown: impl Fn(f64) -> String) -> Figure {
    const ROW: f64 = 20.0;
    // To the left there is room for the names, to the right for the values.
    let longest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(LONGEST_NAME);
    let span = [(longest as f64 * LETTER + 12.0).max(190.0), 720.0];
    let scale = Scale::linear(0.0, rows.iter().map(|(_, value)| *value).fold(1.0, f64::max), span);
    let bottom = TOP + ROW * rows.len() as f64;
    let mut content = scale.vertical_grid([TOP, bottom], short);
    for (place, (name, value)) in rows.iter().enumerate() {
        let (top, right) = (TOP + ROW * place as f64, scale.at(*value));
        let attributes = [
            ("class", "mark b2".to_owned()),
            ("x", number(span[0])),
            ("y", number(top + 3.0)),
            ("width", number((right - span[0]).max(1.0))),
            ("height", number(ROW - 6.0)),
        ];
        let attributes: Vec<(&str, &str)> =
            attributes.iter().map(|(name, text)| (*name, text.as_str())).collect();
        content += &label("task", [span[0] - 8.0, top + 14.0], "end", &shortened(name));
        content += &element("rect", &attributes, &text("title", &[], &format!("{name}: {}", shown(*value))));
        content += &label("tick", [right + 6.0, top + 14.0], "start", &shown(*value));
    }
    let data: Vec<Vec<String>> =
        rows.iter().map(|(name, value)| vec![escape(name), escape(&shown(*value))]).collect();
    Figure {
        id: words.id.to_owned(),
        title: words.title.to_owned(),
        caption: words.caption.to_owned(),
        legend: String::new(),
        drawing: drawing(words.id, [BARS_WIDTH, bottom + 24.0], words.title, words.caption, &content),
        data: table(&["name".to_owned(), escape(words.values)], &data),
    }
}

/// How wide a letter of a name is at most, on average.
const LETTER: f64 = 7.2;
/// Longer names are cut. Their bar and the table have the rest.
const LONGEST_NAME: usize = 54;

/// A name, cut at the beginning if it is too long: the end of a path tells more.
fn shortened(name: &str) -> String {
    let surplus = name.chars().count().saturating_sub(LONGEST_NAME);
    if surplus == 0 { name.to_owned() } else { "…".chars().chain(name.chars().skip(surplus + 1)).collect() }
}

/// A legend of squares, by their classes.
fn legend(entries: impl Iterator<Item = (String, &'static str)>) -> String {
    let entry = |(class, name): (String, &str)| {
        let square = element(
            "rect",
            &[("class", &class), ("x", "1"), ("y", "1"), ("width", "14"), ("height", "14")],
            "",
        );
        let icon = element("svg", &[("viewBox", "0 0 16 16"), ("aria-hidden", "true")], &square);
        element("li", &[], &(icon + &escape(name)))
    };
    element("ul", &[("class", "legend")], &entries.map(entry).collect::<String>())
}

/// A time: `12 s`, `3.5 min`, `8.5 h`.
pub fn time(seconds: f64) -> String {
    match seconds {
        _ if seconds < 10.0 => format!("{seconds:.1} s"),
        _ if seconds < 120.0 => format!("{seconds:.0} s"),
        _ if seconds < 7200.0 => format!("{:.1} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

/// A number, shortened: `345`, `12.3k`, `4.56M`.
pub fn short(value: f64) -> String {
    match value {
        _ if value < 10.0 && value.fract() > 0.0 => format!("{value:.1}"),
        _ if value < 1e4 => format!("{value:.0}"),
        _ if value < 1e6 => format!("{:.1}k", value / 1e3),
        _ => format!("{:.2}M", value / 1e6),
    }
}

fn exact(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}
