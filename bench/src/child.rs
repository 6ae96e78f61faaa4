//! Running a cell: this program again, in a process of its own.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mutagen_campaign::store::files;
use mutagen_engine::stable;

use crate::{Cell, Ended, Error, Trial, host};

/// The longest pause between two looks at a child process.
const PAUSE: Duration = Duration::from_millis(20);

/// A copy of this program, so that a rebuild while the benchmark runs changes nothing.
pub struct Program {
    executable: PathBuf,
    /// A hash of the copy.
    build: String,
    /// How long a campaign may take beyond its limit: to start, to end its last test, and to shrink its
    /// finding.
    grace: Duration,
    directory: tempfile::TempDir,
}

impl Program {
    /// Copies this program.
    ///
    /// # Errors
    ///
    /// If the program cannot be copied.
    pub fn copy(grace: Duration) -> Result<Self, Error> {
        let copy = || -> std::io::Result<Program> {
            let directory = tempfile::Builder::new().prefix("mutagen-wasm-bench").tempdir()?;
            let executable = directory.path().join("mutagen-wasm");
            std::fs::copy(std::env::current_exe()?, &executable)?;
            let build = format!("{:016x}", stable::hash(&std::fs::read(&executable)?));
            Ok(Program { executable, build, grace, directory })
        };
        copy().map_err(Error::Copy)
    }

    /// Runs a cell. Returns `None` if the run was interrupted: the cell is then still to be run.
    ///
    /// # Errors
    ///
    /// If the cell makes no sense, or no process can be started.
    pub fn run(&self, cell: &Cell, jobs: usize, interrupted: &AtomicBool) -> Result<Option<Trial>, Error> {
        let spec = self.directory.path().join(format!("{:016x}.json", stable::hash(cell.name().as_bytes())));
        files::write_json(&spec, &cell.spec()?)?;
        let host = host::now(jobs);
        let followed = self.follow(&spec, cell.limit, interrupted).map_err(Error::Process);
        // A file that cannot be removed does no harm: its directory is removed when this program ends.
        let _ = std::fs::remove_file(&spec);
        let (ended, output, errors) = followed?;
        let Some(ended) = ended else { return Ok(None) };
        let trial = Trial::judge(cell.clone(), ended, &output, &errors);
        Ok(trial.map(|trial| trial.from(&self.build, host)))
    }

    /// Starts the process and waits for its end. Returns how it ended (`None` if it was interrupted), its
    /// standard output and its standard error.
    fn follow(
        &self,
        spec: &Path,
        limit: f64,
        interrupted: &AtomicBool,
    ) -> std::io::Result<(Option<Ended>, String, String)> {
        // Files, unlike pipes, never fill up and block the child.
        let (mut output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut child = Command::new(&self.executable)
            .args([OsStr::new("run"), OsStr::new("--spec"), spec.as_os_str()])
            .args(["--json", "--quiet"])
            .env_remove("MUTAGEN_TESTS")
            .env_remove("MUTAGEN_TIME")
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(errors.try_clone()?)
            .spawn()?;
        let ended = wait(&mut child, Duration::from_secs_f64(limit) + self.grace, interrupted)?;
        Ok((ended, text(&mut output)?, text(&mut errors)?))
    }
}

fn wait(child: &mut Child, longest: Duration, interrupted: &AtomicBool) -> std::io::Result<Option<Ended>> {
    let started = Instant::now();
    // Short pauses at first, so that quick cells are not slowed down; longer ones later.
    let mut pause = Duration::from_millis(1);
    loop {
        if interrupted.load(Ordering::Relaxed) {
            end(child)?;
            return Ok(None);
        }
        if let Some(status) = child.try_wait()? {
            return Ok(Some(how(status)));
        }
        if started.elapsed() > longest {
            end(child)?;
            return Ok(Some(Ended::Hung));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(PAUSE);
    }
}

fn end(child: &mut Child) -> std::io::Result<()> {
    child.kill()?;
    child.wait().map(|_| ())
}

fn how(status: ExitStatus) -> Ended {
    match status.code() {
        Some(code) => Ended::Exited(code),
        None => Ended::Killed(status.signal().unwrap_or(0)),
    }
}

fn text(file: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
