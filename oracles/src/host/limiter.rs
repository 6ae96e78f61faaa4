//! Decides what may grow, for both engines alike.

use crate::{limits::Which, settings::Limits};

/// Decides what may grow, for both engines alike.
#[derive(Debug)]
pub(crate) struct Limiter {
    limits: Limits,
    granted: bool,
    /// The limit that was met. During an instantiation it says why memories or tables could not be made.
    pub denied: Option<Which>,
    /// Whether the host could not serve something that was granted.
    pub starved: bool,
}

impl Limiter {
    pub fn new(limits: &Limits) -> Self {
        Self { limits: *limits, granted: false, denied: None, starved: false }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether a memory may have `desired` bytes.
    pub fn memory(&mut self, desired: usize, maximum: Option<usize>) -> bool {
        self.decide(desired, maximum, self.limits.memory_bytes(), Which::MemoryPages)
    }

    /// Whether a table may have `desired` elements.
    pub fn table(&mut self, desired: usize, maximum: Option<usize>) -> bool {
        self.decide(desired, maximum, self.limits.table_elements, Which::TableElements)
    }

    fn decide(&mut self, desired: usize, maximum: Option<usize>, limit: usize, which: Which) -> bool {
        self.granted = desired <= limit && maximum.is_none_or(|maximum| desired <= maximum);
        if desired > limit {
            self.denied = Some(which);
        }
        self.granted
    }

    /// Notes that growing failed. It is the host's fault only if we had granted it: engines also report growth
    /// beyond what an index can reach, without having asked.
    pub fn failed(&mut self) {
        self.starved |= self.granted;
        self.granted = false;
    }

    /// Begins a new call: forgets what was granted and denied in the calls before.
    pub fn renew(&mut self) {
        self.granted = false;
        self.denied = None;
    }
}
