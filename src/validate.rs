//! `mutagen-wasm validate`: checks that both engines accept the same modules.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mutagen_campaign::{EngineProperty, EngineSpec, PropertyName, Spec, SubjectSpec, Usual, engines_of};
use mutagen_oracles::{Agreement, EngineEntry, NanMode, Registry};
use mutagen_properties::{Direction, ModuleGenerator, Pair};
use mutagen_wasm_ast::Features;

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
    mutagen-wasm validate --features wasm2 --third-opinion dlr --time 5m\n  \
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

    /// An engine with a validator of its own, such as dlr, that is asked about every module on which target and reference agree,
    /// and that does not need more features than it has: where it disagrees, all engines vote
    #[arg(long, value_name = "NAME")]
    third_opinion: Option<String>,

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
        let mut spec = self.engines.spec(property, &usual, engines)?;
        if let Some(third) = &self.third_opinion {
            let entry = engines.find_chosen(third).map_err(mutagen_campaign::Error::from)?;
            // No value is compared here, but whoever asks again about a finding may compare some.
            if !entry.canonicalises {
                spec.nans = NanMode::Raw;
            }
            spec.third_opinion = Some(third.clone());
        }
        let subject = SubjectSpec::Engines(spec);
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
        let third = Third::of(&spec, engines)?;
        return files::judge_each(&arguments.files, |file, wasm| {
            let differs = judge(&pair, file, wasm)?;
            match &third {
                Some(third) if !differs => third.judge(file, wasm),
                _ => Ok(differs),
            }
        });
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
    if let Some(votes) = pair.votes_on_validity(wasm) {
        say::out(format!("{}: votes: {votes}", say::path(file)))?;
    }
    Ok(judgement.agreement.is_finding())
}

/// The third opinion, compared with the reference.
struct Third {
    pair: Pair,
    entry: EngineEntry,
    features: Features,
}

impl Third {
    fn of(spec: &Spec, engines: &Registry) -> Result<Option<Self>, CommandError> {
        let SubjectSpec::Engines(named) = &spec.subject else { return Ok(None) };
        let Some(third) = &named.third_opinion else { return Ok(None) };
        let entry = engines.find(third).map_err(mutagen_campaign::Error::from)?.clone();
        let features = named.features & entry.features;
        let other = EngineSpec { target: third.clone(), features, third_opinion: None, ..named.clone() };
        let spec = Spec { bug: None, subject: SubjectSpec::Engines(other), ..spec.clone() };
        Ok(Some(Self { pair: engines_of(&spec, engines)?, entry, features: named.features }))
    }

    /// Judges a module on which target and reference agree. Prints something if the third opinion is another.
    fn judge(&self, file: &Path, wasm: &[u8]) -> Result<bool, CommandError> {
        let differs = self.pair.judge_validity(wasm).agreement.is_finding();
        match differs && self.entry.can_judge(wasm, self.features) {
            true => judge(&self.pair, file, wasm),
            false => Ok(false),
        }
    }
}
