//! Files that are written as a whole or not at all, and directories that one run owns.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::Serialize;

use crate::Error;

/// The end of the names of hidden files that are being written.
const UNFINISHED: &str = ".part";

/// Locks a directory, or the part of it that `name` stands for, until the file is dropped.
///
/// # Errors
///
/// If another run holds the lock, or the directory cannot be written to.
pub fn lock(directory: &Path, name: &str) -> Result<File, Error> {
    create(directory)?;
    let cannot = |source| Error::Directory { what: "write to", directory: directory.to_owned(), source };
    let file = File::create(directory.join(name)).map_err(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Busy(directory.to_owned())),
        Err(TryLockError::Error(error)) => Err(cannot(error)),
    }
}

/// Makes a directory, unless it exists.
///
/// # Errors
///
/// If it cannot be made.
pub fn create(directory: &Path) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(|source| Error::Directory {
        what: "make",
        directory: directory.to_owned(),
        source,
    })
}

/// Removes unfinished files of a run that was killed. This run holds the lock, so nobody else is writing.
pub(super) fn sweep(directory: &Path) -> Result<(), Error> {
    let fail = |error: std::io::Error| Error::NotStored {
        path: directory.to_owned(),
        why: format!("cannot clean up: {error}"),
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
pub(super) fn move_aside(directory: &Path) -> Result<(), Error> {
    let name = directory.file_name().unwrap_or_default();
    let numbered = |number: u32| {
        let mut name = name.to_owned();
        name.push(format!(".old-{number}"));
        directory.with_file_name(name)
    };
    let Some(aside) = (1..).map(numbered).find(|path| !path.exists()) else { return Ok(()) };
    fs::rename(directory, &aside).map_err(|source| Error::Directory {
        what: "move aside",
        directory: directory.to_owned(),
        source,
    })
}

/// Writes a JSON file as a whole or not at all.
///
/// # Errors
///
/// If the file cannot be stored.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::NotStored { path: path.to_owned(), why: error.to_string() })?;
    write(path, (text + "\n").as_bytes())
}

/// Writes a file as a whole or not at all, even if the machine fails.
///
/// # Errors
///
/// If the file cannot be stored.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace(path, bytes, File::sync_all)
}

/// Writes a temporary file in the same directory, calls `sync` to wait for the disk, and renames the file.
pub(super) fn replace(
    path: &Path,
    bytes: &[u8],
    sync: fn(&File) -> std::io::Result<()>,
) -> Result<(), Error> {
    let store = || -> std::io::Result<()> {
        let directory = path.parent().unwrap_or(Path::new("."));
        // Others may read results, unlike temporary files. The user's umask still counts.
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
    store().map_err(|error| Error::NotStored { path: path.to_owned(), why: error.to_string() })
}
