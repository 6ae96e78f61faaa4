//! Every contender on every bug, with every seed.

use crate::{BugOfDemo, Contender, Results, ResultsError, Row, hunt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Race {
    /// Who takes part.
    pub contenders: Vec<Contender>,
    /// What is hunted.
    pub bugs: Vec<BugOfDemo>,
    /// How many seeds, from 0.
    pub seeds: u64,
    /// How long a trial may take.
    pub limit: Duration,
    /// After so many trials on a bug, all of them in vain, a contender is not run on it any more.
    pub misses: u64,
    /// As long as this file is there, no trial begins.
    pub pause: Option<PathBuf>,
}

/// Why a race cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RaceError {
    /// Its file cannot be used.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// Trials of different lengths cannot be compared.
    #[error("{} has trials of {stored} s, not of {wanted} s: choose the same limit, or another directory", path.display())]
    OtherLimit {
        /// The file.
        path: PathBuf,
        /// The limit of the trials in it.
        stored: f64,
        /// The limit of this race.
        wanted: f64,
    },
}

impl Race {
    /// Runs the trials that the file does not have yet, and stores them there. Tells `done` about each bug and contender.
    ///
    /// # Errors
    ///
    /// If the file cannot be used.
    pub fn run(
        &self,
        path: &Path,
        mut done: impl FnMut(BugOfDemo, Contender, &Results),
    ) -> Result<Results, RaceError> {
        let mut results = Results::read(path)?;
        self.check_limit(path, &results)?;
        for &bug in &self.bugs {
            for &contender in &self.contenders {
                let rows = self.missing(bug, contender, &results);
                if !rows.is_empty() {
                    results.rows.extend(rows);
                    results.write(path)?;
                }
                done(bug, contender, &results);
            }
        }
        Ok(results)
    }

    fn check_limit(&self, path: &Path, results: &Results) -> Result<(), RaceError> {
        let wanted = self.limit.as_secs_f64();
        match results.rows.iter().find(|row| row.limit != wanted) {
            Some(row) => Err(RaceError::OtherLimit { path: path.to_owned(), stored: row.limit, wanted }),
            None => Ok(()),
        }
    }

    /// Runs what is still to be run of a contender on a bug.
    fn missing(&self, bug: BugOfDemo, contender: Contender, results: &Results) -> Vec<Row> {
        let (program, name) = (bug.program(), bug.name());
        let known: Vec<&Row> = results.of(program, &name, contender).collect();
        let mut found = known.iter().any(|row| row.trial.found);
        let mut run = known.len() as u64;
        let mut rows = Vec::new();
        for seed in (0..self.seeds).filter(|seed| known.iter().all(|row| row.seed != *seed)) {
            if !found && run >= self.misses {
                break;
            }
            self.wait();
            let trial = hunt(contender, bug, seed, self.limit);
            (found, run) = (found || trial.found, run + 1);
            let limit = self.limit.as_secs_f64();
            rows.push(Row { program: program.to_owned(), bug: name.clone(), contender, seed, limit, trial });
        }
        rows
    }

    fn wait(&self) {
        while self.pause.as_ref().is_some_and(|file| file.exists()) {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
}
