//! Supervision: a campaign whose tests run in worker processes, so that a test that ends a process does not end the campaign.
//!
//! A worker notes each test in memory that outlives it, before an engine is asked. If the worker dies, the supervisor reads the
//! note, bars that module, starts another worker which goes on from the stored corpus, and has the test judged apart: in a
//! process of its own, several times, and then shrunk with one process per candidate.
//!
//! | module | content |
//! |---|---|
//! | `supervisor` | the loop that hears and watches the workers |
//! | `seat` | the place of one worker after the other |
//! | `process` | a worker process, seen from outside |
//! | `worker` | what a worker process does |
//! | `order` | what supervisor and workers tell each other |
//! | `inquest`, `apart` | judging tests that ended a worker |
//! | `trace` | the last functions that a process was in |
//! | `ask`, `answer` | asking engines in a process of their own, for commands besides campaigns |
//! | `report`, `merge` | one report from those of all workers |

mod answer;
mod apart;
mod ask;
mod inquest;
mod merge;
mod order;
mod process;
mod report;
mod seat;
mod supervisor;
mod trace;
mod worker;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use mutagen_engine::Strategy;
use mutagen_properties::{Case, Subject};

use crate::run::{Collector, Driver, Plotting, Setup, Visitor, visit};
use crate::{Error, Executable, Ran, Spec, Store, SubjectSpec};

pub use apart::Death;
use apart::{Apart, judge_apart};
pub use ask::{JudgeApart, ReachApart, Unanswered};
use inquest::Inquest;
pub(crate) use order::CampaignOrder;
use order::{Message, Order};
pub use order::{Said, SaidStep};
use process::{Files, Heard, Process, Remains};
pub use process::{WORKER, signal_name};
use supervisor::Supervisor;
pub(crate) use worker::switch_on;
pub use worker::{WorkerFiles, work};

/// What a worker process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerLimits {
    /// How much processor time an engine may take for one answer.
    pub processor: Duration,
    /// How many bytes of memory the process may hold.
    pub memory: u64,
}

impl Default for WorkerLimits {
    fn default() -> Self {
        WorkerLimits { processor: Duration::from_secs(20), memory: 2 << 30 }
    }
}

impl WorkerLimits {
    /// How long an engine may take for one answer if it takes no processor time. The machine may be busy with other things.
    fn sleep(&self) -> Duration {
        self.processor * 6
    }

    /// How much processor time a worker may take from one question to the next. There it generates, learns and stores, so that
    /// no engine is to blame.
    fn between_questions(&self) -> Duration {
        self.processor * 20
    }
}

/// Whether a campaign can be supervised: its tests ask engines, and it is not driven by a program that was started by it.
pub fn is_supervised(spec: &Spec) -> bool {
    let is_afl = spec.strategy.as_ref().is_some_and(|strategy| strategy.guidance_name() == "afl");
    matches!(spec.subject, SubjectSpec::Engines(_)) && !is_afl
}

/// Runs a campaign in worker processes of this program, which must hand the words that begin with [`WORKER`] to [`work`].
///
/// With one job it is, test by test, the campaign that [`run`](crate::run) would run, as long as no worker dies.
///
/// Call it [on a stack](mutagen_oracles::on_stack) of known size.
///
/// # Errors
///
/// As [`run`](crate::run), and if no worker can be started.
pub fn supervise(
    spec: &Spec,
    setup: Setup<'_>,
    program: &Executable,
    limits: WorkerLimits,
) -> Result<Ran, Error> {
    spec.check()?;
    spec.strategy.as_ref().map_or(Ok(()), Strategy::require)?;
    visit(spec, setup.engines, Supervise { spec, setup, program, limits })
}

/// How a test ends a process of its own, if it does.
pub(crate) fn how_it_dies(
    program: &Executable,
    spec: &Spec,
    fixes: Vec<String>,
    case: &Case,
) -> Option<String> {
    match judge_apart(program, WorkerLimits::default(), spec, fixes, case, &AtomicBool::new(false)) {
        Apart::Died(death) => Some(death.cause.to_string()),
        Apart::Answered { .. } | Apart::Unknown => None,
    }
}

struct Supervise<'a> {
    spec: &'a Spec,
    setup: Setup<'a>,
    program: &'a Executable,
    limits: WorkerLimits,
}

impl Visitor for Supervise<'_> {
    type Result = Result<Ran, Error>;

    fn subject<S: Subject>(self, subject: S) -> Self::Result {
        let Supervise { spec, setup, program, limits } = self;
        let output = setup.output.as_ref().map(|(directory, _)| directory.clone());
        let files = Files { inputs: setup.inputs.clone(), output, known: setup.known.clone() };
        let mut driver = Driver::new(spec, subject, setup, None)?;
        driver.begin()?;
        let (store, groups) = (driver.store.take(), std::mem::take(&mut driver.groups));
        let (subject, interrupt) = (Arc::clone(&driver.subject), Arc::clone(&driver.interrupt));
        let collector = Collector::new(spec, Arc::clone(&subject), store.as_ref(), interrupt, groups)
            .telling(driver.voice.clone());
        let plotting = Plotting::new(spec, store.as_ref())?;
        let program = Program { executable: program, files, limits };
        let end = AtomicBool::new(false);
        let inquest =
            Inquest { spec, subject: &*subject, collector: &collector, program: &program, ended: &end };
        let (suspects, waiting) = channel();
        let (verdicts, judged) = channel();
        let ended = thread::scope(|scope| {
            let hold = move || inquest.hold(&waiting, &verdicts);
            thread::Builder::new().spawn_scoped(scope, hold).map_err(Error::NoWorker)?;
            let supervisor =
                Supervisor::new(&mut driver, &collector, &plotting, &program, (suspects, judged, &end));
            supervisor.run()
        })?;
        let ran = ended.report(&driver, collector, &program)?;
        plotting.finish(&ran.report);
        let stored = ran.stored.and_then(|()| store.as_ref().map_or(Ok(()), Store::complete));
        Ok(Ran { stored, ..ran })
    }
}

/// How workers are started.
struct Program<'a> {
    executable: &'a Executable,
    files: Files,
    limits: WorkerLimits,
}

impl Program<'_> {
    /// Starts a worker. What it tells goes to `told`, each time with `id`.
    fn start(&self, order: CampaignOrder, id: usize, told: Sender<(usize, Heard)>) -> Result<Process, Error> {
        let order = Order::Campaign(Box::new(order));
        Process::start(self.executable, &self.files, &order, self.limits, (id, told)).map_err(Error::NoWorker)
    }

    /// Starts a worker and waits for its end. Returns its last message, and what it left.
    fn follow(&self, order: &Order) -> io::Result<(Option<Message>, Remains)> {
        Process::follow(self.executable, &self.files, order, self.limits, &AtomicBool::new(false))
    }
}
