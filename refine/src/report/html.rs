//! The report as a page.

use super::picture::{picture, shares_columns};
use super::{RefineReport, text::joined};
use crate::Conjecture;
use std::fmt::Write;

/// How many survivors the page lists.
const SURVIVORS: usize = 100;

impl RefineReport {
    /// The report as an HTML page that needs nothing else, with the kill matrix as a picture.
    pub fn to_html(&self, title: &str) -> String {
        let (title, verdict) = (escaped(title), escaped(&self.verdict()));
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
             <style>\n{}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{verdict} specification: {} of {} mutants \
             survive all properties.</p>\n",
            include_str!("page.css"),
            self.analysis.strongest().survivors,
            self.matrix.mutants().len(),
        );
        let columns = match shares_columns(&self.matrix) {
            true => "a column for all mutants with the same outcomes, with their number below",
            false => "a column for each mutant",
        };
        let _ = write!(
            page,
            "<h2>Which property kills which mutant</h2>\n<p>A row for each property, {columns}. Dark cells are killed, \
             light cells survive, and striped cells are unknown.</p>\n<div class=\"wide\">{}</div>\n",
            picture(&self.matrix)
        );
        let _ = write!(page, "<h2>Survivors</h2>\n{}", list(self.survivor_names(), "None."));
        let sets = joined(self.minimal_sets(), " ");
        let _ = write!(page, "<h2>Smallest sets that are as good as all</h2>\n<p>{}</p>\n", escaped(&sets));
        let conjectures = self.conjectures().map(conjecture);
        let _ = write!(page, "<h2>Conjectures</h2>\n{}</body>\n</html>\n", list(conjectures, "None."));
        page
    }

    fn survivor_names(&self) -> impl Iterator<Item = String> {
        let more = self.analysis.strongest().survivors.saturating_sub(SURVIVORS);
        let names = self.survivors().take(SURVIVORS).map(|mutant| self.matrix.mutants()[mutant].clone());
        names.chain((more > 0).then(|| format!("and {more} more")))
    }
}

fn conjecture(conjecture: &Conjecture) -> String {
    let Conjecture { left, relation, right, .. } = conjecture;
    format!("{left} {relation} {right}: {}% killed ({})", conjecture.score(), conjecture.strength())
}

fn list(items: impl Iterator<Item = String>, otherwise: &str) -> String {
    let items: String = items.map(|item| format!("<li>{}</li>\n", escaped(&item))).collect();
    if items.is_empty() { format!("<p>{otherwise}</p>\n") } else { format!("<ul>\n{items}</ul>\n") }
}

/// Text that contains no markup.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
