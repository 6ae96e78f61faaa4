//! Running a cell: this program again, in a process of its own.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mutagen_bugs::bench::{Cell, Ended, Trial};

use crate::bench::host;
use crate::evidence::hash;
use crate::exit_code::{Code, Failure};

/// How often a child is looked at, at most.
const PAUSE: Duration = Duration::from_millis(20);

/// A copy of this program, so that a rebuild while the benchmark runs changes nothing.
pub struct Program {
    executable: PathBuf,
    /// A hash of it.
    build: String,
    /// How long a campaign may take beyond its limit: to start, to end its last test, and to shrink what it found.
    grace: Duration,
    _directory: tempfile::TempDir,
}

impl Program {
    /// Copies this program.
    pub fn copy(grace: Duration) -> Result<Self, Failure> {
        let copy = || -> std::io::Result<Program> {
            let directory = tempfile::Builder::new().prefix("mutagen-wasm-bench").tempdir()?;
            let executable = directory.path().join("mutagen-wasm");
            std::fs::copy(std::env::current_exe()?, &executable)?;
            let build = hash(&std::fs::read(&executable)?);
            Ok(Program { executable, build, grace, _directory: directory })
        };
        copy().map_err(|error| {
            Failure::new(Code::NotStored, format!("cannot copy this program to run it: {error}"))
        })
    }

    /// Runs a cell. None if it was interrupted: the cell stays open.
    pub fn run(&self, cell: &Cell, jobs: usize, interrupted: &AtomicBool) -> Result<Option<Trial>, Failure> {
        let words = cell.command().map_err(Failure::usage)?;
        let host = host::now(jobs);
        let cannot = |error| {
            Failure::new(Code::Internal, format!("cannot run a cell in a process of its own: {error}"))
        };
        let (ended, output, errors) = self.follow(&words, cell.limit, interrupted).map_err(cannot)?;
        let Some(ended) = ended else { return Ok(None) };
        let trial = Trial::judge(cell.clone(), ended, &output, &errors);
        Ok(trial.map(|trial| trial.from(&self.build, host)))
    }

    /// Starts the process and waits for its end. Gives how it ended (none: interrupted) and all that it said.
    fn follow(
        &self,
        words: &[String],
        limit: f64,
        interrupted: &AtomicBool,
    ) -> std::io::Result<(Option<Ended>, String, String)> {
        // Files, unlike pipes, never fill up and block the child.
        let (mut output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut child = Command::new(&self.executable)
            .args(words)
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
