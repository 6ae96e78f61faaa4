//! Reports of campaigns, made up for tests.

use mutagen_bench::Cell;
use serde_json::{Value, json};

/// The report of a campaign that found nothing in this cell.
pub fn of(cell: &Cell) -> Value {
    json!({
        "spec": cell.spec().expect("the cell exists"),
        "command": "validate", "property": "validator", "bug": cell.task, "guidance": "mutagen", "preset": "default",
        "switches": [], "seed": cell.seed, "jobs": 1, "outcome": "passed", "stop_reason": "time is up", "tests": 1000,
        "passed": 300, "discarded": 700, "inconclusive": 4, "seconds": 20.01, "tests_per_second": 50.0, "labels": {},
        "figures": { "guidance": "mutagen", "switches": [], "counts": {}, "levels": {} }, "truncated_traces": 0,
        "discrepancies": { "count": 2, "files": [] },
    })
}

/// A finding of this kind.
pub fn finding(kind: &str, tests: u64, seconds: f64) -> Value {
    json!({
        "case": "module", "format": 2, "version": "0", "property": "validator", "bug": null, "features": "wasm1",
        "kind": kind, "question": "", "part": "", "target": "", "reference": "", "calls": [], "wasm": "",
        "wat": "(module)", "tests": tests, "seconds": seconds,
    })
}
