//! A run of many tests under a budget.

use crate::property::check_quietly;
use crate::{Counterexample, Guidance, Outcome, Property, Report, StopReason, Trace, Verdict};
use mutagen_weave::Recorder;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub(crate) mod alarm;
mod clock;

use alarm::Alarm;
use clock::Clock;

/// A run of many tests: its budget, when it stops, and who is told what happens.
///
/// Without a budget a campaign runs [`DEFAULT_TESTS`](Campaign::DEFAULT_TESTS) tests. With a time only, it runs as many
/// as there is time for. It ends at the first finding unless it is told to [keep going](Campaign::keep_going).
///
/// ```
/// use mutagen_engine::{Campaign, Mutagen, MutagenConfig, StopReason};
///
/// let mut guidance = Mutagen::new(MutagenConfig::default(), 7);
/// let mut never_ten = |numbers: &Vec<i32>| numbers.len() < 4 || numbers[3] != 10;
/// let report = Campaign::new(7).tests(100_000).run(&mut guidance, &mut never_ten);
/// assert_eq!(report.stop, StopReason::Found);
/// ```
pub struct Campaign<'a, T> {
    pub(crate) config: CampaignConfig,
    pub(crate) examples: Vec<T>,
    pub(crate) corpus: Vec<T>,
    pub(crate) sink: Option<Sink<'a, T>>,
}

/// Gets the events of a campaign.
pub(crate) type Sink<'a, T> = Box<dyn FnMut(Event<'_, T>) + Send + 'a>;

/// How a campaign runs. Workers get copies of it, each with a seed and a share of the tests of its own.
#[derive(Clone)]
pub(crate) struct CampaignConfig {
    pub(crate) seed: u64,
    pub(crate) tests: Option<u64>,
    time: Option<Duration>,
    max_discard_ratio: Option<u64>,
    pub(crate) keep_going: bool,
    interrupts: Vec<Arc<AtomicBool>>,
    /// Set when a worker found something: the others stop then.
    pub(crate) enough: Arc<AtomicBool>,
    /// The number of the worker, from 0.
    pub(crate) worker: usize,
    trace_capacity: usize,
}

/// Something that happened in a campaign.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a, T> {
    /// The campaign, or one of its workers, begins with this seed.
    Started {
        /// The seed of this worker.
        seed: u64,
    },
    /// A test was run.
    Tested {
        /// The number of the test, from 1.
        test: u64,
        /// What was tested.
        value: &'a T,
        /// The verdict of [`Property::check`]. A late verdict may correct it.
        verdict: &'a Verdict,
        /// What the test did. Empty if the guidance does not look at traces.
        trace: Trace<'a>,
    },
    /// The guidance keeps a value.
    Interesting {
        /// The number of the test.
        test: u64,
        /// What was tested.
        value: &'a T,
        /// What the test did.
        trace: Trace<'a>,
    },
    /// The guidance forgot what it had learned, to start afresh.
    Reset {
        /// The number of the test after which it did.
        test: u64,
    },
    /// A value failed.
    Failed(&'a Counterexample<T>),
    /// How far a worker is. Told after every [`PROGRESS_EVERY`](Campaign::PROGRESS_EVERY) of its tests, and before it
    /// ends.
    Progress {
        /// The number of the worker, from 0.
        worker: usize,
        /// Its report up to now, late verdicts included.
        so_far: &'a Report<T>,
        /// What [`Guidance::queued`] says.
        queued: u64,
        /// What [`Guidance::known`] says.
        known: u64,
    },
    /// The campaign, or one of its workers, ends with this report.
    Finished(&'a Report<T>),
}

impl<'a, T> Campaign<'a, T> {
    /// How many tests a campaign runs if it was given neither a number of tests nor a time.
    pub const DEFAULT_TESTS: u64 = 100_000;
    /// A campaign that keeps going stores at most so many findings. It counts all of them.
    pub const MAX_FINDINGS: usize = 1000;
    /// The share of discarded tests is judged as if at least this many tests had passed. Otherwise a campaign would give
    /// up on a sparse precondition before the first test that satisfies it.
    pub const DISCARD_FLOOR: u64 = 100;
    /// How many events of a run are kept: a run of a real engine on a small program fires some thousands.
    pub const TRACE_CAPACITY: usize = 1 << 16;
    /// A corpus of earlier campaigns is tested for at most this part of the budget.
    pub const CORPUS_PART: u32 = 4;
    /// A worker tells how far it is after every so many tests: seldom enough to cost nothing.
    pub const PROGRESS_EVERY: u64 = 64;

    /// A campaign with the default budget.
    pub fn new(seed: u64) -> Self {
        let config = CampaignConfig {
            seed,
            tests: None,
            time: None,
            max_discard_ratio: None,
            keep_going: false,
            interrupts: Vec::new(),
            enough: Arc::default(),
            worker: 0,
            trace_capacity: Self::TRACE_CAPACITY,
        };
        Campaign { config, examples: Vec::new(), corpus: Vec::new(), sink: None }
    }

    /// Stops after this many tests, passed, discarded and failed ones together.
    pub fn tests(mut self, tests: u64) -> Self {
        self.config.tests = Some(tests);
        self
    }

    /// Stops after this time. Nothing else in a campaign depends on the clock.
    pub fn time(mut self, time: Duration) -> Self {
        self.config.time = Some(time);
        self
    }

    /// Gives up when more than `ratio` tests were discarded for each test that passed. At least
    /// [`DISCARD_FLOOR`](Campaign::DISCARD_FLOOR) tests count as passed. Without a ratio a campaign never gives up.
    ///
    /// ```
    /// use mutagen_engine::{Campaign, Random, StopReason};
    ///
    /// let mut never_applies = |_: &u8| None::<bool>;
    /// let report = Campaign::new(0).max_discard_ratio(2).run(&mut Random::new(0), &mut never_applies);
    /// assert_eq!(report.stop, StopReason::GaveUp(201));
    /// ```
    pub fn max_discard_ratio(mut self, ratio: u64) -> Self {
        self.config.max_discard_ratio = Some(ratio);
        self
    }

    /// Whether to go on after a finding. A campaign stops at the first one otherwise.
    pub fn keep_going(mut self, keep_going: bool) -> Self {
        self.config.keep_going = keep_going;
        self
    }

    /// Stops soon after the flag is set, at the latest after the test that is running then. There may be several flags.
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.config.interrupts.push(flag);
        self
    }

    /// Tests these values first, in this order. The guidance learns from them. Each of several workers tests them all.
    pub fn examples(mut self, examples: Vec<T>) -> Self {
        self.examples = examples;
        self
    }

    /// Tests these values of earlier campaigns, after the examples and in this order, for at most one part in
    /// [`CORPUS_PART`](Campaign::CORPUS_PART) of the budget: what is new must get its turn.
    ///
    /// ```
    /// use mutagen_engine::{Campaign, Random};
    ///
    /// let mut tested = Vec::new();
    /// let campaign = Campaign::new(0).tests(40).corpus((0..1000).collect::<Vec<u64>>());
    /// campaign.run(&mut Random::new(0), &mut |number: &u64| tested.push(*number));
    /// assert_eq!(tested[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    /// assert_ne!(tested[10], 10);
    /// ```
    pub fn corpus(mut self, values: Vec<T>) -> Self {
        self.corpus = values;
        self
    }

    /// Tells `sink` everything that happens.
    ///
    /// ```
    /// use mutagen_engine::{Campaign, Event, Random};
    ///
    /// let mut tested = Vec::new();
    /// let remember = |event: Event<'_, bool>| {
    ///     if let Event::Tested { value, .. } = event {
    ///         tested.push(*value);
    ///     }
    /// };
    /// Campaign::new(0).tests(3).events(remember).run(&mut Random::new(0), &mut |_: &bool| true);
    /// assert_eq!(tested.len(), 3);
    /// ```
    pub fn events(mut self, sink: impl FnMut(Event<'_, T>) + Send + 'a) -> Self {
        self.sink = Some(Box::new(sink));
        self
    }

    /// Keeps at most this many events of each run. Traces of longer runs are cut, and the report counts them.
    pub fn trace_capacity(mut self, events: usize) -> Self {
        self.config.trace_capacity = events;
        self
    }

    /// Runs the campaign on this thread, until it [stops](StopReason).
    pub fn run<G, P>(self, guidance: &mut G, property: &mut P) -> Report<T>
    where
        G: Guidance<T> + ?Sized,
        P: Property<T> + ?Sized,
    {
        let Campaign { config, examples, corpus, sink } = self;
        Run::new(config, sink, guidance, property).run(examples, corpus)
    }
}

/// A campaign under way.
struct Run<'a, 's, T, G: ?Sized, P: ?Sized> {
    config: CampaignConfig,
    sink: Option<Sink<'s, T>>,
    guidance: &'a mut G,
    property: &'a mut P,
    recorder: Option<Recorder>,
    clock: Clock,
    alarm: Alarm,
    report: Report<T>,
    resets: u64,
}

impl<'a, 's, T, G, P> Run<'a, 's, T, G, P>
where
    G: Guidance<T> + ?Sized,
    P: Property<T> + ?Sized,
{
    fn new(
        config: CampaignConfig,
        sink: Option<Sink<'s, T>>,
        guidance: &'a mut G,
        property: &'a mut P,
    ) -> Self {
        let started = Instant::now();
        let flags = config.interrupts.iter().chain([&config.enough]).cloned().collect();
        let deadline = config.time.and_then(|time| started.checked_add(time));
        Run {
            alarm: Alarm { deadline, flags },
            recorder: guidance.wants_traces().then(|| Recorder::new(config.trace_capacity)),
            clock: Clock::new(started, config.time),
            report: Report::new(config.seed),
            resets: guidance.resets(),
            config: config.with_budget(),
            sink,
            guidance,
            property,
        }
    }

    fn run(mut self, examples: Vec<T>, corpus: Vec<T>) -> Report<T> {
        self.tell(Event::Started { seed: self.config.seed });
        let (mut examples, mut corpus) = (examples.into_iter(), corpus.into_iter());
        self.report.stop = loop {
            if let Some(reason) = self.stop_reason() {
                break reason;
            }
            let known = examples.next().or_else(|| corpus.next().filter(|_| self.has_time_for_corpus()));
            let value = known.or_else(|| self.alarm.during(|| self.guidance.next()));
            let Some(value) = value else { break self.config.reason_of_alarm() };
            self.test(value);
            self.settle(false);
            if self.report.tests.is_multiple_of(Campaign::<T>::PROGRESS_EVERY) {
                self.tell_progress();
            }
        };
        self.settle(true);
        self.finish()
    }

    fn has_time_for_corpus(&self) -> bool {
        let part = Campaign::<T>::CORPUS_PART;
        let in_tests = self.config.tests.is_none_or(|tests| self.report.tests < tests / u64::from(part));
        let in_time =
            self.config.time.is_none_or(|time| self.clock.seconds() < time.as_secs_f64() / f64::from(part));
        in_tests && in_time
    }

    fn stop_reason(&mut self) -> Option<StopReason> {
        let report = &self.report;
        if report.failed > 0 && !self.config.keep_going {
            Some(StopReason::Found)
        } else if self.config.is_interrupted() {
            Some(StopReason::Interrupted)
        } else if self.config.tests.is_some_and(|tests| report.tests >= tests) {
            Some(StopReason::TestsDone)
        } else if self.config.too_many_discarded(report.passed, report.discarded) {
            Some(StopReason::GaveUp(report.discarded))
        } else if self.guidance.is_exhausted() {
            let troubled = self.guidance.trouble().is_some();
            Some(if troubled { StopReason::Trouble } else { StopReason::Exhausted })
        } else {
            self.clock.is_up().then_some(StopReason::TimeUp)
        }
    }

    fn test(&mut self, value: T) {
        let outcome = self.check(&value);
        let trace = match &self.recorder {
            Some(recorder) => {
                Trace { events: recorder.events(), truncated: recorder.truncated(), cost: outcome.cost }
            }
            None => Trace { cost: outcome.cost, ..Trace::EMPTY },
        };
        self.report.tests += 1;
        self.report.truncated_traces += u64::from(trace.truncated);
        let interesting = self.guidance.learn(&value, &outcome.verdict, trace);
        let test = self.report.tests;
        if let Some(sink) = &mut self.sink {
            sink(Event::Tested { test, value: &value, verdict: &outcome.verdict, trace });
            if interesting {
                sink(Event::Interesting { test, value: &value, trace });
            }
        }
        *self.counter(&outcome.verdict) += 1;
        self.tell_about_resets();
        self.record(value, outcome, false);
    }

    fn check(&mut self, value: &T) -> Outcome {
        let property = &mut *self.property;
        match &mut self.recorder {
            Some(recorder) => recorder.record(|| check_quietly(property, value)),
            None => check_quietly(property, value),
        }
    }

    /// Counts the verdicts that the property postponed. Their tests were counted as passed so far.
    fn settle(&mut self, finish: bool) {
        while let Some((value, outcome)) = self.property.late(finish) {
            self.report.passed = self.report.passed.saturating_sub(1);
            *self.counter(&outcome.verdict) += 1;
            self.record(value, outcome, true);
        }
    }

    fn counter(&mut self, verdict: &Verdict) -> &mut u64 {
        match verdict {
            Verdict::Passed => &mut self.report.passed,
            Verdict::Discarded | Verdict::Inconclusive(_) => &mut self.report.discarded,
            Verdict::Failed(_) => &mut self.report.failed,
        }
    }

    /// Counts the labels of a test and keeps it if it is a finding.
    fn record(&mut self, value: T, outcome: Outcome, late: bool) {
        for label in &outcome.labels {
            self.count_label(label);
        }
        if let Verdict::Inconclusive(why) = &outcome.verdict {
            self.report.inconclusive += 1;
            self.count_label("inconclusive");
            self.count_label(&format!("inconclusive: {why}"));
        }
        if let Verdict::Failed(failure) = outcome.verdict {
            let labels = outcome.labels.into_iter().map(String::from).collect();
            let (tests, seconds) = (self.report.tests, self.clock.seconds());
            self.keep(Counterexample { value, failure: *failure, labels, tests, seconds, late });
        }
    }

    fn count_label(&mut self, label: &str) {
        match self.report.labels.get_mut(label) {
            Some(count) => *count += 1,
            None => drop(self.report.labels.insert(label.to_owned(), 1)),
        }
    }

    fn keep(&mut self, counterexample: Counterexample<T>) {
        self.tell(Event::Failed(&counterexample));
        if self.report.findings.len() < Campaign::<T>::MAX_FINDINGS {
            self.report.findings.push(counterexample);
        }
    }

    fn tell_about_resets(&mut self) {
        let test = self.report.tests;
        let resets = self.guidance.resets();
        if std::mem::replace(&mut self.resets, resets) < resets {
            self.tell(Event::Reset { test });
        }
    }

    fn tell_progress(&mut self) {
        if let Some(sink) = &mut self.sink {
            let (queued, known) = (self.guidance.queued(), self.guidance.known());
            sink(Event::Progress { worker: self.config.worker, so_far: &self.report, queued, known });
        }
    }

    fn tell(&mut self, event: Event<'_, T>) {
        if let Some(sink) = &mut self.sink {
            sink(event);
        }
    }

    fn finish(mut self) -> Report<T> {
        if self.report.failed > 0 && !self.config.keep_going {
            self.report.stop = StopReason::Found;
        }
        if self.report.stop == StopReason::Trouble {
            self.report.trouble = self.guidance.trouble();
        }
        self.report.figures = self.guidance.figures();
        self.report.records = self.guidance.records();
        self.report.seconds = self.clock.seconds();
        self.tell_progress();
        if let Some(sink) = &mut self.sink {
            sink(Event::Finished(&self.report));
        }
        self.report
    }
}

impl CampaignConfig {
    /// A campaign without any budget gets the default one.
    pub(crate) fn with_budget(mut self) -> Self {
        if self.tests.is_none() && self.time.is_none() {
            self.tests = Some(Campaign::<()>::DEFAULT_TESTS);
        }
        self
    }

    fn is_interrupted(&self) -> bool {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        is_set(&self.enough) || self.interrupts.iter().any(is_set)
    }

    /// Why the alarm rang inside of a generation.
    fn reason_of_alarm(&self) -> StopReason {
        if self.is_interrupted() { StopReason::Interrupted } else { StopReason::TimeUp }
    }

    fn too_many_discarded(&self, passed: u64, discarded: u64) -> bool {
        let credit = passed.max(Campaign::<()>::DISCARD_FLOOR);
        self.max_discard_ratio.is_some_and(|ratio| discarded > ratio.saturating_mul(credit))
    }
}
