//! Files that several processes write: whole when they have their names, and never through a link.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::{Error, MOST_BYTES};

/// How the names of files begin that are being written.
const TEMPORARY: &str = ".new-";
/// Nobody writes a file for so long.
const LONGEST_WRITING: Duration = Duration::from_secs(60 * 60);

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
    let mut made = tempfile::Builder::new().prefix(TEMPORARY).permissions(everybody).tempfile_in(folder)?;
    made.write_all(content)?;
    Ok(made)
}

/// Removes what writers left behind that were killed before their files had names. If that is not allowed, it stays.
pub(super) fn sweep(directory: &Path) {
    let is_ours = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.starts_with(TEMPORARY));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_old = || age(&entry.path()).is_some_and(|age| age > LONGEST_WRITING);
        if is_ours(&entry.file_name()) && is_old() {
            let _ = fs::remove_file(entry.path());
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_files_of_killed_writers_are_swept_away() {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let old = SystemTime::now() - 2 * LONGEST_WRITING;
        for (name, is_old) in [(".new-old", true), (".new-now", false), ("kept", true), (".kept", true)] {
            let file = File::create(directory.path().join(name)).expect("it can be made");
            file.set_modified(if is_old { old } else { SystemTime::now() }).expect("it has a time");
        }
        sweep(directory.path());
        let there = |name| directory.path().join(name).exists();
        assert!(!there(".new-old") && there(".new-now") && there("kept") && there(".kept"));
    }
}
