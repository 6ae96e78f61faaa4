//! Cells that several machines share: a queue that hands each out until it has a result.
//!
//! Workers of the queue run cells; they exchange no tests, since that would make every cell depend on the others.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mutagen_campaign::Sharing;
use mutagen_exchange::{Alive, Cells, Held, Taken, Terms};

use crate::{Cell, Error, Plan, Program, RunEnded, StoredTrials, Trial};

/// A worker that is gone for so long has lost its cell.
const LEASE: Duration = Duration::from_secs(30);
/// How long to wait before asking again for a cell, or trying again what failed.
const PAUSE: Duration = Duration::from_millis(500);

/// The cells of a plan, shared by several machines.
pub struct Queue {
    cells: Arc<dyn Cells>,
    plan: Plan,
}

impl Queue {
    /// Joins the run of a plan. The first who joins stores the plan.
    ///
    /// # Errors
    ///
    /// If another plan, or another version of the program, is run there, or the place cannot be reached.
    pub fn join(sharing: &Sharing, plan: Plan) -> Result<Self, Error> {
        let text = serde_json::to_string(&plan).map_err(|error| Error::Process(error.into()))?;
        let terms = Terms::default()
            .with("kind", "benchmark")
            .with("version", env!("CARGO_PKG_VERSION"))
            .with("plan", text);
        let cells = sharing.place.cells(&sharing.campaign, &terms, LEASE)?;
        Ok(Queue { cells: cells.into(), plan })
    }

    /// The plan that is run there, if there is one.
    ///
    /// # Errors
    ///
    /// If the place cannot be reached, or something else is done there.
    pub fn plan(sharing: &Sharing) -> Result<Option<Plan>, Error> {
        let Some(terms) = sharing.place.board(&sharing.campaign)?.terms()? else { return Ok(None) };
        let place = sharing.place.to_string();
        let unusable = |why: String| Error::from(mutagen_campaign::Error::unusable(&place, why));
        let text =
            terms.get("plan").ok_or_else(|| unusable("a campaign meets there, and no benchmark".into()))?;
        Plan::read(text).map(Some).map_err(|error| unusable(error.to_string()))
    }

    /// Adds the cells of the plan. Those that are there already stay as they are.
    ///
    /// # Errors
    ///
    /// If they cannot be stored.
    pub fn fill(&self) -> Result<(), Error> {
        let work = |cell: &Cell| Ok((cell.name(), serde_json::to_vec(cell)?));
        let cells: Result<Vec<_>, serde_json::Error> = self.plan.cells().iter().map(work).collect();
        Ok(self.cells.add(&cells.map_err(|error| Error::Process(error.into()))?)?)
    }

    /// How many cells have no result yet.
    ///
    /// # Errors
    ///
    /// If the place cannot be reached.
    pub fn open(&self) -> Result<u64, Error> {
        let progress = self.cells.progress()?;
        Ok(progress.all.saturating_sub(progress.done))
    }

    /// All results, and what is no result of the plan.
    ///
    /// # Errors
    ///
    /// If the place cannot be reached.
    pub fn trials(&self) -> Result<StoredTrials, Error> {
        let cells = self.plan.cells();
        let known: BTreeMap<String, &Cell> = cells.iter().map(|cell| (cell.name(), cell)).collect();
        let mut stored = StoredTrials { trials: Vec::new(), skipped: Vec::new() };
        for (name, result) in self.cells.results()? {
            let read = |cell: &&Cell| Trial::read(&String::from_utf8_lossy(&result), cell);
            match known.get(&name).map(read) {
                Some(Ok(trial)) => stored.trials.push(trial),
                Some(Err(why)) => stored.skipped.push(format!("{name}: {why}")),
                None => stored.skipped.push(format!("{name}: no cell of the plan has this name")),
            }
        }
        stored.trials.sort_by_key(|trial| trial.cell.name());
        Ok(stored)
    }

    /// Runs cells, `jobs` at once, until none is left anywhere. Calls `follow` with the results that were accepted.
    ///
    /// # Errors
    ///
    /// If a cell cannot be run. While the place cannot be reached, cells that are held go on.
    pub fn run(
        &self,
        program: &Program,
        jobs: usize,
        interrupted: &AtomicBool,
        follow: impl FnMut(&Trial) + Send,
    ) -> Result<RunEnded, Error> {
        let work = Work {
            queue: self,
            program,
            jobs,
            interrupted,
            follow: Mutex::new(follow),
            failure: Mutex::new(None),
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| work.take_cells());
            }
        });
        if let Some(failure) = work.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(failure);
        }
        Ok(if interrupted.load(Ordering::Relaxed) { RunEnded::Interrupted } else { RunEnded::Done })
    }
}

/// What the threads of a run share.
struct Work<'a, F> {
    queue: &'a Queue,
    program: &'a Program,
    jobs: usize,
    /// Set by a signal, or by the first failure.
    interrupted: &'a AtomicBool,
    follow: Mutex<F>,
    failure: Mutex<Option<Error>>,
}

impl<F: FnMut(&Trial) + Send> Work<'_, F> {
    fn is_over(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn take_cells(&self) {
        while !self.is_over() {
            match self.queue.cells.take() {
                Ok(Taken::Done) => return,
                Ok(Taken::Cell(held)) => {
                    if let Err(failure) = self.one(held) {
                        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
                        self.interrupted.store(true, Ordering::Relaxed);
                    }
                }
                // The place may come back.
                Ok(Taken::Wait) | Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Runs a cell and hands its result in.
    fn one(&self, held: Held) -> Result<(), Error> {
        // What is no cell of this plan is left to others, and in the end to nobody.
        let Ok(cell) = serde_json::from_slice::<Cell>(&held.work) else { return Ok(()) };
        let _alive = Alive::keep(Arc::clone(&self.queue.cells), held.clone());
        match self.program.run(&cell, self.jobs, self.interrupted)? {
            Some(trial) => self.hand_in(&held, &trial),
            None => {
                self.interrupted.store(true, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// Hands a result in, as often as it takes.
    fn hand_in(&self, held: &Held, trial: &Trial) -> Result<(), Error> {
        let result = serde_json::to_vec(trial).map_err(|error| Error::Process(error.into()))?;
        loop {
            match self.queue.cells.hand_in(held, &result) {
                Ok(true) => {
                    self.follow.lock().unwrap_or_else(PoisonError::into_inner)(trial);
                    return Ok(());
                }
                // Another worker was quicker.
                Ok(false) => return Ok(()),
                Err(error) if self.is_over() => return Err(error.into()),
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }
}
