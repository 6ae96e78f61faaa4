//! The folder of a property: its corpus, and the counterexamples that `cargo test` tests first.

use crate::{Failure, Generate, NoText, Text, stable};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The first line of a stored value. The number is raised when older engines could not read newer files.
const HEADER: &str = "# mutagen value, format 1";

/// `mutagen/NAME/` in the package of a property.
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
            NotStored::NoText(reason) => reason.fmt(formatter),
            NotStored::Io(file, error) => write!(formatter, "{}: {error}", file.display()),
        }
    }
}

impl Folder {
    /// The folder of the property with this name in the package that lies there.
    pub(crate) fn new(package: &Path, name: &str) -> Self {
        Folder { path: package.join("mutagen").join(name) }
    }

    pub(crate) fn findings(&self) -> PathBuf {
        self.path.join("findings")
    }

    pub(crate) fn corpus(&self) -> PathBuf {
        self.path.join("corpus")
    }

    /// Stores a counterexample with what is known about it. Gives the file.
    pub(crate) fn store_finding<T: Generate>(
        &self,
        property: &str,
        value: &T,
        failure: &Failure,
    ) -> Result<PathBuf, NotStored> {
        let text = value.to_text().map_err(NotStored::NoText)?.to_string();
        let kind: String = failure.kind.chars().filter(char::is_ascii_alphanumeric).collect();
        let file = self.findings().join(format!("{kind}-{:016x}.txt", stable::hash(text.as_bytes())));
        let about = format!("property: {property}\nfailure: {}", failure.message);
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

/// Writes a file that is whole or not there, whenever the process ends.
fn store(file: PathBuf, about: &str, text: &str) -> Result<PathBuf, NotStored> {
    let mut content = format!("{HEADER}\n");
    for line in about.lines() {
        content += &format!("# {line}\n");
    }
    content += text;
    content.push('\n');
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
