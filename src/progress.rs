//! What a campaign shows while it runs: one live line on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mutagen_engine::{Event, Verdict};

use crate::say;

/// How often the live line changes, and how often a plain line is written.
const LIVE: Duration = Duration::from_millis(100);
const PLAIN: Duration = Duration::from_secs(10);
/// How often the statistics are stored while a campaign runs: a kill loses no more than this.
const STORED: Duration = Duration::from_secs(2);
/// The clock is looked at every so many tests.
const EVERY: u64 = 256;

/// What a campaign did so far.
pub struct Counts {
    started: Instant,
    pub tests: u64,
    pub passed: u64,
    pub discarded: u64,
    interesting: u64,
    resets: u64,
}

impl Counts {
    fn new() -> Self {
        Counts { started: Instant::now(), tests: 0, passed: 0, discarded: 0, interesting: 0, resets: 0 }
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn follow<T>(&mut self, event: &Event<'_, T>) {
        match event {
            Event::Tested { verdict, .. } => {
                self.tests += 1;
                match verdict {
                    Verdict::Passed => self.passed += 1,
                    Verdict::Discarded => self.discarded += 1,
                    Verdict::Failed(_) => {}
                }
            }
            Event::Interesting { .. } => self.interesting += 1,
            Event::Reset { .. } => self.resets += 1,
            _ => {}
        }
    }

    fn text(&self) -> String {
        let seconds = self.seconds();
        let Self { tests, passed, discarded, interesting, resets, .. } = self;
        format!(
            "{seconds:.0} s: {tests} tests ({:.0}/s), {passed} passed, {discarded} discarded, \
             {interesting} interesting, {resets} resets",
            *tests as f64 / seconds.max(0.001)
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
        if matches!(event, Event::Tested { .. }) && self.counts.tests.is_multiple_of(EVERY) {
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
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}

fn live_line() -> ProgressBar {
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    line.with_style(
        ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
    )
}
