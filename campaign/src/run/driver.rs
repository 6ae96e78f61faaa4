//! The steps of every campaign: search, shrink, store, report.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mutagen_engine::{Campaign, Cost, Counterexample, Event, Report, Repro, SHRINK_TESTS, Strategy};
use mutagen_oracles::Script;
use mutagen_properties::{Case, DISCREPANCY, Notes, OpinionCounts, Pair, Subject, Tally};
use serde::{Deserialize, Serialize};

use super::collect::{Collecting, Collector, Here, NOT_CONFIRMED};
use super::exchanging::Exchanging;
use super::given::{AtOnce, Given, told};
use super::keeper::Keeper;
use super::plotting::Plotting;
use super::{Joined, Ran, Setup};
use crate::finding::text_of;
use crate::progress::Counter;
use crate::reach;
use crate::sharing::Voice;
use crate::store::{Folder, Manifest};
use crate::{
    CampaignOutcome, CampaignReport, DiscrepancyReport, DiscrepancySummary, Error, Finding, FindingReport,
    GivenReport, Group, Groups, Known, Observer, Progress, SecondsIn, SlowReport, Spec, SpecError, Store,
    Total,
};

/// How many events of a trace are kept if the campaign looks for long runs: 16 MiB of them.
const LONG_TRACES: usize = 1 << 22;
/// How often the statistics are stored while a campaign runs. If the run is killed, no more than this time is
/// lost.
pub(crate) const STORED_EVERY: Duration = Duration::from_secs(2);
/// The file of the statistics.
pub(crate) const STATS: &str = "stats.json";

/// A campaign on one subject.
pub(crate) struct Driver<'a, S: Subject> {
    pub(crate) spec: &'a Spec,
    pub(crate) subject: Arc<S>,
    given: Given<S::Value>,
    pub(crate) store: Option<Store>,
    /// The totals of earlier runs in the output directory.
    pub(crate) earlier: Total,
    /// The groups of earlier runs, until the collector takes them.
    pub(crate) groups: Groups,
    /// The findings of earlier runs that are in no group.
    left_over: Vec<FindingReport>,
    /// At most so many modules of the corpus are tested first, if that is limited.
    most_corpus: Option<usize>,
    /// What tells others, if the campaign is shared.
    pub(crate) voice: Option<Arc<Voice>>,
    pub(crate) interrupt: Arc<AtomicBool>,
    pub(crate) observer: Box<dyn Observer + Send + 'a>,
}

/// The statistics of a campaign that has not ended.
#[derive(Serialize)]
pub(crate) struct Running {
    outcome: CampaignOutcome,
    tests: u64,
    passed: u64,
    discarded: u64,
    inconclusive: u64,
    seconds: f64,
    groups: Vec<Group>,
    total: Total,
}

/// The part of earlier statistics that is read back.
#[derive(Default, Deserialize)]
struct Statistics {
    #[serde(default)]
    total: Option<Total>,
    #[serde(default)]
    groups: Vec<Group>,
}

impl<'a, S: Subject> Driver<'a, S> {
    /// Prepares the campaign. Errors in the spec, the inputs or the output directory are returned here,
    /// before the first test. The worker of a supervisor joins it in its output directory.
    pub(crate) fn new(
        spec: &'a Spec,
        subject: S,
        setup: Setup<'a>,
        joined: Option<Joined>,
    ) -> Result<Self, Error> {
        let Setup { engines, inputs, output, known, sharing, disk, interrupt, mut observer } = setup;
        // Check that the target can be watched and that the property can be made.
        subject.watch()?;
        subject.property()?;
        if known.is_some() && !spec.keep_going {
            return Err(SpecError::KnownStops.into());
        }
        let known = known.map(|file| Known::read(&file)).transpose()?;
        // Read the given modules.
        let mut given = Given::collect(&inputs, &subject, &mut *observer);
        given.require(spec.strategy.is_none())?;
        given.begin_after(joined.as_ref().map_or(0, |joined| joined.order.tested));
        // Meet the others, who may refuse.
        let sharing = joined.as_ref().map_or(sharing, |joined| joined.order.sharing.clone());
        let join = |sharing| Voice::join(sharing, spec, engines, joined.is_some());
        let voice = sharing.map(join).transpose()?.map(Arc::new);
        // Take the output directory, and read what earlier runs there did.
        let open = |(directory, earlier): (PathBuf, _)| match &joined {
            Some(joined) => Store::join(&directory, joined.order.resumes),
            None => Store::open_on(disk, &directory, earlier),
        };
        let store = output.map(open).transpose()?;
        let known = match (known, &store) {
            (None, Some(store)) if spec.keep_going => store.known()?,
            (known, _) => known,
        };
        let mut groups = Groups::new(known.unwrap_or_default());
        let (mut earlier, mut left_over) = (Total::default(), Vec::new());
        let most_corpus = joined.as_ref().and_then(|joined| joined.order.corpus);
        if let Some(joined) = joined {
            left_over = joined.take_up(&subject, store.as_ref(), &mut groups);
        } else if let Some(store) = store.as_ref().filter(|store| store.resumes()) {
            let statistics = store.read_json::<Statistics>(STATS)?.unwrap_or_default();
            earlier = statistics.total.unwrap_or_default();
            left_over = store.resume(statistics.groups, &mut groups);
        }
        Ok(Driver {
            spec,
            subject: Arc::new(subject),
            given,
            store,
            earlier,
            groups,
            left_over,
            most_corpus,
            voice,
            interrupt,
            observer,
        })
    }

    /// Runs the campaign and stores its results.
    pub(crate) fn run(mut self) -> Result<Ran, Error> {
        // Search for failing tests, or test the given values again.
        let corpus = self.begin()?;
        let given = std::mem::take(&mut self.given.values);
        let store = self.store.take();
        // The rows of workers are those of their supervisor.
        let plotting = Plotting::new(self.spec, store.as_ref().filter(|store| !store.is_joined()))?;
        let groups = std::mem::take(&mut self.groups);
        let subject = Arc::clone(&self.subject);
        let collector =
            Collector::new(self.spec, subject, store.as_ref(), Arc::clone(&self.interrupt), groups)
                .telling(self.voice.clone());
        let subject = Arc::clone(&self.subject);
        let mut alone = Here::new(&*subject, subject.property()?);
        self.collect_left_over(&collector, &mut alone);
        let (mut report, replayed) = match self.spec.strategy.clone() {
            Some(strategy) => {
                let examples = given.into_iter().map(|(_, value)| value).collect();
                (self.search(&strategy, examples, corpus, &collector, &plotting), Vec::new())
            }
            None => self.test_again(given, &collector),
        };
        // Take the times before shrinking, which runs the engines as well.
        let seconds_in = seconds_in(&*self.subject, self.spec, report.seconds);
        let first_opinion = opinions(&*self.subject);
        if !self.collects_at_once() {
            collect(&report, &collector, &mut alone);
        }
        let unconfirmed = collector.unconfirmed();
        if unconfirmed > 0 {
            report.labels.insert(NOT_CONFIRMED.to_owned(), unconfirmed);
        }
        // Report the groups, the slowest tests and the discrepancies.
        let groups = collector.into_groups();
        let mut told = CampaignReport::new(self.spec, &report, groups.has_news());
        told.seconds_in = seconds_in;
        told.first_opinion = first_opinion;
        told.replayed = replayed;
        told.refused_modules = self.subject.refused_modules();
        told.finding = groups.first().cloned();
        told.groups = groups.list();
        told.unsorted = groups.unsorted();
        told.slowest = self.slowest(&report, store.as_ref());
        told.discrepancies = self.discrepancies(&report, store.as_ref())?;
        plotting.finish(&told);
        self.voice.iter().for_each(|voice| voice.finish(&mut told));
        if let Some(store) = store.as_ref().filter(|store| !store.is_joined()) {
            let time = reach::time_for(told.seconds, self.interrupt.load(Ordering::Relaxed));
            told.reaches(self.reached(store, time));
            // Replace the statistics of the running campaign by the complete report.
            told.total = Some(self.earlier.and(told.tests, told.passed, told.discarded, told.seconds));
            store.write_json(STATS, &told);
        }
        let stored = store.as_ref().map_or(Ok(()), Store::complete);
        Ok(Ran { report: told, stored, left_out: self.given.left_out })
    }

    /// Sorts the findings of a run that was killed before it could.
    fn collect_left_over(&mut self, collector: &Collector<'_, S>, alone: &mut Here<'_, S>) {
        for left in std::mem::take(&mut self.left_over) {
            // What ends a process is judged elsewhere, or not at all.
            let case = left.finding.case().ok().filter(|_| !left.finding.ends_the_process());
            let value = case.and_then(|case| self.subject.value(&case));
            let taken = value.is_some_and(|value| collector.take_again(alone, value, left.finding.kind()));
            let name = left.finding.file_name();
            match collector.store() {
                _ if !taken => collector.groups().keep(left),
                // Its group has an exemplar that is stored by now.
                Some(store) if !collector.has_exemplar(&name) => {
                    store.discard(Folder::Findings, &left.finding);
                }
                _ => {}
            }
        }
    }

    /// Whether failing tests are collected while the search goes on, rather than after it.
    fn collects_at_once(&self) -> bool {
        self.spec.keep_going && self.spec.strategy.is_some()
    }

    /// Stores the spec of this run. Returns the modules that earlier runs kept.
    pub(crate) fn begin(&self) -> Result<Vec<Vec<u8>>, Error> {
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        if store.is_joined() {
            let mut corpus = if store.resumes() { store.corpus()? } else { Vec::new() };
            corpus.truncate(self.most_corpus.unwrap_or(usize::MAX));
            return Ok(corpus);
        }
        let corpus = if store.resumes() {
            Manifest::require_same(self.spec, store)?;
            store.corpus()?
        } else {
            Vec::new()
        };
        Manifest::new(self.spec, corpus.len()).store(store)?;
        Ok(corpus)
    }

    /// Searches with the strategy, starting from the examples and from modules that earlier runs kept.
    fn search(
        &mut self,
        strategy: &Strategy,
        examples: Vec<S::Value>,
        corpus: Vec<Vec<u8>>,
        collector: &Collector<'_, S>,
        plotting: &Plotting<'_>,
    ) -> Report<S::Value> {
        let (at_once, store) = (self.collects_at_once(), collector.store());
        let Driver { spec, subject, earlier, observer, voice, .. } = self;
        let (subject, spec, voice) = (&*subject, *spec, voice.as_deref());
        // A campaign whose results cannot be stored ends at once.
        let full = Arc::new(AtomicBool::new(false));
        let noticed = Arc::clone(&full);
        let mut keeper = store.map(|store| Keeper::new(store, &corpus));
        let value = |wasm| subject.value(&Case::of(wasm, Vec::new()));
        let corpus = corpus.into_iter().filter_map(value).collect();
        // Report progress, and store statistics and interesting modules, while the search runs.
        let (mut counter, mut stored) = (Counter::new(), Instant::now());
        let mut tally = Tally::default();
        let mut campaign = Campaign::new(spec.seed)
            .interrupt(Arc::clone(&self.interrupt))
            .interrupt(full)
            .keep_going(at_once)
            .examples(examples)
            .corpus(corpus)
            .events(move |event| {
                if let Some(context) = subject.context() {
                    note_count(&mut tally, &event, &context.notes);
                }
                if let Some(progress) = counter.follow(&event) {
                    let times = subject.context().map_or([0.0; 2], |context| context.times.seconds());
                    let probes = keeper.as_ref().map_or(0, Keeper::probes);
                    let progress = Progress { seconds_in: times, probes, ..progress };
                    observer.progress(&progress);
                    if voice.is_some_and(|voice| voice.tell(&progress)) {
                        noticed.store(true, Ordering::Relaxed);
                    }
                    let corpus = || keeper.as_ref().map_or(0, Keeper::size);
                    plotting.follow(&progress, corpus, || collector.groups().list());
                    if stored.elapsed() >= STORED_EVERY {
                        stored = Instant::now();
                        let groups = collector.groups().list();
                        observer.groups(&groups);
                        if let Some(store) = store.filter(|store| !store.is_joined()) {
                            store.write_json(STATS, &Running::new(&progress, groups, earlier));
                        }
                    }
                }
                match (event, &mut keeper) {
                    (Event::Tested { value, trace, .. }, Some(keeper)) if keeper.is_loading() => {
                        subject.module(value).iter().for_each(|wasm| keeper.tested(wasm, trace));
                    }
                    (Event::Interesting { value, trace, .. }, Some(keeper)) => {
                        keeper.interesting(|| subject.module(value), trace);
                    }
                    _ => {}
                }
                if store.is_some_and(Store::has_failed) {
                    noticed.store(true, Ordering::Relaxed);
                }
            });
        // Set the limits of the search.
        if strategy.maximises() == Some(Cost::Probes) {
            campaign = campaign.trace_capacity(LONG_TRACES);
        }
        if let Some(tests) = spec.budget.tests {
            campaign = campaign.tests(tests);
        }
        if let Some(time) = spec.time_limit() {
            campaign = campaign.time(time);
        }
        if let Some(ratio) = spec.budget.max_discard_ratio {
            campaign = campaign.max_discard_ratio(ratio);
        }
        // Run it, with a guidance and a property for each worker.
        campaign.run_jobs(spec.jobs.into(), |worker| {
            let property =
                || subject.property().unwrap_or_else(|error| panic!("it could be made before: {error}"));
            let alone = || Here::new(&**subject, property());
            let collecting = Collecting::new(property(), at_once.then(|| (collector, alone())));
            let guidance = subject.guidance(strategy, worker.seed);
            (Exchanging::new(guidance, subject, voice, worker), collecting)
        })
    }

    /// Tests all given values, and does not stop at a finding. Stores every finding at once.
    fn test_again(
        &self,
        given: Vec<(PathBuf, S::Value)>,
        collector: &Collector<'_, S>,
    ) -> (Report<S::Value>, Vec<GivenReport>) {
        let (Driver { spec, subject, .. }, store) = (self, collector.store());
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
        if let Some(time) = spec.time_limit() {
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

    /// How many probes the corpus reaches. `None` if the target cannot be watched.
    fn reached(&self, store: &Store, time: Duration) -> Option<reach::CorpusReach> {
        let mut reach = reach::watching(self.spec, self.subject.context()?, self.subject.watched()).ok()?;
        reach::reached_by(store.corpus().ok()?, time, |case| Some(reach.of(case)))
    }

    fn slowest(&self, report: &Report<S::Value>, store: Option<&Store>) -> Vec<SlowReport> {
        let told = |record: &mutagen_engine::Record<S::Value>| {
            let wasm = self.subject.module(&record.value);
            let file = match (store, &wasm) {
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

    /// Shrinks and stores the differences between the unmodified engines that were met.
    fn discrepancies(
        &self,
        report: &Report<S::Value>,
        store: Option<&Store>,
    ) -> Result<DiscrepancySummary, Error> {
        let Some(context) = self.subject.context() else {
            let count = report.labels.get(DISCREPANCY).copied().unwrap_or(0);
            return Ok(DiscrepancySummary { count, ..DiscrepancySummary::default() });
        };
        let unmodified = self.spec.clone().unmodified();
        let mut each = Vec::new();
        let pair = Pair::new(context)?;
        for met in pair.discrepancies(&self.subject.scope()) {
            let shape = met.shape();
            let votes = pair.votes_without_bug(&met.bytes, Script { calls: &met.calls, hosts: &met.hosts });
            let case = Case::Module { wasm: met.bytes, calls: met.calls, hosts: met.hosts };
            let finding = Finding::new(&unmodified, case, &met.failure).with_votes(votes);
            each.push(DiscrepancyReport {
                shape: Some(shape),
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

/// Collects the failing tests of a search that has ended. Together they may take as many tests as one finding to
/// shrink, and the first may take all of them.
fn collect<S: Subject>(report: &Report<S::Value>, collector: &Collector<'_, S>, alone: &mut Here<'_, S>) {
    let mut left = SHRINK_TESTS;
    for (number, found) in report.findings.iter().enumerate() {
        let share = if number == 0 { left } else { left.max(SHRINK_TESTS / report.findings.len()) };
        let shrunk = collector.shrinking();
        collector.take_confirmed(alone, found, share);
        left = left.saturating_sub(collector.shrinking() - shrunk);
    }
}

/// Where the time of a campaign went that has run for so many seconds.
fn seconds_in<S: Subject>(subject: &S, spec: &Spec, seconds: f64) -> Option<SecondsIn> {
    let [target, reference] = subject.context()?.times.seconds();
    let all = seconds * f64::from(spec.jobs);
    Some(SecondsIn { target, reference, rest: (all - target - reference).max(0.0) })
}

/// Notes how many tests have ended, so that they are not lost if this process dies. Those whose verdict is still to come count as
/// passed until then.
fn note_count<T>(tally: &mut Tally, event: &Event<'_, T>, notes: &Notes) {
    match event {
        Event::Tested { verdict, .. } => tally.add(verdict),
        // Late verdicts are in here as well.
        Event::Progress { so_far: Report { tests, passed, discarded, inconclusive, .. }, .. } => {
            *tally =
                Tally { tests: *tests, passed: *passed, discarded: *discarded, inconclusive: *inconclusive };
        }
        _ => return,
    }
    notes.count(tally);
}

/// What came of asking for first opinions.
fn opinions<S: Subject>(subject: &S) -> Option<OpinionCounts> {
    let context = subject.context()?;
    (!context.first_opinions.is_empty()).then(|| context.opinions.counts())
}

/// A finding before it is shrunk.
fn as_found<S: Subject>(spec: &Spec, subject: &S, found: &Counterexample<S::Value>) -> Finding {
    Finding::new(spec, subject.case(&found.value), &found.failure)
}

impl Running {
    pub(crate) fn new(progress: &Progress, groups: Vec<Group>, earlier: &Total) -> Self {
        let Progress { tests, passed, discarded, inconclusive, seconds, .. } = *progress;
        let total = earlier.and(tests, passed, discarded, seconds);
        let outcome = CampaignOutcome::Running;
        Running { outcome, tests, passed, discarded, inconclusive, seconds, groups, total }
    }
}
