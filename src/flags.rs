//! Flags that several commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use mutagen_bugs::Bug;
use mutagen_campaign::{
    Budget, Earlier, EngineProperty, EngineSpec, GuidanceName, Spec, SpecError, SubjectSpec, Usual,
    WorkerLimits,
};
use mutagen_engine::Strategy;
use mutagen_oracles::{NanMode, Registry};
use mutagen_properties::{FunctionGenerator, ModuleGenerator};
use mutagen_wasm_ast::Features;

use crate::exit_code::CommandError;
use crate::hunt::Places;
use crate::meeting::SharingFlags;
use crate::say;
use crate::seed::Seed;

/// The flags of a campaign.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Campaign")]
pub struct CampaignFlags {
    /// What decides which test comes next
    #[arg(long, value_name = "NAME", default_value = "mutagen", value_parser = guidances())]
    pub guidance: String,

    /// The settings of the guidance: those that find bugs fastest, or those that were published
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = Strategy::PRESETS)]
    pub preset: String,

    /// Sets one heuristic, for example `no-reset`, `fifo` or `depth=5`; an unknown name lists all
    #[arg(long = "switch", value_name = "SWITCH", value_delimiter = ',')]
    pub switches: Vec<String>,

    /// The seed, or `random`; runs with the same version, seed and settings and one job are the same [default: 0, but a
    /// campaign that meets others draws one]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<Seed>,

    /// Stops after this many tests
    #[arg(long, value_name = "N", value_parser = tests, allow_negative_numbers = true)]
    pub tests: Option<u64>,

    /// Stops after this time, such as `30s` or `5m` [default: 60s, unless --tests is given]
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    pub time: Option<Duration>,

    /// Gives up once more than this many tests were discarded for each that passed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_discard_ratio: Option<u64>,

    /// How many workers run at once, each with a seed of its own
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,

    /// Goes on after a finding, and reports findings in groups [default: with --output and without --bug]
    #[arg(long, overrides_with = "no_keep_going")]
    pub keep_going: bool,

    /// Stops at the first finding
    #[arg(long, overrides_with = "keep_going")]
    pub no_keep_going: bool,

    #[command(flatten)]
    pub telling: TellingFlags,
}

/// The flags that say how to report a campaign.
#[derive(Args, Debug, Clone)]
pub struct TellingFlags {
    /// Prints only one JSON object on standard output, at the end
    #[arg(long)]
    pub json: bool,

    /// Prints only errors on standard error
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Also prints every figure of the guidance at the end
    #[arg(short, long)]
    pub verbose: bool,
}

/// The flags that say how the processes of a campaign are watched.
#[derive(Args, Debug, Clone)]
pub struct SupervisionFlags {
    /// Runs the tests in this process, which ends if the target does: for debuggers
    #[arg(long)]
    pub no_supervisor: bool,

    #[command(flatten)]
    pub limits: LimitFlags,
}

/// The flags that say how much a process may use that asks engines.
#[derive(Args, Debug, Clone)]
pub struct LimitFlags {
    /// How much processor time an engine may take for one answer, before it counts as hanging
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration, allow_hyphen_values = true)]
    pub hang_limit: Duration,

    /// How much memory a process that asks engines may hold, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(64..=1 << 20))]
    pub memory_limit: u64,
}

impl SupervisionFlags {
    /// The limits of worker processes. `None` if there are none.
    pub fn limits(&self) -> Option<WorkerLimits> {
        (!self.no_supervisor).then_some(self.limits.limits())
    }
}

impl LimitFlags {
    /// The limits.
    pub fn limits(&self) -> WorkerLimits {
        WorkerLimits { processor: self.hang_limit, memory: self.memory_limit << 20 }
    }
}

impl CampaignFlags {
    /// The guidance.
    pub fn guidance(&self) -> Result<GuidanceName, CommandError> {
        Ok(GuidanceName::find(&self.guidance)?)
    }

    /// The strategy. `None` if the guidance does not search.
    pub fn strategy(&self) -> Result<Option<Strategy>, CommandError> {
        Ok(self.guidance()?.strategy(&self.preset, &self.switches)?)
    }

    /// Refuses to name a generator where the guidance leaves no choice.
    pub fn require_choice(&self, named: Option<GeneratorName>) -> Result<(), CommandError> {
        let no_choice = self.guidance()?.needs_modules() || self.strategy()?.is_none();
        if named.is_some() && no_choice { Err(SpecError::NoGenerator.into()) } else { Ok(()) }
    }

    /// The campaign on this subject, whose results are stored or not.
    pub fn spec(
        &self,
        subject: SubjectSpec,
        bug: Option<&str>,
        place: &OutputFlags,
    ) -> Result<Spec, CommandError> {
        let usual = place.output.is_some() && bug.is_none();
        let seed = self.seed.unwrap_or_default();
        if seed.is_drawn && !self.telling.quiet {
            say::note(format!("the seed is {seed}"));
        }
        Ok(Spec {
            keep_going: self.keep_going || usual && !self.no_keep_going,
            strategy: self.strategy()?,
            bug: bug.map(str::to_owned),
            seed: seed.number,
            jobs: self.jobs,
            budget: Budget { tests: self.tests, time: self.time, max_discard_ratio: self.max_discard_ratio },
            ..Spec::new(subject)
        })
    }
}

/// The flags of the commands that compare two engines.
#[derive(Args, Debug, Clone)]
pub struct EngineFlags {
    /// The bug to inject into the target; without one, the target is as published
    #[arg(long, value_name = "ID")]
    pub bug: Option<String>,

    /// Repairs known bugs of the target (`wasm-f1` and following), to find others; with --bug they are always
    /// repaired. Engines that are not woven are asked in words in which some of their known bugs do not show
    #[arg(long)]
    pub fixes: bool,

    /// The engine under test; `mutagen-wasm engines` lists them
    #[arg(long, value_name = "NAME", default_value = EngineSpec::TARGET)]
    pub target: String,

    /// The engine that it is compared with; who is right is then voted on by all [default: wasmtime, or wasmi where the target is
    /// a way to run wasmtime]
    #[arg(long, value_name = "NAME")]
    pub reference: Option<String>,

    /// The WebAssembly features of modules and engines, such as `wasm1`, `wasm2,-simd,+tail-call` or `wasmi`
    /// [default: those that show the bug; else all that both engines have]
    #[arg(long, value_name = "SET")]
    pub features: Option<Features>,

    /// How the bits of NaNs are compared: exactly, or up to the freedom that the specification leaves
    #[arg(long, value_name = "MODE", value_enum, default_value_t = Nans::Deterministic)]
    pub nans: Nans,
}

/// Who makes the modules or functions of a campaign.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum GeneratorName {
    /// By the types of the syntax tree, as MUTAGEN does; few are valid
    Derived,
    /// Valid by construction, from the signatures of instructions
    Typed,
    /// Valid by construction, and mutants are repaired before they are run; for single functions
    Repaired,
    /// Modules of the first two, in turns; for validators
    Turns,
}

impl GeneratorName {
    /// The generator of functions by that name.
    pub fn functions(self) -> Option<FunctionGenerator> {
        match self {
            GeneratorName::Derived => Some(FunctionGenerator::Derived),
            GeneratorName::Typed => Some(FunctionGenerator::Typed),
            GeneratorName::Repaired => Some(FunctionGenerator::Repaired),
            GeneratorName::Turns => None,
        }
    }
}

impl From<GeneratorName> for ModuleGenerator {
    fn from(name: GeneratorName) -> Self {
        match name {
            GeneratorName::Derived => ModuleGenerator::Derived,
            GeneratorName::Typed | GeneratorName::Repaired => ModuleGenerator::Typed,
            GeneratorName::Turns => ModuleGenerator::Turns,
        }
    }
}

/// How NaN bits are compared.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Nans {
    /// Bit for bit: both engines canonicalise
    Deterministic,
    /// Up to NaN-equivalence: for engines that do not canonicalise
    Raw,
}

impl EngineFlags {
    /// The bug to inject.
    pub fn bug(&self) -> Result<Option<Bug>, CommandError> {
        Ok(self.bug.as_deref().map(Bug::find).transpose().map_err(SpecError::from)?)
    }

    /// The property on these engines.
    pub fn spec(
        &self,
        property: EngineProperty,
        usual: &Usual<'_>,
        engines: &Registry,
    ) -> Result<EngineSpec, CommandError> {
        // Engines that do not exist are reported before anything else is asked of them.
        for name in [Some(&self.target), self.reference.as_ref()].into_iter().flatten() {
            engines.find_chosen(name).map_err(mutagen_campaign::Error::from)?;
        }
        let usual_reference = || EngineSpec::usual_reference(&self.target, engines).to_owned();
        let reference = self.reference.clone().unwrap_or_else(usual_reference);
        let usual = || usual.features(&self.target, &reference, engines);
        let features = self.features.or_else(usual).unwrap_or(Features::WASM1);
        Ok(EngineSpec {
            target: self.target.clone(),
            features,
            nans: match self.nans {
                Nans::Deterministic => NanMode::Deterministic,
                Nans::Raw => NanMode::Raw,
            },
            fixes: self.fixes,
            reference,
            ..EngineSpec::new(property)
        })
    }
}

/// The flags for the inputs and the output of a campaign on modules.
#[derive(Args, Debug, Clone)]
pub struct ModuleFlags {
    /// Modules to start from, or directories of them. May be repeated
    #[arg(long, value_name = "PATH")]
    pub input: Vec<PathBuf>,

    #[command(flatten)]
    pub place: OutputFlags,

    #[command(flatten)]
    pub supervision: SupervisionFlags,

    #[command(flatten)]
    pub sharing: SharingFlags,

    /// Continues with the results in the output directory
    #[arg(long, requires = "output", conflicts_with = "fresh")]
    pub resume: bool,
}

/// The flags for the output directory.
#[derive(Args, Debug, Clone)]
pub struct OutputFlags {
    /// The output directory, for findings, statistics and the corpus of modules
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Moves earlier results in the output directory aside
    #[arg(long, requires = "output")]
    pub fresh: bool,

    /// A file of known groups, which are counted but not reported [default: known.toml in the output directory]
    #[arg(long, value_name = "FILE")]
    pub known: Option<PathBuf>,

    /// Serves the page of the output directory to browsers while the campaign runs: a port of this machine for this machine,
    /// or ADDRESS:PORT; port 0 is any that is free
    #[arg(long, value_name = "PORT", requires = "output")]
    pub serve: Option<String>,
}

impl ModuleFlags {
    /// Where a campaign starts from, and where its results go.
    pub fn places(&self) -> Result<Places, CommandError> {
        let limits = self.supervision.limits();
        let places = Places { inputs: self.input.clone(), limits, ..self.place.places(self.resume) };
        places.sharing(&self.sharing)
    }
}

impl OutputFlags {
    /// Where the results of a campaign go.
    pub fn places(&self, resume: bool) -> Places {
        let (inputs, limits) = (Vec::new(), None);
        let (known, serve) = (self.known.clone(), self.serve.clone());
        Places { inputs, output: self.output(resume), known, limits, serve, ..Places::default() }
    }

    /// The output directory, if there is one, and what to do with earlier results there.
    fn output(&self, resume: bool) -> Option<(PathBuf, Earlier)> {
        let earlier = match (resume, self.fresh) {
            (true, _) => Earlier::Resume,
            (_, true) => Earlier::MoveAside,
            _ => Earlier::Refuse,
        };
        self.output.clone().map(|directory| (directory, earlier))
    }
}

/// Every guidance, with what it does.
fn guidances() -> PossibleValuesParser {
    PossibleValuesParser::new(GuidanceName::all().map(described))
}

/// The guidances that do not need modules.
pub fn guidances_for_any_value() -> PossibleValuesParser {
    PossibleValuesParser::new(GuidanceName::of_any_value().map(described))
}

fn described(guidance: GuidanceName) -> PossibleValue {
    PossibleValue::new(guidance.name()).help(guidance.about())
}

/// A number of tests as it is written on the command line.
pub fn tests(text: &str) -> Result<u64, String> {
    let tests = text.parse().ok().filter(|tests| *tests > 0);
    tests.ok_or_else(|| "a campaign needs a whole number of tests, at least 1".into())
}

/// A time as it is written on the command line.
pub fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("a campaign needs more than no time".into()),
        Ok(time) => Ok(time),
        Err(_) => Err("a time is a number with a unit, such as 500ms, 30s or 5m".into()),
    }
}
