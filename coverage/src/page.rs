//! The form for a browser: one file, with the source.

use std::fmt::Write;

use crate::escape::escaped;
use crate::{Coverage, FileCoverage, Share, Sources, Totals, package_of};

impl Coverage {
    /// The coverage as a page of its own: figures by package and file, functions that were never reached, and the source with
    /// how many tests reached each line. Of files that do not lie on this machine, the lines have numbers only.
    pub fn page(&self, title: &str, sources: &Sources) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>\n{css}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{figures}\
             <h2 id=\"unreached\">Functions that were never reached</h2>\n{unreached}\
             <h2>Source</h2>\n<p><small>The number beside a line says how many tests reached it. Lines without a \
             number have no probe.</small></p>\n{sources}</body>\n</html>\n",
            title = escaped(title),
            css = include_str!("page.css"),
            figures = self.figures(),
            unreached = self.unreached_list(),
            sources = self.files().map(|(name, file)| source(name, file, sources)).collect::<String>(),
        )
    }

    fn figures(&self) -> String {
        let mut rows = String::new();
        for (package, totals) in self.packages() {
            rows += &row("package", &escaped(package), totals);
            for (name, file) in self.files().filter(|(name, _)| package_of(name) == package) {
                let short = name.strip_prefix(package).unwrap_or(name).trim_start_matches('/');
                let link = format!("<a href=\"#{}\">{}</a>", escaped(name), escaped(short));
                rows += &row("file", &link, file.totals());
            }
        }
        rows += &row("package", "everything", self.totals());
        format!(
            "<div class=\"wide\"><table>\n<thead><tr><th>file</th><th>lines</th><th></th><th></th><th>functions</th>\
             <th></th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        )
    }

    fn unreached_list(&self) -> String {
        let mut list = String::new();
        let mut unreached = self.unreached().peekable();
        while let Some((file, _)) = unreached.peek().map(|(file, function)| (*file, function.line)) {
            let mut items = String::new();
            let mut count = 0;
            while let Some((_, function)) = unreached.next_if(|(other, _)| *other == file) {
                count += 1;
                // Writing to a string never fails.
                let _ = writeln!(
                    items,
                    "<li>{} <small>line {}</small></li>",
                    escaped(&function.name),
                    function.line
                );
            }
            let _ = writeln!(
                list,
                "<details><summary>{} <small>{count}</small></summary>\n<ul>\n{items}</ul>\n</details>",
                escaped(file)
            );
        }
        if list.is_empty() { "<p>There are none.</p>\n".to_owned() } else { list }
    }
}

fn row(class: &str, name: &str, Totals { lines, functions }: Totals) -> String {
    let percent = |share: Share| format!("{:.0} %", share.percent().floor());
    format!(
        "<tr class=\"{class}\"><th>{name}</th><td>{} of {}</td><td>{}</td><td class=\"bar\"><span \
         style=\"width:{:.1}%\"></span></td><td>{} of {}</td><td>{}</td></tr>\n",
        lines.reached,
        lines.all,
        percent(lines),
        lines.percent(),
        functions.reached,
        functions.all,
        percent(functions),
    )
}

/// One file: its whole source where it lies on this machine, otherwise the lines that have probes.
fn source(name: &str, file: &FileCoverage, sources: &Sources) -> String {
    let lines: Vec<(u32, String)> = match sources.read(name) {
        Some(text) => (1..).zip(text.lines().map(str::to_owned)).collect(),
        None => file.lines.keys().map(|line| (*line, String::new())).collect(),
    };
    let shown: String = lines.iter().map(|(number, text)| line(*number, file, text)).collect();
    let Share { reached, all } = file.totals().lines;
    let name = escaped(name);
    format!(
        // The anchor is inside: a browser opens what a link points into.
        "<details><summary>{name} <small>{reached} of {all} lines</small></summary>\n<pre id=\"{name}\">{shown}</pre>\n\
         </details>\n"
    )
}

fn line(number: u32, file: &FileCoverage, text: &str) -> String {
    let (class, tests) = match file.lines.get(&number) {
        None => ("", String::new()),
        Some(0) => (" class=\"miss\"", "0".to_owned()),
        Some(tests) => (" class=\"hit\"", tests.to_string()),
    };
    format!("<span{class}><i>{number:>5} {tests:>8}  </i>{}</span>", escaped(text))
}
