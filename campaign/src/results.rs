//! The results in an output directory, read back: of a campaign that ended, that still runs, or that was killed.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::run::STATS;
use crate::store::{LOCK, Manifest, corpus_files, read_json, stored_findings};
use crate::{CampaignOutcome, CampaignReport, Error, Finding, FindingReport, Group, Spec, Total};

/// The results of a campaign.
///
/// They come from an output directory ([`Results::read`]) or from the report of a campaign that has just ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The output directory, if there is one.
    pub directory: Option<PathBuf>,
    /// The version of the program that wrote them.
    pub version: String,
    /// The spec of the campaign. Programs of old wrote none.
    pub spec: Option<Spec>,
    /// The complete report, if the campaign has ended in good order.
    pub report: Option<CampaignReport>,
    /// How far it came.
    pub state: State,
    /// Tests of the last run that were run.
    pub tests: u64,
    /// Tests of the last run in which the property held.
    pub passed: u64,
    /// Tests of the last run that were discarded.
    pub discarded: u64,
    /// Tests of the last run from which nothing can be concluded.
    pub inconclusive: u64,
    /// How long the last run took, in seconds.
    pub seconds: f64,
    /// The totals of all runs in the directory.
    pub total: Option<Total>,
    /// The groups of failing tests, each with its exemplar.
    pub groups: Vec<GroupResult>,
    /// How many modules the corpus has.
    pub corpus: usize,
}

/// How far a campaign came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// It ended like this.
    Ended(CampaignOutcome),
    /// It still runs.
    Running,
    /// It ended without a report: it was killed, or the machine failed.
    #[default]
    Killed,
}

/// A group of failing tests.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupResult {
    /// The group.
    pub group: Group,
    /// Its exemplar. `None` if its file is gone.
    pub finding: Option<Finding>,
}

impl GroupResult {
    /// A name that can be the name of a file: the kind and a number that tells the exemplar from others.
    pub fn name(&self) -> String {
        self.finding.as_ref().map_or_else(|| self.group.shape.to_string(), Finding::file_name)
    }
}

/// The part of the statistics that is there while a campaign runs and when it has ended.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Statistics {
    outcome: Option<CampaignOutcome>,
    tests: u64,
    passed: u64,
    discarded: u64,
    inconclusive: u64,
    seconds: f64,
    groups: Vec<Group>,
    total: Option<Total>,
}

impl Results {
    /// Reads the results in an output directory. Nothing is changed; the campaign may go on meanwhile.
    ///
    /// # Errors
    ///
    /// If this is no output directory, or one of its files is no such file. The error names the file.
    pub fn read(directory: &Path) -> Result<Self, Error> {
        let manifest = Manifest::read(directory)?.ok_or_else(|| {
            Error::unusable(directory, "this is no output directory of a campaign: it has no run.json")
        })?;
        let stats: Option<Value> = read_json(&directory.join(STATS))?;
        let mut results = Results {
            directory: Some(directory.to_owned()),
            version: manifest.version,
            spec: manifest.spec,
            corpus: corpus_files(directory).len(),
            state: if is_held(directory) { State::Running } else { State::Killed },
            ..Results::default()
        };
        let mut groups = Vec::new();
        if let Some(stats) = stats {
            let unusable = |error: serde_json::Error| Error::unusable(directory.join(STATS), error);
            let report = serde_json::from_value::<CampaignReport>(stats.clone()).ok();
            let told: Statistics = serde_json::from_value(stats).map_err(unusable)?;
            // A resumed run has the report of the run before it until it has statistics of its own.
            if let Some(outcome) = told.outcome.filter(|outcome| *outcome != CampaignOutcome::Running)
                && results.state == State::Killed
            {
                results.state = State::Ended(outcome);
            }
            let Statistics { tests, passed, discarded, inconclusive, seconds, .. } = told;
            results = Results { tests, passed, discarded, inconclusive, seconds, report, ..results };
            (results.total, groups) = (told.total, told.groups);
        }
        results.groups = with_exemplars(groups, stored_findings(directory));
        Ok(results)
    }

    /// Whether something was found that the user does not know yet.
    pub fn has_news(&self) -> bool {
        self.open().next().is_some()
    }

    /// The groups that are not silenced.
    pub fn open(&self) -> impl Iterator<Item = &GroupResult> {
        self.groups.iter().filter(|result| result.group.silenced.is_none())
    }

    /// The words for how far it came.
    pub fn state_words(&self) -> String {
        match self.state {
            State::Running => "still running".to_owned(),
            State::Killed => "killed before it could end in good order".to_owned(),
            State::Ended(outcome) => {
                let reason = self.report.as_ref().map(|report| report.stop_reason.as_str());
                match (outcome, reason) {
                    (CampaignOutcome::GaveUp, Some(reason)) => format!("gave up: {reason}"),
                    (_, Some(reason)) => reason.to_owned(),
                    (_, None) => "ended".to_owned(),
                }
            }
        }
    }
}

impl From<CampaignReport> for Results {
    fn from(report: CampaignReport) -> Self {
        let exemplar = report.finding.clone();
        let is_exemplar = |group: &Group, found: &FindingReport| {
            group.file == found.file && group.kind == found.finding.kind()
        };
        let groups = report.groups.iter().cloned().map(|group| {
            let own = exemplar.as_ref().filter(|found| is_exemplar(&group, found));
            let finding = own.map(|found| found.finding.clone());
            GroupResult { group, finding }
        });
        Results {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            spec: Some(report.spec.clone()),
            state: State::Ended(report.outcome),
            tests: report.tests,
            passed: report.passed,
            discarded: report.discarded,
            inconclusive: report.inconclusive,
            seconds: report.seconds,
            total: report.total,
            groups: groups.collect(),
            report: Some(report),
            ..Results::default()
        }
    }
}

/// The groups with their exemplars. A finding that is in no group, because the run was killed before it could be sorted, is
/// a group of its own.
fn with_exemplars(groups: Vec<Group>, stored: impl Iterator<Item = (PathBuf, Finding)>) -> Vec<GroupResult> {
    let mut stored: BTreeMap<String, (PathBuf, Finding)> =
        stored.map(|(file, finding)| (finding.file_name(), (file, finding))).collect();
    let mut all = Vec::new();
    for mut group in groups {
        let name = group
            .file
            .as_ref()
            .and_then(|file| file.file_stem())
            .map(|name| name.to_string_lossy().into_owned());
        let exemplar = name.and_then(|name| stored.remove(&name));
        let (file, finding) = exemplar.unzip();
        // The path in the statistics was relative to where the campaign was started.
        group.file = file;
        all.push(GroupResult { group, finding });
    }
    all.extend(stored.into_values().filter_map(|(file, finding)| {
        let group = Group::alone(&finding, Some(file))?;
        Some(GroupResult { group, finding: Some(finding) })
    }));
    all
}

/// Whether a run holds the directory. The lock is taken for an instant, together with all others who only look.
fn is_held(directory: &Path) -> bool {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(directory.join(LOCK));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock)))
}
