//! `bench run`, `bench report` and `refine` on cells that several machines share.

use std::path::Path;

use mutagen_bench::{CellStore, Plan, Program, Queue, QueueNews, RunEnded, StoredTrials, Table};
use mutagen_campaign::Sharing;

use super::plan::PlanFlags;
use super::progress::CellProgress;
use super::run::CellFlags;
use crate::exit_code::{Code, CommandError};
use crate::meeting::MeetingFlags;
use crate::say;
use crate::signals::{self, interrupt_flag};

/// Runs cells of the shared plan until none is left.
pub fn run(
    sharing: &Sharing,
    plan: &PlanFlags,
    cells: &CellFlags,
    meeting: &MeetingFlags,
) -> Result<Code, CommandError> {
    let queue = Queue::join(sharing, settle(sharing, plan)?)?;
    match run_queue(&queue, cells)? {
        RunEnded::Interrupted => Ok(signals::interrupted()),
        RunEnded::Done => {
            if !cells.quiet {
                say::note(format!(
                    "all cells are done; to see them: mutagen-wasm bench report results {}",
                    meeting.words()
                ));
            }
            Ok(Code::Fine)
        }
    }
}

/// Runs cells of a queue until none is left anywhere.
pub fn run_queue(queue: &Queue, cells: &CellFlags) -> Result<RunEnded, CommandError> {
    if cells.shard.count > 1 {
        return Err(CommandError::usage(
            "--shard splits a plan beforehand; shared cells are split while they run",
        ));
    }
    queue.fill()?;
    let renewed = queue.renew()?;
    let open = queue.open()?;
    if !cells.quiet {
        say::note(format!("{open} cells have no result yet"));
        if renewed > 0 {
            say::note(format!("{renewed} of them were tried as often as allowed, and are tried again"));
        }
    }
    let program = Program::this(cells.grace)?;
    let mut progress = CellProgress::new(usize::try_from(open).unwrap_or(usize::MAX), cells.quiet);
    let follow = |news: QueueNews<'_>| match news {
        QueueNews::Accepted(trial) => progress.follow(trial),
        QueueNews::Gone(error, patience) => {
            say::note(format!("{error}; trying again, for {} at most", humantime::format_duration(patience)))
        }
        QueueNews::Back => say::note("it can be reached again"),
    };
    let ended = queue.run(&program, cells.jobs(), &*interrupt_flag()?, follow)?;
    drop(progress);
    let left = if ended == RunEnded::Done { queue.open()? } else { 0 };
    if left > 0 {
        let why = format!(
            "{left} cells were tried as often as allowed, and have no result; whoever runs this again tries them again"
        );
        return Err(CommandError::new(Code::Unusable, why));
    }
    Ok(ended)
}

/// The plan that is there, or that of the flags.
fn settle(sharing: &Sharing, flags: &PlanFlags) -> Result<Plan, CommandError> {
    match Queue::plan(sharing)? {
        Some(plan) if !flags.are_given() => Ok(plan),
        _ => flags.plan(),
    }
}

/// The table of all shared results, which are stored in the directory as well, as if they had been run there.
pub fn table(sharing: &Sharing, directory: &Path) -> Result<Table, CommandError> {
    let queue = Queue::stored(sharing)?.ok_or_else(|| {
        let why = format!("there is no benchmark `{}` in {}", sharing.campaign, sharing.place);
        CommandError::new(Code::Unusable, why)
    })?;
    let store = CellStore::at(directory);
    store.keep_plan(queue.its_plan())?;
    fetch(&queue, &store)?;
    super::report::table(&store)
}

/// Stores all results of a queue in a directory.
pub fn fetch(queue: &Queue, store: &CellStore) -> Result<(), CommandError> {
    let stored: StoredTrials = queue.trials()?;
    stored.notes().for_each(say::note);
    Ok(stored.trials.iter().try_for_each(|trial| store.keep(trial))?)
}
