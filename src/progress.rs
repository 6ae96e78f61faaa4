//! What a campaign shows while it runs: one live line on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mutagen_engine::{Event, Verdict};

use crate::say;

/// How often the live line changes, and how often a plain line is written.
const LIVE: Duration = Duration::from_millis(100);
const PLAIN: Duration = Duration::from_secs(10);
/// The clock is looked at every so many tests.
const EVERY: u64 = 256;

/// Follows the events of a campaign.
pub struct Progress {
    line: Option<ProgressBar>,
    quiet: bool,
    started: Instant,
    shown: Instant,
    tests: u64,
    passed: u64,
    discarded: u64,
    interesting: u64,
    resets: u64,
}

impl Progress {
    /// Begins to follow.
    pub fn new(quiet: bool) -> Self {
        let now = Instant::now();
        Progress {
            line: (!quiet && std::io::stderr().is_terminal()).then(live_line),
            quiet,
            started: now,
            shown: now,
            tests: 0,
            passed: 0,
            discarded: 0,
            interesting: 0,
            resets: 0,
        }
    }

    /// Takes in an event.
    pub fn follow<T>(&mut self, event: &Event<'_, T>) {
        match event {
            Event::Tested { verdict, .. } => {
                self.tests += 1;
                match verdict {
                    Verdict::Passed => self.passed += 1,
                    Verdict::Discarded => self.discarded += 1,
                    Verdict::Failed(_) => {}
                }
                if self.tests.is_multiple_of(EVERY) {
                    self.show();
                }
            }
            Event::Interesting { .. } => self.interesting += 1,
            Event::Reset { .. } => self.resets += 1,
            _ => {}
        }
    }

    fn show(&mut self) {
        let pause = if self.line.is_some() { LIVE } else { PLAIN };
        if self.quiet || self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        match &self.line {
            Some(line) => line.set_message(self.text()),
            None => say::note(self.text()),
        }
    }

    fn text(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let Self { tests, passed, discarded, interesting, resets, .. } = self;
        format!(
            "{seconds:.0} s: {tests} tests ({:.0}/s), {passed} passed, {discarded} discarded, \
             {interesting} interesting, {resets} resets",
            *tests as f64 / seconds.max(0.001)
        )
    }
}

impl Drop for Progress {
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
