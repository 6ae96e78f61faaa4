//! The form for an issue or a message.

use mutagen_campaign::{GroupResult, Results};

use crate::told;

/// The report as Markdown.
pub fn report(results: &Results) -> String {
    let mut parts = vec!["# Report of a campaign".to_owned(), table(&told::facts(results))];
    let open: Vec<&GroupResult> = results.open().collect();
    parts.push(match open.len() {
        0 => "Nothing was found.".to_owned(),
        1 => "## One group of findings".to_owned(),
        several => format!("## {several} groups of findings"),
    });
    parts.extend(open.into_iter().map(group));
    let silenced: Vec<String> = results
        .groups
        .iter()
        .filter(|result| result.group.silenced.is_some())
        .map(|result| format!("* `{}`: {}", result.name(), inline(&told::standing(&result.group))))
        .collect();
    if !silenced.is_empty() {
        parts.push(format!("## Known groups\n\n{}", silenced.join("\n")));
    }
    parts.join("\n\n") + "\n"
}

/// One group: what differs, the module, how to see it again.
pub fn group(result: &GroupResult) -> String {
    let mut parts =
        vec![format!("### {}", inline(&told::title(result))), inline(&told::standing(&result.group)) + "."];
    match &result.finding {
        Some(finding) => {
            parts.push(fenced("wat", told::shown_value(finding)));
            let calls = told::calls(finding);
            if !calls.is_empty() {
                parts.push(fenced("text", &format!("calls, in order:\n{}", calls.join("\n"))));
            }
            let answers: Vec<String> =
                told::answers(finding).iter().map(|(name, text)| format!("{name}: {text}")).collect();
            parts.push(fenced("text", &answers.join("\n")));
            parts.extend(
                crate::paragraphs(finding).first().map(|paragraph| format!("What decides: {paragraph}.")),
            );
        }
        None => parts.push(inline(&result.group.message)),
    }
    parts.extend(told::replay(result).map(|command| format!("See it again:\n\n{}", fenced("sh", &command))));
    parts.join("\n\n")
}

/// A table of names and texts.
pub fn table(rows: &[(&str, String)]) -> String {
    let row = |(name, text): &(&str, String)| format!("| {name} | {} |", inline(text).replace('|', "\\|"));
    format!("| | |\n|---|---|\n{}", rows.iter().map(row).collect::<Vec<_>>().join("\n"))
}

/// A block of code. Its fence is longer than every row of backticks in it.
pub fn fenced(language: &str, code: &str) -> String {
    let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}")
}

/// Text in a line: what Markdown or HTML would take for markup is escaped.
pub fn inline(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\\' | '*' | '[' | ']' | '<' | '>' => escaped.extend(['\\', letter]),
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(letter),
        }
    }
    escaped
}
