//! What `--guidance perffuzz` is for: the slowest modules that it met.

use mutagen_engine::{Record, Report};
use serde_json::{Value, json};

use crate::evidence::text_of;
use crate::results::Results;

/// The slowest modules of a campaign, as JSON and as text. They are stored where there is a directory.
pub fn modules<T>(
    report: &Report<T>,
    wasm: impl Fn(&T) -> Vec<u8>,
    results: Option<&Results>,
) -> (Value, Option<String>) {
    let (mut json, mut files) = (Vec::new(), Vec::new());
    for record in &report.records {
        let wasm = wasm(&record.value);
        let mut described = described(record);
        described["wat"] = json!(text_of(&wasm));
        if let Some(path) = results.and_then(|results| results.store_slow(record.amount, &wasm)) {
            described["file"] = json!(path);
            files.push(path);
        }
        json.push(described);
    }
    let text = report.records.first().map(|slowest| {
        let wat = text_of(&wasm(&slowest.value));
        let stored = files.first().map(|path| format!("\nstored with the others: {}", path.display()));
        format!("{}{}\n{}", heading(report), stored.unwrap_or_default(), wat.trim_end())
    });
    (json!(json), text)
}

/// The slowest values that are no modules, likewise.
pub fn values<T: std::fmt::Debug>(report: &Report<T>) -> (Value, Option<String>) {
    let json = |record: &Record<T>| {
        let mut described = described(record);
        described["value"] = json!(format!("{:?}", record.value));
        described
    };
    let slowest = report.records.first();
    let text = slowest.map(|slowest| format!("{}\n{:?}", heading(report), slowest.value));
    (json!(report.records.iter().map(json).collect::<Vec<_>>()), text)
}

fn described<T>(record: &Record<T>) -> Value {
    json!({ "amount": record.amount, "unit": record.unit, "tests": record.tests })
}

/// The amounts of all, in one line.
fn heading<T>(report: &Report<T>) -> String {
    let unit = report.records.first().map_or("", |record| record.unit);
    let amounts: Vec<String> = report.records.iter().map(|record| record.amount.to_string()).collect();
    format!("slowest, in {unit}: {}", amounts.join(", "))
}
