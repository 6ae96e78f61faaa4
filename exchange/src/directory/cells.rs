//! Cells in a directory.
//!
//! ```text
//! DIR/NAME/cells/CELL    what is to be done
//! DIR/NAME/holds/CELL.N  the cell was taken for the Nth time; written again as a sign of life
//! DIR/NAME/holds/CELL.N+ after N holders, the cell was given new tries
//! DIR/NAME/results/CELL  the result
//! ```
//!
//! Files that may be made once, by one process, decide who holds a cell and which result is the first.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::files;
use crate::entry::{opened, sealed};
use crate::{CampaignName, Cells, Error, Held, MOST_TRIES, Progress, Taken};

/// Cells in a directory. The clocks of the machines that use it must agree up to a part of the lease.
#[derive(Clone, Debug)]
pub struct DirectoryCells {
    root: PathBuf,
    lease: Duration,
    /// The cells that had no result when they were looked at last, in the order in which they are looked at again. Without this,
    /// each cell that is taken would cost a look at all of them.
    open: Arc<Mutex<VecDeque<String>>>,
}

/// What can be done with a cell.
#[derive(PartialEq)]
enum State {
    /// It has a result.
    Done,
    /// Somebody holds it.
    Held,
    /// It was handed out as often as allowed.
    UsedUp,
    /// It can be taken, and was taken so often.
    Free(u32),
}

impl DirectoryCells {
    /// The cells of the campaign of this name in a directory.
    ///
    /// # Errors
    ///
    /// If the directory cannot be used.
    pub fn new(directory: &Path, name: &CampaignName, lease: Duration) -> Result<Self, Error> {
        let cells = DirectoryCells { root: directory.join(name.as_str()), lease, open: Arc::default() };
        for folder in ["cells", "holds", "results"] {
            files::make(&cells.root.join(folder))?;
            files::sweep(&cells.root.join(folder));
        }
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

    /// The file that says that a cell was given new tries after so many.
    fn renewal(&self, name: &str, tries: u32) -> PathBuf {
        self.root.join("holds").join(format!("{name}.{tries}+"))
    }

    fn state(&self, name: &str) -> State {
        if self.result(name).exists() {
            return State::Done;
        }
        let tries = self.tries(name);
        let is_alive = files::age(&self.hold(name, tries)).is_some_and(|age| age < self.lease);
        match () {
            () if is_alive => State::Held,
            () if self.is_used_up(name, tries) => State::UsedUp,
            () => State::Free(tries),
        }
    }

    /// How often a cell was taken.
    fn tries(&self, name: &str) -> u32 {
        (1..).take_while(|tries| self.hold(name, *tries).exists()).last().unwrap_or(0)
    }

    fn is_used_up(&self, name: &str, tries: u32) -> bool {
        tries > 0 && tries.is_multiple_of(MOST_TRIES) && !self.renewal(name, tries).exists()
    }

    /// Takes one of these cells, and looks at each at most once. Those with a result are removed.
    fn take_one_of(&self, open: &mut VecDeque<String>) -> Result<Taken, Error> {
        let mut waits = false;
        for _ in 0..open.len() {
            let Some(name) = open.pop_front() else { break };
            let state = self.state(&name);
            waits |= state == State::Held;
            if let State::Free(tries) = state
                && let Some(work) = self.read(&self.cell(&name))?
            {
                let tries = tries + 1;
                let hold = self.hold(&name, tries);
                open.push_back(name.clone());
                // Another worker may have been quicker.
                if files::create(&hold, b"").map_err(Error::file(&hold))? {
                    return Ok(Taken::Cell(Held { name, work, tries }));
                }
                waits = true;
            } else if state != State::Done {
                open.push_back(name);
            }
        }
        Ok(if waits { Taken::Wait } else { Taken::Done })
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
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Taken::Cell(held) = self.take_one_of(&mut open)? {
            return Ok(Taken::Cell(held));
        }
        // Cells may have been added.
        *open = files::names(&self.root.join("cells"))?.into();
        self.take_one_of(&mut open)
    }

    fn renew(&self) -> Result<u64, Error> {
        let mut used_up = Vec::new();
        for name in files::names(&self.root.join("cells"))? {
            match self.state(&name) {
                State::Done => {}
                State::UsedUp => used_up.push(name),
                State::Held | State::Free(_) => return Ok(0),
            }
        }
        let mut renewed = 0;
        for name in used_up {
            // Others may have given it new tries, and taken it, meanwhile.
            let tries = self.tries(&name);
            if self.is_used_up(&name, tries) {
                let file = self.renewal(&name, tries);
                renewed += u64::from(files::create(&file, b"").map_err(Error::file(&file))?);
            }
        }
        Ok(renewed)
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
