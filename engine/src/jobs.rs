//! Campaigns of several workers at once.

use crate::campaign::{CampaignConfig, Sink};
use crate::stable::mix;
use crate::{Campaign, Event, Guidance, Property, Report};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The stack of a worker. Values are trees, and code that walks them recurses: 16 MiB carry some hundred thousand
/// frames, eight times what a thread gets by default.
pub const WORKER_STACK: usize = 16 << 20;

/// One of several workers of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Its number, from 0.
    pub index: usize,
    /// Its own seed. That of worker 0 is the campaign's.
    pub seed: u64,
}

impl Worker {
    /// The worker with this number in a campaign with this seed.
    pub fn new(seed: u64, index: usize) -> Self {
        let seed = if index == 0 { seed } else { mix(seed ^ mix(index as u64)) };
        Worker { index, seed }
    }
}

impl<T: Clone + Send + Sync> Campaign<'_, T> {
    /// Runs the campaign with `jobs` independent workers, each on a thread of its own with a stack of [`WORKER_STACK`]
    /// bytes. `make` is called on that thread to make the worker's guidance and property.
    ///
    /// The workers share the budget of tests, and each has the whole time. The first finding stops all of them. The
    /// report is the sum of theirs. With one job it is the report of [`run`](Campaign::run). With more, it depends on the
    /// machine how far the others get before the first finding.
    ///
    /// ```
    /// use mutagen_engine::{Campaign, Random};
    ///
    /// let report = Campaign::new(3)
    ///     .tests(1000)
    ///     .run_jobs(2, |worker| (Random::new(worker.seed), |numbers: &Vec<u8>| numbers.len() < 1000));
    /// assert_eq!(report.passed, 1000);
    /// ```
    pub fn run_jobs<G, P>(self, jobs: usize, make: impl Fn(Worker) -> (G, P) + Sync) -> Report<T>
    where
        G: Guidance<T>,
        P: Property<T>,
    {
        let Campaign { config, examples, corpus, sink } = self;
        let jobs = jobs.max(1);
        let sink = sink.map(Mutex::new);
        let work = |index| {
            let campaign = Campaign {
                config: config.for_worker(index, jobs),
                examples: examples.clone(),
                corpus: corpus.clone(),
                sink: sink.as_ref().map(shared),
            };
            let (mut guidance, mut property) = make(Worker { index, seed: campaign.config.seed });
            let report = campaign.run(&mut guidance, &mut property);
            if report.failed > 0 && !config.keep_going {
                config.enough.store(true, Ordering::Relaxed);
            }
            report
        };
        let mut report = run_threads(jobs, &work);
        report.seed = config.seed;
        report
    }
}

/// Runs `work` for every index on a thread of its own, and adds up the reports in the order of the indices.
fn run_threads<T: Send>(jobs: usize, work: &(impl Fn(usize) -> Report<T> + Sync)) -> Report<T> {
    thread::scope(|scope| {
        let spawn = |index| {
            let builder = thread::Builder::new().stack_size(WORKER_STACK).name(format!("worker {index}"));
            builder.spawn_scoped(scope, move || work(index))
        };
        let threads: Vec<_> = (0..jobs).map(spawn).collect();
        let reports = threads.into_iter().enumerate().map(|(index, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // The system gave no thread: its share of the work is done on this one.
            Err(_) => work(index),
        });
        reports.reduce(added).unwrap_or_else(|| Report::new(0))
    })
}

fn added<T>(mut sum: Report<T>, report: Report<T>) -> Report<T> {
    sum.merge(report);
    sum
}

/// A sink that hands events on to one that several workers share.
fn shared<'m, T>(sink: &'m Mutex<Sink<'_, T>>) -> Sink<'m, T>
where
    T: Send,
{
    Box::new(move |event: Event<'_, T>| {
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink(event)
    })
}

impl CampaignConfig {
    /// The config of one worker: its own seed, and its share of the tests.
    fn for_worker(&self, index: usize, jobs: usize) -> CampaignConfig {
        let (index_wide, jobs) = (index as u64, jobs as u64);
        let share = |tests: u64| tests / jobs + u64::from(index_wide < tests % jobs);
        let mut config = self.clone().with_budget();
        config.seed = Worker::new(self.seed, index).seed;
        config.worker = index;
        config.tests = config.tests.map(share);
        config
    }
}
