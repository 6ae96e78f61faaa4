//! The progress of a campaign: one live line on a terminal; elsewhere, plain lines from time to time and at
//! the end.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mutagen_campaign::{Error, Observer, Progress};

use crate::say;

/// How often the live line changes, and how often a plain line is written.
const LIVE: Duration = Duration::from_millis(100);
const PLAIN: Duration = Duration::from_secs(10);

/// Shows the progress of a campaign.
pub struct Shown {
    line: Option<ProgressBar>,
    quiet: bool,
    shown: Instant,
    last: Option<Progress>,
}

impl Shown {
    /// Starts to show progress.
    pub fn new(quiet: bool) -> Self {
        let line = (!quiet && std::io::stderr().is_terminal()).then(live_line);
        Shown { line, quiet, shown: Instant::now(), last: None }
    }
}

impl Observer for Shown {
    fn progress(&mut self, progress: &Progress) {
        self.last = Some(*progress);
        let pause = if self.line.is_some() { LIVE } else { PLAIN };
        if self.quiet || self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        match &self.line {
            Some(line) => line.set_message(text(progress)),
            None => say::note(text(progress)),
        }
    }

    fn left_out(&mut self, error: &Error) {
        say::error(error);
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        match (&self.line, &self.last) {
            (Some(line), _) => line.finish_and_clear(),
            (None, Some(last)) if !self.quiet => say::note(text(last)),
            _ => {}
        }
    }
}

fn text(progress: &Progress) -> String {
    let Progress {
        seconds, tests, passed, discarded, inconclusive, interesting, queued, known, resets, ..
    } = *progress;
    format!(
        "{seconds:.0} s: {tests} tests ({:.0}/s), {passed} passed, {discarded} discarded, {interesting} interesting, \
         queue {queued}, paths {known}, {resets} resets, {inconclusive} inconclusive",
        tests as f64 / seconds.max(0.001)
    )
}

fn live_line() -> ProgressBar {
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    line.with_style(
        ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
    )
}
