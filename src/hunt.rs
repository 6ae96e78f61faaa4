//! Running a campaign and reporting its result, for all commands that run campaigns.

use std::path::PathBuf;

use mutagen_campaign::{
    CampaignOutcome, Earlier, Error, Executable, Ran, Setup, Spec, WorkerLimits, is_supervised, run,
    supervise,
};
use mutagen_oracles::Registry;

use crate::exit_code::{Code, CommandError};
use crate::flags::TellingFlags;
use crate::progress::Shown;
use crate::showing::Showing;
use crate::signals::{self, interrupt_flag};
use crate::tell;

/// Where a campaign starts from, and where its results go.
#[derive(Default)]
pub struct Places {
    /// Modules to start from, or directories of them.
    pub inputs: Vec<PathBuf>,
    /// The output directory, and what to do with earlier results there.
    pub output: Option<(PathBuf, Earlier)>,
    /// The file of known groups.
    pub known: Option<PathBuf>,
    /// What worker processes may use. `None` if tests run in this process.
    pub limits: Option<WorkerLimits>,
    /// Where the page of the output directory is served.
    pub serve: Option<String>,
}

/// Runs a campaign, prints its report, and returns the exit code.
pub fn hunt(
    spec: &Spec,
    engines: &Registry,
    places: Places,
    telling: &TellingFlags,
) -> Result<Code, CommandError> {
    let Places { inputs, output, known, limits, serve } = places;
    let directory = output.as_ref().map(|(directory, _)| directory.as_path());
    let showing = Showing::start(directory, serve.as_deref())?;
    let setup = Setup {
        inputs: inputs.clone(),
        output,
        known,
        interrupt: interrupt_flag()?,
        observer: Box::new(Shown::new(telling.quiet)),
        ..Setup::new(engines)
    };
    let ran = match limits.filter(|_| is_supervised(spec)) {
        Some(limits) => {
            let program = Executable::this().map_err(Error::NoWorker)?;
            supervise(spec, setup, &program, limits)?
        }
        None => run(spec, setup)?,
    };
    // A finding is printed even if it could not be stored.
    let told = tell::campaign(&ran.report, &inputs, telling);
    let shown = showing.finish(&ran.report);
    ran.stored.as_ref().map_or_else(|error| Err(not_stored(error)), |()| Ok(())).and(shown).and(told)?;
    Ok(code(spec, &ran))
}

fn not_stored(error: &mutagen_campaign::Error) -> CommandError {
    CommandError::new(error.class().into(), error)
}

fn code(spec: &Spec, ran: &Ran) -> Code {
    match ran.report.outcome {
        CampaignOutcome::Finding => Code::Finding,
        CampaignOutcome::Interrupted => signals::interrupted(),
        CampaignOutcome::GaveUp => Code::Unusable,
        // Not all of the files that the user named were tested.
        _ if spec.strategy.is_none() && ran.left_out => Code::Unusable,
        CampaignOutcome::Passed | CampaignOutcome::Running => Code::Fine,
    }
}
