//! The report as one page without scripts: a table of files, and their sources with the lines coloured.

use super::{Source, Sources};
use std::fmt::Write;
use std::path::Path;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em}\
table{border-collapse:collapse}td,th{padding:.2em 1em .2em 0;text-align:left}\
pre{font:13px/1.45 ui-monospace,monospace;border:1px solid #ccc;overflow-x:auto}\
pre span{display:block;padding:0 .6em}.hit{background:#e2f5e2}.miss{background:#fbe0e0}i{color:#777;font-style:normal}\
@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#ddd}.hit{background:#1d3a1d}.miss{background:#4a1f1f}}";

pub fn report(property: &str, root: &Path, sources: &Sources) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title><style>{STYLE}</style>\n\
         <h1>What the corpus of {0} reaches</h1>\n<table><tr><th>file<th>lines reached<th>functions reached\n",
        escape(property)
    );
    for (file, source) in sources {
        let name = escape(&shown(file, root));
        let functions = source.functions.values().filter(|(_, count)| *count > 0).count();
        let _ = writeln!(
            page,
            "<tr><td><a href=\"#{name}\">{name}</a><td>{} of {}<td>{functions} of {}",
            source.reached(),
            source.lines.len(),
            source.functions.len()
        );
    }
    page += "</table>\n";
    for (file, source) in sources {
        let name = escape(&shown(file, root));
        let _ = write!(page, "<h2 id=\"{name}\">{name}</h2>\n<pre>");
        page += &listing(&std::fs::read_to_string(file).unwrap_or_default(), source);
        page += "</pre>\n";
    }
    page + "</html>\n"
}

fn listing(text: &str, source: &Source) -> String {
    let mut listing = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let (class, count) = match source.lines.get(&number) {
            None => ("", String::new()),
            Some(0) => (" class=\"miss\"", "0".to_owned()),
            Some(count) => (" class=\"hit\"", count.to_string()),
        };
        let _ = write!(listing, "<span{class}><i>{number:5} {count:>6}</i>  {}</span>", escape(line));
    }
    listing
}

/// The path below the workspace, where it lies there.
fn shown(file: &Path, root: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).display().to_string()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn lines_are_coloured_by_whether_they_are_reached() {
        let source = Source { lines: BTreeMap::from([(1, 0), (3, 7)]), ..Source::default() };
        let listing = listing("a < b\nplain\nc\n", &source);
        assert!(listing.contains("<span class=\"miss\"><i>    1      0</i>  a &lt; b</span>"), "{listing}");
        assert!(listing.contains("<span><i>    2       </i>  plain</span>"), "{listing}");
        assert!(listing.contains("<span class=\"hit\"><i>    3      7</i>  c</span>"), "{listing}");
    }
}
