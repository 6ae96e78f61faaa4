//! `mutagen-wasm replay`: checks whether a finding still stands.

use std::path::{Path, PathBuf};

use clap::Args;
use mutagen_campaign::{
    Budget, Error, Executable, Finding, Replayed, SpecError, Stored, ends_a_process, replay,
};
use mutagen_oracles::Registry;

use crate::exit_code::{Code, CommandError};
use crate::flags::TellingFlags;
use crate::hunt::{Places, hunt};
use crate::{leak_spec, say};

/// Tests a stored finding again, on both engines or on the machine
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm replay out/findings/result-0123456789abcdef.json\n\n\
    Exit status 1: the engines still differ, the target still ends the process, or the machine still leaks; 0: not so")]
pub struct Arguments {
    /// The finding's `.json` file, or a file of the same name beside it
    finding: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let file = arguments.finding.with_extension("json");
    match Finding::read(&file)? {
        Stored::Finding(finding) => {
            let program = Executable::this().map_err(Error::NoWorker)?;
            let replayed = match ends_a_process(&finding, engines, &program) {
                Ok(None) => replay(&finding, engines, &program),
                Ok(Some(died)) => Ok(died),
                Err(error) => Err(error),
            };
            tell(&replayed.map_err(|error| in_file(&file, error))?)
        }
        Stored::Command(words) => search_again(&words, engines),
    }
}

/// Names the file whose finding cannot be replayed. A bug that this program does not have is no fault of the file.
fn in_file(file: &Path, error: Error) -> Error {
    match error {
        Error::Spec(SpecError::UnknownBug(_)) | Error::Watch(_) => error,
        other => Error::unusable(file, other),
    }
}

fn tell(replayed: &Replayed) -> Result<Code, CommandError> {
    match replayed {
        Replayed::Module { target, reference, judgement, votes } => {
            let [target, reference] = [target, reference].map(|name| format!("{name}:"));
            for step in &judgement.steps {
                let [ours, theirs] = step.answers();
                say::out(format!("{}\n  {target:<9} {ours}\n  {reference:<9} {theirs}", step.question))?;
            }
            say::out(&judgement.agreement)?;
            if let Some(votes) = votes {
                say::out(format!("votes: {votes}"))?;
            }
        }
        Replayed::Process(Some(died)) => say::out(format!("the target {died}"))?,
        Replayed::Process(None) => say::out("the target no longer ends the process")?,
        Replayed::Leak(leak) => say::out(leak.as_deref().unwrap_or("the machine no longer leaks"))?,
    }
    Ok(if replayed.stands() { Code::Finding } else { Code::Fine })
}

/// Runs the search of an old finding again. Earlier versions stored no pair of states, only the command line
/// of the campaign. Only the campaign is taken from the file: nothing is written, and the time limit is the
/// default.
fn search_again(words: &[String], engines: &Registry) -> Result<Code, CommandError> {
    let mut spec = leak_spec(words)?;
    // The file does not decide how long, on how many threads, or with what else besides the campaign.
    (spec.budget.time, spec.jobs, spec.keep_going) = (Some(Budget::DEFAULT_TIME), 1, false);
    hunt(&spec, engines, Places::default(), &TellingFlags { json: false, quiet: true, verbose: false })
}
