//! Asking engines in a process of their own: what commands do that must survive whatever a module does to an engine.

use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use mutagen_oracles::Call;
use mutagen_properties::{Case, Reached};

use super::apart::Death;
use super::order::{Answer, Inquiry, Message, Order, Said, StoredCase};
use super::process::{Files, Heard, PAUSE, Process};
use crate::reach::{fires_in_target, smallest};
use crate::{Error, Executable, Spec, SpecError, WorkerLimits};

/// Why there is no answer.
#[derive(Debug)]
pub enum Unanswered {
    /// An engine ended the process that asked it, or gave no answer. The next module is asked about in a new process.
    Died(Death),
    /// Nothing can be asked at all.
    Failed(Error),
}

impl From<Error> for Unanswered {
    fn from(error: Error) -> Self {
        Unanswered::Failed(error)
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unanswered::Died(death) => death.fmt(formatter),
            Unanswered::Failed(error) => error.fmt(formatter),
        }
    }
}

/// Judges modules in a process of their own.
///
/// The program must hand the words that begin with [`WORKER`](crate::WORKER) to [`work`](crate::work).
pub struct JudgeApart<'a>(Other<'a>);

impl<'a> JudgeApart<'a> {
    /// Asks the engines of a spec. No process is started yet.
    pub fn new(program: &'a Executable, spec: Spec, limits: WorkerLimits) -> Self {
        Self(Other { program, order: Order::Judges(Box::new(spec)), limits, running: None })
    }

    /// The calls by which a module without calls of its own is judged.
    ///
    /// # Errors
    ///
    /// If the target ends the process, or cannot be asked at all.
    pub fn calls(&mut self, wasm: &[u8]) -> Result<Vec<Call>, Unanswered> {
        let case = Case::of(wasm.to_vec(), Vec::new());
        match self.0.ask(&Inquiry::Calls(StoredCase::of(&case)))? {
            Answer::Calls(calls) => {
                let calls: Result<Vec<Call>, _> = calls.iter().map(crate::StoredCall::call).collect();
                Ok(calls.map_err(|error| Error::from(SpecError::Argument(error)))?)
            }
            _ => Err(unexpected()),
        }
    }

    /// What both engines say of a module, or only of its validity. Calls of functions that the module does not export are left
    /// out.
    ///
    /// # Errors
    ///
    /// If an engine ends the process, or cannot be asked at all.
    pub fn judge(&mut self, case: &Case, only_validity: bool) -> Result<Said, Unanswered> {
        match self.0.ask(&Inquiry::Judge { case: StoredCase::of(case), only_validity })? {
            Answer::Said(said) => Ok(*said),
            _ => Err(unexpected()),
        }
    }
}

/// Watches the target in a process of its own while it works on modules.
pub struct ReachApart<'a>(Other<'a>);

impl<'a> ReachApart<'a> {
    /// Watches the target of a spec as its campaign does. No process is started yet.
    pub fn new(program: &'a Executable, spec: Spec, limits: WorkerLimits) -> Self {
        Self(Other { program, order: Order::Watches(Box::new(spec)), limits, running: None })
    }

    /// Whether the target has probes in this program, without which nothing can be seen of what it reaches.
    ///
    /// # Errors
    ///
    /// If the target ends the process even on the smallest module, or cannot be watched at all.
    pub fn has_probes(&mut self) -> Result<bool, Unanswered> {
        self.of(&smallest()).map(|reached| fires_in_target(&reached))
    }

    /// What a module reaches.
    ///
    /// # Errors
    ///
    /// If the target ends the process, or cannot be watched at all.
    pub fn of(&mut self, case: &Case) -> Result<Reached, Unanswered> {
        match self.0.ask(&Inquiry::Reach(StoredCase::of(case)))? {
            Answer::Edges { edges, truncated } => Ok(Reached::of_edges(edges, truncated)),
            _ => Err(unexpected()),
        }
    }
}

fn unexpected() -> Unanswered {
    Unanswered::Failed(Error::NoWorker(std::io::Error::other("it answers something else")))
}

/// A process that answers, and is replaced when it dies.
struct Other<'a> {
    program: &'a Executable,
    order: Order,
    limits: WorkerLimits,
    running: Option<Running>,
}

struct Running {
    process: Process,
    heard: Receiver<(usize, Heard)>,
}

impl Other<'_> {
    fn ask(&mut self, inquiry: &Inquiry) -> Result<Answer, Unanswered> {
        loop {
            let known = self.running.take();
            let is_fresh = known.is_none();
            let mut running = known.map_or_else(|| self.start(), Ok)?;
            match running.ask(inquiry) {
                Some(Message::Refused(refusal)) => return Err(Unanswered::Failed(refusal.into())),
                Some(Message::Answer(answer)) => {
                    self.running = Some(running);
                    return Ok(answer);
                }
                Some(_) => return Err(unexpected()),
                None => {
                    let remains = running.process.ended().map_err(Error::NoWorker)?;
                    // What killed an older process may be what earlier modules left behind. So it is asked once more.
                    if is_fresh {
                        return Err(Unanswered::Died(Death::of(&remains)));
                    }
                }
            }
        }
    }

    fn start(&self) -> Result<Running, Error> {
        let (sender, heard) = channel();
        let files = Files::default();
        let process = Process::start(self.program, &files, &self.order, self.limits, (0, sender));
        Ok(Running { process: process.map_err(Error::NoWorker)?, heard })
    }
}

impl Running {
    /// The answer. `None` if the process has ended.
    fn ask(&mut self, inquiry: &Inquiry) -> Option<Message> {
        // If it cannot be told, it is dead, which shows below.
        let _ = self.process.tell(inquiry);
        loop {
            match self.heard.recv_timeout(PAUSE) {
                Ok((_, Heard::Message(message))) => return Some(message),
                Ok((_, Heard::End)) | Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => self.process.watch(),
            }
        }
    }
}

impl Drop for Other<'_> {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.process.stop();
            // It ends as soon as it hears no more. How does not matter.
            let _ = running.process.ended();
        }
    }
}
