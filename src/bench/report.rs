//! `bench report`: what came of a run.

use std::path::PathBuf;

use clap::Args;
use mutagen_bugs::bench::{Table, report};
use mutagen_bugs::nearest;

use crate::bench::store::Store;
use crate::exit_code::{Code, Failure};
use crate::{results, say};

/// The file for people.
const PAGE: &str = "report.html";

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
    if table.trials().next().is_none() {
        let at = arguments.directory.display();
        let reason = format!("{at}: no results here yet; `mutagen-wasm bench run -o {at}` makes some");
        return Err(Failure::new(Code::Unusable, reason));
    }
    let baseline = baseline(&table, arguments.baseline.as_deref())?;
    say::out(report::terminal(&table, &baseline))?;
    let directory = arguments.output.as_ref().unwrap_or(&arguments.directory);
    results::create(directory)?;
    for (name, content) in files(&table, &baseline) {
        results::write(&directory.join(name), content.as_bytes())?;
    }
    say::note(format!("the whole report: {}", directory.join(PAGE).display()));
    Ok(Code::Fine)
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

/// The strategy that was asked for, or the first.
fn baseline(table: &Table, wanted: Option<&str>) -> Result<String, Failure> {
    let known = table.strategies();
    match wanted {
        None => Ok(known.first().copied().unwrap_or_default().to_owned()),
        Some(name) if known.contains(&name) => Ok(name.to_owned()),
        Some(name) => {
            let meant =
                nearest(name, &known).map_or(String::new(), |known| format!("; did you mean `{known}`?"));
            let known = known.join(", ");
            Err(Failure::usage(format!(
                "the baseline `{name}` takes no part in this run{meant} (taking part: {known})"
            )))
        }
    }
}
