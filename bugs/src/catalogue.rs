//! The entries of the catalogue, embedded at build time.
//!
//! Each is a file in `bugs/catalogue/`, or in the directory that `MUTAGEN_EXTRA_BUGS` named when the program
//! was built.

/// The effect of an entry on the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Breaks it.
    Bug,
    /// Repairs a bug of the published engine, so that it does not hide other bugs.
    Fix,
}

/// The part of the engine that an entry changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subsystem {
    /// The validator, which decides which modules are accepted.
    Validator,
    /// The interpreter, which decides what a call does.
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
    /// The part that it changes.
    pub subsystem: Subsystem,
    /// Where the idea comes from.
    pub origin: &'static str,
    /// What a developer would have got wrong.
    pub story: &'static str,
    /// The package that is edited.
    pub package: &'static str,
    /// The version of the package that the anchors belong to.
    pub version: &'static str,
    /// Other entries whose witnesses this one changes as well.
    pub overlaps: &'static [&'static str],
    /// The insertions into the package's source.
    pub edits: &'static [Edit],
    /// Modules that show it.
    pub witnesses: &'static [Witness],
}

/// The `off` of a witness that can end the process without its entry.
pub const CRASH: &str = "crash";

impl Entry {
    /// Whether it is a fix without which the target can end the process.
    pub fn keeps_alive(&self) -> bool {
        self.kind == Kind::Fix && self.witnesses.iter().any(|witness| witness.off == CRASH)
    }
}

/// An insertion of text next to an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit {
    /// The file in the package.
    pub file: &'static str,
    /// Text of the file, beside which the insertion goes.
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
    /// The exported function to call. `None` if only validity counts.
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

/// The entries that repair bugs of the published engine.
///
/// ```
/// let ids: Vec<_> = mutagen_bugs::fixes().map(|entry| entry.id).collect();
/// assert_eq!(ids[..2], ["wasm-f1", "wasm-f2"]);
/// ```
pub fn fixes() -> impl Iterator<Item = &'static Entry> {
    entries().iter().filter(|entry| entry.kind == Kind::Fix)
}
