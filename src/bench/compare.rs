//! `bench compare`: compares two runs, from before and after a change.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mutagen_bench::{CellStore, Comparison, Measure, report};

use crate::bench::report::table;
use crate::exit_code::{Code, CommandError};
use crate::say;

/// Compares two runs: what got better, worse, or stayed the same
///
/// Each task is tested with the two-sided Mann-Whitney U test on all its trials, where time-outs rank last,
/// with Holm's correction for the number of tasks and strategies. All tasks of a strategy together are tested
/// as well.
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm bench compare before after\n  \
    mutagen-wasm bench compare before after --by tests --all\n\n\
    Exit status:\n  0    nothing got significantly worse\n  1    something got significantly worse\n  \
    3    a directory holds no results, or they have nothing in common")]
pub struct Arguments {
    /// The directory of the results before the change
    #[arg(value_name = "A")]
    before: PathBuf,

    /// The directory of the results after the change
    #[arg(value_name = "B")]
    after: PathBuf,

    /// The measure to compare; tests do not depend on the machine or its load
    #[arg(long, value_name = "MEASURE", value_enum, default_value_t = By::Time)]
    by: By,

    /// The level of significance
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = level)]
    alpha: f64,

    /// Also lists tasks that stayed the same
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    Time,
    Tests,
}

fn level(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(level) if 0.0 < level && level < 1.0 => Ok(level),
        _ => Err("a level of significance lies between 0 and 1, such as 0.05".to_owned()),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Code, CommandError> {
    let [before, after] =
        [&arguments.before, &arguments.after].map(|directory| table(&CellStore::at(directory)));
    let measure = match arguments.by {
        By::Time => Measure::Seconds,
        By::Tests => Measure::Tests,
    };
    let comparison = Comparison::of(&before?, &after?, measure, arguments.alpha);
    if comparison.compared.is_empty() {
        let message = "the two runs have no task and strategy in common of which both have results";
        return Err(CommandError::new(Code::Unusable, message));
    }
    say::out(report::comparison(&comparison, arguments.all))?;
    Ok(if comparison.is_worse() { Code::Finding } else { Code::Fine })
}
