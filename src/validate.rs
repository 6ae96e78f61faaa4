//! `mutagen-wasm validate`: do both engines accept the same modules?

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mutagen_oracles::{Verdict, Watched};
use mutagen_properties::{Direction, Pair, Validator};
use mutagen_wasm_ast::Module;

use crate::engines::{EngineFlags, EngineHunt};
use crate::exit_code::{Code, Failure};
use crate::flags::CampaignFlags;
use crate::{input, say};

/// Asks wasmi and wasmtime which modules are valid: a campaign, or the modules that are given
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm validate --bug wasm-6\n  \
    mutagen-wasm validate --features wasmi --direction both --time 5m -o out\n  \
    mutagen-wasm validate --guidance repro --input out\n  \
    mutagen-wasm validate module.wat other.wasm\n  cat module.wasm | mutagen-wasm validate -")]
pub struct Arguments {
    /// Modules to judge, as text or binary; `-` is standard input. None: a campaign
    files: Vec<PathBuf>,

    /// Which disagreements count: wasmi accepts what wasmtime rejects, or either way
    #[arg(long, value_name = "WAY", value_enum, default_value_t = Way::Accept)]
    direction: Way,

    #[command(flatten)]
    engines: EngineFlags,

    #[command(flatten)]
    campaign: CampaignFlags,
}

#[derive(Clone, Copy, ValueEnum)]
enum Way {
    Accept,
    Both,
}

impl From<Way> for Direction {
    fn from(way: Way) -> Self {
        match way {
            Way::Accept => Direction::Accept,
            Way::Both => Direction::Both,
        }
    }
}

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<Code, Failure> {
    let context = arguments.engines.context()?;
    if !arguments.files.is_empty() {
        let pair = Pair::new(&context).map_err(Failure::usage)?;
        return input::judge_each(&arguments.files, |file, wasm| judge(&pair, file, wasm));
    }
    let Arguments { engines, campaign, .. } = &arguments;
    campaign.refuse_fuel("a validator")?;
    let hunt = EngineHunt::new("validate", "validator", engines, campaign, &context, Watched::Modules)?;
    let modules = hunt.modules.clone();
    hunt.run(
        move |source, size| modules.generate(source, size),
        || Validator::new(&context, arguments.direction.into()),
        |module: &Module| (module.encode(), Vec::new()),
        |wasm, _| Module::decode(wasm).ok(),
        mutagen_engine::Property::check,
    )
}

/// One line: what each engine says. Whether they differ.
fn judge(pair: &Pair, file: &Path, wasm: &[u8]) -> Result<bool, Failure> {
    let judgement = pair.judge_validity(wasm);
    let answers: Vec<String> = judgement
        .steps
        .iter()
        .map(|step| {
            format!("wasmi: {}; wasmtime: {}", step.target, step.reference.as_deref().unwrap_or("not asked"))
        })
        .collect();
    let why = match &judgement.verdict {
        Verdict::Equal | Verdict::Differ(_) => String::new(),
        other => format!("; {other}"),
    };
    say::out(format!("{}: {}{why}", file.display(), answers.join("; ")))?;
    Ok(matches!(judgement.verdict, Verdict::Differ(_)))
}
