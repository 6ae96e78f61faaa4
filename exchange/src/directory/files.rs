//! Files that several processes write: whole when they have their names, and never through a link.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::{Error, MOST_BYTES};

/// Makes a directory and those above it.
pub(super) fn make(directory: &Path) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(Error::file(directory))
}

/// Writes a file that is not there yet. Returns whether it was not. Of several processes that do this at once, one succeeds.
pub(super) fn create(file: &Path, content: &[u8]) -> io::Result<bool> {
    match temporary(file, content)?.persist_noclobber(file) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// Writes a file, or replaces it as a whole.
pub(super) fn replace(file: &Path, content: &[u8]) -> io::Result<()> {
    temporary(file, content)?.persist(file).map(drop).map_err(|error| error.error)
}

fn temporary(file: &Path, content: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let folder = file.parent().unwrap_or(Path::new("."));
    // Other users may be workers as well, as far as the umask lets them.
    let everybody = Permissions::from_mode(0o666);
    let mut made = tempfile::Builder::new().prefix(".").permissions(everybody).tempfile_in(folder)?;
    made.write_all(content)?;
    Ok(made)
}

/// The content of a file. `None` if there is none, or it is no ordinary file.
pub(super) fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(file) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    // Nobody of us writes more than that.
    let mut bytes = Vec::new();
    File::open(file)?.take(4 * MOST_BYTES as u64).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The names in a directory that are not hidden, in order. There are none if it does not exist.
pub(super) fn names(directory: &Path) -> Result<Vec<String>, Error> {
    let listed = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed.map_err(Error::file(directory))?,
    };
    let name = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    let mut names: Vec<String> = listed.filter_map(name).filter(|name| !name.starts_with('.')).collect();
    names.sort();
    Ok(names)
}

/// How long ago a file was written. `None` if there is none.
pub(super) fn age(file: &Path) -> Option<Duration> {
    let written = fs::symlink_metadata(file).ok()?.modified().ok()?;
    Some(SystemTime::now().duration_since(written).unwrap_or_default())
}

/// Sets the time of a file to now, by the clock of the file system.
pub(super) fn touch(file: &Path) -> io::Result<()> {
    File::options().write(true).open(file)?.set_modified(SystemTime::now())
}
