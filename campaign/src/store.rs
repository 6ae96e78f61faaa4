//! The output directory: everything of a run, written so that a kill at any moment leaves whole files.
//!
//! ```text
//! DIR/lock              held while a run writes here
//! DIR/run.json          the spec of the run, written before the work starts
//! DIR/stats.json        the report of the run, replaced as a whole: short while it runs, complete at its end
//! DIR/findings/KIND-HASH.{wat,wasm,json}  a leak of a machine: .txt and .json
//! DIR/discrepancies/KIND-HASH.{wat,wasm,json}
//! DIR/corpus/HASH.wasm  modules that showed something new
//! DIR/slowest/AMOUNT-HASH.{wat,wasm}  slow modules, if the campaign looks for them
//! ```

pub mod files;
mod manifest;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use mutagen_engine::stable;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::finding::text_of;
use crate::{Error, Finding};

pub(crate) use manifest::Manifest;

/// The file that is held while a run writes to a directory.
const LOCK: &str = "lock";

/// What to do with earlier results in the output directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// Refuse to start.
    Refuse,
    /// Continue: the corpus is run first, and findings are added.
    Resume,
    /// Move them aside.
    MoveAside,
}

/// Where a finding is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folder {
    /// With the findings.
    Findings,
    /// With the differences between the unmodified engines.
    Discrepancies,
}

impl Folder {
    fn name(self) -> &'static str {
        match self {
            Folder::Findings => "findings",
            Folder::Discrepancies => "discrepancies",
        }
    }
}

/// An output directory that this run owns.
///
/// A result that cannot be stored does not end the run: other results may still be stored, and findings must
/// be reported. The first failure is kept for [`Store::complete`].
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    resumes: bool,
    failure: Mutex<Option<Error>>,
    /// Held until the run ends. The system frees it in any case.
    _lock: File,
}

impl Store {
    /// Takes the directory for this run.
    ///
    /// # Errors
    ///
    /// If another run holds it, if it has earlier results and `earlier` says to refuse these, or if it cannot
    /// be written to.
    pub fn open(directory: &Path, earlier: Earlier) -> Result<Self, Error> {
        if earlier == Earlier::MoveAside && directory.exists() {
            drop(files::lock(directory, LOCK)?);
            files::move_aside(directory)?;
        }
        let lock = files::lock(directory, LOCK)?;
        if earlier == Earlier::Refuse && directory.join(Manifest::FILE).exists() {
            return Err(Error::Earlier(directory.to_owned()));
        }
        for inside in [Folder::Findings.name(), Folder::Discrepancies.name(), "corpus"] {
            files::create(&directory.join(inside))?;
            files::sweep(&directory.join(inside))?;
        }
        let (directory, resumes) = (directory.to_owned(), earlier == Earlier::Resume);
        Ok(Self { directory, resumes, failure: Mutex::new(None), _lock: lock })
    }

    /// Whether this run continues earlier ones.
    pub(crate) fn resumes(&self) -> bool {
        self.resumes
    }

    /// Checks that everything so far could be stored.
    ///
    /// # Errors
    ///
    /// The first failure to store something.
    pub fn complete(&self) -> Result<(), Error> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    /// The path of a file at the top.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Writes a JSON file at the top.
    pub(crate) fn write_json(&self, name: &str, value: &impl Serialize) {
        self.noted(files::write_json(&self.directory.join(name), value));
    }

    /// Reads a JSON file at the top. `None` if there is none.
    pub(crate) fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        let file = self.directory.join(name);
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::unusable(file, error)),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| Error::unusable(file, error))
    }

    /// Stores a finding. Returns the path of its JSON file, if it could be stored.
    pub(crate) fn store(&self, folder: Folder, finding: &Finding) -> Option<PathBuf> {
        let base = self.base(folder, finding);
        let write =
            |extension: &str, bytes: &[u8]| self.noted(files::write(&base.with_extension(extension), bytes));
        let shown = match finding {
            Finding::Module(module) => write("wasm", &module.wasm) && write("wat", module.wat.as_bytes()),
            Finding::Leak(leak) => write("txt", format!("{}\n", leak.explanation).as_bytes()),
        };
        // The JSON file comes last: if it exists, so do the others.
        let path = base.with_extension("json");
        (shown && self.noted(files::write_json(&path, finding))).then_some(path)
    }

    /// Removes a finding that was replaced by a smaller one.
    pub(crate) fn discard(&self, folder: Folder, finding: &Finding) {
        let base = self.base(folder, finding);
        for extension in ["json", "wasm", "wat", "txt"] {
            // A file that is left over does no harm.
            let _ = fs::remove_file(base.with_extension(extension));
        }
    }

    fn base(&self, folder: Folder, finding: &Finding) -> PathBuf {
        self.directory.join(folder.name()).join(finding.file_name())
    }

    /// Stores a slow module under its cost. Returns the path of its text, if it could be stored.
    pub(crate) fn store_slow(&self, amount: u64, wasm: &[u8]) -> Option<PathBuf> {
        let directory = self.directory.join("slowest");
        // The number is padded, so that names sort like numbers.
        let base = directory.join(format!("{amount:020}-{:016x}", stable::hash(wasm)));
        let path = base.with_extension("wat");
        let stored = self.noted(files::create(&directory))
            && self.noted(files::write(&base.with_extension("wasm"), wasm))
            && self.noted(files::write(&path, text_of(wasm).as_bytes()));
        stored.then_some(path)
    }

    /// Keeps a module that showed something new. There are thousands of them, and waiting for the disk each
    /// time would take longer than all tests. So the last ones may be lost if the machine fails; a resumed
    /// run skips them.
    pub(crate) fn keep(&self, wasm: &[u8]) {
        let name = format!("{:016x}.wasm", stable::hash(wasm));
        let path = self.directory.join("corpus").join(name);
        if !path.exists() {
            self.noted(files::replace(&path, wasm, |_| Ok(())));
        }
    }

    /// The modules that earlier runs kept, in the order of their names.
    pub(crate) fn corpus(&self) -> Result<Vec<Vec<u8>>, Error> {
        let directory = self.directory.join("corpus");
        let fail = |error: std::io::Error| Error::unusable(&directory, error);
        let mut files: Vec<PathBuf> = fs::read_dir(&directory)
            .and_then(|files| files.map(|file| file.map(|file| file.path())).collect())
            .map_err(fail)?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "wasm"));
        files.sort();
        files.iter().map(|file| fs::read(file).map_err(fail)).collect()
    }

    /// Whether the result was stored. If not, the first reason is kept.
    fn noted(&self, done: Result<(), Error>) -> bool {
        if let Err(error) = done {
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            return false;
        }
        true
    }
}
