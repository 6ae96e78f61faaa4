//! `shrink --predicate`: a command of the user that says whether a module is interesting.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::exit_code::{Code, CommandError};

/// The longest pause between two looks at the command.
const PAUSE: Duration = Duration::from_millis(5);

/// A command, and the file that it is asked about.
pub struct Predicate {
    command: String,
    /// How long it may take. A command that takes longer says that the module is not interesting.
    limit: Duration,
    file: PathBuf,
    /// Removed with all that is in it at the end.
    _directory: tempfile::TempDir,
}

impl Predicate {
    /// The command in the words of the user, for the shell.
    pub fn new(command: &str, limit: Duration) -> Result<Self, CommandError> {
        let directory = tempfile::Builder::new().prefix("mutagen-wasm-shrink").tempdir().map_err(lost)?;
        let file = directory.path().join("module.wasm");
        Ok(Predicate { command: command.to_owned(), limit, file, _directory: directory })
    }

    /// Whether the command ends with 0 when it is asked about a module.
    pub fn holds(&self, wasm: &[u8]) -> Result<bool, CommandError> {
        std::fs::write(&self.file, wasm).map_err(lost)?;
        Ok(self.run(&self.file).map_err(lost)?.is_some_and(|status| status.success()))
    }

    /// Runs the command. `None` if it took too long, and was ended with all that it started.
    fn run(&self, file: &Path) -> std::io::Result<Option<ExitStatus>> {
        // The shell splits the words, and the file's name is one word whatever is in it.
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!("{} \"$@\"", self.command))
            .args(["sh".as_ref(), file.as_os_str()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let started = Instant::now();
        let mut pause = Duration::from_micros(100);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if started.elapsed() > self.limit {
                // The group has the number of its first process.
                let group = format!("-{}", child.id());
                let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
                let _ = child.kill();
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSE);
        }
    }
}

fn lost(error: std::io::Error) -> CommandError {
    CommandError::new(Code::Unusable, format!("cannot ask the predicate: {error}"))
}
