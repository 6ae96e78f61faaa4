//! `mutagen-wasm bench`: which strategy finds which bug, how often, how soon.

mod child;
mod compare;
mod host;
mod plan;
mod progress;
mod report;
mod run;
mod store;

use clap::{Args, Subcommand};

use crate::exit_code::{Code, Failure};

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
pub fn run(arguments: Arguments) -> Result<Code, Failure> {
    match arguments.command {
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
    }
}
