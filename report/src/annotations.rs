//! Annotations: the lines on standard error that GitHub shows beside a change.

use mutagen_campaign::Results;

use crate::told;

/// GitHub shows no more errors of one step.
const MOST: usize = 10;

/// Whether this program runs in a workflow of GitHub.
pub fn are_wanted() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// One line for each group that is not silenced, and one that says how many more there are.
pub fn lines(results: &Results) -> Vec<String> {
    let open: Vec<_> = results.open().collect();
    let mut lines: Vec<String> = open
        .iter()
        .take(MOST)
        .map(|result| {
            let file = told::text_file(result);
            let file =
                file.map(|file| format!("file={},", property(&told::path_text(&file)))).unwrap_or_default();
            let mut message = vec![result.group.message.clone(), told::standing(&result.group)];
            message.extend(told::replay(result).map(|command| format!("see it again: {command}")));
            format!("::error {file}title={}::{}", property(&told::title(result)), data(&message.join("\n")))
        })
        .collect();
    if open.len() > MOST {
        lines.push(format!(
            "::notice title={}::{} more groups of findings",
            told::PROGRAM,
            open.len() - MOST
        ));
    }
    lines
}

/// Text after the last `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
