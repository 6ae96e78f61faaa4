//! A worker process: starting it, watching it, and how it died.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use mutagen_properties::{Noted, Pulse};

use super::order::{Inquiry, Message, Order, write_line};
use super::trace;
use crate::{Executable, WorkerLimits};

/// The subcommand of the program that makes it a worker.
pub const WORKER: &str = "worker";
/// The system counts processor time in hundredths of a second, and memory in pages of this size, on all Linux systems that
/// verdicts are meant for.
const TICKS: u64 = 100;
const PAGE: u64 = 4096;
/// How often a worker is looked at while it is followed.
pub(super) const PAUSE: Duration = Duration::from_millis(20);
/// How many characters of a process's last words are kept.
const LAST_WORDS: usize = 300;

/// How a worker died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// By a signal.
    Signal(i32),
    /// Its stack was full.
    Overflow,
    /// It ended itself, with this exit code.
    Exit(i32),
    /// It was killed because it got nowhere.
    Hang(Duration),
    /// It was killed because it took too much memory.
    Memory(u64),
}

impl Cause {
    fn of(status: ExitStatus) -> Self {
        match status.code() {
            Some(code) => Cause::Exit(code),
            None => Cause::Signal(status.signal().unwrap_or(0)),
        }
    }

    /// Whether a signal ended it that a program does not send to itself: SIGHUP, SIGINT, SIGKILL or SIGTERM.
    pub(super) fn is_somebody(self) -> bool {
        matches!(self, Cause::Signal(1 | 2 | 9 | 15))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Cause::Signal(signal) => write!(formatter, "died of {}", signal_name(signal)),
            Cause::Overflow => formatter.write_str("overflowed its stack"),
            Cause::Exit(code) => write!(formatter, "ended the process with exit code {code}"),
            Cause::Hang(limit) => write!(formatter, "gave no answer within {limit:?} of processor time"),
            Cause::Memory(bytes) => write!(formatter, "took more than {} MiB of memory", bytes >> 20),
        }
    }
}

/// The name of a signal, such as SIGSEGV.
pub fn signal_name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
}

/// The files of a campaign, as a worker is told about them: on its command line, where names may be of any bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    pub(super) inputs: Vec<PathBuf>,
    pub(super) output: Option<PathBuf>,
    pub(super) known: Option<PathBuf>,
}

/// Something that came from a worker.
pub(super) enum Heard {
    Message(Message),
    /// It closed its output: it has ended, or soon will.
    End,
}

/// A worker process.
pub(super) struct Process {
    child: Child,
    /// Once this is closed, the worker stops.
    order: Option<ChildStdin>,
    notes: File,
    errors: File,
    limits: WorkerLimits,
    /// How far it was when it last got somewhere, when that was, and how much processor time it had taken by then.
    last: (Pulse, Instant, Duration),
    killed: Option<Cause>,
}

impl Process {
    /// Starts a worker with an order. What it tells goes to `heard`, each time with `id`.
    pub(super) fn start(
        program: &Executable,
        files: &Files,
        order: &Order,
        limits: WorkerLimits,
        (id, heard): (usize, Sender<(usize, Heard)>),
    ) -> io::Result<Self> {
        let notes = memory_file()?;
        notes.set_len(trace::FILE_BYTES)?;
        let errors = memory_file()?;
        // The file has no name, so that nothing lies around if this process is killed. The worker finds it through this one.
        let place = format!("/proc/{}/fd/{}", std::process::id(), notes.as_raw_fd());
        let mut command = Command::new(program.path());
        command.arg(WORKER).arg("--notes").arg(place);
        for input in &files.inputs {
            command.arg("--input").arg(input);
        }
        for (flag, path) in [("--output", &files.output), ("--known", &files.known)] {
            if let Some(path) = path {
                command.arg(flag).arg(path);
            }
        }
        // In a group of its own: the terminal's interrupts are for the supervisor, which stops its workers in good order.
        let mut child = command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors.try_clone()?)
            .spawn()?;
        let mut input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        std::thread::Builder::new().name(format!("ear {id}")).spawn(move || listen(output, id, &heard))?;
        // A worker that dies before it has read its order is found dead like any other.
        let _ = write_line(&mut input, order);
        let last = (Pulse::default(), Instant::now(), Duration::ZERO);
        Ok(Process { child, order: Some(input), notes, errors, limits, last, killed: None })
    }

    /// Starts a worker and waits for its end. Returns its last message, and what it left.
    pub(super) fn follow(
        program: &Executable,
        files: &Files,
        order: &Order,
        limits: WorkerLimits,
    ) -> io::Result<(Option<Message>, Remains)> {
        let (sender, heard) = channel();
        let mut process = Self::start(program, files, order, limits, (0, sender))?;
        let mut last = None;
        loop {
            match heard.recv_timeout(PAUSE) {
                Ok((_, Heard::Message(message))) => last = Some(message),
                Ok((_, Heard::End)) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => process.watch(),
            }
        }
        Ok((last, process.ended()?))
    }

    /// Tells the worker something more on its standard input.
    pub(super) fn tell(&mut self, inquiry: &Inquiry) -> io::Result<()> {
        self.order.as_mut().map_or(Ok(()), |input| write_line(input, inquiry))
    }

    /// Asks the worker to stop soon.
    pub(super) fn stop(&mut self) {
        self.order = None;
    }

    /// Kills the worker if it gets nowhere, or takes too much memory.
    pub(super) fn watch(&mut self) {
        let Some(status) = ProcessStatus::read(self.child.id()) else { return };
        if status.memory > self.limits.memory {
            return self.kill(Cause::Memory(self.limits.memory));
        }
        let pulse = Pulse::read(&self.notes).unwrap_or_default();
        // A worker that is stopped is not to blame, and one that asks no engine is busy with something of ours.
        if pulse != self.last.0 || status.is_stopped || !pulse.is_asking {
            self.last = (pulse, Instant::now(), status.processor);
        }
        let (_, since, processor) = self.last;
        let is_busy = status.processor.saturating_sub(processor) > self.limits.processor;
        // One that sleeps takes no processor time.
        if is_busy || since.elapsed() > self.limits.sleep() {
            self.kill(Cause::Hang(self.limits.processor));
        }
    }

    /// Kills the worker. `cause` is why.
    fn kill(&mut self, cause: Cause) {
        self.killed.get_or_insert(cause);
        // It may have ended by itself just now.
        let _ = self.child.kill();
    }

    /// Kills the worker, which does not end by itself.
    pub(super) fn give_up(&mut self) {
        let _ = self.child.kill();
    }

    /// Waits for the end of a worker that has closed its output.
    pub(super) fn ended(mut self) -> io::Result<Remains> {
        self.order = None;
        let status = self.child.wait()?;
        let last_words = last_words(&mut self.errors);
        let cause = match self.killed.unwrap_or_else(|| Cause::of(status)) {
            // The words with which the standard library aborts then.
            Cause::Signal(_) if last_words.contains("has overflowed its stack") => Cause::Overflow,
            cause => cause,
        };
        Ok(Remains { cause, last_words, notes: self.notes })
    }
}

/// What a process leaves when it has ended.
pub(super) struct Remains {
    /// How it ended.
    pub(super) cause: Cause,
    /// The end of its error output, on one line.
    pub(super) last_words: String,
    notes: File,
}

impl Remains {
    /// The test that it had noted last.
    pub(super) fn noted(&self) -> Option<Noted> {
        Noted::read(&self.notes).ok().flatten()
    }

    /// The last functions of woven code that it was in, the very last one first, if it recorded them.
    pub(super) fn last_functions(&self) -> Vec<String> {
        trace::last_functions(&self.notes)
    }
}

/// A file in memory, without a name. Where there is no place for such files, one on disk does as well.
fn memory_file() -> io::Result<File> {
    tempfile::tempfile_in("/dev/shm").or_else(|_| tempfile::tempfile())
}

fn listen(output: ChildStdout, id: usize, heard: &Sender<(usize, Heard)>) {
    let mut lines = BufReader::new(output);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        // What is no message was written by an engine.
        if let Ok(message) = serde_json::from_slice(&line)
            && heard.send((id, Heard::Message(message))).is_err()
        {
            return;
        }
        line.clear();
    }
    // Nobody may listen any more.
    let _ = heard.send((id, Heard::End));
}

/// What the system says about a process.
struct ProcessStatus {
    processor: Duration,
    memory: u64,
    is_stopped: bool,
}

impl ProcessStatus {
    fn read(process: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name of the program is in parentheses, and may have any characters in it.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
        let ticks = number(11)? + number(12)?;
        let processor = Duration::from_millis(ticks * (1000 / TICKS));
        Some(ProcessStatus {
            processor,
            memory: number(21)? * PAGE,
            is_stopped: fields[0] == "T" || fields[0] == "t",
        })
    }
}

/// The end of a process's error output, on one line.
fn last_words(errors: &mut File) -> String {
    let mut bytes = Vec::new();
    let length = errors.metadata().map_or(0, |about| about.len());
    let start = length.saturating_sub(16 * LAST_WORDS as u64);
    let read = errors.seek(io::SeekFrom::Start(start)).and_then(|_| errors.read_to_end(&mut bytes));
    if read.is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let words: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    words[words.len().saturating_sub(LAST_WORDS)..].iter().collect()
}
