//! Cells in a directory.
//!
//! ```text
//! DIR/NAME/cells/CELL    what is to be done
//! DIR/NAME/holds/CELL.N  the cell was taken for the Nth time; written again as a sign of life
//! DIR/NAME/results/CELL  the result
//! ```
//!
//! Files that may be made once, by one process, decide who holds a cell and which result is the first.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::files;
use crate::entry::{opened, sealed};
use crate::{CampaignName, Cells, Error, Held, MOST_TRIES, Progress, Taken};

/// Cells in a directory. The clocks of the machines that use it must agree up to a part of the lease.
#[derive(Clone, Debug)]
pub struct DirectoryCells {
    root: PathBuf,
    lease: Duration,
}

impl DirectoryCells {
    /// The cells of the campaign of this name in a directory.
    ///
    /// # Errors
    ///
    /// If the directory cannot be used.
    pub fn new(directory: &Path, name: &CampaignName, lease: Duration) -> Result<Self, Error> {
        let cells = DirectoryCells { root: directory.join(name.as_str()), lease };
        ["cells", "holds", "results"].iter().try_for_each(|folder| files::make(&cells.root.join(folder)))?;
        Ok(cells)
    }

    fn cell(&self, name: &str) -> PathBuf {
        self.root.join("cells").join(name)
    }

    fn hold(&self, name: &str, tries: u32) -> PathBuf {
        self.root.join("holds").join(format!("{name}.{tries}"))
    }

    fn result(&self, name: &str) -> PathBuf {
        self.root.join("results").join(name)
    }

    /// How often a cell was taken, and whether somebody holds it now.
    fn held(&self, name: &str) -> (u32, bool) {
        let tries = (1..=MOST_TRIES).take_while(|tries| self.hold(name, *tries).exists()).last().unwrap_or(0);
        let is_alive = files::age(&self.hold(name, tries)).is_some_and(|age| age < self.lease);
        (tries, is_alive)
    }

    fn read(&self, file: &Path) -> Result<Option<Vec<u8>>, Error> {
        Ok(files::read(file).map_err(Error::file(file))?.as_deref().and_then(opened))
    }
}

impl Cells for DirectoryCells {
    fn add(&self, cells: &[(String, Vec<u8>)]) -> Result<(), Error> {
        for (name, work) in cells {
            let file = self.cell(name);
            files::create(&file, &sealed(work)).map_err(Error::file(&file))?;
        }
        Ok(())
    }

    fn take(&self) -> Result<Taken, Error> {
        let mut waits = false;
        for name in files::names(&self.root.join("cells"))? {
            if self.result(&name).exists() {
                continue;
            }
            let (tries, is_alive) = self.held(&name);
            waits |= is_alive;
            if is_alive || tries == MOST_TRIES {
                continue;
            }
            let Some(work) = self.read(&self.cell(&name))? else { continue };
            let tries = tries + 1;
            let hold = self.hold(&name, tries);
            // Another worker may have been quicker.
            if files::create(&hold, b"").map_err(Error::file(&hold))? {
                return Ok(Taken::Cell(Held { name, work, tries }));
            }
            waits = true;
        }
        Ok(if waits { Taken::Wait } else { Taken::Done })
    }

    fn keep_alive(&self, held: &Held) -> Result<(), Error> {
        let hold = self.hold(&held.name, held.tries);
        files::touch(&hold).map_err(Error::file(&hold))
    }

    fn hand_in(&self, held: &Held, result: &[u8]) -> Result<bool, Error> {
        let file = self.result(&held.name);
        files::create(&file, &sealed(result)).map_err(Error::file(&file))
    }

    fn results(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let mut results = Vec::new();
        for name in files::names(&self.root.join("results"))? {
            if let Some(result) = self.read(&self.result(&name))? {
                results.push((name, result));
            }
        }
        Ok(results)
    }

    fn progress(&self) -> Result<Progress, Error> {
        let count = |folder| files::names(&self.root.join(folder)).map(|names| names.len() as u64);
        Ok(Progress { all: count("cells")?, done: count("results")? })
    }

    fn lease(&self) -> Duration {
        self.lease
    }
}
