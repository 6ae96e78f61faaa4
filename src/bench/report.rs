//! `bench report`: shows the results of a run.

use std::path::PathBuf;

use clap::Args;
use mutagen_bench::{CellStore, Table, report};
use mutagen_bugs::{did_you_mean, nearest};
use mutagen_campaign::store::files::{create, write};

use super::shared;
use crate::exit_code::{Code, CommandError};
use crate::meeting::MeetingFlags;
use crate::say;

/// The page for people.
const PAGE: &str = "report.html";

/// Shows the results of a run: prints tables, and stores CSV, JSON and one HTML page in the directory
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm bench report results\n  \
    mutagen-wasm bench report results --baseline random -o report\n  \
    mutagen-wasm bench report results --sync shared\n\n\
    Exit status:\n  0    the report is written\n  2    the baseline takes no part\n  \
    3    the directory holds no results\n  5    the report could not be stored")]
pub struct Arguments {
    /// The directory of the results. With --sync or --hub, they are fetched into it
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    #[command(flatten)]
    meeting: MeetingFlags,

    /// The strategy that the others are compared with [default: the first of the plan]
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,

    /// The directory for the report [default: the directory of the results]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Code, CommandError> {
    let table = match arguments.meeting.sharing()? {
        Some(sharing) => shared::table(&sharing, &arguments.directory)?,
        None => table(&CellStore::at(&arguments.directory))?,
    };
    if table.trials().next().is_none() {
        let at = arguments.directory.display();
        let reason = format!("{at}: no results here yet; `mutagen-wasm bench run -o {at}` makes some");
        return Err(CommandError::new(Code::Unusable, reason));
    }
    let baseline = baseline(&table, arguments.baseline.as_deref())?;
    say::out(report::terminal(&table, &baseline))?;
    let directory = arguments.output.as_ref().unwrap_or(&arguments.directory);
    create(directory)?;
    for (name, content) in files(&table, &baseline) {
        write(&directory.join(name), content.as_bytes())?;
    }
    say::note(format!("the whole report: {}", directory.join(PAGE).display()));
    Ok(Code::Fine)
}

/// The table of all results in a directory. Prints which files were skipped and which results are missing.
pub fn table(store: &CellStore) -> Result<Table, CommandError> {
    let (table, notes) = store.table()?;
    notes.into_iter().for_each(say::note);
    Ok(table)
}

/// Every file of the report.
fn files(table: &Table, baseline: &str) -> [(&'static str, String); 6] {
    [
        ("cells.csv", report::cells_csv(table)),
        ("summaries.csv", report::summaries_csv(table, baseline)),
        ("totals.csv", report::totals_csv(table, baseline)),
        ("curves.csv", report::curves_csv(table)),
        ("report.json", format!("{:#}\n", report::json(table, baseline))),
        (PAGE, report::page(table, baseline)),
    ]
}

/// The requested strategy, or the first one.
fn baseline(table: &Table, wanted: Option<&str>) -> Result<String, CommandError> {
    let known = table.strategies();
    match wanted {
        None => Ok(known.first().copied().unwrap_or_default().to_owned()),
        Some(name) if known.contains(&name) => Ok(name.to_owned()),
        Some(name) => {
            let meant = did_you_mean(nearest(name, &known).as_deref());
            let known = known.join(", ");
            Err(CommandError::usage(format!(
                "the baseline `{name}` takes no part in this run{meant} (taking part: {known})"
            )))
        }
    }
}
