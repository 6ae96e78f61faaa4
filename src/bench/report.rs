//! `bench report`: what came of a run.

use std::path::PathBuf;

use clap::Args;
use mutagen_bugs::bench::{Table, report};

use crate::bench::store::Store;
use crate::exit_code::{Code, Failure};
use crate::say;

/// Shows the results of a run: tables here, CSV, JSON and one HTML page in the directory
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm bench report results\n  \
    mutagen-wasm bench report results --baseline random -o report\n\n\
    Exit status:\n  0    the report is written\n  2    the baseline takes no part\n  \
    3    the directory holds no results\n  5    the report could not be stored")]
pub struct Arguments {
    /// The directory of the results
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The strategy that the others are compared with [default: the first of the plan]
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,

    /// Stores the report here [default: the directory of the results]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Code, Failure> {
    let table = Store::at(&arguments.directory).table()?;
    let baseline = baseline(&table, arguments.baseline.as_deref())?;
    say::out(report::terminal(&table, &baseline))?;
    Ok(Code::Fine)
}

/// The strategy that was asked for, or the first.
fn baseline(table: &Table, wanted: Option<&str>) -> Result<String, Failure> {
    let known = table.strategies();
    match wanted {
        None => Ok(known.first().copied().unwrap_or_default().to_owned()),
        Some(name) if known.contains(&name) => Ok(name.to_owned()),
        Some(name) => {
            let known = known.join(", ");
            Err(Failure::usage(format!(
                "the baseline `{name}` takes no part in this run; choose one of {known}"
            )))
        }
    }
}
