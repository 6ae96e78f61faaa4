//! libFuzzer itself, as clang has it: it chooses the bytes behind values.

mod process;

use super::sequence::Sequences;
use super::{Derived, Figures, Generator, Guidance};
use crate::{Generate, Trace, Verdict};
use mutagen_weave::probes;
use process::Process;
use std::fmt;

/// Lets libFuzzer choose the byte strings that values are generated from.
///
/// libFuzzer is a library in C++ with a loop of its own, which ends its process. So it runs in another one: a helper that is
/// compiled by `clang++ -fsanitize=fuzzer` when the campaign begins. It gives byte strings through a pipe, and learns which probes
/// they fired as its *extra counters*. It does all the rest. A failed test is a finding to the campaign, and nothing special to
/// libFuzzer.
///
/// Needs Linux. [`LibFuzzer::require`] tells whether there is a `clang++`.
///
/// ```no_run
/// use mutagen_engine::{Campaign, LibFuzzer};
///
/// let mut guidance = LibFuzzer::new(1);
/// let report = Campaign::new(1).tests(10_000).run(&mut guidance, &mut |pair: &(bool, u8)| pair.1 < 10 || pair.0);
/// assert_eq!(report.failed, 1);
/// ```
pub struct LibFuzzer<T> {
    sequences: Sequences<T>,
    process: Result<Process, LibFuzzerError>,
    /// Whether libFuzzer waits for what became of its last byte string.
    pending: bool,
    /// How often each probe fired in the last test, by number, up to 255.
    counts: Vec<u8>,
    /// Which have ever fired.
    fired: Vec<bool>,
    tests: u64,
    known: u64,
}

/// How large values get, as with the guidances that are configured.
const MAX_SIZE: usize = 10;

/// Why libFuzzer cannot be used, or cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibFuzzerError {
    /// There is no `clang++` on the path.
    NotInstalled,
    /// It could not be compiled. This is the compiler's first complaint.
    NotCompiled(String),
    /// It could not be started, for this reason.
    NotStarted(String),
    /// It ended by itself. These were its last words.
    Ended(String),
}

impl fmt::Display for LibFuzzerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibFuzzerError::NotInstalled => formatter.write_str(
                "clang++ is not installed, which has libFuzzer: `apt-get install clang libclang-rt-dev` gets both on Debian \
                 and Ubuntu",
            ),
            LibFuzzerError::NotCompiled(why) => write!(
                formatter,
                "libFuzzer cannot be linked by clang++, which needs `apt-get install libclang-rt-dev`: {why}"
            ),
            LibFuzzerError::NotStarted(why) => write!(formatter, "libFuzzer cannot be started: {why}"),
            LibFuzzerError::Ended(words) => write!(formatter, "libFuzzer ended: {words}"),
        }
    }
}

impl std::error::Error for LibFuzzerError {}

impl LibFuzzer<()> {
    /// Checks that there is a `clang++`.
    ///
    /// # Errors
    ///
    /// If there is none, the error says how to get it.
    pub fn require() -> Result<(), LibFuzzerError> {
        if process::is_installed() { Ok(()) } else { Err(LibFuzzerError::NotInstalled) }
    }
}

impl<T: Generate + 'static> LibFuzzer<T> {
    /// Starts libFuzzer. Generates with the type's own generator.
    pub fn new(seed: u64) -> Self {
        Self::with_generator(seed, Derived)
    }
}

impl<T> LibFuzzer<T> {
    /// Starts libFuzzer. Generates with a generator of your own.
    pub fn with_generator(seed: u64, generator: impl Generator<T> + 'static) -> Self {
        // Probes are numbered from 1.
        let slots = probes::count() + 1;
        LibFuzzer {
            sequences: Sequences::new(generator, MAX_SIZE),
            process: Process::start(seed, slots),
            pending: false,
            counts: vec![0; slots],
            fired: vec![false; slots],
            tests: 0,
            known: 0,
        }
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        match self.process.as_mut().ok()?.next() {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.process = Err(error);
                None
            }
        }
    }

    /// Counts the probes that fired. Gives them, each once.
    fn count(&mut self, trace: Trace<'_>) -> Vec<u32> {
        let mut fired = Vec::new();
        for &probe in trace.events {
            let Some(count) = self.counts.get_mut(probe as usize) else { continue };
            if *count == 0 {
                fired.push(probe);
            }
            *count = count.saturating_add(1);
        }
        fired
    }
}

impl<T> Guidance<T> for LibFuzzer<T> {
    fn next(&mut self) -> T {
        let bytes = self.bytes();
        self.pending = bytes.is_some();
        // Without libFuzzer the campaign ends after this test.
        self.sequences.value(bytes.unwrap_or_default())
    }

    fn learn(&mut self, _: &T, _: &Verdict, trace: Trace<'_>) -> bool {
        let fired = self.count(trace);
        // An example of the user's was not asked for: libFuzzer learns nothing of it.
        if std::mem::take(&mut self.pending)
            && let Ok(process) = &mut self.process
        {
            self.tests += 1;
            process.answer(fired.iter().map(|&probe| (probe, self.counts[probe as usize])));
        }
        let before = self.known;
        for probe in fired.into_iter().map(|probe| probe as usize) {
            self.counts[probe] = 0;
            self.known += u64::from(!std::mem::replace(&mut self.fired[probe], true));
        }
        self.known > before
    }

    fn figures(&self) -> Figures {
        Figures::new("libfuzzer")
            .count("asked for by libFuzzer", self.tests)
            .level("known probes", self.known)
    }

    fn known(&self) -> u64 {
        self.known
    }

    fn is_exhausted(&self) -> bool {
        self.process.is_err()
    }

    fn trouble(&self) -> Option<String> {
        self.process.as_ref().err().map(ToString::to_string)
    }
}
