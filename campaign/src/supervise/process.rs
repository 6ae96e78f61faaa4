//! A worker process: starting it, watching it, and how it died.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use mutagen_properties::{Noted, Pulse, Tally};
use mutagen_weave::reserve;

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
/// How many bytes of a worker's notes are reserved. Larger tests are seldom.
const RESERVED: u64 = 1 << 20;
/// How much memory the error output of a process may take. An engine may write to it for days.
const MOST_ERRORS: u64 = 1 << 20;
/// No message is longer. What is, was written by an engine.
const LONGEST_LINE: u64 = 64 << 20;

/// How a worker died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// By a signal.
    Signal(i32),
    /// Its stack was full.
    Overflow,
    /// It ended itself, with this exit code.
    Exit(i32),
    /// It was killed because an engine gave no answer.
    Hang(Duration),
    /// It was killed because it got nowhere while it asked no engine.
    Stuck(Duration),
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
            Cause::Stuck(limit) => write!(formatter, "got nowhere within {limit:?} of processor time"),
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
    is_stopped: bool,
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
        let notes = notes_file()?;
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
        let (order, is_stopped, killed) = (Some(input), false, None);
        Ok(Process { child, order, notes, errors, limits, last, is_stopped, killed })
    }

    /// Starts a worker and waits for its end. Returns its last message, and what it left. Once `ended` is set, the worker is
    /// killed, and there is an error.
    pub(super) fn follow(
        program: &Executable,
        files: &Files,
        order: &Order,
        limits: WorkerLimits,
        ended: &AtomicBool,
    ) -> io::Result<(Option<Message>, Remains)> {
        if ended.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let (sender, heard) = channel();
        let mut process = Self::start(program, files, order, limits, (0, sender))?;
        let mut last = None;
        loop {
            match heard.recv_timeout(PAUSE) {
                Ok((_, Heard::Message(message))) => last = Some(message),
                Ok((_, Heard::End)) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => process.watch(),
            }
            if ended.load(Ordering::Relaxed) {
                process.give_up();
                process.ended()?;
                return Err(io::ErrorKind::Interrupted.into());
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
        keep_short(&self.errors);
        self.is_stopped = status.is_stopped;
        if status.memory > self.limits.memory {
            return self.kill(Cause::Memory(self.limits.memory));
        }
        let pulse = Pulse::read(&self.notes).unwrap_or_default();
        // A worker that is stopped is not to blame.
        if pulse != self.last.0 || status.is_stopped {
            self.last = (pulse, Instant::now(), status.processor);
        }
        let (_, since, processor) = self.last;
        let taken = status.processor.saturating_sub(processor);
        // One that asks no engine is busy with something of ours, which may take longer, or waits for others.
        if !pulse.is_asking {
            let limit = self.limits.between_questions();
            if taken > limit {
                self.kill(Cause::Stuck(limit));
            }
        } else if taken > self.limits.processor || since.elapsed() > self.limits.sleep() {
            // One that sleeps takes no processor time.
            self.kill(Cause::Hang(self.limits.processor));
        }
    }

    /// Whether somebody had stopped the worker when it was watched last.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
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

    /// How many tests it had ended, if it could note that.
    pub(super) fn tally(&self) -> Option<Tally> {
        Tally::read(&self.notes).ok().flatten()
    }

    /// The last functions of woven code that it was in, the very last one first, if it recorded them.
    pub(super) fn last_functions(&self) -> Vec<String> {
        trace::last_functions(&self.notes)
    }
}

/// A file for notes. Memory that is full would end the worker as it writes, so the parts that are always used are reserved.
fn notes_file() -> io::Result<File> {
    let reserved = |file: File| {
        file.set_len(trace::FILE_BYTES)?;
        reserve(&file, 0..RESERVED)?;
        reserve(&file, trace::PART)?;
        Ok(file)
    };
    let in_memory = tempfile::tempfile_in("/dev/shm").and_then(reserved);
    in_memory.or_else(|_| tempfile::tempfile().and_then(reserved))
}

/// A file in memory, without a name. Where there is no place for such files, one on disk does as well.
fn memory_file() -> io::Result<File> {
    tempfile::tempfile_in("/dev/shm").or_else(|_| tempfile::tempfile())
}

fn listen(output: ChildStdout, id: usize, heard: &Sender<(usize, Heard)>) {
    let mut lines = BufReader::new(output);
    let mut line = Vec::new();
    while next_line(&mut lines, &mut line, LONGEST_LINE).unwrap_or(false) {
        // What is no message was written by an engine.
        if let Ok(message) = serde_json::from_slice(&line)
            && heard.send((id, Heard::Message(message))).is_err()
        {
            return;
        }
    }
    // Nobody may listen any more.
    let _ = heard.send((id, Heard::End));
}

/// Reads the next line. Of one that is longer than `longest`, nothing is kept. False at the end.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>, longest: u64) -> io::Result<bool> {
    line.clear();
    let length = lines.by_ref().take(longest).read_until(b'\n', line)?;
    if length as u64 == longest && !line.ends_with(b"\n") {
        *line = Vec::new();
        lines.skip_until(b'\n')?;
    }
    Ok(length > 0)
}

/// Forgets what stands in a file if it takes much memory. Its writer goes on at the same place, and what lies before that is a
/// hole, which takes none.
fn keep_short(errors: &File) {
    let taken = errors.metadata().map_or(0, |about| about.blocks() * 512);
    if taken > MOST_ERRORS {
        // If it cannot be done now, it is tried again soon.
        let _ = errors.set_len(0);
    }
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
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // What was forgotten reads as zeros.
    let words: Vec<char> = words.chars().filter(|letter| !letter.is_control()).collect();
    words[words.len().saturating_sub(LAST_WORDS)..].iter().collect()
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;

    #[test]
    fn a_line_without_an_end_is_skipped_without_being_kept_and_the_next_one_is_read() {
        let flood = io::repeat(b'x').take(100 << 20);
        let mut lines = BufReader::new(flood.chain(&b"\nnext\nlast"[..]));
        let mut line = Vec::new();
        let mut read = || {
            let is_line = next_line(&mut lines, &mut line, 1000).expect("it can be read");
            assert!(line.capacity() < 10_000, "{}", line.capacity());
            is_line.then(|| line.clone())
        };
        assert_eq!(read().as_deref(), Some(&b""[..]));
        assert_eq!(read().as_deref(), Some(&b"next\n"[..]));
        assert_eq!(read().as_deref(), Some(&b"last"[..]));
        assert_eq!(read(), None);
    }

    #[test]
    fn error_output_takes_little_memory_however_much_is_written_and_its_end_is_kept() {
        let mut errors = memory_file().expect("there is a place for it");
        for _ in 0..50 {
            errors.write_all(&[b'x'; 100_000]).expect("there is space");
            keep_short(&errors);
        }
        errors.write_all(b" last words").expect("there is space");
        let taken = errors.metadata().expect("it is there").blocks() * 512;
        assert!(taken < MOST_ERRORS + 200_000, "{taken}");
        assert!(errors.stream_position().expect("it has one") > 5_000_000, "the writer goes on where it was");
        assert!(last_words(&mut errors).ends_with("x last words"));
    }
}
