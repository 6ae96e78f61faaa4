//! Trials: the results of cells.

use serde::{Deserialize, Serialize};

use crate::statistics::Observation;
use crate::{Cell, StoredError};
use mutagen_campaign::{CampaignOutcome, CampaignReport, Finding};

/// The format version of a result file. It is raised when older programs cannot read the new format.
const FORMAT: u32 = 1;
/// How many characters of a child's last error output are kept.
const LAST_WORDS: usize = 400;

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialOutcome {
    /// The injected bug was found: the finding vanishes when the bug is switched off.
    Found,
    /// The bug was not found in time.
    Timeout,
    /// Too many tests were discarded.
    GaveUp,
    /// The process died.
    Crashed,
    /// The process did not end in time and was killed.
    Hung,
    /// The process ended, but its report cannot be read or is about another cell.
    Unreadable,
    /// The program refused the command, such as a strategy that cannot hunt at this task.
    Refused,
}

impl TrialOutcome {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            TrialOutcome::Found => "found",
            TrialOutcome::Timeout => "timeout",
            TrialOutcome::GaveUp => "gave_up",
            TrialOutcome::Crashed => "crashed",
            TrialOutcome::Hung => "hung",
            TrialOutcome::Unreadable => "unreadable",
            TrialOutcome::Refused => "refused",
        }
    }

    /// Whether the campaign did not run as it should.
    pub fn is_broken(self) -> bool {
        !matches!(self, TrialOutcome::Found | TrialOutcome::Timeout | TrialOutcome::GaveUp)
    }
}

/// How a child process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this exit status.
    Exited(i32),
    /// Killed by a signal.
    Killed(i32),
    /// It did not end by itself in time, and was killed.
    Hung,
}

impl Ended {
    /// Whether a signal ended it that a program does not send to itself: SIGHUP, SIGINT, SIGKILL or SIGTERM.
    pub(crate) fn was_killed_by_somebody(self) -> bool {
        matches!(self, Ended::Killed(1 | 2 | 9 | 15))
    }
}

/// Facts about the machine at the time of a trial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// The name of the machine.
    #[serde(default)]
    pub name: String,
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

/// One seeded run and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    format: u32,
    /// The version of the program.
    pub version: String,
    /// The build of the program: a hash of the executable.
    pub build: String,
    /// The cell that was run.
    #[serde(flatten)]
    pub cell: Cell,
    /// The property.
    pub property: String,
    /// How it ended.
    pub outcome: TrialOutcome,
    /// The reason if the trial did not run as it should; otherwise the kind of difference that was found.
    pub note: String,
    /// The number of tests; up to the finding, if there is one.
    pub tests: u64,
    /// Tests in which the property held.
    pub passed: u64,
    /// Tests that were discarded.
    pub discarded: u64,
    /// Tests on which the engines could not be compared.
    pub inconclusive: u64,
    /// The duration of the campaign in seconds; up to the finding, if there is one.
    pub seconds: f64,
    /// The number of differences between the unmodified engines that were met.
    pub discrepancies: u64,
    /// The machine.
    pub host: HostFacts,
    /// The finding, if the cell is about a property: it shows what the property sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
}

impl Trial {
    /// Turns the output of a cell's child process into a result. `None` if the process was interrupted: the
    /// cell is then still to be run.
    pub fn judge(cell: Cell, ended: Ended, stdout: &str, stderr: &str) -> Option<Trial> {
        let mut trial = Trial {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: String::new(),
            property: String::new(),
            outcome: TrialOutcome::Unreadable,
            note: String::new(),
            tests: 0,
            passed: 0,
            discarded: 0,
            inconclusive: 0,
            seconds: 0.0,
            discrepancies: 0,
            host: HostFacts::default(),
            finding: None,
            cell,
        };
        match ended {
            Ended::Hung => trial.broken(TrialOutcome::Hung, "did not end in time"),
            Ended::Killed(signal) => {
                trial.broken(TrialOutcome::Crashed, format!("signal {signal}: {}", last_words(stderr)))
            }
            Ended::Exited(129 | 130 | 143) => return None,
            Ended::Exited(2) => trial.broken(TrialOutcome::Refused, last_words(stderr)),
            Ended::Exited(0 | 1 | 3) if !stdout.trim().is_empty() => trial.take(stdout),
            Ended::Exited(code) => {
                trial.broken(TrialOutcome::Crashed, format!("exit status {code}: {}", last_words(stderr)))
            }
        }
        Some(trial)
    }

    /// Adds the build of the program and the machine that the result comes from.
    #[must_use]
    pub fn from(self, build: &str, host: HostFacts) -> Trial {
        Trial { build: build.to_owned(), host, ..self }
    }

    fn broken(&mut self, outcome: TrialOutcome, note: impl Into<String>) {
        self.outcome = outcome;
        self.note = note.into();
    }

    /// Takes the result from the campaign's report.
    fn take(&mut self, stdout: &str) {
        let report: CampaignReport = match serde_json::from_str(stdout) {
            Ok(report) => report,
            Err(error) => {
                return self.broken(TrialOutcome::Unreadable, format!("the campaign's JSON: {error}"));
            }
        };
        if (report.bug.as_deref(), report.seed) != (Some(self.cell.task.as_str()), self.cell.seed) {
            return self.broken(TrialOutcome::Unreadable, "the campaign was about another cell");
        }
        (self.property, self.tests, self.seconds) = (report.property, report.tests, report.seconds);
        (self.passed, self.discarded) = (report.passed, report.discarded);
        (self.inconclusive, self.discrepancies) = (report.inconclusive, report.discrepancies.count);
        let has_ratio = report.spec.budget.max_discard_ratio.is_some();
        self.outcome = match report.finding {
            Some(finding) => {
                (self.tests, self.seconds) = (finding.tests, finding.seconds);
                self.note = finding.finding.kind().to_owned();
                self.finding = self.cell.property.as_ref().map(|_| finding.finding);
                TrialOutcome::Found
            }
            // Without a ratio a campaign uses its whole time, even if it discards every test.
            None if report.outcome == CampaignOutcome::GaveUp && has_ratio => TrialOutcome::GaveUp,
            None => TrialOutcome::Timeout,
        };
    }

    /// Reads the result file of `cell`.
    ///
    /// # Errors
    ///
    /// If the text is not a result, or is the result of another cell. The error says why.
    pub fn read(text: &str, cell: &Cell) -> Result<Trial, StoredError> {
        let trial: Trial = serde_json::from_str(text).map_err(StoredError::NotAResult)?;
        if trial.format != FORMAT {
            return Err(StoredError::Format { found: trial.format, known: FORMAT });
        }
        if trial.cell != *cell {
            return Err(StoredError::OtherCell(Box::new(trial.cell)));
        }
        Ok(trial)
    }

    /// Whether the bug was found within `limit` seconds.
    pub fn found_within(&self, limit: f64) -> bool {
        self.outcome == TrialOutcome::Found && self.seconds <= limit
    }

    /// The time at which the bug was found, in seconds, or the limit if it was not found by then.
    ///
    /// A trial that broke down or gave up would not have found the bug later either, so it counts as not
    /// found for the whole limit.
    pub fn seconds_to_failure(&self, limit: f64) -> Observation {
        if self.found_within(limit) { Observation::event(self.seconds) } else { Observation::censored(limit) }
    }

    /// The number of tests after which the bug was found, or the number of tests that did not find it.
    pub fn tests_to_failure(&self, limit: f64) -> Observation {
        match self.outcome {
            TrialOutcome::Found if self.seconds <= limit => Observation::event(self.tests as f64),
            TrialOutcome::Found | TrialOutcome::Timeout => Observation::censored(self.tests as f64),
            // A trial that broke down or gave up would not have found the bug later either.
            _ => Observation::censored(f64::INFINITY),
        }
    }
}

/// The end of a process's error output, on one line.
fn last_words(stderr: &str) -> String {
    let words: Vec<char> = stderr.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    words[words.len().saturating_sub(LAST_WORDS)..].iter().collect()
}
