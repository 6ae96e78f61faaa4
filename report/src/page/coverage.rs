//! What the corpus reaches in the target, by source file. It is found out when a campaign ends.

use std::cmp::Reverse;

use mutagen_campaign::{CampaignReport, FileReach, Results, State, SubjectSpec};

use super::{directory_of, section as section_of};
use crate::draw::chart::{self, Words};
use crate::draw::markup::{escape, table, text};
use crate::told::PROGRAM;

/// How many files the chart shows; the table under it has all.
const SHOWN: usize = 40;

/// The name and figure of the share of all probes that is reached. Without a corpus nothing was asked.
pub(super) fn tile(results: &Results) -> Option<(&'static str, String)> {
    let report = results.report.as_ref()?;
    let (reached, all) = (report.probes_reached?, report.probes_all?);
    let name = match report.reached_modules {
        Some(_) => "of the target's probes, at least",
        None => "of the target's probes",
    };
    let percent = 100.0 * reached as f64 / all.max(1) as f64;
    (all > 0 && results.corpus > 0).then(|| (name, format!("{percent:.1} %")))
}

/// The section of the page.
pub(super) fn section(results: &Results) -> String {
    let report = results.report.as_ref();
    let content = match report.filter(|report| !report.reached_files.is_empty() && results.corpus > 0) {
        Some(report) => by_file(results, report),
        None => text("p", &[], &why_none(results)),
    };
    section_of("coverage", "Coverage", &content)
}

/// Why there are no figures, and what to do.
fn why_none(results: &Results) -> String {
    let report = results.report.as_ref();
    if report.is_some_and(|report| report.probes_all == Some(0)) {
        let target = match results.spec.as_ref().map(|spec| &spec.subject) {
            Some(SubjectSpec::Engines(engines)) => &engines.target,
            _ => "The target",
        };
        return format!(
            "{target} has no probes in this program, so that nothing is known of what is reached in it."
        );
    }
    if results.state != State::Running && results.corpus == 0 {
        return "The corpus has no modules, so that it reaches nothing.".to_owned();
    }
    let why = match results.state {
        State::Running => {
            "What the corpus reaches in each file of the target is found out when the campaign ends"
        }
        State::Killed => {
            "The campaign was killed before it was found out what the corpus reaches in each file of the target"
        }
        State::Ended(_) => "It was not found out what the corpus reaches in each file of the target",
    };
    let now = directory_of(results)
        .map(|directory| format!("; `{PROGRAM} coverage {directory}` finds it out now"))
        .unwrap_or_default();
    format!("{why}{now}.")
}

fn by_file(results: &Results, report: &CampaignReport) -> String {
    let percent = |file: &FileReach| 100.0 * file.reached as f64 / file.all.max(1) as f64;
    let mut largest: Vec<&FileReach> = report.reached_files.iter().collect();
    largest.sort_by_key(|file| Reverse(file.all));
    let bars: Vec<(String, f64)> =
        largest.iter().take(SHOWN).map(|file| (file.file.clone(), percent(file))).collect();
    let mut caption = "The share of probes that the corpus reaches, in the largest files. Code of the standard library that was \
                       compiled into the target is in none of them."
        .to_owned();
    if let Some(part) = report.reached_modules {
        caption += &format!(
            " This is a part: of {} modules, new and small ones first, {part} could be looked at when the campaign ended.",
            results.corpus
        );
    }
    if let Some(directory) = directory_of(results) {
        caption += &format!(" `{PROGRAM} coverage {directory}` has lines and functions.");
    }
    let words = Words { id: "files", title: "Files of the target", caption: &caption, values: "per cent" };
    let mut figure = chart::bars(&words, &bars, |share| format!("{share:.0} %"));
    let rows: Vec<Vec<String>> = report
        .reached_files
        .iter()
        .map(|file| {
            let numbers = [file.reached.to_string(), file.all.to_string(), format!("{:.1}", percent(file))];
            std::iter::once(escape(&file.file)).chain(numbers).collect()
        })
        .collect();
    figure.data = table(&["file", "reached", "probes", "%"].map(str::to_owned), &rows);
    figure.markup()
}
