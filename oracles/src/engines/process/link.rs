//! The other process: starting it, talking to it, and its end.

use std::{
    fmt,
    io::{BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    messages::{Hello, Reply, Request, Terms, VERSION},
    wire::{Wire, decoded},
};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// The process ended by itself while it worked on the question.
    Died(String),
    /// Something that says nothing about the engine: it was ended from outside, took too long, or does not keep to the protocol.
    Lost(String),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Died(how) | Self::Lost(how) => f.write_str(how),
        }
    }
}

/// The longest time for one question. It is so long that a busy machine is no reason to miss it, and whatever misses it is
/// inconclusive.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often the guard looks.
const LOOK: Duration = Duration::from_millis(100);
/// How many hundredths of a second a process has to end after it closed its pipes.
const FAREWELL: u32 = 500;
/// The longest frame.
const MOST_BYTES: u32 = 1 << 30;

/// A process that speaks the protocol.
pub(super) struct Link {
    guarded: Arc<Guarded>,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    frame: Vec<u8>,
    pub hello: Hello,
}

/// What the guard needs to know.
struct Guarded {
    child: Mutex<Child>,
    since: Instant,
    /// When the question must be answered, in milliseconds after `since`. 0 while nothing is asked.
    deadline: AtomicU64,
}

impl Guarded {
    fn now(&self) -> u64 {
        self.since.elapsed().as_millis() as u64
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_late(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        deadline != 0 && self.now() > deadline
    }
}

/// Kills the process if it takes too long, which ends the wait for its answer.
fn guard(guarded: &Arc<Guarded>) -> std::io::Result<()> {
    let weak = Arc::downgrade(guarded);
    let look = move || {
        while let Some(guarded) = weak.upgrade() {
            if guarded.is_late() {
                // If it is gone already, there is nothing to do.
                let _ = guarded.child().kill();
            }
            drop(guarded);
            thread::sleep(LOOK);
        }
    };
    thread::Builder::new().name("guard".to_owned()).spawn(look).map(drop)
}

impl Link {
    /// Starts the command and agrees on terms.
    pub(super) fn start(command: &mut Command, terms: &Terms) -> Result<Self, Broken> {
        let lost = |error: std::io::Error| Broken::Lost(format!("its process does not start: {error}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(lost)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Broken::Lost("its process has no pipes".to_owned()));
        };
        let (since, deadline) = (Instant::now(), AtomicU64::new(0));
        let guarded = Arc::new(Guarded { child: Mutex::new(child), since, deadline });
        let hello = Hello {
            version: 0,
            name: String::new(),
            engine_version: String::new(),
            features: String::new(),
            switches_features: false,
            canonicalises: false,
            has_fuel: false,
            performs_plans: false,
            limits: Vec::new(),
        };
        let output = BufReader::with_capacity(1 << 16, output);
        let mut link = Self { guarded, input: Some(input), output, frame: Vec::new(), hello };
        guard(&link.guarded).map_err(lost)?;
        link.be_patient();
        match link.say(&Request::Hello(terms.clone())).and_then(|()| link.hear())? {
            Reply::Hello(hello) if hello.version == VERSION => link.hello = hello,
            Reply::Hello(hello) => {
                let theirs = hello.version;
                return Err(Broken::Lost(format!(
                    "it speaks version {theirs} of the protocol, not {VERSION}"
                )));
            }
            other => return Err(unexpected(&other)),
        }
        link.rest();
        Ok(link)
    }

    /// Begins to wait for an answer.
    pub(super) fn be_patient(&self) {
        let deadline = self.guarded.now() + PATIENCE.as_millis() as u64;
        self.guarded.deadline.store(deadline, Ordering::Relaxed);
    }

    /// Ends to wait.
    pub(super) fn rest(&self) {
        self.guarded.deadline.store(0, Ordering::Relaxed);
    }

    pub(super) fn say(&mut self, request: &Request) -> Result<(), Broken> {
        self.frame.clear();
        self.frame.extend_from_slice(&[0; 4]);
        request.put(&mut self.frame);
        let length = (self.frame.len() - 4) as u32;
        self.frame[..4].copy_from_slice(&length.to_le_bytes());
        let sent = self.input.as_mut().map(|input| input.write_all(&self.frame).and_then(|()| input.flush()));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended()),
        }
    }

    pub(super) fn hear(&mut self) -> Result<Reply, Broken> {
        let mut length = [0; 4];
        if self.output.read_exact(&mut length).is_err() {
            return Err(self.ended());
        }
        let length = u32::from_le_bytes(length);
        if length > MOST_BYTES {
            return Err(Broken::Lost("it does not keep to the protocol: a frame is too long".to_owned()));
        }
        self.frame.resize(length as usize, 0);
        if self.output.read_exact(&mut self.frame).is_err() {
            return Err(self.ended());
        }
        let misunderstood =
            || Broken::Lost("it does not keep to the protocol: a frame has no meaning".to_owned());
        decoded(&self.frame).ok_or_else(misunderstood)
    }

    /// Whether the process has ended.
    pub(super) fn is_gone(&mut self) -> bool {
        !matches!(self.guarded.child().try_wait(), Ok(None))
    }

    /// What happened to a process whose pipes are closed.
    fn ended(&mut self) -> Broken {
        if self.guarded.is_late() {
            return Broken::Lost(format!("no answer within {} seconds", PATIENCE.as_secs()));
        }
        self.input = None;
        let status = (0..FAREWELL).find_map(|_| {
            let ended = self.guarded.child().try_wait().transpose();
            if ended.is_none() {
                thread::sleep(Duration::from_millis(10));
            }
            ended
        });
        let Some(status) = status else {
            return Broken::Lost("it says nothing more, but its process lives on".to_owned());
        };
        match status {
            Ok(status) if is_from_outside(status) => Broken::Lost(format!("its process was ended: {status}")),
            Ok(status) => Broken::Died(format!("its process ended: {status}")),
            Err(error) => Broken::Lost(format!("its process is gone: {error}")),
        }
    }
}

/// Whether somebody else ended a process: a user, or a system without memory.
#[cfg(unix)]
fn is_from_outside(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    /// Hangup, interrupt, kill and terminate.
    const FROM_OUTSIDE: [i32; 4] = [1, 2, 9, 15];
    status.signal().is_some_and(|signal| FROM_OUTSIDE.contains(&signal))
}

#[cfg(not(unix))]
fn is_from_outside(_: ExitStatus) -> bool {
    false
}

pub(super) fn unexpected(reply: &Reply) -> Broken {
    let shown = format!("{reply:?}");
    let kind = shown.split(['(', ' ']).next().unwrap_or_default();
    Broken::Lost(format!("it does not keep to the protocol: {kind} is no answer to this"))
}

impl Drop for Link {
    fn drop(&mut self) {
        self.input = None;
        let mut child = self.guarded.child();
        // If it is gone already, there is nothing to do.
        let _ = child.kill();
        let _ = child.wait();
    }
}
