//! AFL++ itself, unmodified: `afl-fuzz` chooses the bytes behind values.

mod fuzzer;
mod server;

use super::sequence::Sequences;
use super::switches::{Switch, Switches, max_size};
use super::{Derived, Figures, Generator, Guidance};
use crate::{Generate, Scope, Trace, Verdict};
use fuzzer::Fuzzer;
use mutagen_weave::probes;
use server::Server;
use std::fmt;

/// The settings of [`Afl`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AflConfig {
    /// The size of the largest value.
    pub max_size: usize,
}

impl Default for AflConfig {
    fn default() -> Self {
        AflConfig { max_size: 10 }
    }
}

impl Switches for AflConfig {
    const GUIDANCE: &'static str = "afl";
    const SWITCHES: &'static [Switch<Self>] = &[max_size(|config| &mut config.max_size)];
}

/// Lets `afl-fuzz` of AFL++ choose the byte strings that values are generated from.
///
/// AFL runs as it is installed, in a process of its own. This program answers it as if it were an instrumented program with a
/// fork server: it gets byte strings through memory that AFL shares, tests the values that they make, and tells AFL which
/// probes fired. AFL does all the rest: its queue, its mutations, its trimming. A failed test is a crash to AFL, and a finding
/// to the campaign like any other.
///
/// AFL gets the seed, but its choices also depend on the clock, so **runs do not repeat**. Variables such as
/// `AFL_TESTCACHE_SIZE` reach it. Needs Linux; [`Afl::require`] tells whether `afl-fuzz` is installed.
///
/// ```no_run
/// use mutagen_engine::{Afl, AflConfig, Campaign};
///
/// let mut guidance = Afl::new(AflConfig::default(), 1);
/// let report = Campaign::new(1).tests(10_000).run(&mut guidance, &mut |pair: &(bool, u8)| pair.1 < 10 || pair.0);
/// assert_eq!(report.failed, 1);
/// ```
pub struct Afl<T> {
    config: AflConfig,
    sequences: Sequences<T>,
    state: State,
    /// Whether AFL waits for what became of its last byte string.
    pending: bool,
    /// Which probes have fired up to now, by number.
    fired: Vec<bool>,
    tests: u64,
    known: u64,
}

/// How far it is with AFL.
enum State {
    Starting(Fuzzer),
    // The server goes first when this is dropped, so that AFL does not wait for an answer.
    Running(Server, Fuzzer),
    Over(AflError),
}

/// Why AFL cannot be used, or cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AflError {
    /// There is no `afl-fuzz` on the path.
    NotInstalled,
    /// It could not be started, for this reason.
    NotStarted(String),
    /// It ended by itself. These were its last words.
    Ended(String),
}

impl fmt::Display for AflError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AflError::NotInstalled => formatter.write_str(
                "afl-fuzz is not installed: the package `afl++` of Debian and Ubuntu has it (`apt-get install afl++`)",
            ),
            AflError::NotStarted(why) => write!(formatter, "afl-fuzz cannot be started: {why}"),
            AflError::Ended(words) => write!(formatter, "afl-fuzz ended: {words}"),
        }
    }
}

impl std::error::Error for AflError {}

impl Afl<()> {
    /// Checks that there is an `afl-fuzz`.
    ///
    /// # Errors
    ///
    /// If there is none, the error says how to get it.
    pub fn require() -> Result<(), AflError> {
        if fuzzer::is_installed() { Ok(()) } else { Err(AflError::NotInstalled) }
    }
}

impl<T: Generate + 'static> Afl<T> {
    /// Starts AFL. Generates with the type's own generator.
    pub fn new(config: AflConfig, seed: u64) -> Self {
        Self::with_generator(config, seed, Derived)
    }
}

impl<T> Afl<T> {
    /// Starts AFL. Generates with a generator of your own.
    pub fn with_generator(config: AflConfig, seed: u64, generator: impl Generator<T> + 'static) -> Self {
        // Probes are numbered from 1. Byte 0 of the map is set after every test: AFL distrusts an empty map.
        let slots = probes::count() + 1;
        Afl {
            sequences: Sequences::new(generator, config.max_size),
            state: Fuzzer::start(seed, slots).map_or_else(State::Over, State::Starting),
            pending: false,
            fired: vec![false; slots],
            tests: 0,
            known: 0,
            config,
        }
    }

    /// Gives generators these settings to ask for.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.sequences.set_scope(scope);
        self
    }

    /// The next byte string of AFL; `None` if there will be no more.
    fn bytes(&mut self) -> Option<Vec<u8>> {
        loop {
            self.state = match std::mem::replace(&mut self.state, State::Over(AflError::NotInstalled)) {
                // AFL starts the program that it tests again if it wants another map.
                State::Starting(mut fuzzer) => match fuzzer.connect(self.fired.len()) {
                    Ok(server) => State::Running(server, fuzzer),
                    Err(error) => State::Over(error),
                },
                State::Running(mut server, fuzzer) => match server.next() {
                    Some(bytes) => {
                        self.state = State::Running(server, fuzzer);
                        return Some(bytes);
                    }
                    None => State::Starting(fuzzer),
                },
                State::Over(error) => {
                    self.state = State::Over(error);
                    return None;
                }
            };
        }
    }

    /// Notes the probes that fired. Tells whether one of them is new.
    fn note(&mut self, trace: Trace<'_>) -> bool {
        let before = self.known;
        for &probe in trace.events {
            if let Some(fired) = self.fired.get_mut(probe as usize)
                && !std::mem::replace(fired, true)
            {
                self.known += 1;
            }
        }
        self.known > before
    }
}

impl<T> Guidance<T> for Afl<T> {
    fn next(&mut self) -> T {
        let bytes = self.bytes();
        self.pending = bytes.is_some();
        // Without AFL the campaign ends after this test.
        self.sequences.value(bytes.unwrap_or_default())
    }

    fn learn(&mut self, _: &T, verdict: &Verdict, trace: Trace<'_>) -> bool {
        // An example of the user's was not asked for: AFL learns nothing of it.
        if std::mem::take(&mut self.pending)
            && let State::Running(server, _) = &mut self.state
        {
            self.tests += 1;
            server.answer(trace, matches!(verdict, Verdict::Failed(_)));
        }
        self.note(trace)
    }

    fn figures(&self) -> Figures {
        Figures::new(AflConfig::GUIDANCE)
            .switches(self.config.present())
            .count("asked for by afl-fuzz", self.tests)
            .level("known probes", self.known)
    }

    fn known(&self) -> u64 {
        self.known
    }

    fn is_exhausted(&self) -> bool {
        matches!(self.state, State::Over(_))
    }

    fn trouble(&self) -> Option<String> {
        match &self.state {
            State::Over(error) => Some(error.to_string()),
            _ => None,
        }
    }
}
