//! `bench run`: runs the cells of a plan that have not been run yet.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mutagen_bench::{Cell, CellStore, Plan, Program, RunEnded, Shard, cores, run_cells};
use mutagen_campaign::EngineSpec;
use mutagen_oracles::{Registry, Settings, prove_woven};

use crate::bench::plan::PlanFlags;
use crate::bench::progress::CellProgress;
use crate::bench::shared;
use crate::exit_code::{Code, CommandError};
use crate::meeting::MeetingFlags;
use crate::signals::{self, interrupt_flag};
use crate::{flags, say};

/// Runs every cell that has not been run yet, each in a process of its own
///
/// Results are stored cell by cell. A run that was stopped for any reason continues when it is started again.
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm bench run --suite smoke\n  \
    mutagen-wasm bench run --suite paper-wasm --shard 0/3 -o results\n  \
    mutagen-wasm bench run --task 'stack-*' --strategy mutagen:10 --strategy random:3 --time 20s\n  \
    mutagen-wasm bench run -o results          continues the plan that is stored there\n  \
    mutagen-wasm bench run --suite smoke --sync shared   takes cells that other workers leave\n\n\
    Exit status:\n  0    every cell of this run is done, whatever its result\n  2    the command line makes no sense\n  \
    4    the directory holds another plan, or another run of the same shard is writing there\n  \
    5    results could not be stored\n  129, 130, 143  interrupted; start it again to continue")]
pub struct Arguments {
    /// The directory of the results. With --sync or --hub, they are kept there instead
    #[arg(short, long, value_name = "DIR", default_value = "bench-results")]
    output: PathBuf,

    #[command(flatten)]
    cells: CellFlags,

    #[command(flatten)]
    plan: PlanFlags,

    #[command(flatten)]
    meeting: MeetingFlags,
}

/// The flags that say how cells are run.
#[derive(Args, Debug, Clone)]
pub struct CellFlags {
    /// Only part K of N of the cells, for several machines; K counts from 0
    #[arg(long, value_name = "K/N", default_value = "0/1", hide_default_value = true, global = true)]
    pub shard: Shard,

    /// How many cells run at once [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), global = true)]
    jobs: Option<u16>,

    /// Kills a cell that takes longer than its limit by more than this time
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = flags::duration, global = true)]
    pub grace: Duration,

    /// Prints only errors on standard error
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

impl CellFlags {
    /// How many cells run at once.
    pub fn jobs(&self) -> usize {
        self.jobs.map_or_else(cores, usize::from)
    }

    /// The cells of this part of a plan that have no result yet, and how many there are with those that have one.
    pub fn open_cells(&self, plan: &Plan, store: &CellStore) -> Result<(Vec<Cell>, usize), CommandError> {
        let stored = store.read(plan)?;
        stored.notes().for_each(say::note);
        let names: HashSet<String> = stored.trials.iter().map(|trial| trial.cell.name()).collect();
        let mine = plan.cells_of(self.shard);
        let all = mine.len();
        let open: Vec<Cell> = mine.into_iter().filter(|cell| !names.contains(&cell.name())).collect();
        if !self.quiet && open.len() < all {
            say::note(format!("{} of {all} cells are done already", all - open.len()));
        }
        Ok((open, all))
    }

    /// Runs these cells, and shows their progress.
    pub fn run(&self, open: &[Cell], store: &CellStore) -> Result<RunEnded, CommandError> {
        let program = Program::this(self.grace)?;
        let mut progress = CellProgress::new(open.len(), self.quiet);
        let follow = |trial: &_| progress.follow(trial);
        Ok(run_cells(open, &program, store, self.jobs(), &*interrupt_flag()?, follow)?)
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    require_woven(engines)?;
    let Arguments { cells, output, meeting, .. } = arguments;
    if let Some(sharing) = meeting.sharing()? {
        return shared::run(&sharing, &arguments.plan, cells, meeting);
    }
    let store = CellStore::at(output);
    let plan = settle(&store, &arguments.plan)?;
    let _lock = store.lock(cells.shard)?;
    let (open, all) = cells.open_cells(&plan, &store)?;
    let ended = cells.run(&open, &store)?;
    if !cells.quiet {
        say::note(next(ended, all, arguments));
    }
    Ok(match ended {
        RunEnded::Done => Code::Fine,
        RunEnded::Interrupted => signals::interrupted(),
    })
}

/// The command to run next.
fn next(ended: RunEnded, all: usize, arguments: &Arguments) -> String {
    let directory = arguments.output.display();
    let Shard { index, count } = arguments.cells.shard;
    let shard = if count > 1 { format!(" --shard {index}/{count}") } else { String::new() };
    match ended {
        RunEnded::Interrupted => {
            format!("interrupted; to go on: mutagen-wasm bench run -o {directory}{shard}")
        }
        RunEnded::Done => {
            format!("all {all} cells are done; to see them: mutagen-wasm bench report {directory}")
        }
    }
}

/// Returns an error if this program was compiled without probes and bugs, since every cell would fail.
pub fn require_woven(engines: &Registry) -> Result<(), CommandError> {
    let target = engines.find(EngineSpec::TARGET).map_err(CommandError::usage)?;
    let target = target.make(&Settings::default()).map_err(CommandError::usage)?;
    prove_woven(&*target).map_err(CommandError::usage)
}

/// The stored plan if there is one, otherwise the plan of the flags. If there are both, they must be equal.
fn settle(store: &CellStore, flags: &PlanFlags) -> Result<Plan, CommandError> {
    match store.plan()? {
        Some(plan) if !flags.are_given() => Ok(plan),
        _ => {
            let plan = flags.plan()?;
            store.keep_plan(&plan)?;
            Ok(plan)
        }
    }
}
