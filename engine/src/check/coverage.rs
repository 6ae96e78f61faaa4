//! What the values of a corpus reach, for `cargo mutagen coverage`.

use mutagen_weave::{Recorder, probes};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// Runs of many values.
pub(super) struct Reached {
    recorder: Recorder,
    /// A line for each run: the probes that fired.
    runs: String,
}

impl Reached {
    pub(super) fn new() -> Self {
        Reached { recorder: Recorder::new(1 << 20), runs: String::new() }
    }

    pub(super) fn record(&mut self, body: impl FnOnce()) {
        self.recorder.record(body);
        let fired: BTreeSet<u32> = self.recorder.events().iter().copied().collect();
        self.runs += "run";
        for probe in fired {
            let _ = write!(self.runs, "\t{probe}");
        }
        self.runs.push('\n');
    }

    /// Writes a line for every probe (whether it is a function's entry, line, file, function), then one for every run.
    pub(super) fn write(&self, file: &Path) -> Result<(), String> {
        let names = probes::names().map_err(|error| error.to_string())?;
        let mut text = String::new();
        for name in names {
            let is_entry = u8::from(name.is_entry);
            let _ = writeln!(text, "probe\t{is_entry}\t{}\t{}\t{}", name.line, name.file, name.function);
        }
        std::fs::write(file, text + &self.runs).map_err(|error| format!("{}: {error}", file.display()))
    }
}
