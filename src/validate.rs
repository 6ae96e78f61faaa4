//! `mutagen-wasm validate`: checks that both engines accept the same modules.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mutagen_campaign::{EngineProperty, PropertyName, Spec, SubjectSpec, Usual, engines_of};
use mutagen_oracles::{Agreement, Registry};
use mutagen_properties::{Direction, ModuleGenerator, Pair};

use crate::exit_code::{Code, CommandError};
use crate::flags::{CampaignFlags, EngineFlags, GeneratorName, ModuleFlags};
use crate::hunt::hunt;
use crate::{files, say};

/// Compares which modules two engines accept, in a campaign or for the given modules
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm validate --bug wasm-6\n  \
    mutagen-wasm validate --time 5m -o out\n  \
    mutagen-wasm validate --features wasm1 --direction accept --preset paper\n  \
    mutagen-wasm validate --guidance repro --input out\n  \
    mutagen-wasm validate module.wat other.wasm\n  cat module.wasm | mutagen-wasm validate -")]
pub struct Arguments {
    /// Modules to judge, as text or binary; `-` is standard input. Without any, runs a campaign
    files: Vec<PathBuf>,

    /// Which disagreements count: modules that only the target accepts, that it alone rejects, or both [default: those that
    /// show the bug; else both]
    #[arg(long, value_name = "WAY", value_enum)]
    direction: Option<Way>,

    /// How modules are generated in a campaign [default: in turns for mutagen's default preset, where features beyond wasm1
    /// are on; otherwise derived]
    #[arg(long, value_name = "NAME", value_enum)]
    generator: Option<GeneratorName>,

    #[command(flatten)]
    engines: EngineFlags,

    #[command(flatten)]
    modules: ModuleFlags,

    #[command(flatten)]
    campaign: CampaignFlags,
}

#[derive(Clone, Copy, ValueEnum)]
enum Way {
    Accept,
    Reject,
    Both,
}

impl From<Way> for Direction {
    fn from(way: Way) -> Self {
        match way {
            Way::Accept => Direction::Accept,
            Way::Reject => Direction::Reject,
            Way::Both => Direction::Both,
        }
    }
}

impl Arguments {
    /// The campaign that is asked for.
    pub fn spec(&self, engines: &Registry) -> Result<Spec, CommandError> {
        self.campaign.require_choice(self.generator)?;
        let (guidance, strategy, bug) =
            (self.campaign.guidance()?, self.campaign.strategy()?, self.engines.bug()?);
        let usual = Usual { guidance, strategy: strategy.as_ref(), bug: bug.as_ref() };
        let mut property = usual.property(PropertyName::Validator);
        if let EngineProperty::Validator { direction, generator } = &mut property {
            *direction = self.direction.map_or(*direction, Direction::from);
            *generator = self.generator.map_or(*generator, ModuleGenerator::from);
        }
        let subject = SubjectSpec::Engines(self.engines.spec(property, &usual, engines)?);
        self.campaign.spec(subject, self.engines.bug.as_deref(), &self.modules.place)
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let spec = arguments.spec(engines)?;
    if !arguments.files.is_empty() {
        files::require_no_campaign(&arguments.modules, &arguments.campaign.telling)?;
        if let Some(code) = files::judge_apart(&arguments.modules.supervision)? {
            return Ok(code);
        }
        let pair = engines_of(&spec, engines)?;
        return files::judge_each(&arguments.files, |file, wasm| judge(&pair, file, wasm));
    }
    let places = arguments.modules.places()?.seed(arguments.campaign.seed);
    hunt(&spec, engines, places, &arguments.campaign.telling)
}

/// Prints the answer of each engine in one line. Returns whether they differ.
fn judge(pair: &Pair, file: &Path, wasm: &[u8]) -> Result<bool, CommandError> {
    let judgement = pair.judge_validity(wasm);
    let [target, reference] = pair.names();
    let answers: Vec<String> = judgement
        .steps
        .iter()
        .map(|step| {
            let [ours, theirs] = step.answers();
            format!("{target}: {ours}; {reference}: {theirs}")
        })
        .collect();
    let why = match &judgement.agreement {
        Agreement::Equal | Agreement::Differ(_) => String::new(),
        other => format!("; {other}"),
    };
    say::out(format!("{}: {}{why}", say::path(file), answers.join("; ")))?;
    Ok(judgement.agreement.is_finding())
}
