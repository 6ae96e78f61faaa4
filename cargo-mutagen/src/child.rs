//! Test programs as child processes that answer requests.

use crate::error::Error;
use crate::properties::Property;
use mutagen_engine::request::{ANSWER, Answer, REQUEST, Request};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

/// A call of the property's test program, as cargo would call it.
pub fn command(property: &Property, request: &Request) -> Command {
    let mut command = Command::new(&property.program.executable);
    command
        .current_dir(&property.program.package_directory)
        .env("CARGO_MANIFEST_DIR", &property.program.package_directory)
        .env(REQUEST, request.to_string())
        .arg("--exact");
    command
}

/// A property that works on a request, with its answers on a pipe.
pub fn start(property: &Property, request: &Request) -> Result<Child, Error> {
    let mut command = command(property, request);
    // All of its output comes as it is made, ordinary tests or others do not run.
    command.args([property.test(), "--nocapture", "--test-threads=1"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let program = property.program.executable.display().to_string();
    command.spawn().map_err(|reason| Error::CannotRun { program, reason })
}

/// A line of a property's output.
pub enum Line {
    Answer(Answer),
    /// What the property or the test runner printed.
    Other(String),
}

/// Sorts a line.
pub fn sort(line: &str) -> Line {
    let answer = line.split_once(ANSWER).and_then(|(_, answer)| answer.parse().ok());
    answer.map_or_else(|| Line::Other(line.to_owned()), Line::Answer)
}

/// What a property answered, how it ended and what else it printed.
pub struct Ended {
    pub answers: Vec<Answer>,
    pub status: ExitStatus,
    pub other: Vec<String>,
}

/// Has a request worked on to the end.
pub fn ask(property: &Property, request: &Request) -> Result<Ended, Error> {
    let mut child = start(property, request)?;
    let errors = child.stderr.take();
    let errors = std::thread::spawn(move || {
        errors.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).flatten().collect::<Vec<_>>()
    });
    let output = child.stdout.take();
    let lines = output.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).flatten();
    let (mut answers, mut other) = (Vec::new(), Vec::new());
    for line in lines {
        match sort(&line) {
            Line::Answer(answer) => answers.push(answer),
            Line::Other(line) => other.push(line),
        }
    }
    other.extend(errors.join().unwrap_or_default());
    let program = property.program.executable.display().to_string();
    let status = child.wait().map_err(|reason| Error::CannotRun { program, reason })?;
    Ok(Ended { answers, status, other })
}
