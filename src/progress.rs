//! What a campaign shows while it runs: one live line on a terminal, a plain line now and then and at the end elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mutagen_engine::Event;
use mutagen_properties::INCONCLUSIVE;

use crate::say;

/// How often the live line changes, and how often a plain line is written.
const LIVE: Duration = Duration::from_millis(100);
const PLAIN: Duration = Duration::from_secs(10);
/// How often the statistics are stored while a campaign runs: a kill loses no more than this.
const STORED: Duration = Duration::from_secs(2);

/// What a campaign did so far.
pub struct Counts {
    started: Instant,
    workers: Vec<Standing>,
    interesting: u64,
    resets: u64,
}

/// How far a worker is, or all of them together.
#[derive(Clone, Copy, Default)]
pub struct Standing {
    pub tests: u64,
    pub passed: u64,
    pub discarded: u64,
    pub inconclusive: u64,
    queued: u64,
    known: u64,
}

impl Standing {
    /// Both together. They go through the same code, so what one of them knows the other mostly knows, too.
    fn and(self, other: &Self) -> Self {
        Standing {
            tests: self.tests + other.tests,
            passed: self.passed + other.passed,
            discarded: self.discarded + other.discarded,
            inconclusive: self.inconclusive + other.inconclusive,
            queued: self.queued + other.queued,
            known: self.known.max(other.known),
        }
    }
}

impl Counts {
    fn new() -> Self {
        Counts { started: Instant::now(), workers: Vec::new(), interesting: 0, resets: 0 }
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// All workers together.
    pub fn total(&self) -> Standing {
        self.workers.iter().fold(Standing::default(), Standing::and)
    }

    fn follow<T>(&mut self, event: &Event<'_, T>) {
        match event {
            Event::Interesting { .. } => self.interesting += 1,
            Event::Reset { .. } => self.resets += 1,
            Event::Progress { worker, so_far, queued, known } => {
                if self.workers.len() <= *worker {
                    self.workers.resize(worker + 1, Standing::default());
                }
                self.workers[*worker] = Standing {
                    tests: so_far.tests,
                    passed: so_far.passed,
                    discarded: so_far.discarded,
                    inconclusive: so_far.labels.get(INCONCLUSIVE).copied().unwrap_or(0),
                    queued: *queued,
                    known: *known,
                };
            }
            _ => {}
        }
    }

    fn text(&self) -> String {
        let (seconds, Self { interesting, resets, .. }) = (self.seconds(), self);
        let Standing { tests, passed, discarded, inconclusive, queued, known } = self.total();
        format!(
            "{seconds:.0} s: {tests} tests ({:.0}/s), {passed} passed, {discarded} discarded, {interesting} interesting, \
             queue {queued}, paths {known}, {resets} resets, {inconclusive} inconclusive",
            tests as f64 / seconds.max(0.001)
        )
    }
}

/// Follows the events of a campaign.
pub struct Progress<S> {
    line: Option<ProgressBar>,
    quiet: bool,
    shown: Instant,
    stored: Instant,
    counts: Counts,
    store: S,
}

impl<S: FnMut(&Counts)> Progress<S> {
    /// Begins to follow. Now and then `store` is told how far the campaign is.
    pub fn new(quiet: bool, store: S) -> Self {
        let line = (!quiet && std::io::stderr().is_terminal()).then(live_line);
        let now = Instant::now();
        Progress { line, quiet, shown: now, stored: now, counts: Counts::new(), store }
    }

    /// Takes in an event.
    pub fn follow<T>(&mut self, event: &Event<'_, T>) {
        self.counts.follow(event);
        if let Event::Progress { .. } = event {
            self.show();
            if self.stored.elapsed() >= STORED {
                self.stored = Instant::now();
                (self.store)(&self.counts);
            }
        }
    }

    fn show(&mut self) {
        let pause = if self.line.is_some() { LIVE } else { PLAIN };
        if self.quiet || self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        match &self.line {
            Some(line) => line.set_message(self.counts.text()),
            None => say::note(self.counts.text()),
        }
    }
}

impl<S> Drop for Progress<S> {
    fn drop(&mut self) {
        match &self.line {
            Some(line) => line.finish_and_clear(),
            None if self.quiet => {}
            None => say::note(self.counts.text()),
        }
    }
}

fn live_line() -> ProgressBar {
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    line.with_style(
        ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
    )
}
