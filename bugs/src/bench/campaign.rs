//! What a campaign says at its end, as far as the benchmark needs it.

use serde::Deserialize;

/// The JSON object of a campaign.
#[derive(Debug, Deserialize)]
pub struct Campaign {
    pub property: String,
    pub bug: Option<String>,
    pub seed: u64,
    pub outcome: String,
    pub tests: u64,
    pub passed: u64,
    pub discarded: u64,
    pub inconclusive: u64,
    pub seconds: f64,
    pub discrepancies: Discrepancies,
    pub finding: Option<Finding>,
}

/// Differences between the engines as published, which are no success.
#[derive(Debug, Deserialize)]
pub struct Discrepancies {
    pub count: u64,
}

/// The finding that is due to the injected bug.
#[derive(Debug, Deserialize)]
pub struct Finding {
    pub kind: String,
    pub tests: u64,
    pub seconds: f64,
}
