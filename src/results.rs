//! The output directory: everything of a run, written so that a kill at any moment leaves whole files.
//!
//! ```text
//! DIR/lock              held while a run writes here
//! DIR/run.json          what was asked for, written before the work starts
//! DIR/stats.json        the JSON object of the run, replaced as a whole: short while it runs, complete at its end
//! DIR/findings/KIND-HASH.{wat,wasm,json}  a leak of a machine: .txt and .json
//! DIR/discrepancies/KIND-HASH.{wat,wasm,json}
//! DIR/corpus/HASH.wasm  modules that showed something new
//! DIR/slowest/AMOUNT-HASH.{wat,wasm}  modules that were slow, if that was looked for
//! ```

use std::fs::{self, File, Permissions, TryLockError};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::evidence::{Evidence, hash, text_of};
use crate::exit_code::{Code, Failure};

/// The file that is held while a run writes to a directory.
const LOCK: &str = "lock";

/// What to do with results that are there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// Refuse to start.
    Refuse,
    /// Go on: the corpus is run first, and findings are added.
    Resume,
    /// Move them aside.
    MoveAside,
}

/// Where results go.
#[derive(Args, Debug, Clone)]
pub struct OutputFlags {
    /// Stores findings, statistics and, of modules, the corpus here
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Moves earlier results in the output directory aside
    #[arg(long, requires = "output")]
    pub fresh: bool,
}

impl OutputFlags {
    /// The output directory, if there is one.
    pub fn results(&self, resume: bool) -> Result<Option<Results>, Failure> {
        let earlier = match (resume, self.fresh) {
            (true, _) => Earlier::Resume,
            (_, true) => Earlier::MoveAside,
            _ => Earlier::Refuse,
        };
        self.output.as_deref().map(|directory| Results::open(directory, earlier)).transpose()
    }
}

/// How the names of hidden files end that are being written.
const UNFINISHED: &str = ".part";

/// An output directory that this run owns.
///
/// What cannot be stored does not end the run: the rest may still be, and what was found must be told. The first failure
/// is remembered for [`Results::complete`].
#[derive(Debug)]
pub struct Results {
    directory: PathBuf,
    failure: Mutex<Option<Failure>>,
    /// Held for the life of the run; the system frees it however the run ends.
    _lock: File,
}

impl Results {
    /// Takes the directory for this run.
    pub fn open(directory: &Path, earlier: Earlier) -> Result<Self, Failure> {
        if earlier == Earlier::MoveAside && directory.exists() {
            drop(lock(directory, LOCK)?);
            move_aside(directory)?;
        }
        let lock = lock(directory, LOCK)?;
        if earlier == Earlier::Refuse && directory.join("run.json").exists() {
            return Err(Failure::new(
                Code::Busy,
                format!(
                    "{} holds earlier results: go on with --resume (modules), or move them aside with --fresh",
                    directory.display()
                ),
            ));
        }
        for inside in ["findings", "discrepancies", "corpus"] {
            create(&directory.join(inside))?;
            sweep(&directory.join(inside))?;
        }
        Ok(Self { directory: directory.to_owned(), failure: Mutex::new(None), _lock: lock })
    }

    /// Writes a JSON file at the top.
    pub fn write_json(&self, name: &str, value: &Value) {
        self.write(&self.directory.join(name), format!("{value:#}\n").as_bytes());
    }

    /// A JSON file at the top; null if there is none.
    pub fn read_json(&self, name: &str) -> Value {
        let bytes = fs::read(self.directory.join(name)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// What all earlier runs in this directory did together, by name: nothing if there were none.
    pub fn earlier_totals(&self) -> Value {
        self.read_json("stats.json")["total"].clone()
    }

    /// Removes evidence that something better took the place of.
    pub fn discard(&self, inside: &str, evidence: &Evidence) {
        let base = self.directory.join(inside).join(evidence.file_name());
        for extension in ["wasm", "wat", "json"] {
            // A file too many is no harm.
            let _ = fs::remove_file(base.with_extension(extension));
        }
    }

    /// Stores evidence under `findings` or `discrepancies`. Gives the path of its JSON file, if it could be stored.
    pub fn store(&self, inside: &str, evidence: &Evidence) -> Option<PathBuf> {
        let base = self.directory.join(inside).join(evidence.file_name());
        let path = base.with_extension("json");
        let stored = self.write(&base.with_extension("wasm"), &evidence.wasm)
            && self.write(&base.with_extension("wat"), evidence.wat().as_bytes())
            && self.write(&path, format!("{:#}\n", evidence.json()).as_bytes());
        stored.then_some(path)
    }

    /// Stores a leak, as text and for [`replay`](crate::replay). Gives the path of its JSON file, if it could be stored.
    pub fn store_leak(&self, explanation: &str, record: &Value) -> Option<PathBuf> {
        let base = self.directory.join("findings").join(format!("leak-{}", hash(explanation.as_bytes())));
        let path = base.with_extension("json");
        let stored = self.write(&base.with_extension("txt"), format!("{explanation}\n").as_bytes())
            && self.write(&path, format!("{record:#}\n").as_bytes());
        stored.then_some(path)
    }

    /// Stores a module that cost so much. Gives the path of its text, if it could be stored.
    pub fn store_slow(&self, amount: u64, wasm: &[u8]) -> Option<PathBuf> {
        let directory = self.directory.join("slowest");
        // Padded, so that names sort as numbers do.
        let base = directory.join(format!("{amount:020}-{}", hash(wasm)));
        let path = base.with_extension("wat");
        let stored = self.noted(create(&directory))
            && self.write(&base.with_extension("wasm"), wasm)
            && self.write(&path, text_of(wasm).as_bytes());
        stored.then_some(path)
    }

    /// Keeps a module that showed something new. There are thousands, and waiting for the disk each time would take longer than
    /// all tests: if the machine itself fails, the last ones may be lost, and resuming skips them.
    pub fn keep(&self, wasm: &[u8]) {
        let path = self.directory.join("corpus").join(format!("{}.wasm", hash(wasm)));
        if !path.exists() {
            self.noted(replace(&path, wasm, |_| Ok(())));
        }
    }

    /// Whether everything until now could be stored.
    pub fn complete(&self) -> Result<(), Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> bool {
        self.noted(write(path, bytes))
    }

    /// Whether it was done; if not, the reason is remembered.
    fn noted(&self, done: Result<(), Failure>) -> bool {
        if let Err(failure) = done {
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
            return false;
        }
        true
    }

    /// The modules that earlier runs kept, in the order of their names.
    pub fn corpus(&self) -> Result<Vec<Vec<u8>>, Failure> {
        let directory = self.directory.join("corpus");
        let fail =
            |error: std::io::Error| Failure::new(Code::Unusable, format!("{}: {error}", directory.display()));
        let mut files: Vec<PathBuf> = fs::read_dir(&directory)
            .and_then(|files| files.map(|file| file.map(|file| file.path())).collect())
            .map_err(fail)?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "wasm"));
        files.sort();
        files.iter().map(|file| fs::read(file).map_err(fail)).collect()
    }
}

/// Takes a directory, or the part of it that `name` stands for, until the file is dropped.
pub fn lock(directory: &Path, name: &str) -> Result<File, Failure> {
    create(directory)?;
    let path = directory.join(name);
    let cannot = |error: std::io::Error| {
        Failure::new(
            Code::Usage,
            format!("cannot write to the output directory {}: {error}", directory.display()),
        )
    };
    let file = File::create(&path).map_err(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(Failure::new(Code::Busy, format!("another run is writing to {}", directory.display())))
        }
        Err(TryLockError::Error(error)) => Err(cannot(error)),
    }
}

/// Makes a directory, unless it is there.
pub fn create(directory: &Path) -> Result<(), Failure> {
    fs::create_dir_all(directory).map_err(|error| {
        Failure::usage(format!("cannot make the output directory {}: {error}", directory.display()))
    })
}

/// Removes what a run that was killed had begun to write. The lock is held: nobody else is writing.
fn sweep(directory: &Path) -> Result<(), Failure> {
    let fail = |error: std::io::Error| {
        Failure::new(Code::NotStored, format!("cannot clean up {}: {error}", directory.display()))
    };
    for file in fs::read_dir(directory).map_err(fail)? {
        let file = file.map_err(fail)?;
        let name = file.file_name();
        if name.to_string_lossy().starts_with('.') && name.to_string_lossy().ends_with(UNFINISHED) {
            fs::remove_file(file.path()).map_err(fail)?;
        }
    }
    Ok(())
}

/// Renames the directory to the first free `DIR.old-N`.
fn move_aside(directory: &Path) -> Result<(), Failure> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let free = (1..)
        .map(|number| directory.with_file_name(format!("{name}.old-{number}")))
        .find(|path| !path.exists());
    let Some(aside) = free else { return Ok(()) };
    fs::rename(directory, &aside)
        .map_err(|error| Failure::usage(format!("cannot move {} aside: {error}", directory.display())))
}

/// Writes a JSON file as a whole or not at all.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::new(Code::Internal, format!("cannot make {}: {error}", path.display())))?;
    write(path, (text + "\n").as_bytes())
}

/// Writes a file as a whole or not at all, even if the machine fails.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    replace(path, bytes, File::sync_all)
}

/// Writes a file beside its place, lets `sync` wait for the disk, and renames it.
fn replace(path: &Path, bytes: &[u8], sync: fn(&File) -> std::io::Result<()>) -> Result<(), Failure> {
    let store = || -> std::io::Result<()> {
        let directory = path.parent().unwrap_or(Path::new("."));
        // Results are for others to read, unlike temporary files; the user's umask still counts.
        let mode = Permissions::from_mode(0o666);
        let mut file = tempfile::Builder::new()
            .prefix(".")
            .suffix(UNFINISHED)
            .permissions(mode)
            .tempfile_in(directory)?;
        file.write_all(bytes)?;
        sync(file.as_file())?;
        file.persist(path)?;
        Ok(())
    };
    store()
        .map_err(|error| Failure::new(Code::NotStored, format!("cannot store {}: {error}", path.display())))
}
