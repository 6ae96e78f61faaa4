//! The process that libFuzzer runs in.

use super::LibFuzzerError;
use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

const COMPILER: &str = "clang++";
const HELPER: &str = include_str!("helper.cc");
/// The longest byte string.
const LONGEST: &str = "-max_len=4096";
/// No test is too long for libFuzzer, nothing that this program does is a leak, and nothing takes too much memory.
const SETTINGS: [&str; 4] = ["-timeout=1000000", "-detect_leaks=0", "-rss_limit_mb=0", "-verbosity=0"];

pub(super) fn is_installed() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(COMPILER).is_file())
}

/// A running libFuzzer with a directory of its own.
pub(super) struct Process {
    child: Child,
    requests: BufReader<ChildStdout>,
    answers: ChildStdin,
    directory: PathBuf,
}

impl Process {
    /// Compiles the helper for so many slots, and starts it with this seed.
    pub(super) fn start(seed: u64, slots: usize) -> Result<Self, LibFuzzerError> {
        if !is_installed() {
            return Err(LibFuzzerError::NotInstalled);
        }
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory =
            std::env::temp_dir().join(format!("mutagen-libfuzzer-{}-{number}", std::process::id()));
        let started = compile(&directory, slots).and_then(|()| spawn(&directory, seed));
        if started.is_err() {
            // What is left of it is of no use, and what cannot be removed does no harm.
            let _ = fs::remove_dir_all(&directory);
        }
        let (child, requests, answers) = started?;
        Ok(Process { child, requests, answers, directory })
    }

    /// The next byte string.
    pub(super) fn next(&mut self) -> Result<Vec<u8>, LibFuzzerError> {
        self.read().map_err(|_| self.ended())
    }

    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 4];
        self.requests.read_exact(&mut length)?;
        let mut bytes = vec![0; u32::from_ne_bytes(length) as usize];
        self.requests.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Tells libFuzzer which probes its last byte string fired, and how often. If it does not listen any more, the next request
    /// shows it.
    pub(super) fn answer(&mut self, fired: impl Iterator<Item = (u32, u8)>) {
        // Slot 0 is set after each test and ends the answer: libFuzzer distrusts a test that does nothing.
        let pairs = fired.chain([(0, 1)]);
        let words = pairs.flat_map(|(probe, count)| [probe.to_ne_bytes(), u32::from(count).to_ne_bytes()]);
        let _ = self.answers.write_all(&words.flatten().collect::<Vec<u8>>());
    }

    fn ended(&mut self) -> LibFuzzerError {
        let log = fs::read(self.directory.join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let last = log.lines().rfind(|line| !line.trim().is_empty());
        LibFuzzerError::Ended(last.unwrap_or("without a word").to_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn compile(directory: &Path, slots: usize) -> Result<(), LibFuzzerError> {
    let source = directory.join("helper.cc");
    let write = fs::create_dir_all(directory).and_then(|()| fs::write(&source, HELPER));
    write.map_err(|error| LibFuzzerError::NotStarted(error.to_string()))?;
    let output = Command::new(COMPILER)
        .args(["-O1", "-fsanitize=fuzzer"])
        .arg(format!("-DSLOTS={slots}"))
        .arg("-o")
        .arg(directory.join("helper"))
        .arg(&source)
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(Output { status, .. }) if status.success() => Ok(()),
        Ok(Output { stderr, .. }) => {
            let text = String::from_utf8_lossy(&stderr);
            Err(LibFuzzerError::NotCompiled(text.lines().next().unwrap_or_default().to_owned()))
        }
        Err(error) => Err(LibFuzzerError::NotStarted(error.to_string())),
    }
}

type Started = (Child, BufReader<ChildStdout>, ChildStdin);

fn spawn(directory: &Path, seed: u64) -> Result<Started, LibFuzzerError> {
    // Seed 0 is one that libFuzzer draws, and larger ones than these it does not know.
    let seed = seed % u64::from(u32::MAX) + 1;
    let start = || {
        let log = fs::File::create(directory.join("log"))?;
        let mut child = Command::new(directory.join("helper"))
            .args([&format!("-seed={seed}"), LONGEST])
            .args(SETTINGS)
            .arg(format!("-artifact_prefix={}/", directory.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()?;
        let pipes = child.stdout.take().zip(child.stdin.take());
        let (requests, answers) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((child, BufReader::new(requests), answers))
    };
    start().map_err(|error: io::Error| LibFuzzerError::NotStarted(error.to_string()))
}
