//! The steps of every campaign: search, shrink, store, report.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mutagen_engine::{
    Campaign, Cost, Counterexample, Event, Report, Repro, SHRINK_TESTS, Source, Strategy, shrink_failure,
};
use mutagen_properties::{Case, DISCREPANCY, Pair, Subject};
use serde::{Deserialize, Serialize};

use super::given::{AtOnce, Given, told};
use super::{Ran, Setup};
use crate::finding::text_of;
use crate::progress::Counter;
use crate::store::{Folder, Manifest};
use crate::{
    CampaignOutcome, CampaignReport, DiscrepancyReport, DiscrepancySummary, Error, Finding, FindingReport,
    GivenReport, Observer, Progress, SecondsIn, SlowReport, Spec, Store, Total,
};

/// How many events of a trace are kept if the campaign looks for long runs: 16 MiB of them.
const LONG_TRACES: usize = 1 << 22;
/// How often the statistics are stored while a campaign runs. If the run is killed, no more than this time is
/// lost.
const STORED_EVERY: Duration = Duration::from_secs(2);
/// The file of the statistics.
const STATS: &str = "stats.json";

/// A campaign on one subject.
pub(super) struct Driver<'a, S: Subject> {
    spec: &'a Spec,
    subject: Arc<S>,
    /// A property for shrinking, besides those of the workers.
    alone: S::Property,
    given: Given<S::Value>,
    store: Option<Store>,
    /// The totals of earlier runs in the output directory.
    earlier: Total,
    interrupt: Arc<AtomicBool>,
    observer: Box<dyn Observer + Send + 'a>,
}

/// The statistics of a campaign that has not ended.
#[derive(Serialize)]
struct Running {
    outcome: CampaignOutcome,
    tests: u64,
    passed: u64,
    discarded: u64,
    inconclusive: u64,
    seconds: f64,
    total: Total,
}

/// The part of earlier statistics that is read back.
#[derive(Default, Deserialize)]
struct Statistics {
    #[serde(default)]
    total: Option<Total>,
}

impl<'a, S: Subject> Driver<'a, S> {
    /// Prepares the campaign. Errors in the spec, the inputs or the output directory are returned here,
    /// before the first test.
    pub(super) fn new(spec: &'a Spec, subject: S, setup: Setup<'a>) -> Result<Self, Error> {
        let Setup { inputs, output, interrupt, mut observer, .. } = setup;
        // Check that the target can be watched and that the property can be made.
        subject.watch()?;
        let alone = subject.property()?;
        // Read the given modules.
        let given = Given::collect(&inputs, &subject, &mut *observer);
        given.require(spec.strategy.is_none())?;
        // Take the output directory, and read what earlier runs there did.
        let store = output.map(|(directory, earlier)| Store::open(&directory, earlier)).transpose()?;
        let earlier = match &store {
            Some(store) if store.resumes() => {
                store.read_json::<Statistics>(STATS)?.and_then(|earlier| earlier.total)
            }
            _ => None,
        };
        let (subject, earlier) = (Arc::new(subject), earlier.unwrap_or_default());
        Ok(Driver { spec, subject, alone, given, store, earlier, interrupt, observer })
    }

    /// Runs the campaign and stores its results.
    pub(super) fn run(mut self) -> Result<Ran, Error> {
        // Search for a failing test, or test the given values again.
        let corpus = self.begin()?;
        let given = std::mem::take(&mut self.given.values);
        let (report, replayed) = match self.spec.strategy.clone() {
            Some(strategy) => {
                let examples = corpus.into_iter().chain(given.into_iter().map(|(_, value)| value)).collect();
                (self.search(&strategy, examples), Vec::new())
            }
            None => self.test_again(given),
        };
        // Take the times before shrinking, which runs the engines as well.
        let seconds_in = self.seconds_in(&report);
        // Shrink and store the finding, the slowest tests and the discrepancies.
        let mut told = CampaignReport::new(self.spec, &report);
        told.seconds_in = seconds_in;
        told.replayed = replayed;
        told.refused_modules = self.subject.refused_modules();
        told.finding = report.findings.first().map(|first| self.finding(first));
        told.slowest = self.slowest(&report);
        told.discrepancies = self.discrepancies(&report)?;
        if let Some(store) = &self.store {
            // Replace the statistics of the running campaign by the complete report.
            told.total = Some(self.earlier.and(told.tests, told.passed, told.discarded, told.seconds));
            store.write_json(STATS, &told);
        }
        let stored = self.store.as_ref().map_or(Ok(()), Store::complete);
        Ok(Ran { report: told, stored, left_out: self.given.left_out })
    }

    /// Stores the spec of this run. Returns the values that earlier runs kept.
    fn begin(&self) -> Result<Vec<S::Value>, Error> {
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        let corpus = if store.resumes() {
            Manifest::require_same(self.spec, store)?;
            store.corpus()?
        } else {
            Vec::new()
        };
        Manifest::new(self.spec, corpus.len()).store(store)?;
        // Only modules are kept in the corpus.
        let value = |wasm| self.subject.value(&Case::Module { wasm, calls: Vec::new() });
        Ok(corpus.into_iter().filter_map(value).collect())
    }

    /// Searches with the strategy, starting from the examples.
    fn search(&mut self, strategy: &Strategy, examples: Vec<S::Value>) -> Report<S::Value> {
        let strategy = self.subject.suit(strategy.clone());
        let Driver { spec, subject, store, earlier, observer, .. } = self;
        // Report progress, and store statistics and interesting modules, while the search runs.
        let (mut counter, mut stored) = (Counter::new(), Instant::now());
        let mut campaign = Campaign::new(spec.seed)
            .interrupt(Arc::clone(&self.interrupt))
            .examples(examples)
            .events(|event| {
                if let Some(progress) = counter.follow(&event) {
                    observer.progress(&progress);
                    if let Some(store) = store.as_ref().filter(|_| stored.elapsed() >= STORED_EVERY) {
                        stored = Instant::now();
                        store.write_json(STATS, &Running::new(&progress, earlier));
                    }
                }
                if let (Event::Interesting { value, .. }, Some(store)) = (event, store.as_ref())
                    && let Some(wasm) = subject.module(value)
                {
                    store.keep(&wasm);
                }
            });
        // Set the limits of the search.
        if strategy.maximises() == Some(Cost::Probes) {
            campaign = campaign.trace_capacity(LONG_TRACES);
        }
        if let Some(tests) = spec.budget.tests {
            campaign = campaign.tests(tests);
        }
        if let Some(time) = spec.budget.time() {
            campaign = campaign.time(time);
        }
        if let Some(ratio) = spec.budget.max_discard_ratio {
            campaign = campaign.max_discard_ratio(ratio);
        }
        // Run it, with a guidance and a property for each worker.
        campaign.run_jobs(spec.jobs.into(), |worker| {
            let maker = Arc::clone(subject);
            let generate = move |source: &mut Source, size| maker.generate(source, size);
            let property =
                subject.property().unwrap_or_else(|error| panic!("it could be made before: {error}"));
            (strategy.guidance(worker.seed, subject.scope(), generate), property)
        })
    }

    /// Tests all given values, and does not stop at a finding. Stores every finding at once.
    fn test_again(&self, given: Vec<(PathBuf, S::Value)>) -> (Report<S::Value>, Vec<GivenReport>) {
        let Driver { spec, subject, store, .. } = self;
        let (files, values): (Vec<PathBuf>, Vec<S::Value>) = given.into_iter().unzip();
        let verdicts = Mutex::new(Vec::new());
        let budget = spec.budget;
        let mut campaign = Campaign::new(spec.seed)
            .tests(budget.tests.unwrap_or(u64::MAX))
            .keep_going(true)
            .interrupt(Arc::clone(&self.interrupt))
            .events(|event| match event {
                Event::Tested { verdict, .. } => {
                    verdicts.lock().unwrap_or_else(PoisonError::into_inner).push(verdict.clone());
                }
                Event::Failed(found) => {
                    if let Some(store) = store {
                        store.store(Folder::Findings, &as_found(spec, &**subject, found));
                    }
                }
                _ => (),
            });
        if let Some(time) = budget.time {
            campaign = campaign.time(time);
        }
        let report = campaign.run_jobs(1, |_| {
            let repro = Repro::new(values.clone()).unwrap_or_else(|| panic!("there are values"));
            let property =
                subject.property().unwrap_or_else(|error| panic!("it could be made before: {error}"));
            (repro, AtOnce { subject: &**subject, property })
        });
        let verdicts = verdicts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let replayed = files.into_iter().zip(&verdicts).map(|(file, verdict)| told(file, verdict));
        (report, replayed.collect())
    }

    /// Shrinks a finding and stores it. Shrinking takes a while, so the finding is first stored as it was
    /// found. It is not lost if the run is killed meanwhile.
    fn finding(&mut self, found: &Counterexample<S::Value>) -> FindingReport {
        let as_found = as_found(self.spec, &*self.subject, found);
        let store = |finding| self.store.as_ref().and_then(|store| store.store(Folder::Findings, finding));
        store(&as_found);
        // Shrink it, as long as it fails in the same way.
        let (subject, alone) = (&self.subject, &mut self.alone);
        let judge = |value: &S::Value| subject.judge(alone, value);
        let shrunk = shrink_failure(&subject.scope(), found.clone(), judge, SHRINK_TESTS);
        let finding = Finding::new(self.spec, subject.case(&shrunk.value), &shrunk.failure);
        // The small finding takes the place of the large one, once it is stored.
        let file = store(&finding);
        if let Some(store) = &self.store
            && file.is_some()
            && as_found.file_name() != finding.file_name()
        {
            store.discard(Folder::Findings, &as_found);
        }
        FindingReport { finding, tests: found.tests, seconds: found.seconds, file }
    }

    fn slowest(&self, report: &Report<S::Value>) -> Vec<SlowReport> {
        let told = |record: &mutagen_engine::Record<S::Value>| {
            let wasm = self.subject.module(&record.value);
            let file = match (&self.store, &wasm) {
                (Some(store), Some(wasm)) => store.store_slow(record.amount, wasm),
                _ => None,
            };
            SlowReport {
                amount: record.amount,
                unit: record.unit.to_owned(),
                tests: record.tests,
                value: wasm.is_none().then(|| format!("{:?}", record.value)),
                wat: wasm.map(|wasm| text_of(&wasm)),
                file,
            }
        };
        report.records.iter().map(told).collect()
    }

    fn seconds_in(&self, report: &Report<S::Value>) -> Option<SecondsIn> {
        let [target, reference] = self.subject.context()?.times.seconds();
        let all = report.seconds * f64::from(self.spec.jobs);
        Some(SecondsIn { target, reference, rest: (all - target - reference).max(0.0) })
    }

    /// Shrinks and stores the differences between the unmodified engines that were met.
    fn discrepancies(&self, report: &Report<S::Value>) -> Result<DiscrepancySummary, Error> {
        let Some(context) = self.subject.context() else {
            let count = report.labels.get(DISCREPANCY).copied().unwrap_or(0);
            return Ok(DiscrepancySummary { count, ..DiscrepancySummary::default() });
        };
        let unmodified = self.spec.clone().unmodified();
        let mut each = Vec::new();
        for met in Pair::new(context)?.discrepancies(&self.subject.scope()) {
            let case = Case::Module { wasm: met.bytes, calls: met.calls };
            let finding = Finding::new(&unmodified, case, &met.failure);
            let store = self.store.as_ref();
            each.push(DiscrepancyReport {
                kind: met.failure.kind,
                met: met.met,
                message: met.failure.message,
                file: store.and_then(|store| store.store(Folder::Discrepancies, &finding)),
            });
        }
        let files = each.iter().filter_map(|one| one.file.clone()).collect();
        Ok(DiscrepancySummary { count: each.len() as u64, files, each })
    }
}

/// A finding before it is shrunk.
fn as_found<S: Subject>(spec: &Spec, subject: &S, found: &Counterexample<S::Value>) -> Finding {
    Finding::new(spec, subject.case(&found.value), &found.failure)
}

impl Running {
    fn new(progress: &Progress, earlier: &Total) -> Self {
        let Progress { tests, passed, discarded, inconclusive, seconds, .. } = *progress;
        let total = earlier.and(tests, passed, discarded, seconds);
        Running { outcome: CampaignOutcome::Running, tests, passed, discarded, inconclusive, seconds, total }
    }
}
