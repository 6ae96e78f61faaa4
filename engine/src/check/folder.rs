//! The folder of a property: its corpus, and the counterexamples that `cargo test` tests first.

use crate::{Failure, Generate, NoText, Text, stable};
use std::fmt::Debug;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The first line of a stored value. The number is raised when older engines could not read newer files.
const HEADER: &str = "# mutagen value, format 1";

/// The folder of a property in its package: `mutagen/` and the property's path, so `mutagen/tests/holds/` for `tests::holds`.
/// Properties of one name in different modules or test files have folders of their own.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// Why a value was not stored.
#[derive(Debug)]
pub(crate) enum NotStored {
    NoText(NoText),
    Io(PathBuf, io::Error),
}

impl std::fmt::Display for NotStored {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotStored::NoText(reason) => write!(formatter, "{reason}"),
            NotStored::Io(file, error) => write!(formatter, "{}: {error}", file.display()),
        }
    }
}

impl Folder {
    /// The folder of the property with this path, which begins with its crate, in the package of this name that lies there.
    pub(crate) fn new(package: &Path, name: &str, path: &str) -> Self {
        Folder { path: package.join("mutagen").join(inside(name, path)) }
    }

    pub(crate) fn findings(&self) -> PathBuf {
        self.path.join("findings")
    }

    pub(crate) fn corpus(&self) -> PathBuf {
        self.path.join("corpus")
    }

    /// Stores a counterexample with what is known about it. Gives the file.
    pub(crate) fn store_finding<T: Generate + Debug>(
        &self,
        property: &str,
        value: &T,
        failure: &Failure,
    ) -> Result<PathBuf, NotStored> {
        let text = value.to_text().map_err(NotStored::NoText)?.to_string();
        let kind: String = failure.kind.chars().filter(char::is_ascii_alphanumeric).collect();
        let file = self.findings().join(format!("{kind}-{:016x}.txt", stable::hash(text.as_bytes())));
        let mut about = format!("property: {property}\nfailure: {}", failure.message);
        // What is stored may be all but readable, such as the bytes that a value is made of.
        let readable = format!("{value:?}");
        if !is_same(&readable, &text) {
            about += &format!("\nvalue: {readable}");
        }
        store(file, &about, &text)
    }

    /// Stores an interesting value, unless it is there already.
    pub(crate) fn store_interesting<T: Generate>(&self, property: &str, value: &T) -> Result<(), NotStored> {
        let text = value.to_text().map_err(NotStored::NoText)?.to_string();
        let file = self.corpus().join(format!("{:016x}.txt", stable::hash(text.as_bytes())));
        if file.exists() {
            return Ok(());
        }
        store(file, &format!("property: {property}"), &text).map(drop)
    }
}

/// Whether two texts are the same but for space.
fn is_same(one: &str, other: &str) -> bool {
    let letters = |text: &'_ str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    letters(one) == letters(other)
}

/// Where in `mutagen/` of the package with this name the folder of the property with this path lies. Only crates that are not
/// called as their package, such as those of test files, have their name in it.
#[doc(hidden)]
pub fn inside(package: &str, path: &str) -> PathBuf {
    let is_main = path.split("::").next() == Some(package.replace('-', "_").as_str());
    path.split("::").skip(usize::from(is_main)).collect()
}

/// What the files of values begin with that hang or end the process: they cannot be tested like others.
#[doc(hidden)]
pub const ENDING: [&str; 2] = ["hang-", "died-"];

/// What stands in the file of a value. Every line of `about` becomes a comment.
pub(crate) fn content(about: &str, text: &str) -> String {
    let comments: String = about.lines().map(|line| format!("# {line}\n")).collect();
    format!("{HEADER}\n{comments}{text}\n")
}

/// Writes a file that is whole or not there, whenever the process ends.
fn store(file: PathBuf, about: &str, text: &str) -> Result<PathBuf, NotStored> {
    let content = content(about, text);
    let unfinished = file.with_extension(format!("part-{}", std::process::id()));
    let write = || {
        fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
        fs::write(&unfinished, content)?;
        fs::rename(&unfinished, &file)
    };
    match write() {
        Ok(()) => Ok(file),
        Err(error) => Err(NotStored::Io(file, error)),
    }
}

/// A file of the folder, and its value or why there is none.
pub(crate) struct Stored<T> {
    pub(crate) file: PathBuf,
    pub(crate) value: Result<T, String>,
}

impl<T> Stored<T> {
    /// Whether the property does not come back from it.
    pub(crate) fn ends_the_process(&self) -> bool {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        ENDING.iter().any(|kind| name.starts_with(kind))
    }

    /// Whether it is as old as this, in microseconds after 1970 began.
    pub(crate) fn is_before(&self, micros: u64) -> bool {
        let changed = fs::metadata(&self.file).and_then(|about| about.modified());
        let age = changed.ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        age.is_none_or(|age| age.as_micros() < u128::from(micros))
    }
}

/// The values in a directory, in the order of their names; none if there is no such directory.
pub(crate) fn values<T: Generate>(directory: &Path) -> Vec<Stored<T>> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let is_value = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "txt");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_value).collect();
    files.sort();
    files.into_iter().map(|file| Stored { value: read(&file), file }).collect()
}

fn read<T: Generate>(file: &Path) -> Result<T, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    if text.lines().next().map(str::trim_end) != Some(HEADER) {
        return Err(format!("line 1: the first line should be `{HEADER}`"));
    }
    // Comments become empty lines, so that lines keep their numbers.
    let is_comment = |line: &&str| line.starts_with('#');
    let comments = text.lines().take_while(is_comment).count();
    let value: String =
        text.lines().skip(comments).fold("\n".repeat(comments), |text, line| text + line + "\n");
    let text: Text = value.parse().map_err(|error| format!("{error}"))?;
    T::from_text(&text).map_err(|error| error.to_string())
}
