//! `mutagen-wasm seeds`: imports modules of others.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use mutagen_corpus::{LeftOut, MALFORMED, Seeds, import};

use crate::exit_code::{Code, CommandError};
use crate::say;

/// Imports modules to start campaigns from: `.wasm`, `.wat`, and the modules of `.wast` scripts
///
/// Directories are searched to the bottom, such as a checkout of the specification's test suite; links in them are not
/// followed. Each module becomes one file, and equal ones become one. Left out is what no campaign can start from. The result
/// is for --input.
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm seeds testsuite -o seeds\n  \
    mutagen-wasm interpret --input seeds --time 5m -o out\n  mutagen-wasm seeds a.wat b.wast fuzz/corpus -o seeds -v\n\n\
    Exit status 0: there are seeds; 3: there are none, or a named file cannot be used")]
pub struct Arguments {
    /// Files and directories
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The directory for the seeds; those that are there already stay
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// Names everything that is left out
    #[arg(short, long)]
    verbose: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Code, CommandError> {
    let seeds = import(&arguments.paths);
    let Seeds { modules, repeated, left_out, .. } = &seeds;
    seeds.write(&arguments.output)?;
    if arguments.verbose {
        left_out.iter().for_each(say::note);
    } else {
        reasons(left_out).iter().for_each(say::note);
    }
    say::out(format!(
        "{} seeds in {}; {repeated} modules were the same as others, {} left out",
        modules.len(),
        arguments.output.display(),
        left_out.len()
    ))?;
    let named = |left: &LeftOut| arguments.paths.contains(&left.file);
    Ok(if modules.is_empty() || left_out.iter().any(named) { Code::Unusable } else { Code::Fine })
}

/// One line for each reason, with how often it was met and the first example.
fn reasons(left_out: &[LeftOut]) -> Vec<String> {
    let mut reasons: BTreeMap<&str, (usize, &LeftOut)> = BTreeMap::new();
    for left in left_out {
        // Scripts have hundreds of malformed modules, each in its own way. Others differ in the place in the module.
        let reason = match left.why.starts_with(MALFORMED) {
            true => MALFORMED,
            false => left.why.split(" (at ").next().unwrap_or(&left.why),
        };
        reasons.entry(reason).or_insert((0, left)).0 += 1;
    }
    let line = |(_, (count, first)): (&str, (usize, &LeftOut))| match count {
        1 => format!("left out: {first}"),
        _ => format!("left out, and {} more like it: {first}", count - 1),
    };
    reasons.into_iter().map(line).collect()
}
