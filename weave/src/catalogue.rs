//! Bug catalogues: one TOML file per entry, data and not code.
//!
//! The weaver reads the project's own to edit sources; the build script of `mutagen-bugs` reads it, through this same file,
//! to embed it. `cargo mutagen bugs` reads those that users write for their packages.

use std::fs;
use std::path::{Path, PathBuf};

use super::toml::{self, Table, Value};

/// The environment variable that names a directory of further entries, at build time.
pub const EXTRA_BUGS: &str = "MUTAGEN_EXTRA_BUGS";

/// The packages that entries may edit.
pub const EDITABLE: &[&str] = &["wasmi", "wasmi_core", "wasmi_ir", "wasmparser"];

/// One entry: a bug, or the fix of a bug that the published engine has.
#[derive(Debug)]
pub struct Entry {
    /// Where it stands.
    pub source: PathBuf,
    /// Its name on the command line, such as `wasm-6`.
    pub id: String,
    /// `bug` or `fix`.
    pub kind: String,
    /// What goes wrong, in a few words.
    pub title: String,
    /// `validator` or `interpreter`.
    pub subsystem: String,
    /// Where the idea comes from.
    pub origin: String,
    /// What a developer would have got wrong.
    pub story: String,
    /// The package that is edited.
    pub package: String,
    /// The version that the anchors belong to.
    pub version: String,
    /// Other entries whose witnesses this one changes as well, because it cannot be otherwise.
    pub overlaps: Vec<String>,
    /// The insertions.
    pub edits: Vec<Edit>,
    /// Modules that show the difference.
    pub witnesses: Vec<Witness>,
    /// In a user's catalogue: the properties that hunt it; all of them if it names none.
    pub properties: Vec<String>,
}

/// An insertion of text next to an anchor.
#[derive(Debug)]
pub struct Edit {
    /// The line of the catalogue file on which it stands.
    pub line: usize,
    /// The file in the package.
    pub file: String,
    /// Text that stands in the file.
    pub anchor: String,
    /// How often it stands there.
    pub matches: usize,
    /// Whether the text comes after the anchor or before it.
    pub after: bool,
    /// The text; `$bug` is true while the bug is switched on.
    pub text: String,
}

/// A module that behaves differently with the entry switched on.
#[derive(Debug)]
pub struct Witness {
    /// The Wasm features that it is judged under.
    pub features: String,
    /// The module in text form.
    pub module: String,
    /// The exported function to call; none where validity is all that counts.
    pub invoke: Option<String>,
    /// The arguments, as `type:value`.
    pub arguments: Vec<String>,
    /// What happens on the plain engine.
    pub off: String,
    /// What happens with the entry switched on.
    pub on: String,
}

/// Where the catalogue's files are.
pub struct Sources {
    /// One file per entry, in the catalogue's order.
    pub files: Vec<PathBuf>,
    /// What changes when an entry comes or goes.
    pub watched: Vec<PathBuf>,
}

/// The project's own entries, in the order of `bugs/catalogue/LIST`, and those in the directory that
/// `MUTAGEN_EXTRA_BUGS` names, in the order of their file names.
///
/// The list is there for cargo, which takes a directory for changed when any file in it is: with the list, a new entry
/// is noticed and a touched one rebuilds only what it edits.
pub fn sources(project: &Path) -> Result<Sources, String> {
    let directory = project.join("bugs/catalogue");
    let list = directory.join("LIST");
    let mut files = listed(&list)?;
    if let Some(stray) = toml_files(&directory)?.into_iter().find(|file| !files.contains(file)) {
        let name = stray.file_stem().unwrap_or_default().display();
        return Err(format!(
            "{} is not listed: add the line `{name}` to {}",
            stray.display(),
            list.display()
        ));
    }
    let mut watched = vec![list];
    if let Some(extra) = std::env::var_os(EXTRA_BUGS).filter(|value| !value.is_empty()) {
        let extra = project.join(extra);
        files.extend(toml_files(&extra).map_err(|message| format!("{EXTRA_BUGS}: {message}"))?);
        watched.push(extra);
    }
    Ok(Sources { files, watched })
}

/// The entries of a user's catalogue: all TOML files of a directory, in the order of their names.
pub fn in_directory(directory: &Path, package: &str) -> Result<Vec<Entry>, String> {
    read_all(&toml_files(directory)?, |file, tables| own_entry(file, package, tables))
}

/// Reads the entries of the project's own catalogue.
pub fn read(files: &[PathBuf]) -> Result<Vec<Entry>, String> {
    read_all(files, entry)
}

type Convert<'a> = &'a dyn Fn(&Path, Vec<Table>) -> Result<Entry, toml::Error>;

fn read_all(
    files: &[PathBuf],
    convert: impl Fn(&Path, Vec<Table>) -> Result<Entry, toml::Error>,
) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    for file in files {
        let entry = read_entry(file, &convert)?;
        if number(&entry.id) == RESERVED {
            return Err(format!(
                "{}:1: the id `{}` cannot be switched on, because the number that stands for it is reserved: choose another",
                file.display(),
                entry.id
            ));
        }
        if let Some(other) = entries.iter().find(|other| number(&other.id) == number(&entry.id)) {
            let taken_by = other.source.display();
            return Err(format!("{}:1: the id `{}` is taken by {taken_by}", file.display(), entry.id));
        }
        entries.push(entry);
    }
    Ok(entries)
}

fn listed(list: &Path) -> Result<Vec<PathBuf>, String> {
    let text =
        fs::read_to_string(list).map_err(|error| format!("cannot read {}: {error}", list.display()))?;
    let ids = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(ids.map(|id| list.with_file_name(format!("{id}.toml"))).collect())
}

/// No entry may have this number: the switch at run time uses it to find out whether it is asked.
const RESERVED: u32 = 0;

/// The number by which an entry is known to the switch at run time (FNV-1a of its id, so that the woven crates and the
/// catalogue agree without a table between them).
pub fn number(id: &str) -> u32 {
    id.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn toml_files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let fail = |error: std::io::Error| format!("cannot read the directory {}: {error}", directory.display());
    let mut files = Vec::new();
    for file in fs::read_dir(directory).map_err(fail)? {
        let path = file.map_err(fail)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read_entry(file: &Path, convert: Convert<'_>) -> Result<Entry, String> {
    let at = |line: usize, message: String| format!("{}:{line}: {message}", file.display());
    let text =
        fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let tables = toml::parse(&text).map_err(|error| at(error.line, error.message))?;
    convert(file, tables).map_err(|error| at(error.line, error.message))
}

fn entry(file: &Path, tables: Vec<Table>) -> Result<Entry, toml::Error> {
    let mut tables = tables.into_iter();
    let mut root = Fields::new(tables.next().expect("a document has a root"));
    let mut entry = Entry {
        source: file.to_owned(),
        id: root.text("id")?,
        kind: root.one_of("kind", &["bug", "fix"])?,
        title: root.text("title")?,
        subsystem: root.one_of("subsystem", &["validator", "interpreter"])?,
        origin: root.text("origin")?,
        story: root.text("story")?,
        package: root.one_of("package", EDITABLE)?,
        version: root.text("version")?,
        overlaps: root.list("overlaps")?,
        edits: Vec::new(),
        witnesses: Vec::new(),
        properties: Vec::new(),
    };
    root.finish()?;
    for table in tables {
        match table.name.as_str() {
            "edit" => entry.edits.push(edit(Fields::new(table))?),
            "witness" => entry.witnesses.push(witness(Fields::new(table))?),
            other => {
                let message = format!("unknown table `{other}`; known are [[edit]] and [[witness]]");
                return Err(toml::Error { line: table.line, message });
            }
        }
    }
    for (name, missing) in [("edit", entry.edits.is_empty()), ("witness", entry.witnesses.is_empty())] {
        if missing {
            return Err(toml::Error { line: 1, message: format!("there is no [[{name}]]") });
        }
    }
    Ok(entry)
}

/// An entry of a user's catalogue: the same form, without what only WebAssembly engines have. The package has no version
/// that anchors could belong to: it is the one that is being worked on.
fn own_entry(file: &Path, package: &str, tables: Vec<Table>) -> Result<Entry, toml::Error> {
    let mut tables = tables.into_iter();
    let mut root = Fields::new(tables.next().expect("a document has a root"));
    let mut entry = Entry {
        source: file.to_owned(),
        id: root.text("id")?,
        kind: "bug".to_owned(),
        title: root.text("title")?,
        subsystem: String::new(),
        origin: root.optional_text("origin")?.unwrap_or_default(),
        story: root.optional_text("story")?.unwrap_or_default(),
        package: package.to_owned(),
        version: String::new(),
        overlaps: Vec::new(),
        edits: Vec::new(),
        witnesses: Vec::new(),
        properties: root.list("properties")?,
    };
    root.finish()?;
    for table in tables {
        if table.name != "edit" {
            let message = format!("unknown table `{}`; known is [[edit]]", table.name);
            return Err(toml::Error { line: table.line, message });
        }
        entry.edits.push(edit(Fields::new(table))?);
    }
    if entry.edits.is_empty() {
        return Err(toml::Error { line: 1, message: "there is no [[edit]]".to_owned() });
    }
    Ok(entry)
}

fn edit(mut fields: Fields) -> Result<Edit, toml::Error> {
    let edit = Edit {
        line: fields.table.line,
        file: fields.text("file")?,
        anchor: fields.text("anchor")?,
        matches: fields.count("matches")?,
        after: fields.one_of("where", &["after", "before"])? == "after",
        text: fields.text("text")?,
    };
    fields.finish()?;
    Ok(edit)
}

fn witness(mut fields: Fields) -> Result<Witness, toml::Error> {
    let witness = Witness {
        features: fields.text("features")?,
        module: fields.text("module")?,
        invoke: fields.optional_text("invoke")?,
        arguments: fields.list("arguments")?,
        off: fields.text("off")?,
        on: fields.text("on")?,
    };
    fields.finish()?;
    Ok(witness)
}

/// A table whose fields are taken one by one, so that what is missing and what is left over can be named.
struct Fields {
    table: Table,
}

impl Fields {
    fn new(table: Table) -> Self {
        Self { table }
    }

    fn take(&mut self, key: &str) -> Option<(Value, usize)> {
        let at = self.table.entries.iter().position(|(name, ..)| name == key)?;
        let (_, value, line) = self.table.entries.remove(at);
        Some((value, line))
    }

    fn required(&mut self, key: &str) -> Result<(Value, usize), toml::Error> {
        let missing = toml::Error { line: self.table.line, message: format!("the field `{key}` is missing") };
        self.take(key).ok_or(missing)
    }

    fn text(&mut self, key: &str) -> Result<String, toml::Error> {
        match self.required(key)? {
            (Value::Text(text), _) if !text.trim().is_empty() => Ok(text),
            (_, line) => {
                Err(toml::Error { line, message: format!("`{key}` should be a string that is not empty") })
            }
        }
    }

    fn optional_text(&mut self, key: &str) -> Result<Option<String>, toml::Error> {
        if self.table.entries.iter().any(|(name, ..)| name == key) {
            self.text(key).map(Some)
        } else {
            Ok(None)
        }
    }

    fn one_of(&mut self, key: &str, known: &[&str]) -> Result<String, toml::Error> {
        let line = self
            .table
            .entries
            .iter()
            .find(|(name, ..)| name == key)
            .map_or(self.table.line, |(.., line)| *line);
        let text = self.text(key)?;
        if known.contains(&text.as_str()) {
            return Ok(text);
        }
        Err(toml::Error { line, message: format!("unknown {key} `{text}`; known are {}", known.join(", ")) })
    }

    fn count(&mut self, key: &str) -> Result<usize, toml::Error> {
        match self.required(key)? {
            (Value::Integer(number @ 1..), _) => Ok(number as usize),
            (_, line) => Err(toml::Error { line, message: format!("`{key}` should be an integer from 1") }),
        }
    }

    fn list(&mut self, key: &str) -> Result<Vec<String>, toml::Error> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some((Value::List(items), _)) => Ok(items),
            Some((_, line)) => {
                Err(toml::Error { line, message: format!("`{key}` should be a list of strings") })
            }
        }
    }

    fn finish(self) -> Result<(), toml::Error> {
        match self.table.entries.first() {
            None => Ok(()),
            Some((key, _, line)) => {
                Err(toml::Error { line: *line, message: format!("unknown field `{key}`") })
            }
        }
    }
}
