//! The progress of a benchmark run: cells done, their outcomes, and the time that the rest will take.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mutagen_bench::{Trial, TrialOutcome};

use crate::say;

/// How often a plain line is written.
const PLAIN: Duration = Duration::from_secs(10);

/// Follows the cells of a run.
pub struct CellProgress {
    bar: Option<ProgressBar>,
    quiet: bool,
    started: Instant,
    shown: Instant,
    total: usize,
    done: usize,
    found: usize,
    broken: usize,
}

impl CellProgress {
    /// Begins to follow `total` cells.
    pub fn new(total: usize, quiet: bool) -> Self {
        let now = Instant::now();
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| bar(total));
        CellProgress { bar, quiet, started: now, shown: now, total, done: 0, found: 0, broken: 0 }
    }

    /// Counts a cell that is done.
    pub fn follow(&mut self, trial: &Trial) {
        self.done += 1;
        self.found += usize::from(trial.outcome == TrialOutcome::Found);
        if trial.outcome.is_broken() {
            self.broken += 1;
            self.say(format!("{}: {}: {}", trial.cell.name(), trial.outcome.name(), trial.note));
        }
        match &self.bar {
            Some(bar) => {
                bar.set_message(self.counts());
                bar.inc(1);
            }
            None if !self.quiet && self.shown.elapsed() >= PLAIN => {
                self.shown = Instant::now();
                say::note(format!("{}/{} cells: {}", self.done, self.total, self.counts()));
            }
            None => {}
        }
    }

    /// Prints a line without breaking the progress bar.
    fn say(&self, text: String) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => say::note(text),
        }
    }

    fn counts(&self) -> String {
        let each = self.started.elapsed() / self.done.max(1) as u32;
        let left = each * (self.total - self.done) as u32;
        let left = humantime::format_duration(Duration::from_secs(left.as_secs()));
        let broken = if self.broken > 0 { format!(", {} broken", self.broken) } else { String::new() };
        format!(
            "{} found, {} not{broken}; about {left} left",
            self.found,
            self.done - self.found - self.broken
        )
    }
}

impl Drop for CellProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} cells: {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
