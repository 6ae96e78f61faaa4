//! The entries of the catalogue, embedded at build time.
//!
//! Each is a file of `bugs/catalogue/`, or of the directory that `MUTAGEN_EXTRA_BUGS` named when the program was built.

/// What an entry does to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Breaks it.
    Bug,
    /// Repairs a bug that the published engine has, so that it does not stand in the way of finding another.
    Fix,
}

/// The part of the engine that an entry changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subsystem {
    /// Which modules are accepted.
    Validator,
    /// What a call does.
    Interpreter,
}

impl Subsystem {
    /// Its name in the catalogue and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Validator => "validator",
            Self::Interpreter => "interpreter",
        }
    }
}

/// One bug or fix that is woven into the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its name on the command line, such as `wasm-6`.
    pub id: &'static str,
    /// Whether it breaks or repairs.
    pub kind: Kind,
    /// What goes wrong, in a few words.
    pub title: &'static str,
    /// What it changes.
    pub subsystem: Subsystem,
    /// Where the idea comes from.
    pub origin: &'static str,
    /// What a developer would have got wrong.
    pub story: &'static str,
    /// The package that is edited.
    pub package: &'static str,
    /// The version that the anchors belong to.
    pub version: &'static str,
    /// Other entries whose witnesses this one changes as well.
    pub overlaps: &'static [&'static str],
    /// The insertions that make it.
    pub edits: &'static [Edit],
    /// Modules that show it.
    pub witnesses: &'static [Witness],
}

/// An insertion of text next to an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit {
    /// The file in the package.
    pub file: &'static str,
    /// Text that stands in the file.
    pub anchor: &'static str,
    /// Whether the text comes after the anchor or before it.
    pub after: bool,
    /// The text; `$bug` is true while the entry is switched on.
    pub text: &'static str,
}

/// A module that behaves differently with the entry switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Witness {
    /// The Wasm features that it is judged under.
    pub features: &'static str,
    /// The module in text form.
    pub module: &'static str,
    /// The exported function to call; `None` where validity is all that counts.
    pub invoke: Option<&'static str>,
    /// The arguments, as `type:value`.
    pub arguments: &'static [&'static str],
    /// What happens on the plain engine.
    pub off: &'static str,
    /// What happens with the entry switched on.
    pub on: &'static str,
}

static ENTRIES: &[Entry] = include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// All entries, in the order of the catalogue's list.
///
/// ```
/// let ids: Vec<_> = mutagen_bugs::entries().iter().map(|entry| entry.id).collect();
/// assert_eq!(ids[..3], ["wasm-1", "wasm-2", "wasm-3"]);
/// ```
pub fn entries() -> &'static [Entry] {
    ENTRIES
}
