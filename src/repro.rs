//! `--guidance repro`: modules that were found or collected earlier are tested again, one after the other.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use mutagen_engine::{Campaign, Event, Finding, Outcome, Property, Report, Repro, Verdict};
use mutagen_oracles::Call;
use mutagen_wasm_ast::Module;
use serde_json::{Value, json};

use crate::evidence::calls_beside;
use crate::exit_code::{Code, Failure};
use crate::flags::CampaignFlags;
use crate::hunt::interrupt_flag;
use crate::{input, say};

/// What the given files and directories are good for.
pub struct Given<T> {
    /// The values, each with the file that it comes from.
    pub values: Vec<(PathBuf, T)>,
    /// Whether something was left out.
    pub skipped: bool,
}

/// What came of a file.
pub struct Replayed {
    file: PathBuf,
    verdict: Verdict,
}

/// The values behind the given files and directories. What cannot be read, and modules of which `back` makes nothing, are
/// named and left out. `back` gets a module and the calls that were recorded with it.
pub fn given<T>(paths: &[PathBuf], back: impl Fn(&[u8], &[Call]) -> Option<T>) -> Given<T> {
    let value = |(file, wasm): (PathBuf, Vec<u8>)| match back(&wasm, &calls_beside(&file)?) {
        Some(value) => Ok((file, value)),
        None => {
            let why = Module::decode(&wasm).err().map_or_else(String::new, |error| format!(": {error}"));
            let message = format!("{}: this property cannot be tested on such a module{why}", file.display());
            Err(Failure::new(Code::Unusable, message))
        }
    };
    let mut given = Given { values: Vec::new(), skipped: false };
    for module in input::collect(paths) {
        match module.and_then(value) {
            Ok(value) => given.values.push(value),
            Err(failure) => {
                say::error(failure.message);
                given.skipped = true;
            }
        }
    }
    given
}

impl<T> Given<T> {
    /// Refuses to go on with nothing.
    pub fn require(&self) -> Result<(), Failure> {
        if !self.values.is_empty() {
            return Ok(());
        }
        let hint = match self.skipped {
            true => "none of the modules given by --input can be used",
            false => "--guidance repro needs modules: name files or directories with --input",
        };
        Err(Failure::new(Code::Unusable, hint))
    }
}

/// Tests all values, also after a finding, and hands every finding to `failed` at once.
pub fn replay<T, P>(
    flags: &CampaignFlags,
    given: Vec<(PathBuf, T)>,
    failed: impl Fn(&Finding<T>) + Sync,
    property: impl Fn() -> P + Sync,
    judge: impl Fn(&mut P, &T) -> Outcome + Sync,
) -> Result<(Report<T>, Vec<Replayed>), Failure>
where
    T: Clone + Send + Sync,
{
    let (files, values): (Vec<PathBuf>, Vec<T>) = given.into_iter().unzip();
    let verdicts = Mutex::new(Vec::new());
    let mut campaign = Campaign::new(flags.seed)
        .tests(flags.tests.unwrap_or(u64::MAX))
        .keep_going(true)
        .interrupt(interrupt_flag()?)
        .events(|event| match event {
            Event::Tested { verdict, .. } => {
                verdicts.lock().unwrap_or_else(PoisonError::into_inner).push(verdict.clone());
            }
            Event::Failed(finding) => failed(finding),
            _ => (),
        });
    if let Some(time) = flags.time {
        campaign = campaign.time(time);
    }
    let report = campaign.run_jobs(1, |_| {
        let repro = Repro::new(values.clone()).unwrap_or_else(|| panic!("there are values"));
        (repro, AtOnce { property: property(), judge: &judge })
    });
    let verdicts = verdicts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let replayed = files.into_iter().zip(verdicts).map(|(file, verdict)| Replayed { file, verdict });
    Ok((report, replayed.collect()))
}

/// A property that postpones nothing.
struct AtOnce<'a, P, J> {
    property: P,
    judge: &'a J,
}

impl<T, P, J: Fn(&mut P, &T) -> Outcome> Property<T> for AtOnce<'_, P, J> {
    fn check(&mut self, value: &T) -> Outcome {
        (self.judge)(&mut self.property, value)
    }
}

impl Replayed {
    /// One line for people.
    pub fn line(&self) -> String {
        let (outcome, why) = self.outcome();
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        format!("{}: {outcome}{why}", self.file.display())
    }

    /// The same for scripts.
    pub fn json(&self) -> Value {
        let (outcome, why) = self.outcome();
        json!({ "file": self.file, "outcome": outcome, "message": why })
    }

    fn outcome(&self) -> (&'static str, &str) {
        match &self.verdict {
            Verdict::Passed => ("passed", ""),
            Verdict::Discarded => ("discarded", ""),
            Verdict::Failed(failure) => ("failed", &failure.message),
        }
    }
}
