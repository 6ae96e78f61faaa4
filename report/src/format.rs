//! The choice of a form.

use mutagen_campaign::Results;

use crate::{Page, junit, markdown, sarif};

/// A form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people: an issue, a message, a file in a repository.
    Markdown,
    /// For tools that show results of analyses: SARIF 2.1.0.
    Sarif,
    /// For tools that show results of tests: JUnit's XML.
    Junit,
    /// For a browser.
    Html,
}

impl Format {
    /// The report in this form.
    pub fn render(self, results: &Results) -> String {
        match self {
            Format::Markdown => markdown::report(results),
            Format::Sarif => sarif::report(results),
            Format::Junit => junit::report(results),
            Format::Html => Page::default().of(results, None),
        }
    }
}
