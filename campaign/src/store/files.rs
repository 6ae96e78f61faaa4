//! Files that are written as a whole or not at all, and directories that one run owns.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::disk::{Disk, read_named};
use crate::Error;

/// Locks a directory, or the part of it that `name` stands for, until the file is dropped.
///
/// # Errors
///
/// If another run holds the lock, or the directory cannot be written to.
pub fn lock(directory: &Path, name: &str) -> Result<File, Error> {
    Disk::default().lock(directory, name)
}

/// Makes a directory, unless it exists.
///
/// # Errors
///
/// If it cannot be made.
pub fn create(directory: &Path) -> Result<(), Error> {
    Disk::default().make(directory)
}

/// Makes a directory inside of an output directory, unless it exists.
///
/// # Errors
///
/// If it cannot be made, or a link is in its place.
pub fn create_inside(directory: &Path) -> Result<(), Error> {
    Disk::default().make_inside(directory)
}

/// Writes a JSON file as a whole or not at all.
///
/// # Errors
///
/// If the file cannot be stored.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    write(path, &json(path, value)?)
}

/// Writes a file as a whole or not at all, even if the machine fails.
///
/// # Errors
///
/// If the file cannot be stored.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    Disk::default().write(path, bytes)
}

/// Writes a file that a user named: as a whole or not at all, unless it is a device or a pipe, such as `/dev/null`. What is renamed
/// onto one of those would take its place for everybody.
///
/// # Errors
///
/// If the file cannot be stored.
pub fn write_named(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if !is_stream(path) {
        return write(path, bytes);
    }
    let written = File::options().append(true).open(path).and_then(|mut stream| stream.write_all(bytes));
    written.map_err(|error| Error::NotStored { path: path.to_owned(), why: error.to_string() })
}

/// Whether what is written to the path goes to a device or a pipe. `/dev/stdout` does, whatever stands behind it.
fn is_stream(path: &Path) -> bool {
    let is_other = |found: fs::Metadata| !found.is_file() && !found.is_dir();
    path.starts_with("/dev") && !path.starts_with("/dev/shm") || fs::metadata(path).is_ok_and(is_other)
}

/// Writes a file as a whole or not at all, unless the machine fails. For many files that can be made again.
///
/// # Errors
///
/// If the file cannot be stored.
pub fn write_soon(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    Disk::default().write_soon(path, bytes)
}

/// Reads a text file that a user named. What is no regular file, or is huge, is refused, and is never waited for.
///
/// # Errors
///
/// If it cannot be read. The error names the file.
pub fn read_text(file: &Path) -> Result<String, Error> {
    let bytes = read_named(file).map_err(|error| Error::unusable(file, error))?;
    String::from_utf8(bytes).map_err(|_| Error::unusable(file, "this is no text: it is not UTF-8"))
}

/// The bytes of a JSON file.
pub(super) fn json(path: &Path, value: &impl Serialize) -> Result<Vec<u8>, Error> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::NotStored { path: path.to_owned(), why: error.to_string() })?;
    Ok((text + "\n").into_bytes())
}
