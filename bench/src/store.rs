//! The directory of a benchmark run, written so that a kill at any moment leaves whole files.
//!
//! ```text
//! DIR/plan.json          the plan
//! DIR/cells/NAME.json    one file per cell that was run; cells from several machines can be merged
//! DIR/lock-K-of-N        held while a run of this shard writes here
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use mutagen_campaign::store::files;

use crate::{Cell, Error, Plan, Shard, StoredError, Table, Trial};

/// A directory of results.
#[derive(Debug, Clone)]
pub struct CellStore {
    directory: PathBuf,
}

/// The content of a directory's files.
pub struct StoredTrials {
    /// The results of cells of the plan.
    pub trials: Vec<Trial>,
    /// Files that are not results of the plan, each with the reason.
    pub skipped: Vec<String>,
}

impl CellStore {
    /// The store in this directory, which need not exist yet.
    pub fn at(directory: &Path) -> Self {
        CellStore { directory: directory.to_owned() }
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Takes a shard for this run, until the file is dropped.
    ///
    /// # Errors
    ///
    /// If another run holds the shard, or the directory cannot be written to.
    pub fn lock(&self, shard: Shard) -> Result<File, Error> {
        Ok(files::lock(&self.directory, &format!("lock-{}-of-{}", shard.index, shard.count))?)
    }

    /// The plan that is stored here, if there is one.
    ///
    /// # Errors
    ///
    /// If the plan cannot be read.
    pub fn plan(&self) -> Result<Option<Plan>, Error> {
        let path = self.directory.join("plan.json");
        let unusable = |reason: StoredError| mutagen_campaign::Error::unusable(&path, reason);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Plan::read(&text).map(Some).map_err(unusable)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unusable(error.into()).into()),
        }
    }

    /// Stores the plan, unless the directory holds another one.
    ///
    /// # Errors
    ///
    /// If the directory holds another plan, or the plan cannot be stored.
    pub fn keep_plan(&self, plan: &Plan) -> Result<(), Error> {
        match self.plan()? {
            Some(stored) if stored == *plan => Ok(()),
            Some(_) => Err(Error::OtherPlan(self.directory.clone())),
            None => {
                files::create(&self.directory)?;
                Ok(files::write_json(&self.directory.join("plan.json"), plan)?)
            }
        }
    }

    /// Stores a result.
    ///
    /// # Errors
    ///
    /// If the result cannot be stored.
    pub fn keep(&self, trial: &Trial) -> Result<(), Error> {
        let cells = self.directory.join("cells");
        files::create(&self.directory)?;
        files::create_inside(&cells)?;
        Ok(files::write_json(&cells.join(file_name(&trial.cell)), trial)?)
    }

    /// Reads every result of the plan. A file that is not a result is reported and left alone.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    pub fn read(&self, plan: &Plan) -> Result<StoredTrials, Error> {
        let cells = plan.cells();
        let known: BTreeMap<String, &Cell> = cells.iter().map(|cell| (file_name(cell), cell)).collect();
        let mut stored = StoredTrials { trials: Vec::new(), skipped: Vec::new() };
        for path in self.files()? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let trial = match known.get(&name) {
                None => Err(StoredError::NoCell),
                Some(cell) => {
                    fs::read_to_string(&path).map_err(Into::into).and_then(|text| Trial::read(&text, cell))
                }
            };
            match trial {
                Ok(trial) => stored.trials.push(trial),
                Err(reason) => stored.skipped.push(format!("{}: {reason}", path.display())),
            }
        }
        Ok(stored)
    }

    /// The table of all results of the plan that is stored here, and notes for the reader: which files were
    /// skipped, and which results are missing.
    ///
    /// # Errors
    ///
    /// If there is no plan, or the plan cannot be read.
    pub fn table(&self) -> Result<(Table, Vec<String>), Error> {
        let at = self.directory.display();
        let plan = self.plan()?.ok_or_else(|| Error::NoPlan(self.directory.clone()))?;
        if !plan.properties.is_empty() {
            return Err(Error::OfProperties(self.directory.clone()));
        }
        let stored = self.read(&plan)?;
        let mut notes: Vec<String> = stored.notes().collect();
        let planned = plan.cells().len();
        if stored.trials.len() < planned {
            notes.push(format!("{at}: {} of {planned} cells are done", stored.trials.len()));
        }
        let builds: BTreeSet<&str> = stored.trials.iter().map(|trial| trial.build.as_str()).collect();
        if builds.len() > 1 {
            notes.push(format!("{at}: the results come from {} builds of the program", builds.len()));
        }
        Ok((Table::of(&plan, &stored.trials), notes))
    }

    /// The files among the results, in the order of their names.
    fn files(&self) -> Result<Vec<PathBuf>, Error> {
        let cells = self.directory.join("cells");
        let listed = match fs::read_dir(&cells) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            listed => listed.and_then(|files| files.map(|file| file.map(|file| file.path())).collect()),
        };
        let mut files: Vec<PathBuf> =
            listed.map_err(|error| mutagen_campaign::Error::unusable(&cells, error))?;
        // Hidden files are being written, or were being written when a run was killed.
        files.retain(|path| !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")));
        files.sort();
        Ok(files)
    }
}

impl StoredTrials {
    /// The files that were skipped, each in a sentence.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.skipped.iter().map(|skipped| format!("skipped {skipped}"))
    }
}

fn file_name(cell: &Cell) -> String {
    format!("{}.json", cell.name())
}
