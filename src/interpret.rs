//! `mutagen-wasm interpret`: checks that both engines compute the same.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mutagen_campaign::{
    EngineProperty, EngineSpec, FunctionType, PropertyName, Spec, SpecError, Split, SubjectSpec, Usual,
    context_of,
};
use mutagen_oracles::{Call, Parts, Registry};
use mutagen_properties::{FunctionGenerator, ModuleGenerator, Modules};

use crate::exit_code::{Code, CommandError};
use crate::flags::{CampaignFlags, EngineFlags, GeneratorName, ModuleFlags};
use crate::hunt::hunt;
use crate::{files, invoke, say};

/// Runs functions on two engines and compares the results, in a campaign or for the given modules
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm interpret\n  mutagen-wasm interpret --bug wasm-11\n  \
    mutagen-wasm interpret --split 10:1 --fixes --time 5m -o out\n  \
    mutagen-wasm interpret --property interpreter-i32 --features wasm1 --preset paper\n  \
    mutagen-wasm interpret --target wasmi-lazy --reference wasmtime-speed --time 5m\n  \
    mutagen-wasm interpret --first-opinion none --time 5m\n  \
    mutagen-wasm interpret --guidance perffuzz --switch fuel --time 1m\n  \
    mutagen-wasm interpret module.wat\n  mutagen-wasm interpret module.wat --invoke f i32:5 f32:1.5")]
pub struct Arguments {
    /// Modules to run, as text or binary; `-` is standard input. Without any, runs a campaign
    files: Vec<PathBuf>,

    /// Calls this function with these arguments, instead of every exported one
    #[arg(long, value_names = ["NAME", "ARG"], num_args = 1.., requires = "files")]
    invoke: Vec<String>,

    /// The property of a campaign [default: the one that shows the bug; else interpreter, if the guidance makes whole modules,
    /// or turns]
    #[arg(long, value_name = "NAME", value_enum)]
    property: Option<NamedProperty>,

    /// The type of single functions in a campaign: parameters, a colon, results [default: i32,f32:i32]
    #[arg(long, value_name = "TYPE")]
    signature: Option<FunctionType>,

    /// How many single functions and how many whole modules take turns [default: 32:64]
    #[arg(long, value_name = "F:M")]
    split: Option<Split>,

    /// How functions or modules are generated in a campaign [default: typed for mutagen's default preset, functions that take
    /// turns with modules repaired; otherwise derived]
    #[arg(long, value_name = "NAME", value_enum)]
    generator: Option<GeneratorName>,

    /// The parts of the engines' answers that are compared: validity, results, traps, memory, globals, tables,
    /// host-calls, exports, or all
    #[arg(long, value_name = "PARTS", default_value_t = Parts::ALL)]
    compare: Parts,

    /// Quick engines, with commas between them: the first that knows what a module needs is asked before the reference. Where it
    /// agrees with the target, the reference is not asked, except about one test in 64; `none` asks the reference about every
    /// test [default: dlr,tinywasm, without those that are target or reference]
    #[arg(long, value_name = "NAMES")]
    first_opinion: Option<String>,

    #[command(flatten)]
    engines: EngineFlags,

    #[command(flatten)]
    modules: ModuleFlags,

    #[command(flatten)]
    campaign: CampaignFlags,
}

/// A property on running code.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NamedProperty {
    /// Single functions and whole modules, in turns
    Turns,
    /// One function of the given type, in a stub module
    #[value(name = "interpreter-i32")]
    InterpreterI32,
    /// Every exported function of any module
    Interpreter,
    /// Which argument lists the host may pass
    Invocation,
}

impl From<NamedProperty> for PropertyName {
    fn from(named: NamedProperty) -> Self {
        match named {
            NamedProperty::Turns => PropertyName::Turns,
            NamedProperty::InterpreterI32 => PropertyName::InterpreterI32,
            NamedProperty::Interpreter => PropertyName::Interpreter,
            NamedProperty::Invocation => PropertyName::Invocation,
        }
    }
}

impl Arguments {
    /// The campaign that is asked for.
    pub fn spec(&self, engines: &Registry) -> Result<Spec, CommandError> {
        let (guidance, strategy, bug) =
            (self.campaign.guidance()?, self.campaign.strategy()?, self.engines.bug()?);
        let usual = Usual { guidance, strategy: strategy.as_ref(), bug: bug.as_ref() };
        let name = self.property.map_or_else(|| usual.interpreted(), PropertyName::from);
        if guidance.needs_modules() && name != PropertyName::Interpreter {
            return Err(SpecError::WholeModules(guidance.to_string()).into());
        }
        let property = self.changed(usual.property(name))?;
        let spec = self.engines.spec(property, &usual, engines)?;
        let first_opinion = self.first_opinion(&spec, engines)?;
        let engines = EngineSpec { compare: self.compare, first_opinion, ..spec };
        let subject = SubjectSpec::Engines(engines);
        self.campaign.spec(subject, self.engines.bug.as_deref(), &self.modules.place)
    }

    /// The engines that are asked first, if any are.
    fn first_opinion(&self, spec: &EngineSpec, engines: &Registry) -> Result<Option<String>, CommandError> {
        match self.first_opinion.as_deref() {
            None => Ok(spec.property.usual_opinion(&spec.target, &spec.reference)),
            Some(EngineSpec::NO_OPINION) => Ok(None),
            Some(named) => {
                for name in EngineSpec::names(named) {
                    if [spec.target.as_str(), &spec.reference].contains(&name) {
                        return Err(SpecError::NoOpinion(name.to_owned()).into());
                    }
                    engines.find_chosen(name).map_err(mutagen_campaign::Error::from)?;
                }
                Ok(Some(named.to_owned()))
            }
        }
    }

    /// The property with the settings that flags name.
    fn changed(&self, mut property: EngineProperty) -> Result<EngineProperty, CommandError> {
        let name = property.name();
        let refuse = |given: bool, flag| match given {
            true => Err(SpecError::NotForProperty { flag, property: name }),
            false => Ok(()),
        };
        match &mut property {
            EngineProperty::InterpreterI32 { signature, generator } => {
                refuse(self.split.is_some(), "--split")?;
                change(signature, self.signature.clone());
                change(generator, self.functions()?);
            }
            EngineProperty::Interpreter { generator } => {
                refuse(self.split.is_some(), "--split")?;
                refuse(self.signature.is_some(), "--signature")?;
                self.campaign.require_choice(self.generator)?;
                change(generator, self.generator.map(ModuleGenerator::from));
            }
            EngineProperty::Turns { signature, functions, modules, split } => {
                change(signature, self.signature.clone());
                change(functions, self.functions()?);
                change(modules, self.functions()?.map(ModuleGenerator::from));
                change(split, self.split);
            }
            EngineProperty::Invocation { signature } => {
                refuse(self.split.is_some(), "--split")?;
                if self.generator.is_some() {
                    return Err(SpecError::NoGenerator.into());
                }
                change(signature, self.signature.clone());
            }
            EngineProperty::Validator { .. } => {}
        }
        Ok(property)
    }

    /// The generator of functions, if one is named.
    fn functions(&self) -> Result<Option<FunctionGenerator>, CommandError> {
        let Some(named) = self.generator else { return Ok(None) };
        let functions = named.functions();
        Ok(Some(
            functions
                .ok_or(SpecError::NotForProperty { flag: "--generator turns", property: "interpreter" })?,
        ))
    }
}

/// Changes a setting, if a flag names another.
fn change<T>(setting: &mut T, named: Option<T>) {
    if let Some(named) = named {
        *setting = named;
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
        return judge(arguments, &spec, engines);
    }
    let places = arguments.modules.places()?.seed(arguments.campaign.seed);
    hunt(&spec, engines, places, &arguments.campaign.telling)
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
            (None, _) => modules.seeded_calls(wasm, arguments.campaign.seed.unwrap_or_default().number),
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
        let [target, reference] = step.answers();
        let answers = if target == reference {
            format!("both {reference}")
        } else {
            format!("{target_name} {target}; {reference_name} {reference}")
        };
        say::out(format!("{}: {}: {answers}", say::path(file), step.question))?;
    }
    say::out(format!("{}: {}", say::path(file), judgement.agreement))?;
    if let Some(votes) = modules.pair().votes(wasm, calls) {
        say::out(format!("{}: votes: {votes}", say::path(file)))?;
    }
    Ok(judgement.agreement.is_finding())
}
