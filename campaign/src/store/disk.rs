//! The disk: files that are written as a whole or not at all, and never through links.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::Error;

/// The beginning and the end of the names of files that are being written. No other file has such a name.
const UNFINISHED: (&str, &str) = (".mutagen-", ".part");
/// Larger files are not read.
const MOST_BYTES: u64 = 64 << 20;
/// How often a lock is tried again, if the directory was moved aside in between.
const LOCK_TRIES: usize = 10;
/// How often a lock that is held is tried again.
const SHORT_TRIES: usize = 5;
/// How long the workers of a run that was killed may take to end.
const OUTLAST: Duration = Duration::from_secs(10);

/// The disk on which results are stored. A test can let any of its steps fail, or be the last.
#[derive(Clone, Default)]
pub struct Disk {
    fault: Option<Arc<Fault>>,
}

/// Asked before each step.
type Fault = dyn Fn(Step, &Path) -> io::Result<()> + Send + Sync;

/// One step of storing something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A directory is made.
    Make,
    /// A temporary file is made.
    Begin,
    /// It is written.
    Write,
    /// The disk is waited for.
    Sync,
    /// The file gets its name.
    Rename,
    /// The disk is waited for again, until it knows that name.
    SyncName,
    /// A file that was replaced is removed.
    Remove,
}

impl fmt::Debug for Disk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Disk {{ faulty: {} }}", self.fault.is_some())
    }
}

impl Disk {
    /// A disk that asks `fault` before each step. The step fails if that gives an error.
    pub fn faulty(fault: impl Fn(Step, &Path) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Disk { fault: Some(Arc::new(fault)) }
    }

    fn step(&self, step: Step, path: &Path) -> io::Result<()> {
        self.fault.as_ref().map_or(Ok(()), |fault| fault(step, path))
    }

    /// Makes a directory, unless it exists.
    pub(super) fn make(&self, directory: &Path) -> Result<(), Error> {
        let made = self.step(Step::Make, directory).and_then(|()| fs::create_dir_all(directory));
        made.map_err(|source| Error::Directory { what: "make", directory: directory.to_owned(), source })
    }

    /// Makes a directory inside of an output directory, unless it exists. A link in its place is refused: what it leads to
    /// is not ours.
    pub(super) fn make_inside(&self, directory: &Path) -> Result<(), Error> {
        match fs::symlink_metadata(directory) {
            Ok(_) if is_folder(directory) => Ok(()),
            Ok(_) => Err(Error::Directory {
                what: "use",
                directory: directory.to_owned(),
                source: io::Error::other(
                    "it is a link or a file; remove it, or choose another output directory",
                ),
            }),
            // Only this one: if the output directory is gone, nobody wants it back.
            Err(_) => {
                let made = self.step(Step::Make, directory).and_then(|()| match fs::create_dir(directory) {
                    // Another part of a benchmark was faster.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_folder(directory) => {
                        Ok(())
                    }
                    made => made,
                });
                made.map_err(|source| Error::Directory {
                    what: "make",
                    directory: directory.to_owned(),
                    source,
                })
            }
        }
    }

    /// Locks a directory, or the part of it that `name` stands for, until the file is dropped. The content of a file of
    /// that name stays as it is.
    pub(super) fn lock(&self, directory: &Path, name: &str) -> Result<File, Error> {
        self.lock_with(directory, name, File::try_lock)
    }

    /// The same for several at once, none of which has it for itself.
    pub(super) fn share(&self, directory: &Path, name: &str) -> Result<File, Error> {
        self.lock_with(directory, name, File::try_lock_shared)
    }

    /// Waits until nobody holds this lock any more: the workers of a run that was killed end soon after it.
    pub(super) fn outlast(&self, directory: &Path, name: &str) -> Result<(), Error> {
        let longest = Instant::now() + OUTLAST;
        loop {
            match self.lock(directory, name) {
                Err(Error::Busy(_)) if Instant::now() < longest => thread::sleep(Duration::from_millis(20)),
                locked => return locked.map(|_| ()),
            }
        }
    }

    fn lock_with(
        &self,
        directory: &Path,
        name: &str,
        try_lock: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> Result<File, Error> {
        let (path, owned) = (directory.join(name), || directory.to_owned());
        let cannot = |source| Error::Directory { what: "lock", directory: owned(), source };
        let mut gone = None;
        for _ in 0..LOCK_TRIES {
            self.make(directory)?;
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let file = match options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(&path) {
                Ok(file) => file,
                // Another run has just moved the directory aside.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    gone = Some(error);
                    continue;
                }
                Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {
                    return Err(cannot(io::Error::other(format!("`{name}` in it is a link"))));
                }
                Err(error) => return Err(cannot(error)),
            };
            let held = file.metadata().map_err(cannot)?;
            if !held.is_file() {
                return Err(cannot(io::Error::other(format!("`{name}` in it is no regular file"))));
            }
            match patiently(|| try_lock(&file)) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Error::Busy(owned())),
                Err(TryLockError::Error(error)) => return Err(cannot(error)),
            }
            // If the directory was moved aside in between, this is the lock of the old one.
            let same = |now: fs::Metadata| (now.dev(), now.ino()) == (held.dev(), held.ino());
            if fs::symlink_metadata(&path).is_ok_and(same) {
                return Ok(file);
            }
        }
        Err(gone.map_or_else(|| Error::Busy(owned()), cannot))
    }

    /// Renames the directory to the first free `DIR.old-N`, and returns that name.
    pub(super) fn move_aside(&self, directory: &Path) -> Result<PathBuf, Error> {
        let cannot =
            |source| Error::Directory { what: "move aside", directory: directory.to_owned(), source };
        // `.` and the like have no name of their own.
        let whole = fs::canonicalize(directory).map_err(cannot)?;
        let name = whole.file_name().unwrap_or_default();
        let numbered = |number: u32| {
            let mut name = name.to_owned();
            name.push(format!(".old-{number}"));
            whole.with_file_name(name)
        };
        let aside = (1..).map(numbered).find(|path| fs::symlink_metadata(path).is_err());
        let aside = aside.ok_or_else(|| cannot(io::Error::other("no name is free")))?;
        self.step(Step::Rename, &aside).and_then(|()| fs::rename(&whole, &aside)).map_err(cannot)?;
        Ok(aside)
    }

    /// Removes unfinished files of a run that was killed. This run holds the lock, so nobody else is writing.
    pub(super) fn sweep(&self, directory: &Path) -> Result<(), Error> {
        for file in entries(directory)? {
            if is_unfinished(file.file_name().unwrap_or_default()) && is_regular(&file) {
                self.remove(&file);
            }
        }
        Ok(())
    }

    /// Removes a file. One that is left over does no harm.
    pub(super) fn remove(&self, path: &Path) {
        let _ = self.step(Step::Remove, path).and_then(|()| fs::remove_file(path));
    }

    /// Writes a file as a whole or not at all, even if the machine fails.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        self.replace(path, bytes, true)
    }

    /// Writes a file as a whole or not at all, unless the machine fails.
    pub(super) fn write_soon(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        self.replace(path, bytes, false)
    }

    /// Writes a temporary file in the same directory and renames it. A durable file waits for the disk both times.
    fn replace(&self, path: &Path, bytes: &[u8], durable: bool) -> Result<(), Error> {
        let store = || -> io::Result<()> {
            let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let directory = directory.unwrap_or(Path::new("."));
            // Others may read results, unlike temporary files. The user's umask still counts.
            let mode = Permissions::from_mode(0o666);
            self.step(Step::Begin, path)?;
            let (prefix, suffix) = UNFINISHED;
            let mut file = tempfile::Builder::new()
                .prefix(prefix)
                .suffix(suffix)
                .permissions(mode)
                .tempfile_in(directory)?;
            self.step(Step::Write, path)?;
            file.write_all(bytes)?;
            if durable {
                self.step(Step::Sync, path)?;
                file.as_file().sync_all()?;
            }
            self.step(Step::Rename, path)?;
            file.persist(path)?;
            if durable {
                self.step(Step::SyncName, path)?;
                File::open(directory)?.sync_all()?;
            }
            Ok(())
        };
        store().map_err(|error| Error::NotStored { path: path.to_owned(), why: error.to_string() })
    }
}

/// Tries to lock a file, for some moments. A process that is just being started has a copy of every lock of the one that starts it, also
/// of those that were given back since.
fn patiently(try_lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), TryLockError> {
    for _ in 0..SHORT_TRIES {
        match try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(10)),
            tried => return tried,
        }
    }
    try_lock()
}

impl Disk {
    /// Opens a file to append to it, and makes it if there is none. What follows its first `length` bytes is cut off. A link, a
    /// pipe and a device are refused.
    pub(crate) fn open_to_append(&self, path: &Path, length: u64) -> Result<File, Error> {
        let open = || -> io::Result<File> {
            self.step(Step::Begin, path)?;
            let mut options = OpenOptions::new();
            options.append(true).create(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
            let file = options.open(path).map_err(|error| match error.raw_os_error() {
                Some(libc::ELOOP) => io::Error::other("this is a link"),
                _ => error,
            })?;
            let found = file.metadata()?;
            if !found.is_file() {
                return Err(io::Error::other("this is not a regular file"));
            }
            if found.len() > length {
                file.set_len(length)?;
            }
            Ok(file)
        };
        open().map_err(|error| Error::NotStored { path: path.to_owned(), why: error.to_string() })
    }

    /// Appends to a file, in one piece if the disk takes it. The machine may fail before the disk has it.
    pub(crate) fn append(&self, file: &mut File, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let appended = self.step(Step::Write, path).and_then(|()| file.write_all(bytes));
        appended.map_err(|error| Error::NotStored { path: path.to_owned(), why: error.to_string() })
    }
}

/// Reads a file that lies in an output directory. A link, a pipe, a device and a huge file are refused.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_with(path, libc::O_NOFOLLOW)
}

/// Reads a file that a user named. A link to a file is followed; a pipe, a device and a huge file are refused.
pub(super) fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    read_with(path, 0)
}

fn read_with(path: &Path, flags: i32) -> io::Result<Vec<u8>> {
    // Opening a pipe without a writer would otherwise wait for one.
    let file = OpenOptions::new().read(true).custom_flags(flags | libc::O_NONBLOCK).open(path);
    let file = file.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => io::Error::other("this is a link"),
        _ => error,
    })?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(io::Error::other("this is a directory"));
    }
    if !found.is_file() {
        return Err(io::Error::other("this is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other(format!("larger than {} MiB", MOST_BYTES >> 20)));
    }
    Ok(bytes)
}

/// The paths of all entries of a directory, in the order of their names.
pub(super) fn entries(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(directory).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
    });
    let mut entries = entries.map_err(|error| Error::unusable(directory, error))?;
    entries.sort();
    Ok(entries)
}

/// Whether this is a directory, and no link to one.
pub(super) fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Whether this is a regular file, and no link to one.
pub(super) fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

fn is_unfinished(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(UNFINISHED.0) && name.ends_with(UNFINISHED.1)
}
