//! `bench run`: runs the cells of a plan that were not run yet.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use mutagen_bugs::bench::{Cell, Plan, Shard};

use crate::bench::child::Program;
use crate::bench::host;
use crate::bench::plan::PlanFlags;
use crate::bench::progress::Progress;
use crate::bench::store::Store;
use crate::engines::require_woven;
use crate::exit_code::{Code, Failure};
use crate::{flags, hunt, say};

/// Runs every cell that was not run yet, each in a process of its own
///
/// Results are stored cell by cell. A run that was stopped, by whatever, goes on when it is started again.
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm bench run --suite smoke\n  \
    mutagen-wasm bench run --suite paper-wasm --shard 0/3 -o results\n  \
    mutagen-wasm bench run --task 'stack-*' --strategy mutagen:10 --strategy random:3 --time 20s\n  \
    mutagen-wasm bench run -o results          goes on with the plan that is stored there\n\n\
    Exit status:\n  0    every cell of this run is done, whatever came of it\n  2    the command line makes no sense\n  \
    4    the directory holds another plan, or another run of the same shard is writing there\n  \
    5    results could not be stored\n  130  interrupted; start it again to go on")]
pub struct Arguments {
    /// Only this part of the cells, of so many: for several machines
    #[arg(long, value_name = "K/N", default_value = "0/1", hide_default_value = true)]
    shard: Shard,

    /// How many cells run at once [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Ends a cell that takes so much longer than its limit
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = flags::duration)]
    grace: Duration,

    /// The directory of the results
    #[arg(short, long, value_name = "DIR", default_value = "bench-results")]
    output: PathBuf,

    /// Says nothing on standard error but what went wrong
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    plan: PlanFlags,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Code, Failure> {
    require_woven()?;
    let store = Store::at(&arguments.output);
    let plan = settle(&store, &arguments.plan)?;
    let _lock = store.lock(arguments.shard)?;
    let stored = store.read(&plan)?;
    stored.tell();
    let names: HashSet<String> = stored.trials.iter().map(|trial| trial.cell.name()).collect();
    let done = |cell: &Cell| names.contains(&cell.name());
    let mine = plan.cells_of(arguments.shard);
    let all = mine.len();
    let open: Vec<Cell> = mine.into_iter().filter(|cell| !done(cell)).collect();
    if !arguments.quiet && open.len() < all {
        say::note(format!("{} of {all} cells are done already", all - open.len()));
    }
    let quiet = arguments.quiet;
    let work = Work {
        program: Program::copy(arguments.grace)?,
        jobs: arguments.jobs.map_or_else(host::cores, usize::from),
        store,
        interrupted: hunt::interrupt_flag()?,
        next: AtomicUsize::new(0),
        progress: Mutex::new(Progress::new(open.len(), quiet)),
        failure: Mutex::new(None),
    };
    let code = work.through(&open)?;
    if !quiet {
        let directory = arguments.output.display();
        let Shard { index, count } = arguments.shard;
        let shard = if count > 1 { format!(" --shard {index}/{count}") } else { String::new() };
        say::note(match code {
            Code::Interrupted => {
                format!("interrupted; to go on: mutagen-wasm bench run -o {directory}{shard}")
            }
            _ => format!("all {all} cells are done; to see them: mutagen-wasm bench report {directory}"),
        });
    }
    Ok(code)
}

/// The stored plan if there is one, which must then be the one that is asked for, if any is.
fn settle(store: &Store, flags: &PlanFlags) -> Result<Plan, Failure> {
    match store.plan()? {
        Some(plan) if !flags.are_given() => Ok(plan),
        _ => {
            let plan = flags.plan()?;
            store.keep_plan(&plan)?;
            Ok(plan)
        }
    }
}

/// What the workers share.
struct Work {
    program: Program,
    jobs: usize,
    store: Store,
    /// Set from outside, and by the first failure.
    interrupted: Arc<AtomicBool>,
    next: AtomicUsize,
    progress: Mutex<Progress>,
    failure: Mutex<Option<Failure>>,
}

impl Work {
    /// Runs these cells, several at once.
    fn through(self, cells: &[Cell]) -> Result<Code, Failure> {
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(cells.len()) {
                scope.spawn(|| self.worker(cells));
            }
        });
        if let Some(failure) = self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(failure);
        }
        Ok(if self.interrupted.load(Ordering::Relaxed) { Code::Interrupted } else { Code::Fine })
    }

    fn worker(&self, cells: &[Cell]) {
        while !self.interrupted.load(Ordering::Relaxed) {
            let Some(cell) = cells.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            if let Err(failure) = self.one(cell) {
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
                self.interrupted.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Runs a cell and stores what came of it.
    fn one(&self, cell: &Cell) -> Result<(), Failure> {
        match self.program.run(cell, self.jobs, &self.interrupted)? {
            Some(trial) => {
                self.store.keep(&trial)?;
                self.progress.lock().unwrap_or_else(PoisonError::into_inner).follow(&trial);
            }
            // Somebody stopped the child: that is no result, and nobody wants to wait for the others.
            None => self.interrupted.store(true, Ordering::Relaxed),
        }
        Ok(())
    }
}
