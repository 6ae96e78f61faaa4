//! A guidance that also keeps a corpus.

use super::folder::{Folder, NotStored};
use super::request::{Answer, Progress};
use crate::{EdgeMap, Figures, Guidance, Mutable, Trace, TraceStore, Verdict};
use std::time::{Duration, Instant};

/// Lets another guidance choose, and stores every value that takes an edge which no stored value takes.
///
/// It has coverage of its own: the guidance inside forgets what it knows when it starts afresh, and the corpus must not grow
/// then.
pub(super) struct Keeping<'a, G> {
    inner: G,
    folder: &'a Folder,
    property: &'a str,
    passed: EdgeMap,
    all: EdgeMap,
    progress: Progress,
    told: Instant,
    /// Why nothing is stored any more.
    gave_up: Option<NotStored>,
}

/// How often progress is told. Nothing but the display depends on it.
const TELL_EVERY: Duration = Duration::from_millis(200);
/// The clock is read once in so many tests.
const LOOK_EVERY: u64 = 64;

impl<'a, G> Keeping<'a, G> {
    pub(super) fn new(inner: G, folder: &'a Folder, property: &'a str) -> Self {
        Keeping {
            inner,
            folder,
            property,
            passed: EdgeMap::new(),
            all: EdgeMap::new(),
            progress: Progress::default(),
            told: Instant::now(),
            gave_up: None,
        }
    }

    pub(super) fn tell(&mut self) {
        self.progress.known = self.all.len() as u64;
        Answer::Progress(self.progress).tell();
        self.told = Instant::now();
    }

    fn keep<T: Mutable>(&mut self, value: &T) {
        self.progress.corpus += 1;
        if self.gave_up.is_some() {
            return;
        }
        if let Err(reason) = self.folder.store_interesting(self.property, value) {
            Answer::Note(format!("the corpus is not stored: {reason}")).tell();
            self.gave_up = Some(reason);
        }
    }
}

impl<T: Mutable, G: Guidance<T>> Guidance<T> for Keeping<'_, G> {
    fn next(&mut self) -> T {
        self.inner.next()
    }

    fn learn(&mut self, value: &T, verdict: &Verdict, trace: Trace<'_>) -> bool {
        let is_passed = matches!(verdict, Verdict::Passed);
        match verdict {
            Verdict::Passed => self.progress.passed += 1,
            Verdict::Discarded | Verdict::Inconclusive(_) => self.progress.discarded += 1,
            Verdict::Failed(_) => {}
        }
        if !matches!(verdict, Verdict::Failed(_)) {
            let new = self.all.insert(trace).new + if is_passed { self.passed.insert(trace).new } else { 0 };
            if new > 0 {
                self.keep(value);
            }
        }
        let tests = self.progress.passed + self.progress.discarded;
        if tests.is_multiple_of(LOOK_EVERY) && self.told.elapsed() > TELL_EVERY {
            self.tell();
        }
        self.inner.learn(value, verdict, trace)
    }

    /// The corpus needs them, whether the guidance does or not.
    fn wants_traces(&self) -> bool {
        true
    }

    fn figures(&self) -> Figures {
        self.inner.figures()
    }

    fn resets(&self) -> u64 {
        self.inner.resets()
    }

    fn queued(&self) -> u64 {
        self.inner.queued()
    }

    fn known(&self) -> u64 {
        self.inner.known()
    }

    fn is_exhausted(&self) -> bool {
        self.inner.is_exhausted()
    }

    fn trouble(&self) -> Option<String> {
        self.inner.trouble()
    }
}
