//! Cells that several machines share: a queue that hands each out until it has a result.
//!
//! Workers of the queue run cells; they exchange no tests, since that would make every cell depend on the others.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mutagen_campaign::{Sharing, program_terms};
use mutagen_exchange::{Alive, Cells, Held, Progress, Taken, Terms};

use crate::{Cell, Error, Plan, Program, RunEnded, StoredTrials, Trial};

/// A worker that is gone for so long has lost its cell.
const LEASE: Duration = Duration::from_secs(30);
/// How long to wait before asking again for a cell, or trying again what failed.
const PAUSE: Duration = Duration::from_millis(500);
/// How long the place may be gone, usually, before a run ends.
const LONGEST_ABSENCE: Duration = Duration::from_secs(15 * 60);

/// The cells of a plan, shared by several machines.
pub struct Queue {
    cells: Arc<dyn Cells>,
    plan: Plan,
    patience: Duration,
}

/// What whoever runs cells may want to hear.
pub enum QueueNews<'a> {
    /// This result was accepted.
    Accepted(&'a Trial),
    /// The place cannot be reached. The run ends after this time if that does not change.
    Gone(&'a mutagen_exchange::Error, Duration),
    /// It can be reached again.
    Back,
}

impl Queue {
    /// Joins the run of a plan. The first who joins stores the plan.
    ///
    /// # Errors
    ///
    /// If another plan, or another version of the program, is run there, or the place cannot be reached.
    pub fn join(sharing: &Sharing, plan: Plan) -> Result<Self, Error> {
        let text = serde_json::to_string(&plan).map_err(|error| Error::Process(error.into()))?;
        let terms = program_terms("benchmark")?.with("plan", text);
        Self::with_terms(sharing, plan, &terms)
    }

    /// The run of a plan as somebody sees it who only reads results: another build of the program may do so. `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the place cannot be reached, or something else is done there.
    pub fn stored(sharing: &Sharing) -> Result<Option<Self>, Error> {
        let Some(plan) = Self::plan(sharing)? else { return Ok(None) };
        let terms = sharing.place.board(&sharing.campaign)?.terms()?.unwrap_or_default();
        Self::with_terms(sharing, plan, &terms).map(Some)
    }

    fn with_terms(sharing: &Sharing, plan: Plan, terms: &Terms) -> Result<Self, Error> {
        let cells = sharing.place.cells(&sharing.campaign, terms, LEASE)?;
        Ok(Queue { cells: cells.into(), plan, patience: LONGEST_ABSENCE })
    }

    /// Ends a run if the place is gone for so long.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The plan whose cells these are.
    pub fn its_plan(&self) -> &Plan {
        &self.plan
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

    /// Gives new tries to cells that were tried as often as allowed in vain, if no other ones are left. Returns how many these are.
    ///
    /// # Errors
    ///
    /// If the place cannot be reached.
    pub fn renew(&self) -> Result<u64, Error> {
        Ok(self.cells.renew()?)
    }

    /// How many cells have no result yet.
    ///
    /// # Errors
    ///
    /// If the place cannot be reached.
    pub fn open(&self) -> Result<u64, Error> {
        let progress = self.progress()?;
        Ok(progress.all.saturating_sub(progress.done))
    }

    /// How far the cells are.
    ///
    /// # Errors
    ///
    /// If the place cannot be reached.
    pub fn progress(&self) -> Result<Progress, Error> {
        Ok(self.cells.progress()?)
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

    /// Runs cells, `jobs` at once, until none is left anywhere. Calls `follow` with the news.
    ///
    /// # Errors
    ///
    /// If a cell cannot be run, or the place is gone for longer than the [patience](Queue::patience) lasts. Until then, cells that
    /// are held go on.
    pub fn run(
        &self,
        program: &Program,
        jobs: usize,
        interrupted: &AtomicBool,
        follow: impl FnMut(QueueNews<'_>) + Send,
    ) -> Result<RunEnded, Error> {
        let work = Work {
            queue: self,
            program,
            jobs,
            interrupted,
            follow: Mutex::new(follow),
            gone: Mutex::new(None),
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
    /// Since when the place cannot be reached.
    gone: Mutex<Option<Instant>>,
    failure: Mutex<Option<Error>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<F: FnMut(QueueNews<'_>) + Send> Work<'_, F> {
    fn is_over(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn take_cells(&self) {
        while !self.is_over() {
            let done = match self.queue.cells.take() {
                Ok(taken) => {
                    self.is_there();
                    match taken {
                        Taken::Done => return,
                        Taken::Cell(held) => self.one(held),
                        Taken::Wait => {
                            std::thread::sleep(PAUSE);
                            Ok(())
                        }
                    }
                }
                Err(error) => self.is_gone(error),
            };
            if let Err(failure) = done {
                locked(&self.failure).get_or_insert(failure);
                self.interrupted.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The place can be reached.
    fn is_there(&self) {
        if locked(&self.gone).take().is_some() {
            locked(&self.follow)(QueueNews::Back);
        }
    }

    /// The place cannot be reached. It may come back, so this says so once and waits a little, until patience ends.
    fn is_gone(&self, error: mutagen_exchange::Error) -> Result<(), Error> {
        let (patience, mut gone) = (self.queue.patience, locked(&self.gone));
        match *gone {
            Some(since) if since.elapsed() >= patience => return Err(error.into()),
            Some(_) => {}
            None => {
                *gone = Some(Instant::now());
                locked(&self.follow)(QueueNews::Gone(&error, patience));
            }
        }
        drop(gone);
        std::thread::sleep(PAUSE.min(patience));
        Ok(())
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
                Ok(is_first) => {
                    self.is_there();
                    // Otherwise another worker was quicker.
                    if is_first {
                        locked(&self.follow)(QueueNews::Accepted(trial));
                    }
                    return Ok(());
                }
                Err(error) if self.is_over() => return Err(error.into()),
                Err(error) => self.is_gone(error)?,
            }
        }
    }
}
