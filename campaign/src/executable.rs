//! This program, to be started again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mutagen_engine::stable;

/// This program as it was started, so that a rebuild while it runs changes nothing.
///
/// Where the system has a name for the file that a process was started from, that name is used: nothing lies around if this
/// process is killed. Elsewhere the program is copied.
#[derive(Debug)]
pub struct Executable {
    path: PathBuf,
    /// The directory of the copy.
    _copy: Option<tempfile::TempDir>,
}

impl Executable {
    /// This program.
    ///
    /// # Errors
    ///
    /// If the program cannot be found or copied.
    pub fn this() -> io::Result<Self> {
        let own = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
        if own.exists() {
            return Ok(Executable { path: own, _copy: None });
        }
        let directory = tempfile::Builder::new().prefix("mutagen-wasm").tempdir()?;
        let path = directory.path().join("mutagen-wasm");
        std::fs::copy(std::env::current_exe()?, &path)?;
        Ok(Executable { path, _copy: Some(directory) })
    }

    /// Which build of the program this is: a hash of its file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn build(&self) -> io::Result<String> {
        static BUILD: OnceLock<String> = OnceLock::new();
        if let Some(build) = BUILD.get() {
            return Ok(build.clone());
        }
        // Eight bytes at a time: programs are large.
        let word = |bytes: &[u8]| bytes.iter().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
        let content = std::fs::read(&self.path)?;
        let hash = content.chunks(8).fold(content.len() as u64, |hash, part| stable::mix(hash ^ word(part)));
        let build = format!("{hash:016x}");
        Ok(BUILD.get_or_init(|| build).clone())
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
