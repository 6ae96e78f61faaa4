//! `mutagen-wasm replay`: does a finding still stand?

use std::path::PathBuf;

use clap::Args;
use mutagen_properties::{Context, Pair};
use mutagen_wasm_ast::Features;

use crate::engines::injection;
use crate::evidence::Evidence;
use crate::exit_code::{Code, Failure};
use crate::say;

/// Asks both engines again about a stored finding
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm replay out/findings/result-0123456789abcdef.json\n\n\
    Exit status 1: the engines still differ; 0: they no longer do")]
pub struct Arguments {
    /// The finding's `.json` file, or the `.wat` or `.wasm` beside it
    finding: PathBuf,
}

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<Code, Failure> {
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
