//! What came of a cell.

use serde::{Deserialize, Serialize};

use crate::bench::Cell;
use crate::bench::campaign::Campaign;
use crate::bench::statistics::Observation;

/// The form of a result file. Raised when an older program could not read a newer file.
const FORMAT: u32 = 1;
/// How much of a child's last words is kept.
const LAST_WORDS: usize = 400;

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The injected bug was found: the finding vanishes when the bug is switched off.
    Found,
    /// It was not found in time.
    Timeout,
    /// Too many tests were discarded.
    GaveUp,
    /// The process died.
    Crashed,
    /// The process did not end in time and was ended.
    Hung,
    /// The process ended, but what it said makes no sense.
    Unreadable,
    /// The program refused the command, such as a strategy that cannot hunt at this task.
    Refused,
}

impl Outcome {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Found => "found",
            Outcome::Timeout => "timeout",
            Outcome::GaveUp => "gave_up",
            Outcome::Crashed => "crashed",
            Outcome::Hung => "hung",
            Outcome::Unreadable => "unreadable",
            Outcome::Refused => "refused",
        }
    }

    /// Whether the campaign did not run as it should.
    pub fn is_broken(self) -> bool {
        !matches!(self, Outcome::Found | Outcome::Timeout | Outcome::GaveUp)
    }
}

/// How a child process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this exit status.
    Exited(i32),
    /// By a signal.
    Killed(i32),
    /// It did not: its time was long up, and it was ended.
    Hung,
}

/// Facts about the machine at the time of a trial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// The processor.
    pub processor: String,
    /// How many cores this program may use.
    pub cores: usize,
    /// The operating system and architecture.
    pub system: String,
    /// How many cells were run at once.
    pub jobs: usize,
    /// The load average over the last minute before the trial, where the system tells.
    pub load: Option<f64>,
    /// When the trial began.
    pub started: String,
}

/// One seeded run and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    format: u32,
    /// The version of the program.
    pub version: String,
    /// Which build of it: a hash of the executable.
    pub build: String,
    /// What was run.
    #[serde(flatten)]
    pub cell: Cell,
    /// The property.
    pub property: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, if it did not run as it should; what kind of difference was found, if it did.
    pub note: String,
    /// Tests that were run; up to the finding, if there is one.
    pub tests: u64,
    /// Tests in which the property held.
    pub passed: u64,
    /// Tests that said nothing.
    pub discarded: u64,
    /// Tests on which the engines could not be compared.
    pub inconclusive: u64,
    /// Seconds of the campaign; up to the finding, if there is one.
    pub seconds: f64,
    /// Differences of the unmodified engines that were met on the way.
    pub discrepancies: u64,
    /// The machine.
    pub host: Host,
}

impl Trial {
    /// Makes a result of what the child process of a cell left behind. None: it was interrupted, and the cell is open.
    pub fn judge(cell: Cell, ended: Ended, stdout: &str, stderr: &str) -> Option<Trial> {
        let mut trial = Trial {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: String::new(),
            property: String::new(),
            outcome: Outcome::Unreadable,
            note: String::new(),
            tests: 0,
            passed: 0,
            discarded: 0,
            inconclusive: 0,
            seconds: 0.0,
            discrepancies: 0,
            host: Host::default(),
            cell,
        };
        match ended {
            Ended::Hung => trial.broken(Outcome::Hung, "did not end in time"),
            Ended::Killed(signal) => {
                trial.broken(Outcome::Crashed, format!("signal {signal}: {}", last_words(stderr)))
            }
            Ended::Exited(130) => return None,
            Ended::Exited(2) => trial.broken(Outcome::Refused, last_words(stderr)),
            Ended::Exited(0 | 1 | 3) if !stdout.trim().is_empty() => trial.take(stdout),
            Ended::Exited(code) => {
                trial.broken(Outcome::Crashed, format!("exit status {code}: {}", last_words(stderr)))
            }
        }
        Some(trial)
    }

    /// Says which build of the program it comes from, and which machine.
    #[must_use]
    pub fn from(self, build: &str, host: Host) -> Trial {
        Trial { build: build.to_owned(), host, ..self }
    }

    fn broken(&mut self, outcome: Outcome, note: impl Into<String>) {
        self.outcome = outcome;
        self.note = note.into();
    }

    /// Takes over what the campaign says.
    fn take(&mut self, stdout: &str) {
        let campaign: Campaign = match serde_json::from_str(stdout) {
            Ok(campaign) => campaign,
            Err(error) => return self.broken(Outcome::Unreadable, format!("the campaign's JSON: {error}")),
        };
        if (campaign.bug.as_deref(), campaign.seed) != (Some(self.cell.task.as_str()), self.cell.seed) {
            return self.broken(Outcome::Unreadable, "the campaign was about another cell");
        }
        (self.property, self.tests, self.seconds) = (campaign.property, campaign.tests, campaign.seconds);
        (self.passed, self.discarded) = (campaign.passed, campaign.discarded);
        (self.inconclusive, self.discrepancies) = (campaign.inconclusive, campaign.discrepancies.count);
        self.outcome = match campaign.finding {
            Some(finding) => {
                (self.tests, self.seconds, self.note) = (finding.tests, finding.seconds, finding.kind);
                Outcome::Found
            }
            None if campaign.outcome == "gave_up" => Outcome::GaveUp,
            None => Outcome::Timeout,
        };
    }

    /// Reads a result file that is to be about `cell`.
    ///
    /// # Errors
    ///
    /// Says why it is none, or is about something else.
    pub fn read(text: &str, cell: &Cell) -> Result<Trial, String> {
        let trial: Trial =
            serde_json::from_str(text).map_err(|error| format!("not a whole result: {error}"))?;
        if trial.format != FORMAT {
            return Err(format!("written in form {}, this program reads form {FORMAT}", trial.format));
        }
        if trial.cell != *cell {
            let Cell { seed, limit, .. } = trial.cell;
            return Err(format!(
                "belongs to another plan: {} with seed {seed} and limit {limit} s",
                trial.cell.name()
            ));
        }
        Ok(trial)
    }

    /// Whether the bug was found within `limit` seconds.
    pub fn found_within(&self, limit: f64) -> bool {
        self.outcome == Outcome::Found && self.seconds <= limit
    }

    /// When the bug was found, in seconds; else for how long it was not.
    ///
    /// A trial that broke down or gave up would not have found it later either: it stays unsolved for the whole limit.
    pub fn seconds_to_failure(&self, limit: f64) -> Observation {
        if self.found_within(limit) { Observation::event(self.seconds) } else { Observation::censored(limit) }
    }

    /// After how many tests the bug was found; else how many did not find it.
    pub fn tests_to_failure(&self, limit: f64) -> Observation {
        match self.outcome {
            Outcome::Found if self.seconds <= limit => Observation::event(self.tests as f64),
            Outcome::Found | Outcome::Timeout => Observation::censored(self.tests as f64),
            // It would not have found it later either.
            _ => Observation::censored(f64::INFINITY),
        }
    }
}

/// The end of what a process said, on one line.
fn last_words(stderr: &str) -> String {
    let words: Vec<char> = stderr.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    words[words.len().saturating_sub(LAST_WORDS)..].iter().collect()
}
