//! `mutagen-wasm bench`: measures which strategy finds which bug, how often and how soon.

mod compare;
mod plan;
mod progress;
mod report;
pub(crate) mod run;
pub(crate) mod shared;

use clap::{Args, Subcommand};
use mutagen_oracles::Registry;

use crate::exit_code::{Code, CommandError};

/// Measures strategies against the injected bugs: plan, run, report, compare
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Plan(plan::Arguments),
    Run(run::Arguments),
    Report(report::Arguments),
    Compare(compare::Arguments),
}

/// Runs the command.
pub fn run(arguments: Arguments, engines: &Registry) -> Result<Code, CommandError> {
    match arguments.command {
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Run(arguments) => run::run(&arguments, engines),
        Command::Report(arguments) => report::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
    }
}
