//! The page of a campaign: self-contained, without a script. All text of modules is escaped.

mod corpus;
mod coverage;

use std::path::Path;
use std::time::SystemTime;

use mutagen_campaign::{Error, GroupResult, Plot, Results, Row, State, quoted};

use crate::draw::chart::{self, Curve, Words};
use crate::draw::markup::{document, element, escape, table, text};
use crate::told::{self, PROGRAM};
use corpus::{Corpus, Histogram};

/// How many instructions the histogram shows; the table under it has all.
const SHOWN_OPCODES: usize = 40;
/// Longer texts of modules are cut.
const LONGEST_TEXT: usize = 20_000;

/// What makes the pages of one campaign, one after the other.
#[derive(Default)]
pub struct Page {
    corpus: Corpus,
}

impl Page {
    /// The name of the file in an output directory.
    pub const FILE: &'static str = "report.html";

    /// The page of the results in an output directory, as they are now. A browser loads it again after so many seconds, as long
    /// as the campaign runs.
    ///
    /// # Errors
    ///
    /// If this is no output directory.
    pub fn of_directory(&mut self, directory: &Path, refresh: Option<u32>) -> Result<String, Error> {
        let results = Results::read(directory)?;
        Ok(self.of(&results, refresh))
    }

    /// The page of these results.
    pub fn of(&mut self, results: &Results, refresh: Option<u32>) -> String {
        let directory = results.directory.as_deref();
        let rows = directory.and_then(|directory| Plot::read(directory).ok()).unwrap_or_default();
        let histogram = directory.map(|directory| self.corpus.count(directory)).unwrap_or_default();
        let refresh = refresh.filter(|_| results.state == State::Running);
        let head = refresh
            .map(|seconds| format!("\n<meta http-equiv=\"refresh\" content=\"{seconds}\">"))
            .unwrap_or_default();
        let title = "mutagen-wasm: a campaign";
        let links = [
            ("#time", "Over time"),
            ("#groups", "Findings"),
            ("#corpus", "Corpus"),
            ("#coverage", "Coverage"),
        ];
        let links: String = links.iter().map(|(place, name)| text("a", &[("href", place)], name)).collect();
        let main = [
            facts(results),
            over_time(&rows),
            groups(results),
            of_corpus(&histogram),
            coverage::section(results),
        ];
        let header =
            text("h1", &[], title) + &summary(results) + &tiles(results) + &element("nav", &[], &links);
        document(
            title,
            &head,
            &(element("header", &[], &header) + "\n" + &element("main", &[], &main.join("\n"))),
        )
    }
}

/// The state of the campaign, in one sentence.
fn summary(results: &Results) -> String {
    let open = results.open().count();
    let found = match open {
        0 => "no findings".to_owned(),
        1 => "one group of findings".to_owned(),
        several => format!("{several} groups of findings"),
    };
    let state = text(
        "p",
        &[("class", "state")],
        &format!("{}; {} tests, {found}", results.state_words(), results.tests),
    );
    state + &as_of(results)
}

/// When the page of a running campaign was written: it stays as it is if the campaign is killed.
fn as_of(results: &Results) -> String {
    if results.state != State::Running {
        return String::new();
    }
    let now = humantime::format_rfc3339_seconds(SystemTime::now());
    let again = directory_of(results)
        .map(|directory| format!(": `{PROGRAM} report {directory} --format html` shows how it ended"))
        .unwrap_or_default();
    let words = format!(
        "As of {now}. If that is long ago, the campaign was killed, and this page could not be written again{again}."
    );
    text("p", &[("class", "state")], &words)
}

/// The output directory, as a shell takes it.
fn directory_of(results: &Results) -> Option<String> {
    results.directory.as_ref().map(|directory| quoted(&directory.to_string_lossy()))
}

/// The figures that people look for first.
fn tiles(results: &Results) -> String {
    let open = results.open().count();
    let mut tiles = vec![
        ("groups of findings", open.to_string(), if open > 0 { "found" } else { "" }),
        ("tests", chart::short(results.tests as f64), ""),
    ];
    if results.seconds > 0.0 {
        tiles.push(("tests per second", chart::short((results.tests as f64 / results.seconds).round()), ""));
    }
    tiles.push(("time", chart::time(results.seconds), ""));
    if results.directory.is_some() {
        tiles.push(("modules in the corpus", chart::short(results.corpus as f64), ""));
    }
    tiles.extend(coverage::tile(results).map(|(name, figure)| (name, figure, "")));
    let tile = |(name, figure, class): (&str, String, &str)| {
        element("div", &[("class", class)], &(text("dt", &[], name) + &text("dd", &[], &figure)))
    };
    element("dl", &[("class", "tiles")], &tiles.into_iter().map(tile).collect::<String>())
}

fn facts(results: &Results) -> String {
    let rows: Vec<Vec<String>> =
        told::facts(results).into_iter().map(|(name, words)| vec![escape(name), escape(&words)]).collect();
    table(&["campaign".to_owned(), String::new()], &rows)
}

fn section(id: &str, title: &str, content: &str) -> String {
    element("section", &[("id", id)], &(text("h2", &[], title) + "\n" + content))
}

/// The curves, and where the time went.
fn over_time(rows: &[Row]) -> String {
    let Some(last) = rows.last() else {
        return section(
            "time",
            "Over time",
            &text("p", &[], "There is no plot yet: the first row comes with the first tests."),
        );
    };
    let curve = |name, value: fn(&Row) -> f64| Curve {
        name,
        points: rows.iter().map(|row| [row.seconds, value(row)]).collect(),
    };
    let figures = [
        (
            "tests",
            "Tests",
            "tests",
            "Tests that were run, and how many passed.",
            vec![curve("tests", |row| row.tests as f64), curve("passed", |row| row.passed as f64)],
        ),
        (
            "speed",
            "Speed",
            "tests per second",
            "Tests per second, since the row before.",
            vec![curve("tests per second", |row| row.tests_per_second)],
        ),
        (
            "probes",
            "Coverage of the target",
            "probes",
            "Probes of the target's code that the corpus reaches; of several workers, those of the one that reaches most.",
            vec![curve("probes", |row| row.probes as f64)],
        ),
        (
            "edges",
            "Edges in the search",
            "edges",
            "Edges or paths of the target's code that the search knows, and tests that wait to be mutated. The search forgets them when it is reset.",
            vec![curve("known", |row| row.known as f64), curve("queue", |row| row.queue as f64)],
        ),
        (
            "modules",
            "Corpus",
            "modules",
            "Modules in the corpus.",
            vec![curve("modules", |row| row.corpus as f64)],
        ),
        (
            "findings",
            "Findings",
            "findings",
            "Failing tests, and the groups that they are in.",
            vec![curve("findings", |row| row.findings as f64), curve("groups", |row| row.groups as f64)],
        ),
        (
            "discards",
            "Discarded tests",
            "tests",
            "Tests that were discarded, and those of them from which nothing can be concluded.",
            vec![
                curve("discarded", |row| row.discarded as f64),
                curve("inconclusive", |row| row.inconclusive as f64),
            ],
        ),
    ];
    let drawn: String = figures
        .iter()
        .map(|(id, title, values, caption, curves)| {
            chart::curves(&Words { id, title, caption, values }, curves).markup()
        })
        .collect();
    section("time", "Over time", &(element("div", &[("class", "plots")], &drawn) + &shares(last)))
}

/// Where the time went.
fn shares(last: &Row) -> String {
    let parts = [
        ("target", last.seconds_in_target),
        ("reference", last.seconds_in_reference),
        ("everything else", last.seconds_in_loop),
    ];
    let all: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    if all <= 0.0 {
        return String::new();
    }
    let rows = parts.map(|(name, seconds)| (name.to_owned(), seconds));
    let words = Words {
        id: "shares",
        title: "Where the time went",
        caption: "Seconds over all workers: in the engine under test, in the engine that it is compared with, and in making, mutating and learning.",
        values: "seconds",
    };
    chart::bars(&words, &rows, |seconds| format!("{seconds:.1} s, {:.0} %", 100.0 * seconds / all)).markup()
}

/// All groups, each with its module.
fn groups(results: &Results) -> String {
    let shown: String = match results.groups.len() {
        0 => text("p", &[], "Nothing was found."),
        // The first one shows at once what there is to see.
        _ => results.groups.iter().enumerate().map(|(place, result)| group(result, place == 0)).collect(),
    };
    section("groups", "Findings", &shown)
}

fn group(result: &GroupResult, is_open: bool) -> String {
    let summary = element(
        "summary",
        &[],
        &(escape(&told::title(result)) + " " + &text("small", &[], &told::standing(&result.group))),
    );
    let mut parts = vec![summary];
    match &result.finding {
        Some(finding) => {
            let answers: Vec<String> =
                told::answers(finding).iter().map(|(name, words)| format!("{name}: {words}")).collect();
            let mut lines = told::calls(finding);
            lines.extend(answers);
            parts.push(block(&lines.join("\n")));
            parts.push(block(told::shown_value(finding)));
        }
        None => parts.push(text("p", &[], &result.group.message)),
    }
    parts.extend(told::replay(result).map(|command| block(&command)));
    let class = if result.group.silenced.is_some() { "group silenced" } else { "group" };
    let attributes = [("class", class), ("open", "")];
    element("details", &attributes[..if is_open { 2 } else { 1 }], &parts.join("\n")) + "\n"
}

/// Text as it is written, cut if it is long.
fn block(words: &str) -> String {
    let cut = words.char_indices().nth(LONGEST_TEXT).map_or(words, |(end, _)| &words[..end]);
    let rest = if cut.len() < words.len() { "\n... (the file has the rest)" } else { "" };
    element("div", &[("class", "scroll"), ("tabindex", "0")], &text("pre", &[], &format!("{cut}{rest}")))
}

fn of_corpus(histogram: &Histogram) -> String {
    if histogram.modules == 0 {
        return section("corpus", "Corpus", &text("p", &[], "The corpus has no modules."));
    }
    let counted = format!("Of {} modules, {} were looked at. ", histogram.all, histogram.modules);
    let modules = |count: f64| format!("{count:.0}");
    let caption = counted.clone() + "In how many of them an instruction occurs; the most frequent ones.";
    let words = Words { id: "opcodes", title: "Instructions", caption: &caption, values: "modules" };
    let shown = &histogram.opcodes[..histogram.opcodes.len().min(SHOWN_OPCODES)];
    let mut opcodes = chart::bars(&words, shown, modules);
    let all =
        histogram.opcodes.iter().map(|(name, count)| vec![escape(name), modules(*count)]).collect::<Vec<_>>();
    opcodes.data = table(&["instruction".to_owned(), "modules".to_owned()], &all);
    let caption = counted + "How many of them need a feature beyond WebAssembly 1.0.";
    let words = Words { id: "features", title: "Features", caption: &caption, values: "modules" };
    let features = chart::bars(&words, &histogram.features, modules).markup();
    let features = if histogram.features.is_empty() {
        text("p", &[], "No module needs a feature beyond WebAssembly 1.0.")
    } else {
        features
    };
    section("corpus", "Corpus", &(opcodes.markup() + &features))
}
