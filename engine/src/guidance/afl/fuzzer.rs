//! The process `afl-fuzz`.

use super::AflError;
use super::server::{Relay, Server};
use crate::Source;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

const PROGRAM: &str = "afl-fuzz";

/// What AFL runs in place of a program to test. It tells its own number and those of the shared memory, so that this program
/// can take over its ends of the pipes. Then it waits until AFL ends it. If this program is gone before, it removes
/// their directory and ends: AFL hears nothing any more and ends as well. The pauses are short because AFL waits for the last
/// of them.
const RELAY: &str = r#"
echo "$$ $__AFL_SHM_ID $__AFL_SHM_FUZZ_ID" > "$0.new" && mv "$0.new" "$0"
while kill -0 "$1" 2>/dev/null; do sleep 0.1; done
rm -rf "${0%/*}"
"#;

/// AFL does not start in a surprising environment. None of what it checks matters here: no process crashes, no file is
/// executed over and over, and other programs may use the cores, too.
const ENVIRONMENT: [&str; 5] = [
    "AFL_NO_UI",
    "AFL_NO_AFFINITY",
    "AFL_SKIP_CPUFREQ",
    "AFL_SKIP_BIN_CHECK",
    "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES",
];

/// How many milliseconds a test may take before AFL calls it hung.
const TEST_MILLISECONDS: &str = "5000";
/// How long the first input is. AFL trims it.
const FIRST_INPUT: usize = 1024;
/// How often, and how many times, something is waited for: a minute in all.
const PAUSE: Duration = Duration::from_millis(5);
const PAUSES: u32 = 12_000;
/// How many times, after AFL was asked to end: five seconds in all.
const LAST_PAUSES: u32 = 1000;

/// A running `afl-fuzz` with a directory of its own.
pub(super) struct Fuzzer {
    process: Child,
    directory: PathBuf,
    /// The relay that was last talked to.
    relay: Option<u32>,
}

pub(super) fn is_installed() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(PROGRAM).is_file())
}

impl Fuzzer {
    /// Starts AFL with this seed, for a map of `slots` bytes.
    pub(super) fn start(seed: u64, slots: usize) -> Result<Self, AflError> {
        let directory = fresh_directory();
        let process = prepare(&directory, seed).and_then(|log| spawn(&directory, seed, slots, log));
        match process {
            Ok(process) => Ok(Fuzzer { process, directory, relay: None }),
            Err(error) => {
                // What is left of it is of no use, and what cannot be removed does no harm.
                let _ = fs::remove_dir_all(&directory);
                Err(match error.kind() {
                    io::ErrorKind::NotFound if !is_installed() => AflError::NotInstalled,
                    _ => AflError::NotStarted(error.to_string()),
                })
            }
        }
    }

    /// Waits until AFL has started a relay that was not talked to yet, and greets AFL in its place.
    pub(super) fn connect(&mut self, slots: usize) -> Result<Server, AflError> {
        for _ in 0..PAUSES {
            match self.relay_now() {
                Some(relay) if self.relay != Some(relay.process) => {
                    self.relay = Some(relay.process);
                    // A relay that AFL has ended already is followed by another one, or by the end of AFL.
                    if let Ok(server) = Server::connect(&relay, slots) {
                        return Ok(server);
                    }
                }
                _ if self.has_ended() => return Err(AflError::Ended(self.last_words())),
                _ => thread::sleep(PAUSE),
            }
        }
        Err(AflError::NotStarted("it does not run what it should test".to_owned()))
    }

    fn relay_now(&self) -> Option<Relay> {
        let text = fs::read_to_string(relay_file(&self.directory)).ok()?;
        let numbers: Vec<i32> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [process, map, input] = numbers[..] else { return None };
        Some(Relay { process: u32::try_from(process).ok()?, map, input })
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// Waits a little for AFL to end. Tells whether it did.
    fn ends_soon(&mut self) -> bool {
        for _ in 0..LAST_PAUSES {
            if self.has_ended() {
                return true;
            }
            thread::sleep(PAUSE);
        }
        false
    }

    /// What AFL complained about, or else said last.
    fn last_words(&self) -> String {
        let log = fs::read(log_file(&self.directory)).unwrap_or_default();
        let log = without_colors(&String::from_utf8_lossy(&log));
        let lines: Vec<&str> = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let complaint = lines.iter().find(|line| line.contains("PROGRAM ABORT"));
        complaint.or(lines.last()).map_or("without a word".to_owned(), |line| (*line).to_owned())
    }
}

impl Drop for Fuzzer {
    /// Ends AFL. It is asked to end by itself, because it gives the shared memory back then.
    fn drop(&mut self) {
        let number = self.process.id().to_string();
        let asked = Command::new("/bin/sh").args(["-c", "kill -TERM \"$0\"", &number]).status();
        if asked.is_err() || !self.ends_soon() {
            // It is gone already, or it cannot be helped.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// A directory that nobody else uses.
fn fresh_directory() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("mutagen-afl-{}-{number}", std::process::id()))
}

fn relay_file(directory: &Path) -> PathBuf {
    directory.join("relay")
}

fn log_file(directory: &Path) -> PathBuf {
    directory.join("log")
}

/// The text without the sequences that color it: an escape character up to the next `m`.
fn without_colors(text: &str) -> String {
    let mut pieces = text.split('\u{1b}');
    let first = pieces.next().unwrap_or_default();
    let rest = pieces.map(|piece| piece.split_once('m').map_or(piece, |(_, after)| after));
    std::iter::once(first).chain(rest).collect()
}

/// Makes the directory with the first input, and returns the file for what AFL says.
fn prepare(directory: &Path, seed: u64) -> io::Result<File> {
    let inputs = directory.join("in");
    fs::create_dir_all(&inputs)?;
    let mut source = Source::seeded(seed);
    let bytes: Vec<u8> = (0..FIRST_INPUT).map(|_| source.below(256) as u8).collect();
    fs::write(inputs.join("first"), bytes)?;
    File::create(log_file(directory))
}

fn spawn(directory: &Path, seed: u64, slots: usize, log: File) -> io::Result<Child> {
    let seed = seed.to_string();
    Command::new(PROGRAM)
        .arg("-i")
        .arg(directory.join("in"))
        .arg("-o")
        .arg(directory.join("out"))
        .args(["-s", &seed, "-t", TEST_MILLISECONDS, "-m", "none", "--", "/bin/sh", "-c", RELAY])
        .arg(relay_file(directory))
        .arg(std::process::id().to_string())
        .envs(ENVIRONMENT.map(|name| (name, "1")))
        .env("AFL_MAP_SIZE", slots.next_multiple_of(64).to_string())
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        // Ctrl-C is for this program, which then ends AFL.
        .process_group(0)
        .spawn()
}
