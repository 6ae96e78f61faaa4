//! The output directory: everything of a run, written so that a kill at any moment leaves whole files.
//!
//! ```text
//! DIR/lock              held while a run writes here
//! DIR/workers.lock      held by the workers of a run, which may outlive it for a moment
//! DIR/run.json          the spec of the run, written before the work starts
//! DIR/stats.json        the report of the run, replaced as a whole: short while it runs, complete at its end
//! DIR/findings/KIND-HASH.{wat,wasm,json}  a leak of a machine: .txt and .json
//! DIR/findings/README.md  what these files are, written with the first of them
//! DIR/discrepancies/KIND-HASH.{wat,wasm,json}
//! DIR/reference/KIND-HASH.{wat,wasm,json}  modules on which the reference ends the process
//! DIR/unjudged/KIND-HASH.{wat,wasm,json}  modules during which a worker died, for the next run to judge
//! DIR/corpus/HA/HASH.wasm  modules that showed something new
//! DIR/plot.csv          how it went over time: a row every few seconds, appended
//! DIR/report.html       the page of the campaign, replaced as a whole; written by whoever shows it
//! DIR/known.toml        groups that the user knows; read, never written
//! DIR/slowest/AMOUNT-HASH.{wat,wasm}  slow modules, if the campaign looks for them
//! ```
//!
//! Nothing is written through a link inside of the directory, and no file that a run did not write is removed.

mod corpus;
mod disk;
pub mod files;
mod manifest;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use mutagen_engine::stable;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::finding::text_of;
use crate::{Error, Finding, FindingReport, Group, Groups, Known, Plot, Stored};

pub use disk::{Disk, Step};
pub(crate) use manifest::Manifest;

/// The file that is held while a run writes to a directory.
pub(crate) const LOCK: &str = "lock";
/// The file that all workers of a run hold together.
const WORKERS: &str = "workers.lock";
/// The file that says what the findings are.
const README: &str = "README.md";
/// Its text.
const FINDINGS_README: &str = include_str!("store/findings.md");
/// The folder of modules that showed something new.
const CORPUS: &str = "corpus";

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
    /// With the modules on which the reference ends the process.
    Reference,
    /// With the modules during which a worker died, and which nobody had the time to judge.
    Unjudged,
}

impl Folder {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Folder::Findings => "findings",
            Folder::Discrepancies => "discrepancies",
            Folder::Reference => "reference",
            Folder::Unjudged => "unjudged",
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
    disk: Disk,
    resumes: bool,
    failure: Mutex<Option<Error>>,
    /// Whether the supervisor of this process owns the directory.
    joined: bool,
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
        Self::open_on(Disk::default(), directory, earlier)
    }

    /// The same, on this disk.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn open_on(disk: Disk, directory: &Path, earlier: Earlier) -> Result<Self, Error> {
        let mut lock = disk.lock(directory, LOCK)?;
        disk.outlast(directory, WORKERS)?;
        let has_results = || fs::symlink_metadata(directory.join(Manifest::FILE)).is_ok();
        match earlier {
            Earlier::Refuse if has_results() => return Err(Error::Earlier(directory.to_owned())),
            Earlier::MoveAside if has_results() => {
                // The old lock is held until the new one is: of two runs that do this at once, one is refused.
                let aside = disk.move_aside(directory)?;
                lock = disk.lock(directory, LOCK)?;
                // What the user wrote goes on to apply.
                if let Ok(known) = disk::read(&aside.join(Known::FILE)) {
                    disk.write(&directory.join(Known::FILE), &known)?;
                }
            }
            _ => {}
        }
        for folder in [Folder::Findings, Folder::Discrepancies] {
            disk.make_inside(&directory.join(folder.name()))?;
            disk.sweep(&directory.join(folder.name()))?;
        }
        // These are there only if there is something in them.
        for folder in [Folder::Reference, Folder::Unjudged] {
            let folder = directory.join(folder.name());
            if disk::is_folder(&folder) {
                disk.sweep(&folder)?;
            }
        }
        disk.make_inside(&directory.join(CORPUS))?;
        corpus::sweep(&disk, &directory.join(CORPUS))?;
        disk.sweep(directory)?;
        let (directory, resumes) = (directory.to_owned(), earlier == Earlier::Resume);
        Ok(Self { directory, disk, resumes, failure: Mutex::new(None), joined: false, _lock: lock })
    }

    /// Uses the directory of a supervisor: findings and modules are stored there, but neither spec nor statistics.
    pub(crate) fn join(directory: &Path, resumes: bool) -> Result<Self, Error> {
        let disk = Disk::default();
        let lock = disk.share(directory, WORKERS)?;
        let directory = directory.to_owned();
        Ok(Self { directory, disk, resumes, failure: Mutex::new(None), joined: true, _lock: lock })
    }

    /// Whether the supervisor of this process owns the directory.
    pub(crate) fn is_joined(&self) -> bool {
        self.joined
    }

    /// The findings that are stored and are the exemplars of none of these groups.
    pub(crate) fn left_over(&self, groups: &[Group]) -> Vec<FindingReport> {
        let mut left_over = self.findings();
        left_over.retain(|left| !groups.iter().any(|group| group.is_stored_as(&left.finding.file_name())));
        left_over
    }

    /// Removes a finding whose group has another exemplar.
    pub(crate) fn discard_file(&self, file: &Path) {
        let name = file.file_stem().unwrap_or_default();
        if let Some(left) = self.findings().iter().find(|left| name == left.finding.file_name().as_str()) {
            self.discard(Folder::Findings, &left.finding);
        }
    }

    /// The groups that the user knows, if the directory lists them.
    pub(crate) fn known(&self) -> Result<Option<Known>, Error> {
        let file = self.file(Known::FILE);
        match fs::symlink_metadata(&file) {
            Err(_) => Ok(None),
            Ok(_) => Known::read(&file).map(Some),
        }
    }

    /// Adds the groups of earlier runs, by their statistics. Returns the findings that are stored and are the exemplars of
    /// none of them: a run was killed before it had shrunk or counted them.
    pub(crate) fn resume(&self, earlier: Vec<Group>, groups: &mut Groups) -> Vec<FindingReport> {
        let mut stored = self.findings();
        for group in earlier {
            let place = stored.iter().position(|report| group.is_stored_as(&report.finding.file_name()));
            let exemplar = place.map(|place| stored.swap_remove(place));
            groups.resume(group, exemplar);
        }
        stored.sort_by_key(|report| report.finding.file_name());
        stored
    }

    /// All findings that are stored.
    fn findings(&self) -> Vec<FindingReport> {
        let found = |(file, finding)| FindingReport { finding, tests: 0, seconds: 0.0, file: Some(file) };
        stored_findings(&self.directory).map(found).collect()
    }

    /// Whether something could not be stored.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
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

    /// The directory.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The path of a file at the top.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Writes a JSON file at the top.
    pub(crate) fn write_json(&self, name: &str, value: &impl Serialize) {
        let path = self.directory.join(name);
        self.noted(self.write_json_at(&path, value));
    }

    fn write_json_at(&self, path: &Path, value: &impl Serialize) -> Result<(), Error> {
        self.disk.write(path, &files::json(path, value)?)
    }

    /// Reads a JSON file at the top. `None` if there is none.
    pub(crate) fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        read_json(&self.directory.join(name))
    }

    /// Stores a finding. Returns the path of its JSON file, if it could be stored.
    pub(crate) fn store(&self, folder: Folder, finding: &Finding) -> Option<PathBuf> {
        if matches!(folder, Folder::Reference | Folder::Unjudged) {
            self.noted(self.disk.make_inside(&self.directory.join(folder.name())));
        }
        let base = self.base(folder, finding);
        let write = |extension: &str, bytes: &[u8]| {
            self.noted(self.disk.write(&base.with_extension(extension), bytes))
        };
        let shown = match finding {
            Finding::Module(module) => write("wasm", &module.wasm) && write("wat", module.wat.as_bytes()),
            Finding::Leak(leak) => write("txt", format!("{}\n", leak.explanation).as_bytes()),
        };
        // The JSON file comes last: if it exists, so do the others.
        let path = base.with_extension("json");
        let is_stored = shown && self.noted(self.write_json_at(&path, finding));
        if is_stored && folder == Folder::Findings {
            self.explain_findings();
        }
        is_stored.then_some(path)
    }

    /// Says beside the first finding what its files are. Whoever wrote something else there keeps it.
    fn explain_findings(&self) {
        let path = self.directory.join(Folder::Findings.name()).join(README);
        if fs::symlink_metadata(&path).is_err() {
            self.noted(self.disk.write(&path, FINDINGS_README.as_bytes()));
        }
    }

    /// The JSON files of a folder.
    pub(crate) fn files_of(&self, folder: Folder) -> Vec<PathBuf> {
        let mut files = disk::entries(&self.directory.join(folder.name())).unwrap_or_default();
        files.retain(|file| file.extension().is_some_and(|end| end == "json"));
        files
    }

    /// How many findings are in a folder.
    pub(crate) fn count(&self, folder: Folder) -> usize {
        self.files_of(folder).len()
    }

    /// Removes a finding that was replaced by a smaller one.
    pub(crate) fn discard(&self, folder: Folder, finding: &Finding) {
        let base = self.base(folder, finding);
        for extension in ["json", "wasm", "wat", "txt"] {
            self.disk.remove(&base.with_extension(extension));
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
        let stored = self.noted(self.disk.make_inside(&directory))
            && self.noted(self.disk.write(&base.with_extension("wasm"), wasm))
            && self.noted(self.disk.write(&path, text_of(wasm).as_bytes()));
        stored.then_some(path)
    }

    /// Keeps a module that showed something new.
    pub(crate) fn keep(&self, wasm: &[u8]) {
        self.noted(corpus::keep(&self.disk, &self.directory.join(CORPUS), wasm));
    }

    /// Removes a module that shows nothing that others do not show as well.
    pub(crate) fn forget(&self, wasm: &[u8]) {
        let path = corpus::path_of(&self.directory.join(CORPUS), wasm);
        if disk::is_regular(&path) {
            self.disk.remove(&path);
        }
    }

    /// The modules that earlier runs kept, new and small ones first.
    pub(crate) fn corpus(&self) -> Result<Vec<Vec<u8>>, Error> {
        Ok(corpus_below(&self.directory)?.into_iter().map(|(_, wasm)| wasm).collect())
    }

    /// Goes on with the plot of the campaign.
    pub(crate) fn plot(&self) -> Result<Plot, Error> {
        Plot::open(&self.disk, &self.directory)
    }

    /// Whether the result was stored. If not, the first reason is kept.
    pub(crate) fn noted(&self, done: Result<(), Error>) -> bool {
        if let Err(error) = done {
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            return false;
        }
        true
    }
}

/// Reads a JSON file of an output directory. `None` if there is none.
pub(crate) fn read_json<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, Error> {
    let bytes = match disk::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::unusable(file, error)),
    };
    // A list would do for a struct whose fields all have defaults.
    let read = match serde_json::from_slice(&bytes) {
        Ok(value @ serde_json::Value::Object(_)) => serde_json::from_value(value),
        Ok(_) => return Err(Error::unusable(file, "this is no JSON object")),
        Err(error) => Err(error),
    };
    read.map(Some).map_err(|error| Error::unusable(file, error))
}

/// The files of the corpus in an output directory with their modules, new and small ones first.
pub(crate) fn corpus_below(directory: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
    corpus::read(&directory.join(CORPUS))
}

/// Reads a text file of an output directory. `None` if there is none.
pub(crate) fn read_text_inside(file: &Path) -> Result<Option<String>, Error> {
    match disk::read(file) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::unusable(file, error)),
    }
}

/// The findings in an output directory, by the names of their files. What is no finding is left out.
pub(crate) fn stored_findings(directory: &Path) -> impl Iterator<Item = (PathBuf, Finding)> {
    let files = disk::entries(&directory.join(Folder::Findings.name())).unwrap_or_default().into_iter();
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "json"));
    files.filter_map(|file| match Finding::read(&file) {
        Ok(Stored::Finding(finding)) => Some((file, finding)),
        _ => None,
    })
}

/// The files of the corpus in an output directory. There are none if it cannot be listed.
pub fn corpus_files(directory: &Path) -> Vec<PathBuf> {
    corpus::files(&directory.join(CORPUS)).unwrap_or_default()
}
