//! `--guidance repro`: modules that were found or collected earlier are tested again, one after the other.

use std::path::PathBuf;
use std::sync::Mutex;

use mutagen_engine::{Campaign, Event, Outcome, Property, Report, Repro, Verdict};
use serde_json::{Value, json};

use crate::exit_code::{Code, Failure};
use crate::flags::CampaignFlags;
use crate::hunt::interrupt_flag;
use crate::{input, say};

/// A value from a file.
pub type Given<T> = (PathBuf, T);

/// What came of a file.
pub struct Replayed {
    file: PathBuf,
    verdict: Verdict,
}

/// The values behind the given files and directories. Modules of which `back` makes nothing are named and left out.
pub fn given<T>(paths: &[PathBuf], back: impl Fn(&[u8]) -> Option<T>) -> Result<Vec<Given<T>>, Failure> {
    let modules = input::collect(paths)?;
    let value = |(file, wasm): (PathBuf, Vec<u8>)| match back(&wasm) {
        Some(value) => Some((file, value)),
        None => {
            say::error(format!("{}: this property cannot be tested on such a module", file.display()));
            None
        }
    };
    Ok(modules.into_iter().filter_map(value).collect())
}

/// Tests all values, also after a finding.
pub fn replay<T, P>(
    flags: &CampaignFlags,
    given: Vec<Given<T>>,
    property: impl Fn() -> P + Sync,
    judge: impl Fn(&mut P, &T) -> Outcome + Sync,
) -> Result<(Report<T>, Vec<Replayed>), Failure>
where
    T: Clone + Send + Sync,
{
    let (files, values): (Vec<PathBuf>, Vec<T>) = given.into_iter().unzip();
    if values.is_empty() {
        let hint = "--guidance repro needs modules: name files or directories with --input";
        return Err(Failure::new(Code::Unusable, hint));
    }
    let verdicts = Mutex::new(Vec::new());
    let mut campaign = Campaign::new(flags.seed)
        .tests(flags.tests.unwrap_or(u64::MAX))
        .keep_going(true)
        .interrupt(interrupt_flag()?)
        .events(|event| {
            if let Event::Tested { verdict, .. } = event
                && let Ok(mut verdicts) = verdicts.lock()
            {
                verdicts.push(verdict.clone());
            }
        });
    if let Some(time) = flags.time {
        campaign = campaign.time(time);
    }
    let report = campaign.run_jobs(1, |_| {
        let repro = Repro::new(values.clone()).unwrap_or_else(|| panic!("there are values"));
        (repro, AtOnce { property: property(), judge: &judge })
    });
    let verdicts = verdicts.into_inner().unwrap_or_default();
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
