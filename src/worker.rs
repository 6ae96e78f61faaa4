//! `mutagen-wasm worker`: a worker process of a supervised campaign. Only supervisors use it.

use std::path::PathBuf;

use clap::Args;
use mutagen_campaign::{WorkerFiles, work};
use mutagen_oracles::{Registry, trust_commands};

use crate::exit_code::{Code, CommandError};

/// Does the part of a campaign that comes on standard input, for the process that started this one
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm interpret --time 1h -o out (starts its workers by itself)")]
pub struct Arguments {
    /// The file in which the worker notes its last test
    #[arg(long, value_name = "FILE")]
    notes: PathBuf,

    /// Modules to start from, or directories of them
    #[arg(long, value_name = "PATH")]
    input: Vec<PathBuf>,

    /// The output directory, which the supervisor holds
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// The file of known groups
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: Arguments, engines: &Registry) -> Result<Code, CommandError> {
    // Whoever started this process has looked at the names of the engines.
    trust_commands();
    let Arguments { notes, input: inputs, output, known } = arguments;
    let done = work(WorkerFiles { notes, inputs, output, known }, engines);
    done.map(|()| Code::Fine).map_err(|error| CommandError::new(Code::Unusable, error.to_string()))
}
