//! The trials of a race as a file of comma-separated values, one line each.

use crate::{Contender, Trial};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const HEADER: &str = "program,bug,contender,seed,limit,found,tests,seconds";

/// One trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The program.
    pub program: String,
    /// The bug.
    pub bug: String,
    /// Who hunted it.
    pub contender: Contender,
    /// With which seed.
    pub seed: u64,
    /// For how many seconds at most.
    pub limit: f64,
    /// What came of it.
    pub trial: Trial,
}

/// All trials, in the order in which they were run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The trials.
    pub rows: Vec<Row>,
}

/// Why results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file system said no.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What it said.
        cause: io::Error,
    },
    /// A line is not one that the race writes.
    #[error("{}, line {line}: `{text}` is not a trial; remove the file, or choose another directory", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The line.
        text: String,
    },
}

impl Results {
    /// Reads a file. One that is not there has no trials.
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(cause) => return Err(ResultsError::File { path: path.to_owned(), cause }),
        };
        let mut rows = Vec::new();
        for (index, line) in text.lines().enumerate() {
            match Row::parse(line) {
                Some(row) if index > 0 => rows.push(row),
                _ if index == 0 && line == HEADER => {}
                _ => {
                    return Err(ResultsError::Line {
                        path: path.to_owned(),
                        line: index + 1,
                        text: line.to_owned(),
                    });
                }
            }
        }
        Ok(Results { rows })
    }

    /// Writes a file, as a whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ResultsError> {
        let lines: String = self.rows.iter().map(|row| row.line() + "\n").collect();
        let next = path.with_extension("csv.next");
        let written = fs::write(&next, format!("{HEADER}\n{lines}")).and_then(|()| fs::rename(&next, path));
        written.map_err(|cause| ResultsError::File { path: path.to_owned(), cause })
    }

    /// The trials of a contender on a bug.
    pub fn of<'a>(
        &'a self,
        program: &'a str,
        bug: &'a str,
        contender: Contender,
    ) -> impl Iterator<Item = &'a Row> {
        self.rows
            .iter()
            .filter(move |row| row.contender == contender && row.program == program && row.bug == bug)
    }
}

impl Row {
    fn line(&self) -> String {
        let Row { program, bug, contender, seed, limit, trial } = self;
        let Trial { found, tests, seconds } = trial;
        format!("{program},{bug},{contender},{seed},{limit},{found},{tests},{seconds:.7}")
    }

    fn parse(line: &str) -> Option<Row> {
        let fields: Vec<&str> = line.split(',').collect();
        let [program, bug, contender, seed, limit, found, tests, seconds] = fields[..] else { return None };
        let trial =
            Trial { found: found.parse().ok()?, tests: tests.parse().ok()?, seconds: seconds.parse().ok()? };
        Some(Row {
            program: program.to_owned(),
            bug: bug.to_owned(),
            contender: contender.parse().ok()?,
            seed: seed.parse().ok()?,
            limit: limit.parse().ok()?,
            trial,
        })
    }
}
