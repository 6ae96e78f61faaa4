//! The report as a page.

use super::picture::{picture, shares_columns};
use super::{RefineReport, text::joined};
use crate::{Conjecture, Fate};
use std::fmt::Write;

/// How many survivors the page lists, for all properties together and for each.
const SURVIVORS: usize = 100;

impl RefineReport {
    /// The report as an HTML page that needs nothing else, with the kill matrix as a picture.
    pub fn to_html(&self, title: &str) -> String {
        let title = escaped(title);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>\n{}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
            include_str!("page.css"),
        );
        self.write_verdict(&mut page);
        self.write_picture(&mut page);
        let _ =
            write!(page, "<h2>Survivors of all properties</h2>\n{}", list(self.survivor_names(), "None."));
        let sets = joined(self.minimal_sets(), " ");
        let _ = write!(page, "<h2>Smallest sets that are as good as all</h2>\n<p>{}</p>\n", escaped(&sets));
        let conjectures = self.conjectures().map(conjecture);
        let _ = write!(page, "<h2>Conjectures</h2>\n{}", list(conjectures, "None."));
        let _ = write!(page, "<h2>Survivors of each property</h2>\n{}", self.property_table());
        page + "</body>\n</html>\n"
    }

    /// The verdict, and what it is based on.
    fn write_verdict(&self, page: &mut String) {
        let strongest = self.analysis.strongest();
        let _ = writeln!(
            page,
            "<p>{} specification: {} of {} mutants survive all properties, {}% are killed.</p>",
            escaped(&self.verdict()),
            strongest.survivors,
            self.matrix.mutants().len(),
            strongest.score(),
        );
        let lines = self.test_lines().into_iter().chain(self.about.clone()).chain(self.unknown_line());
        page.push_str(&list(lines, ""));
    }

    fn write_picture(&self, page: &mut String) {
        let columns = match shares_columns(&self.matrix) {
            true => "a column for all mutants with the same outcomes, with their number below",
            false => "a column for each mutant",
        };
        let _ = write!(
            page,
            "<h2>Which property kills which mutant</h2>\n<p>A row for each property, {columns}. \
             <span class=\"key killed\"></span> killed, <span class=\"key survived\"></span> survived, \
             <span class=\"key unknown\"></span> unknown.</p>\n<div class=\"wide\">{}</div>\n",
            picture(&self.matrix)
        );
    }

    fn survivor_names(&self) -> impl Iterator<Item = String> {
        self.shortened(self.survivors().collect())
    }

    /// A row for each property, with the mutants that survive it.
    fn property_table(&self) -> String {
        let all = self.matrix.mutants().len();
        let row = |(property, name): (usize, &String)| {
            let survivors: Vec<usize> =
                (0..all).filter(|mutant| self.matrix.cell(property, *mutant) != Fate::Killed).collect();
            let (number, count) = (property + 1, survivors.len());
            let names = self.shortened(survivors).collect::<Vec<_>>().join("\n");
            let listed = match count {
                0 => String::new(),
                _ => format!("<details><summary>show</summary><pre>{}</pre></details>", escaped(&names)),
            };
            let name = escaped(name);
            format!("<tr><td>{number}</td><td>{name}</td><td>{count}</td><td>{listed}</td></tr>\n")
        };
        let rows: String = self.matrix.properties().iter().enumerate().map(row).collect();
        format!("<table>\n<tr><th></th><th>property</th><th>survivors</th><th></th></tr>\n{rows}</table>\n")
    }

    /// The names of these mutants, as far as anybody reads them.
    fn shortened(&self, mutants: Vec<usize>) -> impl Iterator<Item = String> {
        let more = mutants.len().saturating_sub(SURVIVORS);
        let names = mutants.into_iter().take(SURVIVORS).map(|mutant| self.matrix.mutants()[mutant].clone());
        names.chain((more > 0).then(|| format!("and {more} more")))
    }
}

fn conjecture(conjecture: &Conjecture) -> String {
    let Conjecture { left, relation, right, .. } = conjecture;
    format!("{left} {relation} {right}: {}% killed ({})", conjecture.score(), conjecture.strength())
}

fn list(items: impl Iterator<Item = String>, otherwise: &str) -> String {
    let items: String = items.map(|item| format!("<li>{}</li>\n", escaped(&item))).collect();
    match (items.is_empty(), otherwise) {
        (false, _) => format!("<ul>\n{items}</ul>\n"),
        (true, "") => String::new(),
        (true, otherwise) => format!("<p>{otherwise}</p>\n"),
    }
}

/// Text that contains no markup.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
