//! `mutagen-wasm serve-engine`: an engine of ours as a process that answers questions.

use std::io::{stdin, stdout};

use clap::Args;
use mutagen_oracles::{Registry, end_with_parent, serve};

use crate::exit_code::{Code, CommandError};

/// Answers questions about an engine on standard input and output, in the protocol for engines in other processes
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mutagen-wasm interpret --target isolated:wasmi (starts it by itself)\n  \
    mutagen-wasm interpret --target \"process:mutagen-wasm serve-engine wasmi\"\n\n\
    docs/engines-in-processes.md describes the protocol."
)]
pub struct Arguments {
    /// The engine; `mutagen-wasm engines` lists them
    name: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let entry = engines.find(&arguments.name).map_err(mutagen_campaign::Error::from)?;
    end_with_parent();
    let served = serve(entry, &mut stdin().lock(), &mut stdout().lock());
    served.map(|()| Code::Fine).map_err(|error| CommandError::new(Code::Unusable, error.to_string()))
}
