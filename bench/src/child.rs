//! Running a cell: this program again, in a process of its own.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mutagen_campaign::Executable;

use crate::{Cell, Ended, Error, Trial, host};

/// The longest pause between two looks at a child process.
const PAUSE: Duration = Duration::from_millis(20);

/// How often a cell is tried whose process somebody killed.
const TRIES: usize = 3;

/// This program, which runs cells.
pub struct Program {
    executable: Executable,
    /// A hash of the program.
    build: String,
    /// How long a campaign may take beyond its limit: to start, to end its last test, and to shrink its
    /// finding.
    grace: Duration,
}

impl Program {
    /// This program.
    ///
    /// # Errors
    ///
    /// If the program cannot be read or copied.
    pub fn this(grace: Duration) -> Result<Self, Error> {
        let this = || -> std::io::Result<Program> {
            let executable = Executable::this()?;
            let build = executable.build()?;
            Ok(Program { executable, build, grace })
        };
        this().map_err(Error::Copy)
    }

    /// Runs a cell. Returns `None` if the run was interrupted: the cell is then still to be run. A process that somebody
    /// killed says nothing about its cell, so it is started again, a few times.
    ///
    /// # Errors
    ///
    /// If the cell makes no sense, or no process can be started.
    pub fn run(&self, cell: &Cell, jobs: usize, interrupted: &AtomicBool) -> Result<Option<Trial>, Error> {
        let spec = serde_json::to_vec(&cell.spec()?).map_err(|error| Error::Process(error.into()))?;
        for left in (0..TRIES).rev() {
            let host = host::now(jobs);
            let followed = self.follow(&spec, cell.limit, interrupted).map_err(Error::Process);
            let (ended, output, errors) = followed?;
            match ended {
                None => return Ok(None),
                Some(ended) if ended.was_killed_by_somebody() && left > 0 => {}
                Some(ended) => {
                    let trial = Trial::judge(cell.clone(), ended, &output, &errors);
                    return Ok(trial.map(|trial| trial.from(&self.build, host)));
                }
            }
        }
        Ok(None)
    }

    /// Starts the process and waits for its end. Returns how it ended (`None` if it was interrupted), its
    /// standard output and its standard error.
    fn follow(
        &self,
        spec: &[u8],
        limit: f64,
        interrupted: &AtomicBool,
    ) -> std::io::Result<(Option<Ended>, String, String)> {
        // Files, unlike pipes, never fill up and block the child. These have no names: they vanish with their users.
        let (mut output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut input = tempfile::tempfile()?;
        input.write_all(spec)?;
        input.rewind()?;
        let mut child = Command::new(self.executable.path())
            .args(["run", "--spec", "/dev/stdin", "--json", "--quiet", "--no-supervisor"])
            .args(["--parent", &std::process::id().to_string()])
            .env_remove("MUTAGEN_TESTS")
            .env_remove("MUTAGEN_TIME")
            .stdin(input)
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
