//! A clock that is read seldom.

use std::time::{Duration, Instant};

/// Tells when the time is up, and reads the clock only as often as that needs: every test if tests are slow, every
/// [`MAX_STRIDE`] tests if they are fast.
pub(super) struct Clock {
    start: Instant,
    limit: Option<Duration>,
    /// When the clock was read last.
    last: Instant,
    stride: u32,
    /// Tests until it is read again.
    wait: u32,
}

/// Reading the clock costs some 30 ns, which is nothing if so many tests share it.
const MAX_STRIDE: u32 = 64;
/// Between two readings there should be no more than this, so that a time limit is kept.
const RESOLUTION: Duration = Duration::from_millis(1);

impl Clock {
    pub(super) fn new(start: Instant, limit: Option<Duration>) -> Self {
        Clock { start, limit, last: start, stride: 1, wait: 1 }
    }

    /// Whether the time is up. Asked before each test.
    pub(super) fn is_up(&mut self) -> bool {
        let Some(limit) = self.limit else { return false };
        self.wait -= 1;
        if self.wait > 0 {
            return false;
        }
        let now = Instant::now();
        let slow = now - self.last > RESOLUTION;
        self.stride = if slow { 1 } else { (self.stride * 2).min(MAX_STRIDE) };
        self.wait = self.stride;
        self.last = now;
        now - self.start >= limit
    }

    /// The time since the start.
    pub(super) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}
