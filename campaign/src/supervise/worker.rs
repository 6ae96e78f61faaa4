//! What a worker process does: it reads its order, carries it out, and tells its supervisor.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read};
use std::os::unix::process::parent_id;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mutagen_bugs::fixes;
use mutagen_oracles::{Agreement, Registry, Script};
use mutagen_properties::{Case, Context, Notes, Pair};
use mutagen_weave::{SharedMemory, record_into};

use super::answer::{judges, watches};
use super::order::{CampaignOrder, Done, JudgeOrder, Message, Order, Refusal, write_line};
use super::trace;
use crate::run::{Joined, run_joined};
use crate::{
    Earlier, EngineProperty, Error, Group, Observer, Progress, Setup, Spec, SubjectSpec, context_of,
};

/// How often a worker tells how far it is.
const TOLD_EVERY: Duration = Duration::from_millis(100);
/// How long a worker that is to stop may take, if its supervisor waits for it.
const LONGEST_END: Duration = Duration::from_secs(60);
/// How long it may take if its supervisor is gone: nobody else would end it, and the next run waits for it.
const LONGEST_ORPHAN: Duration = Duration::from_secs(5);
/// How often it looks whether its supervisor is gone.
const LOOKED_EVERY: Duration = Duration::from_millis(100);

/// The files of a worker's campaign.
#[derive(Clone, Debug, Default)]
pub struct WorkerFiles {
    /// Where the worker notes its last test.
    pub notes: PathBuf,
    /// Modules to start from, or directories of them.
    pub inputs: Vec<PathBuf>,
    /// The output directory, which the supervisor holds.
    pub output: Option<PathBuf>,
    /// The file of known groups.
    pub known: Option<PathBuf>,
}

/// Carries out the order that comes on standard input, for the supervisor that started this process.
///
/// Call it [on a stack](mutagen_oracles::on_stack) of known size: engines need one.
///
/// # Errors
///
/// If there is no order, or nobody listens.
pub fn work(files: WorkerFiles, engines: &Registry) -> io::Result<()> {
    let mut line = String::new();
    while line.trim().is_empty() {
        line.clear();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            return Err(io::Error::other("a worker gets its order on standard input, and there is none"));
        }
    }
    let order: Order = serde_json::from_str(&line)?;
    offer_to_be_ended_first();
    let supervisor = parent_id();
    // If the supervisor is gone already, its file is as well.
    let notes = OpenOptions::new().read(true).write(true).open(&files.notes)?;
    let refused = |error: Error| tell(&Message::Refused(Refusal::new(&error)));
    match &order {
        Order::Judges(spec) => return judges(spec, &notes, engines).or_else(refused),
        Order::Watches(spec) => return watches(spec, &notes, engines).or_else(refused),
        Order::Campaign(_) | Order::Judge(_) => {}
    }
    let interrupt = Arc::new(AtomicBool::new(false));
    stop_with_input(Arc::clone(&interrupt), supervisor)?;
    let message = match order {
        Order::Campaign(order) => campaign(*order, files, notes, engines, interrupt),
        Order::Judge(order) => judge(&order, &notes, engines),
        Order::Judges(_) | Order::Watches(_) => return Ok(()),
    };
    tell(&message.unwrap_or_else(|error| Message::Refused(Refusal::new(&error))))
}

/// Asks the system to end this process before its supervisor when memory runs out: a worker can be replaced.
fn offer_to_be_ended_first() {
    // Where the system has no such setting, the two are equal, as before.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

pub(super) fn tell(message: &Message) -> io::Result<()> {
    write_line(io::stdout().lock(), message)
}

/// Stops the campaign when standard input ends: the supervisor has closed it, or is gone.
fn stop_with_input(interrupt: Arc<AtomicBool>, supervisor: u32) -> io::Result<()> {
    let wait = move || {
        // Nothing more comes, so this waits for the end.
        let _ = io::stdin().lock().read_to_end(&mut Vec::new());
        interrupt.store(true, Ordering::Relaxed);
        let told = Instant::now();
        let longest = || if parent_id() == supervisor { LONGEST_END } else { LONGEST_ORPHAN };
        while told.elapsed() < longest() {
            std::thread::sleep(LOOKED_EVERY);
        }
        std::process::exit(1);
    };
    std::thread::Builder::new().name("input".into()).spawn(wait).map(drop)
}

fn campaign(
    order: CampaignOrder,
    files: WorkerFiles,
    notes: File,
    engines: &Registry,
    interrupt: Arc<AtomicBool>,
) -> Result<Message, Error> {
    let memory = map(&notes)?;
    let spec = order.spec.clone();
    let setup = Setup {
        inputs: files.inputs,
        output: files.output.map(|directory| (directory, Earlier::Resume)),
        known: files.known,
        interrupt,
        observer: Box::new(Teller::default()),
        ..Setup::new(engines)
    };
    let ran = run_joined(&spec, setup, Joined { order, memory })?;
    let not_stored = ran.stored.as_ref().err().map(Refusal::new);
    Ok(Message::Done(Box::new(Done { report: ran.report, not_stored, left_out: ran.left_out })))
}

pub(super) fn map(notes: &File) -> Result<SharedMemory, Error> {
    let mapped = SharedMemory::map_part(notes, 0..Notes::BYTES);
    mapped.map_err(|error| Error::unusable("the notes of this worker", error))
}

/// Tells the supervisor how far the campaign is: from time to time, and at the end.
#[derive(Default)]
struct Teller {
    told: Option<Instant>,
    /// What was not told yet.
    untold: Option<Progress>,
}

impl Teller {
    fn tell(&mut self, progress: Progress) {
        (self.told, self.untold) = (Some(Instant::now()), None);
        // If nobody listens, standard input has ended as well.
        let _ = tell(&Message::Progress(progress));
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        if let Some(progress) = self.untold {
            self.tell(progress);
        }
    }
}

impl Observer for Teller {
    fn progress(&mut self, progress: &Progress) {
        match self.told {
            Some(told) if told.elapsed() < TOLD_EVERY => self.untold = Some(*progress),
            _ => self.tell(*progress),
        }
    }

    fn groups(&mut self, groups: &[Group]) {
        let _ = tell(&Message::Groups(groups.to_vec()));
    }

    /// The supervisor has looked at the inputs itself.
    fn left_out(&mut self, _: &Error) {}
}

fn judge(order: &JudgeOrder, notes: &File, engines: &Registry) -> Result<Message, Error> {
    let context = context_of(&order.spec, engines)?;
    switch_on(&context, &order.late_fixes);
    context.notes.keep_in(map(notes)?);
    let trace = SharedMemory::map_part(notes, trace::PART);
    let trace = trace.map_err(|error| Error::unusable("the notes of this worker", error))?;
    let case = order.case.case()?;
    let Case::Module { wasm, calls, hosts } = &case else { return Ok(Message::Judged { agree: true }) };
    // What is done to make the engines says nothing about the test.
    let (pair, twins) = (Pair::new(&context)?, Pair::twins(&context)?);
    let agree =
        record_into(&trace, || agree(&order.spec, &pair, twins.as_ref(), wasm, Script { calls, hosts }));
    Ok(Message::Judged { agree })
}

/// Whether the engines agree on a test. If the target has another way to run, that is asked as well.
fn agree(spec: &Spec, pair: &Pair, twins: Option<&Pair>, wasm: &[u8], script: Script<'_>) -> bool {
    if validates(spec) {
        return pair.judge_validity(wasm).agreement == Agreement::Equal;
    }
    let agree = |pair: &Pair| pair.judge(wasm, script).agreement == Agreement::Equal;
    agree(pair) && twins.is_none_or(agree)
}

/// Whether a campaign only asks whether modules are valid.
fn validates(spec: &Spec) -> bool {
    let SubjectSpec::Engines(engines) = &spec.subject else { return false };
    matches!(engines.property, EngineProperty::Validator { .. })
}

/// Switches these fixes on, for all tests from now on.
pub(crate) fn switch_on(context: &Context, late_fixes: &[String]) {
    let late = fixes().filter(|fix| late_fixes.iter().any(|late| late == fix.id));
    late.for_each(|fix| context.late_fixes.switch_on(fix.id));
}
