//! What can go wrong before anything is tested, and what to do about it.

use crate::exit::Code;
use std::path::PathBuf;

/// Why a command cannot do its work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{program} cannot be run: {reason}")]
    CannotRun { program: String, reason: std::io::Error },
    #[error("cargo cannot read the project: {0}")]
    Metadata(String),
    #[error(
        "the project at {0} does not depend on mutagen-engine: add it with `cargo add --dev --path CHECKOUT/engine` \
         (or `--git URL mutagen-engine`), where a checkout of mutagen-wasm lies"
    )]
    NoEngine(PathBuf),
    #[error(
        "rustc {found} is too old: weaving needs {needed} or newer (`rustup update`, or a newer `channel` in \
         rust-toolchain.toml)"
    )]
    OldToolchain { found: String, needed: &'static str },
    #[error("`{rustc} -vV` says nothing that could be understood: is it rustc?")]
    StrangeToolchain { rustc: String },
    #[error("there is no package `{name}` in the dependency graph to weave{}", did_you_mean(.similar))]
    UnknownPackage { name: String, similar: Vec<String> },
    #[error("the package `{name}` cannot be woven: {why}")]
    CannotWeave { name: String, why: &'static str },
    #[error(
        "the tests do not build woven (see above); `cargo test --no-run` shows whether they build at all"
    )]
    DoesNotBuild,
    #[error(
        "no property was found in the tests of this project: write a function of the values to test, and put \
         `#[mutagen_engine::test]` above it"
    )]
    NoProperty,
    #[error("no property has `{filter}` in its path; there are {}", .known.join(", "))]
    NoSuchProperty { filter: String, known: Vec<String> },
    #[error("`{filter}` is a part of several properties: {}", .matching.join(", "))]
    SeveralProperties { filter: String, matching: Vec<String> },
    #[error(
        "two test programs of a package have a property `{path}`, and both would keep their values in {}: rename one of \
         them, or move it to another module",
        .folder.display()
    )]
    SharedFolder { path: String, folder: PathBuf },
    #[error(
        "the corpus of `{name}` is empty ({}): `cargo mutagen fuzz {name}` fills it",
        .folder.display()
    )]
    NoCorpus { name: String, folder: PathBuf },
    #[error(
        "there is no bug to inject: write one as {}/NAME.toml, with `id`, `title` and an [[edit]] of `file`, `anchor`, \
         `matches`, `where` (after or before) and `text`, in which `$bug` is true while the bug is on",
        .0.display()
    )]
    NoBugs(PathBuf),
    #[error("no bug has `{filter}` in its id; there are {}", .known.join(", "))]
    NoSuchBug { filter: String, known: Vec<String> },
    #[error("{0}")]
    Catalogue(String),
    #[error("the bug `{bug}` names the property `{property}`, which is not there; there are {}", .known.join(", "))]
    BugWithoutProperty { bug: String, property: String, known: Vec<String> },
    #[error("{}: {reason}", .path.display())]
    File { path: PathBuf, reason: std::io::Error },
    #[error("{0}")]
    Afl(#[from] mutagen_engine::AflError),
    #[error("{0}")]
    LibFuzzer(#[from] mutagen_engine::LibFuzzerError),
    #[error("{0}")]
    Refine(#[from] mutagen_refine::Error),
    #[error("the property ended without a report: {0}")]
    Silent(String),
}

impl Error {
    /// The exit code.
    pub fn code(&self) -> Code {
        match self {
            Error::File { .. } => Code::NotStored,
            _ => Code::Unusable,
        }
    }
}

fn did_you_mean(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}
