//! What benchmarks of whole campaigns share.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The report of a campaign with this command line and seed.
///
/// # Errors
///
/// If the program cannot be run or gives no report.
pub fn report(line: &str, seed: u64, more: &[&str]) -> Result<Value, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    // Cargo puts the program beside the directory of its benchmarks.
    let directory = own.ancestors().nth(2).map(PathBuf::from).unwrap_or_default();
    let output = Command::new(directory.join("mutagen-wasm"))
        .args(line.split(' '))
        .args(["--seed", &seed.to_string(), "--json", "-q"])
        .args(more)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("the program cannot be run: {error}"))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{line}: {error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The processor time, in seconds, of all processes that were started so far and have ended.
///
/// # Errors
///
/// If the system does not tell.
#[allow(dead_code, reason = "not all benchmarks need it")]
pub fn spent() -> Result<f64, String> {
    /// How many ticks of this clock a second has on every Linux.
    const TICKS: f64 = 100.0;
    let known = std::fs::read_to_string("/proc/self/stat").map_err(|error| error.to_string())?;
    // The fields behind the program's name, which may have spaces; these two are numbers 16 and 17 of all.
    let fields: Vec<&str> = known.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    ticks(13).zip(ticks(14)).map(|(user, system)| (user + system) / TICKS).ok_or_else(|| known.clone())
}

/// The number in the middle.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
