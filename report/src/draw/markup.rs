//! Elements of HTML and SVG.

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("page.css");

/// A whole page, which needs no network, no script and no other file. `head` is markup that goes into its head besides.
pub fn document(title: &str, head: &str, body: &str) -> String {
    let head = format!(
        "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n{}\n{}{head}",
        text("title", &[], title),
        element("style", &[], STYLE)
    );
    let html = element("head", &[], &head) + "\n" + &element("body", &[], body);
    format!("<!DOCTYPE html>\n{}\n", element("html", &[("lang", "en")], &html))
}

/// Text, escaped for an element or attribute.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// An element whose content is markup.
pub fn element(name: &str, attributes: &[(&str, &str)], content: &str) -> String {
    let attributes: String =
        attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", escape(value))).collect();
    format!("<{name}{attributes}>{content}</{name}>")
}

/// An element whose content is text.
pub fn text(name: &str, attributes: &[(&str, &str)], text: &str) -> String {
    element(name, attributes, &escape(text))
}

/// A coordinate.
pub fn number(value: f64) -> String {
    let rounded = format!("{value:.1}");
    rounded.strip_suffix(".0").map_or(rounded.clone(), str::to_owned)
}

/// A straight line.
pub fn stroke(class: &str, [x1, y1, x2, y2]: [f64; 4]) -> String {
    let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(number);
    element("line", &[("class", class), ("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)], "")
}

/// Text in a drawing; `anchor` is `start`, `middle` or `end`.
pub fn label(class: &str, [x, y]: [f64; 2], anchor: &str, words: &str) -> String {
    text("text", &[("class", class), ("x", &number(x)), ("y", &number(y)), ("text-anchor", anchor)], words)
}

/// A drawing of this size. Screen readers read `title` and `about` instead.
pub fn drawing(id: &str, [width, height]: [f64; 2], title: &str, about: &str, content: &str) -> String {
    let (title_id, about_id) = (format!("{id}-title"), format!("{id}-about"));
    let attributes = [
        ("viewBox", format!("0 0 {} {}", number(width), number(height))),
        ("role", "img".to_owned()),
        ("aria-labelledby", format!("{title_id} {about_id}")),
        ("style", format!("max-width:{}px", number(width * 1.25))),
    ];
    let attributes: Vec<(&str, &str)> =
        attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let words = text("title", &[("id", &title_id)], title) + &text("desc", &[("id", &about_id)], about);
    element("svg", &attributes, &(words + content))
}

/// A table whose cells are markup. The first cell of each row is its heading.
pub fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let head: String = header.iter().map(|cell| element("th", &[("scope", "col")], cell)).collect();
    let row = |cells: &Vec<String>| {
        let first = cells.first().map(|cell| element("th", &[("scope", "row")], cell)).unwrap_or_default();
        let rest: String = cells.iter().skip(1).map(|cell| element("td", &[], cell)).collect();
        element("tr", &[], &(first + &rest)) + "\n"
    };
    let body: String = rows.iter().map(row).collect();
    let inside = element("thead", &[], &element("tr", &[], &head)) + "\n" + &element("tbody", &[], &body);
    element("div", &[("class", "scroll"), ("tabindex", "0")], &element("table", &[], &inside))
}

/// A chart with its caption, legend and the data behind it.
pub struct Figure {
    /// Its anchor.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The caption: what is shown, from how many runs, and how to read it.
    pub caption: String,
    /// The legend, as markup.
    pub legend: String,
    /// The drawing, as markup.
    pub drawing: String,
    /// The numbers, as a table.
    pub data: String,
}

impl Figure {
    /// The whole chart as markup.
    pub fn markup(&self) -> String {
        let inside = [
            text("h3", &[], &self.title),
            self.legend.clone(),
            element("div", &[("class", "scroll"), ("tabindex", "0")], &self.drawing),
            text("figcaption", &[], &self.caption),
            element("details", &[], &(text("summary", &[], "The numbers") + &self.data)),
        ];
        element("figure", &[("id", &self.id)], &inside.join("\n")) + "\n"
    }
}
