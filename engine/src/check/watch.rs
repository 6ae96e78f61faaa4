//! Watches the tests of a property for the one that never ends, or that ends the process.
//!
//! Code under test cannot be stopped from outside of its thread. So a second thread looks whether a test goes on for too long
//! and then ends the process. Which value it was is found out by a second run of the same tests, which writes down every value
//! before it is tested, from the test on until which the first run was known to live.

use super::folder::content;
use super::request::{Answer, HUNG, Note};
use crate::{Generate, Outcome, Property};
use std::fmt::Debug;
use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often the second thread looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A property under watch.
pub(super) struct Watched<'a, P> {
    inner: P,
    property: &'a str,
    /// Odd while a test runs: it goes up at the beginning and at the end of each.
    steps: Arc<AtomicU64>,
    note: Option<Note>,
}

impl<'a, P> Watched<'a, P> {
    /// Ends the process when a test goes on for longer than `limit`.
    pub(super) fn new(inner: P, property: &'a str, limit: Option<Duration>, note: Option<Note>) -> Self {
        let steps = Arc::new(AtomicU64::new(0));
        if let Some(limit) = limit {
            // It ends after the property, when nobody else holds the counter.
            let (steps, property) = (Arc::clone(&steps), property.to_owned());
            std::thread::spawn(move || look(&steps, limit, &property));
        }
        Watched { inner, property, steps, note }
    }
}

fn look(steps: &Arc<AtomicU64>, limit: Duration, property: &str) {
    let (mut seen, mut since) = (0, Instant::now());
    while Arc::strong_count(steps) > 1 {
        std::thread::sleep(LOOK_EVERY);
        let now = steps.load(Ordering::Relaxed);
        if now != seen || now.is_multiple_of(2) {
            (seen, since) = (now, Instant::now());
        } else if since.elapsed() > limit {
            Answer::Hung { tests: now.div_ceil(2) }.tell();
            // Not by `eprintln`: the test runner may keep that for itself.
            let _ = writeln!(
                std::io::stderr(),
                "property `{property}`: a test did not end within {} s",
                limit.as_secs_f64()
            );
            std::process::exit(HUNG);
        }
    }
}

/// Ends a step, also when the test panics.
struct Step<'a>(&'a AtomicU64);

impl Drop for Step<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl<T: Generate + Debug, P: Property<T>> Property<T> for Watched<'_, P> {
    fn check(&mut self, value: &T) -> Outcome {
        let before = self.steps.load(Ordering::Relaxed) / 2;
        if let Some(note) = self.note.as_ref().filter(|note| before >= note.from) {
            // Without it the value stays unknown, and that is said.
            let _ = fs::write(&note.file, described(self.property, value));
        }
        self.steps.fetch_add(1, Ordering::Relaxed);
        let _step = Step(&self.steps);
        self.inner.check(value)
    }

    fn late(&mut self, finish: bool) -> Option<(T, Outcome)> {
        self.inner.late(finish)
    }
}

/// The value as it is stored; as people read it if it cannot be.
fn described<T: Generate + Debug>(property: &str, value: &T) -> String {
    match value.to_text() {
        Ok(text) => content(&format!("property: {property}"), &text.to_string()),
        Err(_) => format!("{value:#?}\n"),
    }
}
