//! Running cells, several at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::{Cell, CellStore, Error, Program, Trial};

/// How a run of cells ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnded {
    /// Every cell was run.
    Done,
    /// The run was stopped from outside.
    Interrupted,
}

/// Runs these cells, `jobs` at once, and stores the result of each. Calls `follow` with every trial.
///
/// # Errors
///
/// If a cell cannot be run or stored. The first such cell ends the run.
pub fn run_cells(
    cells: &[Cell],
    program: &Program,
    store: &CellStore,
    jobs: usize,
    interrupted: &AtomicBool,
    follow: impl FnMut(&Trial) + Send,
) -> Result<RunEnded, Error> {
    let (next, follow) = (AtomicUsize::new(0), Mutex::new(follow));
    let work = Work { cells, program, store, jobs, interrupted, next, failure: Mutex::new(None) };
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(cells.len()) {
            scope.spawn(|| work.take_cells(&follow));
        }
    });
    if let Some(failure) = work.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(failure);
    }
    Ok(if interrupted.load(Ordering::Relaxed) { RunEnded::Interrupted } else { RunEnded::Done })
}

/// What the workers share.
struct Work<'a> {
    cells: &'a [Cell],
    program: &'a Program,
    store: &'a CellStore,
    jobs: usize,
    /// Set by a signal, or by the first failure.
    interrupted: &'a AtomicBool,
    next: AtomicUsize,
    failure: Mutex<Option<Error>>,
}

impl Work<'_> {
    fn take_cells(&self, follow: &Mutex<impl FnMut(&Trial)>) {
        while !self.interrupted.load(Ordering::Relaxed) {
            let Some(cell) = self.cells.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            if let Err(failure) = self.one(cell, follow) {
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
                self.interrupted.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Runs a cell and stores its result.
    fn one(&self, cell: &Cell, follow: &Mutex<impl FnMut(&Trial)>) -> Result<(), Error> {
        match self.program.run(cell, self.jobs, self.interrupted)? {
            Some(trial) => {
                self.store.keep(&trial)?;
                follow.lock().unwrap_or_else(PoisonError::into_inner)(&trial);
            }
            // Somebody stopped the child process, so it has no result. The other cells are stopped, too.
            None => self.interrupted.store(true, Ordering::Relaxed),
        }
        Ok(())
    }
}
