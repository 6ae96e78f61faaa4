//! Suggestions for misspelt words.

/// How alike two words must be for one to be offered in place of the other.
const ALIKE: f64 = 0.6;

/// The first of the known words that look most like `word`, if any looks like it at all.
///
/// ```
/// use mutagen_bugs::nearest;
///
/// assert_eq!(nearest("validte", ["interpret", "validate"]).as_deref(), Some("validate"));
/// assert_eq!(nearest("x", ["interpret", "validate"]), None);
/// ```
pub fn nearest<S: AsRef<str>>(word: &str, known: impl IntoIterator<Item = S>) -> Option<String> {
    let word = word.to_lowercase();
    let mut best = None;
    for candidate in known {
        let likeness = strsim::jaro_winkler(&word, candidate.as_ref());
        if likeness > best.as_ref().map_or(ALIKE, |(likeness, _)| *likeness) {
            best = Some((likeness, candidate.as_ref().to_owned()));
        }
    }
    best.map(|(_, word)| word)
}

/// The part of a message that offers a known word; empty if there is none to offer.
///
/// ```
/// assert_eq!(mutagen_bugs::did_you_mean(Some("wasm-6")), "; did you mean `wasm-6`?");
/// assert_eq!(mutagen_bugs::did_you_mean(None), "");
/// ```
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|word| format!("; did you mean `{word}`?")).unwrap_or_default()
}
