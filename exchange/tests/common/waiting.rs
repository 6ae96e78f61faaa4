//! Waiting for something without a guess how long it takes.

use std::thread;
use std::time::{Duration, Instant};

/// Waits until something holds that must hold at some time. Nothing is asserted about how long it takes.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(120), "never: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
