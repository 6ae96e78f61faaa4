//! `mutagen-wasm interpret`: checks that both engines compute the same.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mutagen_bugs::Bug;
use mutagen_campaign::{EngineProperty, EngineSpec, FunctionType, Spec, SpecError, SubjectSpec, context_of};
use mutagen_oracles::{Call, Parts, Registry};
use mutagen_properties::{FunctionGenerator, Modules};

use crate::exit_code::{Code, CommandError};
use crate::flags::{CampaignFlags, EngineFlags, GeneratorName, ModuleFlags};
use crate::hunt::hunt;
use crate::{files, invoke, say};

/// Runs functions on two engines and compares the results, in a campaign or for the given modules
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm interpret --bug wasm-11\n  \
    mutagen-wasm interpret --features wasm2 --signature i64,f64:i64 --time 5m -o out\n  \
    mutagen-wasm interpret --property interpreter --generator typed --features wasmi --time 5m\n  \
    mutagen-wasm interpret --target wasmi-lazy --reference wasmtime-speed --time 5m\n  \
    mutagen-wasm interpret --guidance perffuzz --switch fuel --time 1m\n  \
    mutagen-wasm interpret module.wat\n  mutagen-wasm interpret module.wat --invoke f i32:5 f32:1.5")]
pub struct Arguments {
    /// Modules to run, as text or binary; `-` is standard input. Without any, runs a campaign
    files: Vec<PathBuf>,

    /// Calls this function with these arguments, instead of every exported one
    #[arg(long, value_names = ["NAME", "ARG"], num_args = 1.., requires = "files")]
    invoke: Vec<String>,

    /// The property of a campaign [default: the one that shows the bug; else interpreter, if whole modules
    /// are made, or interpreter-i32]
    #[arg(long, value_name = "NAME", value_enum)]
    property: Option<PropertyName>,

    /// The type of the function in a campaign: parameters, a colon, results
    #[arg(long, value_name = "TYPE", default_value = "i32,f32:i32")]
    signature: FunctionType,

    /// How functions or modules are generated in a campaign [default: typed for functions of mutagen's default
    /// preset, otherwise derived]
    #[arg(long, value_name = "NAME", value_enum)]
    generator: Option<GeneratorName>,

    /// The parts of the engines' answers that are compared: validity, results, traps, memory, globals, tables,
    /// host-calls, or all
    #[arg(long, value_name = "PARTS", default_value_t = Parts::ALL)]
    compare: Parts,

    #[command(flatten)]
    engines: EngineFlags,

    #[command(flatten)]
    modules: ModuleFlags,

    #[command(flatten)]
    campaign: CampaignFlags,
}

/// A property on running code.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PropertyName {
    /// One function of the given type, in a stub module
    #[value(name = "interpreter-i32")]
    InterpreterI32,
    /// Every exported function of any module
    Interpreter,
    /// Which argument lists the host may pass
    Invocation,
}

impl Arguments {
    /// The campaign that is asked for.
    pub fn spec(&self) -> Result<Spec, CommandError> {
        let name = self.property_name()?;
        if self.generator.is_some() && name == PropertyName::Invocation {
            return Err(SpecError::NoGenerator.into());
        }
        let signature = self.signature.clone();
        let property = match name {
            PropertyName::InterpreterI32 => {
                let strategy = self.campaign.strategy()?;
                let generator = self.generator.map(FunctionGenerator::from);
                let usual = || Spec::functions_for(strategy.as_ref());
                EngineProperty::InterpreterI32 { signature, generator: generator.unwrap_or_else(usual) }
            }
            PropertyName::Interpreter => {
                EngineProperty::Interpreter { generator: self.campaign.modules(self.generator)? }
            }
            PropertyName::Invocation => EngineProperty::Invocation { signature },
        };
        let engines = EngineSpec { compare: self.compare, ..self.engines.spec(property) };
        let subject = SubjectSpec::Engines(engines);
        self.campaign.spec(subject, self.engines.bug.as_deref(), &self.modules.place)
    }

    /// The property: the requested one, or the one that suits the guidance and the bug.
    fn property_name(&self) -> Result<PropertyName, CommandError> {
        let guidance = self.campaign.guidance()?;
        // A guidance without a search tests the modules in the files as they are.
        let replays = self.campaign.strategy()?.is_none();
        match self.property {
            None if guidance.needs_modules() || replays => Ok(PropertyName::Interpreter),
            Some(PropertyName::InterpreterI32 | PropertyName::Invocation) if guidance.needs_modules() => {
                Err(SpecError::WholeModules(guidance.to_string()).into())
            }
            Some(chosen) => Ok(chosen),
            None if self.bug_is_about_arguments() => Ok(PropertyName::Invocation),
            None => Ok(PropertyName::InterpreterI32),
        }
    }

    /// Whether the bug is about arguments, so that no body of a function can show it.
    fn bug_is_about_arguments(&self) -> bool {
        let bug = self.engines.bug.as_deref().and_then(|id| Bug::find(id).ok());
        let subject = bug.as_ref().and_then(Spec::hunting).map(|spec| spec.subject);
        matches!(
            subject,
            Some(SubjectSpec::Engines(EngineSpec { property: EngineProperty::Invocation { .. }, .. }))
        )
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let spec = arguments.spec()?;
    if !arguments.files.is_empty() {
        return judge(arguments, &spec, engines);
    }
    hunt(&spec, engines, arguments.modules.places(), &arguments.campaign.telling)
}

/// Prints for every file what each engine does at each step.
fn judge(arguments: &Arguments, spec: &Spec, engines: &Registry) -> Result<Code, CommandError> {
    let modules = Modules::new(&context_of(spec, engines)?).map_err(mutagen_campaign::Error::from)?;
    let invoked = match &arguments.invoke[..] {
        [] => None,
        [name, list @ ..] => Some(invoke::call(name, list)?),
    };
    files::judge_each(&arguments.files, |file, wasm| {
        let calls = match (&invoked, modules.exports(wasm)) {
            (None, _) => modules.seeded_calls(wasm, arguments.campaign.seed),
            (Some(call), Some(exports)) => {
                let unusable = |why| CommandError::new(Code::Unusable, format!("{}: {why}", file.display()));
                invoke::check(call, &exports).map_err(unusable)?;
                vec![call.clone()]
            }
            // There is nothing to call. The engines report the reason.
            (Some(_), None) => Vec::new(),
        };
        judge_one(&modules, file, wasm, &calls)
    })
}

/// Prints what the engines do with one module. Returns whether they differ.
fn judge_one(modules: &Modules, file: &Path, wasm: &[u8], calls: &[Call]) -> Result<bool, CommandError> {
    let judgement = modules.pair().judge(wasm, calls);
    let [target_name, reference_name] = modules.pair().names();
    for step in &judgement.steps {
        let reference = step.reference.as_deref().unwrap_or("not asked");
        let answers = if step.target == reference {
            format!("both {reference}")
        } else {
            format!("{target_name} {}; {reference_name} {reference}", step.target)
        };
        say::out(format!("{}: {}: {answers}", file.display(), step.question))?;
    }
    say::out(format!("{}: {}", file.display(), judgement.agreement))?;
    Ok(judgement.agreement.is_finding())
}
