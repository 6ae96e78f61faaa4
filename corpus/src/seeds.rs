//! Importing modules of others as seeds: text, binary, and the modules of scripts.

mod script;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mutagen_campaign::store::files;
use mutagen_campaign::{Error, input};
use mutagen_engine::stable;
use mutagen_wasm_ast::{DecodeError, Module};

use script::Found;

/// How the reason begins for which modules are left out that a script calls malformed.
pub const MALFORMED: &str = "malformed on purpose";

/// How many characters of a file's name are in the name of its seed. With the hash it must not be longer than a name may be.
const LONGEST_STEM: usize = 50;

/// What was imported, and what was left out.
#[derive(Debug, Default)]
pub struct Seeds {
    /// The modules, by the names of their files.
    pub modules: BTreeMap<String, Vec<u8>>,
    /// How many modules were met more than once.
    pub repeated: usize,
    /// What cannot be used.
    pub left_out: Vec<LeftOut>,
    /// The hashes of the modules.
    known: BTreeSet<u64>,
}

/// A file or module that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The file.
    pub file: PathBuf,
    /// The line in it, if it is a script.
    pub line: Option<usize>,
    /// The reason.
    pub why: String,
}

/// Reads the modules of files and directories: `.wasm`, `.wat`, and the modules of `.wast` scripts. Directories are searched to
/// the bottom, and links in them are not followed. Modules that no campaign can start from are left out.
///
/// ```
/// let directory = tempfile::tempdir()?;
/// let script = "(module) (assert_invalid (module (func (result i32))) \"type mismatch\") (module (tag))";
/// std::fs::write(directory.path().join("some.wast"), script)?;
/// let seeds = mutagen_corpus::import(&[directory.path().to_owned()]);
/// assert_eq!((seeds.modules.len(), seeds.left_out.len()), (2, 1));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn import(paths: &[PathBuf]) -> Seeds {
    let mut seeds = Seeds::default();
    paths.iter().for_each(|path| seeds.add(path));
    seeds
}

impl Seeds {
    /// Writes each module to a file of its own. A file that is there already stays, since its name says what is in it.
    ///
    /// # Errors
    ///
    /// If a file cannot be stored.
    pub fn write(&self, directory: &Path) -> Result<(), Error> {
        files::create(directory)?;
        for (name, wasm) in &self.modules {
            let file = directory.join(name);
            if fs::symlink_metadata(&file).is_err() {
                files::write_soon(&file, wasm)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &Path) {
        match path.is_dir() {
            true => self.add_below(path),
            false => self.add_file(path),
        }
    }

    fn add_below(&mut self, directory: &Path) {
        let listed = fs::read_dir(directory).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
        let mut entries = match listed {
            Ok(entries) => entries,
            Err(error) => return self.leave_out(directory, None, error),
        };
        entries.sort_by_key(fs::DirEntry::path);
        for entry in entries {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.add_below(&path),
                Ok(kind) if kind.is_file() && is_named_like_a_module(&path) => self.add_file(&path),
                Ok(kind) if kind.is_symlink() && is_named_like_a_module(&path) => {
                    self.leave_out(&path, None, "this is a link");
                }
                _ => {}
            }
        }
    }

    fn add_file(&mut self, file: &Path) {
        if file.extension().is_some_and(|extension| extension == "wast") {
            match files::read_text(file) {
                Ok(text) => self.add_script(file, &text),
                Err(error) => self.leave_out_for(file, error),
            }
        } else {
            match input::read(file) {
                Ok(wasm) => self.add_module(file, wasm),
                Err(error) => self.leave_out_for(file, error),
            }
        }
    }

    fn add_script(&mut self, file: &Path, text: &str) {
        match script::modules(text) {
            Ok(modules) => modules.into_iter().for_each(|found| self.add_found(file, found)),
            Err((line, why)) => self.leave_out(file, Some(line), why),
        }
    }

    fn add_found(&mut self, file: &Path, Found { line, is_malformed, module }: Found) {
        let usable = module.and_then(|wasm| usable(wasm).map_err(|error| error.to_string()));
        match usable {
            Ok(wasm) => self.keep(file, Some(line), wasm),
            Err(why) if is_malformed => self.leave_out(file, Some(line), format!("{MALFORMED}: {why}")),
            Err(why) => self.leave_out(file, Some(line), why),
        }
    }

    fn add_module(&mut self, file: &Path, wasm: Vec<u8>) {
        match usable(wasm) {
            Ok(wasm) => self.keep(file, None, wasm),
            Err(error) => self.leave_out(file, None, error),
        }
    }

    fn keep(&mut self, file: &Path, line: Option<usize>, wasm: Vec<u8>) {
        let hash = stable::hash(&wasm);
        if !self.known.insert(hash) {
            self.repeated += 1;
            return;
        }
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let stem: String = stem.chars().take(LONGEST_STEM).collect();
        let line = line.map(|line| format!("-{line}")).unwrap_or_default();
        self.modules.insert(format!("{stem}{line}-{hash:016x}.wasm"), wasm);
    }

    fn leave_out(&mut self, file: &Path, line: Option<usize>, why: impl ToString) {
        self.left_out.push(LeftOut { file: file.to_owned(), line, why: why.to_string() });
    }

    /// The message of such an error names the file itself.
    fn leave_out_for(&mut self, file: &Path, error: Error) {
        match error {
            Error::Unusable { why, .. } => self.leave_out(file, None, why),
            other => self.leave_out(file, None, other),
        }
    }
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(formatter, "{}{line}: {}", self.file.display(), self.why)
    }
}

/// The module, if a campaign can start from it: if the syntax tree can express it.
fn usable(wasm: Vec<u8>) -> Result<Vec<u8>, DecodeError> {
    Module::decode(&wasm)?;
    Ok(wasm)
}

fn is_named_like_a_module(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["wasm", "wat", "wast"].iter().any(|known| extension == *known))
}
