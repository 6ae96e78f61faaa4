//! What a set of values reaches.

use mutagen_weave::{Recorder, probes};
use std::collections::HashSet;
use std::path::Path;

/// For every probe, how many runs reached it.
pub(super) struct Reached {
    recorder: Recorder,
    counts: Vec<u64>,
}

impl Reached {
    pub(super) fn new() -> Self {
        Reached { recorder: Recorder::new(1 << 20), counts: vec![0; probes::count()] }
    }

    pub(super) fn record<R>(&mut self, body: impl FnOnce() -> R) -> R {
        let result = self.recorder.record(body);
        let events: HashSet<u32> = self.recorder.events().iter().copied().collect();
        for event in events {
            self.counts[event as usize - 1] += 1;
        }
        result
    }

    /// Writes a line for every probe that has a place: runs, whether it is a function's entry, line, file, function.
    pub(super) fn write(&self, file: &Path) -> Result<(), String> {
        let names = probes::names().map_err(|error| error.to_string())?;
        let named = names.iter().zip(&self.counts).filter(|(name, _)| name.line > 0);
        let lines = named.map(|(name, count)| {
            format!("{count}\t{}\t{}\t{}\t{}\n", u8::from(name.is_entry), name.line, name.file, name.function)
        });
        std::fs::write(file, lines.collect::<String>())
            .map_err(|error| format!("{}: {error}", file.display()))
    }
}
