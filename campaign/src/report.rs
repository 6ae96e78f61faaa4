//! The report of a campaign: the object of `--json`, written and read back as one type.

pub(crate) mod paths;

use std::collections::BTreeMap;
use std::path::PathBuf;

use mutagen_engine::{Figures, Report, StopReason, Tally};
use mutagen_properties::{OpinionCounts, Shape};
use mutagen_wasm_ast::Features;
use serde::{Deserialize, Serialize};

use crate::reach::CorpusReach;
use crate::{EngineSpec, FileReach, Finding, Group, Shared, Spec, SubjectSpec};

/// The report of a campaign.
///
/// ```
/// use mutagen_campaign::{CampaignReport, Setup, Spec, run};
/// use mutagen_bugs::Bug;
/// use mutagen_oracles::{Registry, on_stack};
///
/// let mut spec = Spec::hunting(&Bug::find("stack-7")?).expect("it is a bug");
/// spec.budget.tests = Some(100_000);
/// let report = on_stack(|| run(&spec, Setup::new(&Registry::default())))??.report;
/// let text = serde_json::to_string(&report)?;
/// let read: CampaignReport = serde_json::from_str(&text)?;
/// assert_eq!(read, report);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CampaignReport {
    /// The spec of the campaign.
    pub spec: Spec,
    /// The command: `validate`, `interpret` or `ifc`.
    pub command: String,
    /// The property's name.
    pub property: String,
    /// The injected bug.
    pub bug: Option<String>,
    /// The guidance's name.
    pub guidance: String,
    /// The preset's name.
    pub preset: String,
    /// The switches that were set.
    pub switches: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// How many workers ran at once.
    pub jobs: u16,
    /// The features of modules and engines.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub features: Option<Features>,
    /// Whether known bugs of the target were repaired although none was injected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fixes: Option<bool>,
    /// The generator, where there is a choice.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub generator: Option<String>,
    /// How the campaign ended.
    pub outcome: CampaignOutcome,
    /// Why the campaign ended, in words.
    pub stop_reason: String,
    /// Tests that were run.
    pub tests: u64,
    /// Tests in which the property held.
    pub passed: u64,
    /// Tests that were discarded, inconclusive ones included.
    pub discarded: u64,
    /// Tests from which nothing can be concluded.
    pub inconclusive: u64,
    /// How long the campaign took, in seconds.
    pub seconds: f64,
    /// Tests per second.
    pub tests_per_second: f64,
    /// How many tests had each label.
    pub labels: BTreeMap<String, u64>,
    /// The figures of the guidance.
    pub figures: Figures,
    /// How many traces were cut off because they were too long.
    pub truncated_traces: u64,
    /// Where the time went.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds_in: Option<SecondsIn>,
    /// What came of asking for first opinions, if some engine was asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_opinion: Option<OpinionCounts>,
    /// The results of given values, if the campaign only tested these.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub replayed: Vec<GivenReport>,
    /// The slowest tests, if the campaign looked for them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub slowest: Vec<SlowReport>,
    /// How many modules of wasm-smith could not be used.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refused_modules: Option<u64>,
    /// The first finding, shrunk.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub finding: Option<FindingReport>,
    /// The groups of what failed, in the order in which they were first met.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// How many failing tests are in no group, because there was no time to shrink them.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub unsorted: u64,
    /// How often worker processes died, if they did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub deaths: Option<Deaths>,
    /// What came of sharing, if the campaign was shared.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shared: Option<Shared>,
    /// Differences between the unmodified engines.
    pub discrepancies: DiscrepancySummary,
    /// How many probes of the target the modules in the corpus of the output directory reach. `mutagen-wasm coverage` replays
    /// them and reaches the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub probes_reached: Option<u64>,
    /// How many modules that was found out with, if not all of the corpus: there was no time for the others, or the target ends
    /// its process on them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reached_modules: Option<u64>,
    /// How many probes the target has in this program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub probes_all: Option<u64>,
    /// How many of them in each source file of the target.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reached_files: Vec<FileReach>,
    /// The totals of this run and all earlier ones in the same output directory.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub total: Option<Total>,
}

/// How a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CampaignOutcome {
    /// Something was found.
    Finding,
    /// Nothing was found.
    Passed,
    /// Too many tests were discarded, or the guidance could not go on.
    GaveUp,
    /// It was interrupted.
    Interrupted,
    /// It has not ended yet.
    Running,
}

/// Where the time of a campaign went, in seconds over all workers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SecondsIn {
    /// In the target.
    pub target: f64,
    /// In the reference, and in the engine that gives a first opinion.
    pub reference: f64,
    /// In everything else: generating, mutating, learning.
    #[serde(rename = "loop")]
    pub rest: f64,
}

/// A finding, with its time and its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingReport {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// How many tests its worker had run when it came up.
    pub tests: u64,
    /// The time of the finding, in seconds since the start.
    pub seconds: f64,
    /// The file in which it is stored.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "paths::option", default)]
    pub file: Option<PathBuf>,
}

/// How often worker processes died, and of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deaths {
    /// Of a test on which the target ends the process, each time in a process of its own.
    pub target: u64,
    /// Of a test on which the reference does so.
    pub reference: u64,
    /// While the engine that gives a first opinion was asked.
    #[serde(default)]
    pub first_opinion: u64,
    /// Of nothing that shows again. Somebody may have killed them.
    pub unexplained: u64,
    /// Of tests that nobody had the time to judge. With an output directory, the next run there judges them.
    #[serde(default)]
    pub unjudged: u64,
    /// How many of these modules may be tested again, since there were too many to remember.
    #[serde(default)]
    pub forgotten: u64,
}

/// The result of a given value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenReport {
    /// The file that it comes from.
    #[serde(serialize_with = "paths::one")]
    pub file: PathBuf,
    /// The result.
    pub outcome: GivenOutcome,
    /// The reason, if it did not pass.
    pub message: String,
}

/// The result of a given value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenOutcome {
    /// The property holds.
    Passed,
    /// The test was discarded.
    Discarded,
    /// The property does not hold.
    Failed,
}

impl GivenOutcome {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            GivenOutcome::Passed => "passed",
            GivenOutcome::Discarded => "discarded",
            GivenOutcome::Failed => "failed",
        }
    }
}

/// A test that was slow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowReport {
    /// What the test cost.
    pub amount: u64,
    /// The unit of the cost.
    pub unit: String,
    /// How many tests its worker had run when it came up.
    pub tests: u64,
    /// The module as text, if the value is a module.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wat: Option<String>,
    /// The value as text for people, if it is not a module.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<String>,
    /// The file in which it is stored.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "paths::option", default)]
    pub file: Option<PathBuf>,
}

/// Differences between the unmodified engines that were met while a bug was hunted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscrepancySummary {
    /// The number of differences; those of the same shape count as one.
    pub count: u64,
    /// The files in which they are stored.
    #[serde(serialize_with = "paths::list", default)]
    pub files: Vec<PathBuf>,
    /// Each difference.
    #[serde(default)]
    pub each: Vec<DiscrepancyReport>,
}

/// A difference between the unmodified engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscrepancyReport {
    /// Its shape.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shape: Option<Shape>,
    /// The part that differs, in a word.
    pub kind: String,
    /// How often it was met.
    pub met: u64,
    /// What differs, in a sentence.
    #[serde(default)]
    pub message: String,
    /// The file in which it is stored.
    #[serde(serialize_with = "paths::option", default)]
    pub file: Option<PathBuf>,
}

/// Totals over several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Total {
    /// The number of runs.
    pub runs: u64,
    /// Tests.
    pub tests: u64,
    /// Tests in which the property held.
    pub passed: u64,
    /// Tests that were discarded.
    pub discarded: u64,
    /// Seconds.
    pub seconds: f64,
}

impl Total {
    /// The totals with one more run added.
    #[must_use]
    pub fn and(self, tests: u64, passed: u64, discarded: u64, seconds: f64) -> Self {
        Total {
            runs: self.runs + 1,
            tests: self.tests + tests,
            passed: self.passed + passed,
            discarded: self.discarded + discarded,
            seconds: self.seconds + seconds,
        }
    }
}

impl CampaignReport {
    /// The report of a campaign, still without the parts that only its driver knows.
    pub(crate) fn new<T>(spec: &Spec, report: &Report<T>, found: bool) -> Self {
        CampaignReport {
            outcome: CampaignOutcome::of(spec, report, found),
            stop_reason: report.trouble.clone().unwrap_or_else(|| stop_words(report.stop).to_owned()),
            tests: report.tests,
            passed: report.passed,
            discarded: report.discarded,
            inconclusive: report.inconclusive,
            seconds: report.seconds,
            tests_per_second: report.tests_per_second(),
            labels: report.labels.clone(),
            figures: report.figures.clone(),
            truncated_traces: report.truncated_traces,
            ..Self::empty(spec)
        }
    }

    /// The report of a campaign that has not run a test.
    pub(crate) fn empty(spec: &Spec) -> Self {
        let engines = match &spec.subject {
            SubjectSpec::Engines(engines) => Some(engines),
            SubjectSpec::Machine(_) => None,
        };
        let switches = spec.strategy.iter().flat_map(|strategy| strategy.switches()).map(str::to_owned);
        CampaignReport {
            command: spec.command().to_owned(),
            property: spec.property(),
            bug: spec.bug.clone(),
            guidance: spec.guidance().to_string(),
            preset: spec.preset().to_owned(),
            switches: switches.collect(),
            seed: spec.seed,
            jobs: spec.jobs,
            features: engines.map(|engines: &EngineSpec| engines.features),
            fixes: engines.map(|engines| engines.fixes),
            generator: spec.generator().map(str::to_owned),
            outcome: CampaignOutcome::Passed,
            stop_reason: String::new(),
            tests: 0,
            passed: 0,
            discarded: 0,
            inconclusive: 0,
            seconds: 0.0,
            tests_per_second: 0.0,
            labels: BTreeMap::new(),
            figures: Figures::default(),
            truncated_traces: 0,
            seconds_in: None,
            first_opinion: None,
            replayed: Vec::new(),
            slowest: Vec::new(),
            refused_modules: None,
            finding: None,
            groups: Vec::new(),
            unsorted: 0,
            deaths: None,
            shared: None,
            discrepancies: DiscrepancySummary::default(),
            probes_reached: None,
            probes_all: None,
            reached_files: Vec::new(),
            reached_modules: None,
            total: None,
            spec: spec.clone(),
        }
    }

    /// Says what the corpus reaches, if that is known.
    pub(crate) fn reaches(&mut self, reached: Option<CorpusReach>) {
        let Some(CorpusReach { probes, all, files, part }) = reached else { return };
        self.reached_modules = part;
        (self.probes_reached, self.probes_all, self.reached_files) = (Some(probes), Some(all), files);
    }

    /// The number of tests with each outcome.
    pub fn tally(&self) -> Tally {
        let CampaignReport { tests, passed, discarded, .. } = *self;
        let failed = tests.saturating_sub(passed + discarded);
        Tally { passed, discarded, failed, interesting: self.figures.counts.get("interesting").copied() }
    }
}

impl CampaignOutcome {
    /// A search of which all tests were discarded has shown nothing: it gave up as well. Given values that are tested again
    /// have shown that they no longer fail.
    fn of<T>(spec: &Spec, report: &Report<T>, found: bool) -> Self {
        let all_discarded = report.tests > 0 && report.discarded == report.tests;
        match report.stop {
            _ if found => CampaignOutcome::Finding,
            StopReason::Interrupted => CampaignOutcome::Interrupted,
            StopReason::GaveUp(_) | StopReason::Trouble => CampaignOutcome::GaveUp,
            _ if all_discarded && spec.strategy.is_some() => CampaignOutcome::GaveUp,
            _ => CampaignOutcome::Passed,
        }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Why a campaign ended, in words.
fn stop_words(stop: StopReason) -> &'static str {
    match stop {
        StopReason::TestsDone => "all tests done",
        StopReason::TimeUp => "time is up",
        StopReason::Found => "found",
        StopReason::GaveUp(_) => "too many tests were discarded",
        StopReason::Interrupted => "interrupted",
        StopReason::Exhausted => "everything was tested",
        StopReason::Trouble => "the guidance cannot go on",
    }
}
