//! The directory of a benchmark run, written so that a kill at any moment leaves whole files.
//!
//! ```text
//! DIR/plan.json          what is to be run
//! DIR/cells/NAME.json    one file per cell that was run; copies from several machines can be put together
//! DIR/lock-K-of-N        held while a run of this shard writes here
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use mutagen_bugs::bench::{Cell, Plan, Shard, Table, Trial};

use crate::exit_code::{Code, Failure};
use crate::{results, say};

/// A directory of results.
#[derive(Debug, Clone)]
pub struct Store {
    directory: PathBuf,
}

/// What the files of a directory say.
pub struct Stored {
    /// The results of cells of the plan.
    pub trials: Vec<Trial>,
    /// Files that are no such results, each with the reason.
    pub skipped: Vec<String>,
}

impl Store {
    /// The store in this directory, which need not exist.
    pub fn at(directory: &Path) -> Self {
        Store { directory: directory.to_owned() }
    }

    /// Takes a shard for this run, until the file is dropped.
    pub fn lock(&self, shard: Shard) -> Result<File, Failure> {
        results::lock(&self.directory, &format!("lock-{}-of-{}", shard.index, shard.count))
    }

    /// The plan that is stored here, if there is one.
    pub fn plan(&self) -> Result<Option<Plan>, Failure> {
        let path = self.directory.join("plan.json");
        let unusable = |reason: String| Failure::new(Code::Unusable, format!("{}: {reason}", path.display()));
        match fs::read_to_string(&path) {
            Ok(text) => Plan::read(&text).map(Some).map_err(unusable),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unusable(error.to_string())),
        }
    }

    /// Stores the plan, unless another one is here.
    pub fn keep_plan(&self, plan: &Plan) -> Result<(), Failure> {
        match self.plan()? {
            Some(stored) if stored == *plan => Ok(()),
            Some(_) => Err(Failure::new(
                Code::Busy,
                format!(
                    "{} holds another plan: choose another directory, or leave out the flags of the plan to go on with it",
                    self.directory.display()
                ),
            )),
            None => {
                results::create(&self.directory)?;
                results::write_json(&self.directory.join("plan.json"), plan)
            }
        }
    }

    /// Stores a result.
    pub fn keep(&self, trial: &Trial) -> Result<(), Failure> {
        let cells = self.directory.join("cells");
        results::create(&cells)?;
        results::write_json(&cells.join(file_name(&trial.cell)), trial)
    }

    /// Reads every result of the plan. What is none is named and left alone.
    pub fn read(&self, plan: &Plan) -> Result<Stored, Failure> {
        let cells = plan.cells();
        let known: BTreeMap<String, &Cell> = cells.iter().map(|cell| (file_name(cell), cell)).collect();
        let mut stored = Stored { trials: Vec::new(), skipped: Vec::new() };
        for path in self.files()? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let trial = match known.get(&name) {
                None => Err("no cell of the plan has this name".to_owned()),
                Some(cell) => fs::read_to_string(&path)
                    .map_err(|error| error.to_string())
                    .and_then(|text| Trial::read(&text, cell)),
            };
            match trial {
                Ok(trial) => stored.trials.push(trial),
                Err(reason) => stored.skipped.push(format!("{}: {reason}", path.display())),
            }
        }
        Ok(stored)
    }

    /// The table of all results of the plan that is stored here. Says which files were skipped, and what is missing.
    pub fn table(&self) -> Result<Table, Failure> {
        let at = self.directory.display();
        let plan = self.plan()?.ok_or_else(|| {
            Failure::new(
                Code::Unusable,
                format!("{at}: no plan.json here; `mutagen-wasm bench run -o {at}` makes one"),
            )
        })?;
        let stored = self.read(&plan)?;
        stored.tell();
        let planned = plan.cells().len();
        if stored.trials.len() < planned {
            say::note(format!("{at}: {} of {planned} cells are done", stored.trials.len()));
        }
        let builds: std::collections::BTreeSet<&str> =
            stored.trials.iter().map(|trial| trial.build.as_str()).collect();
        if builds.len() > 1 {
            say::note(format!("{at}: the results come from {} builds of the program", builds.len()));
        }
        Ok(Table::of(&plan, &stored.trials))
    }

    /// The files among the results, in the order of their names.
    fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let cells = self.directory.join("cells");
        let listed = match fs::read_dir(&cells) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            listed => listed.and_then(|files| files.map(|file| file.map(|file| file.path())).collect()),
        };
        let mut files: Vec<PathBuf> =
            listed.map_err(|error| Failure::new(Code::Unusable, format!("{}: {error}", cells.display())))?;
        // Hidden ones are being written, or were when a run was killed.
        files.retain(|path| !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")));
        files.sort();
        Ok(files)
    }
}

impl Stored {
    /// Names the files that were skipped.
    pub fn tell(&self) {
        for skipped in &self.skipped {
            say::note(format!("skipped {skipped}"));
        }
    }
}

fn file_name(cell: &Cell) -> String {
    format!("{}.json", cell.name())
}
