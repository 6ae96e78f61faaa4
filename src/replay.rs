//! `mutagen-wasm replay`: does a finding still stand?

use std::path::{Path, PathBuf};

use clap::Args;
use mutagen_properties::{Context, Pair};
use mutagen_wasm_ast::Features;
use serde_json::Value;

use crate::engines::injection;
use crate::evidence::Evidence;
use crate::exit_code::{Code, Failure};
use crate::say;

/// Asks again about a stored finding: both engines, or the machine
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm replay out/findings/result-0123456789abcdef.json\n\n\
    Exit status 1: the engines still differ, or the machine still leaks; 0: they no longer do")]
pub struct Arguments {
    /// The finding's `.json` file, or a file of the same name beside it
    finding: PathBuf,
}

/// The command line of the campaign that comes to a leak, if the file is about one.
fn campaign(finding: &Path) -> Result<Option<Vec<String>>, Failure> {
    let text = std::fs::read_to_string(finding).unwrap_or_default();
    let record: Value = serde_json::from_str(&text).unwrap_or_default();
    if record["command"] != "ifc" {
        return Ok(None);
    }
    let unusable = |reason: &str| Failure::new(Code::Unusable, format!("{}: {reason}", finding.display()));
    let words: Option<Vec<String>> = serde_json::from_value(record["arguments"].clone()).ok();
    let words = words.filter(|words| words.first().is_some_and(|word| word == "ifc"));
    words.map(Some).ok_or_else(|| {
        unusable("it does not say how it was found: only what one worker found (`-j 1`) can be replayed")
    })
}

/// Runs the command. `hunt` runs a campaign by its command line.
pub fn run(
    arguments: Arguments,
    hunt: impl FnOnce(&[String]) -> Result<Code, Failure>,
) -> Result<Code, Failure> {
    if let Some(words) = campaign(&arguments.finding.with_extension("json"))? {
        return hunt(&words);
    }
    let evidence = Evidence::read(&arguments.finding.with_extension("json"))?;
    let unusable =
        |reason: String| Failure::new(Code::Unusable, format!("{}: {reason}", arguments.finding.display()));
    let features: Features = evidence
        .record
        .features
        .parse()
        .map_err(|error: mutagen_wasm_ast::UnknownFeature| unusable(error.to_string()))?;
    let injection = injection(evidence.record.bug.as_deref(), evidence.record.fixes)?;
    let context = Context::new(features).inject(injection);
    let pair = Pair::new(&context).map_err(unusable)?;
    let judgement = pair.judge(&evidence.wasm, &evidence.calls().map_err(unusable)?);
    for step in &judgement.steps {
        let reference = step.reference.as_deref().unwrap_or("not asked");
        say::out(format!("{}\n  wasmi:    {}\n  wasmtime: {reference}", step.question, step.target))?;
    }
    say::out(&judgement.verdict)?;
    Ok(if judgement.verdict.is_finding() { Code::Finding } else { Code::Fine })
}
