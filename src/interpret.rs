//! `mutagen-wasm interpret`: do both engines compute the same?

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use mutagen_engine::{Generate, Property};
use mutagen_oracles::{Call, Verdict, Watched};
use mutagen_properties::{Argument, Context, Interpreter, Invocation, Invoked, Modules, Search};
use mutagen_wasm_ast::{FuncType, Module, Stub, ValType};

use crate::engines::{EngineFlags, EngineHunt};
use crate::exit_code::{Code, Failure};
use crate::flags::CampaignFlags;
use crate::{input, invoke, say};

/// Runs functions on wasmi and wasmtime and compares: a campaign, or the modules that are given
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm interpret --bug wasm-11\n  \
    mutagen-wasm interpret --features wasm2 --signature i64,f64:i64 --time 5m -o out\n  \
    mutagen-wasm interpret --guidance perffuzz --switch fuel --time 1m\n  \
    mutagen-wasm interpret module.wat\n  mutagen-wasm interpret module.wat --invoke f i32:5 f32:1.5")]
pub struct Arguments {
    /// Modules to run, as text or binary; `-` is standard input. None: a campaign
    files: Vec<PathBuf>,

    /// Calls this function with these arguments, instead of every exported one
    #[arg(long, value_names = ["NAME", "ARG"], num_args = 1.., requires = "files")]
    invoke: Vec<String>,

    /// What must hold in a campaign [default: interpreter-i32, or interpreter where whole modules are made]
    #[arg(long, value_name = "NAME", value_enum)]
    property: Option<What>,

    /// The type of the function in a campaign: parameters, a colon, results
    #[arg(long, value_name = "TYPE", default_value = "i32,f32:i32")]
    signature: Signature,

    /// How functions are generated in a campaign [default: typed for mutagen unless as published, else derived]
    #[arg(long, value_name = "NAME", value_enum)]
    generator: Option<Generator>,

    #[command(flatten)]
    engines: EngineFlags,

    #[command(flatten)]
    campaign: CampaignFlags,
}

/// A property on running code.
#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// One function of the given type, in a stub module
    #[value(name = "interpreter-i32")]
    InterpreterI32,
    /// Every exported function of any module
    Interpreter,
    /// Which argument lists the host may pass
    Invocation,
}

/// How functions are generated.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Generator {
    /// By the types of the syntax tree, as MUTAGEN does; few are valid
    Derived,
    /// Valid by construction, from the signatures of instructions
    Typed,
}

#[derive(Clone)]
struct Signature(FuncType);

impl FromStr for Signature {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (parameters, results) =
            text.split_once(':').ok_or("write parameters, a colon, results: i32,f32:i32")?;
        let types = |list: &str| -> Result<Vec<ValType>, String> {
            list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(value_type).collect()
        };
        Ok(Self(FuncType::new(types(parameters)?, types(results)?)))
    }
}

fn value_type(name: &str) -> Result<ValType, String> {
    let known = [("i32", ValType::I32), ("i64", ValType::I64), ("f32", ValType::F32), ("f64", ValType::F64)];
    let more = [("v128", ValType::V128), ("funcref", ValType::FuncRef), ("externref", ValType::ExternRef)];
    let found = known.iter().chain(&more).find(|(known, _)| *known == name);
    found.map(|(_, ty)| *ty).ok_or_else(|| format!("`{name}` is no value type, such as i32, i64, f32 or f64"))
}

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<Code, Failure> {
    let context = arguments.engines.context()?;
    if !arguments.files.is_empty() {
        return judge(&arguments, &context);
    }
    let Arguments { engines, campaign, .. } = &arguments;
    let hunt =
        |property, watched| EngineHunt::new("interpret", property, engines, campaign, &context, watched);
    let ty = &arguments.signature.0;
    let property = arguments.property()?;
    if arguments.generator.is_some() && !matches!(property, What::InterpreterI32) {
        return Err(Failure::usage(
            "--generator is about single functions: use it with `--property interpreter-i32`",
        ));
    }
    match property {
        What::InterpreterI32 => {
            let calls = Interpreter::calls_of(ty);
            let (typed, signature) = (arguments.generator() == Generator::Typed, ty.clone());
            let mut hunt = hunt("interpreter-i32", Watched::Functions)?;
            if typed {
                hunt.suit = Search::suit_typed_functions;
            }
            hunt.run(
                move |source, size| match typed {
                    true => Stub::typed(&signature, source),
                    false => Stub::generate(source, size),
                },
                || Interpreter::new(&context, ty.clone()),
                |stub: &Stub| (stub.to_module(ty).encode(), calls.clone()),
                |wasm, _| stub_of(wasm, ty),
                |property, stub| property.judge_now(stub),
            )
        }
        What::Interpreter => {
            let modules = Modules::new(&context).map_err(Failure::usage)?;
            let calls = std::sync::Mutex::new(modules);
            let hunt = hunt("interpreter", Watched::Modules)?;
            let generator = hunt.modules.clone();
            hunt.run(
                move |source, size| generator.generate(source, size),
                || Modules::new(&context),
                |module: &Module| {
                    let wasm = module.encode();
                    let calls = calls.lock().unwrap_or_else(std::sync::PoisonError::into_inner).calls(&wasm);
                    (wasm, calls)
                },
                |wasm, _| Module::decode(wasm).ok(),
                Property::check,
            )
        }
        What::Invocation => hunt("invocation", Watched::Functions)?.run(
            Invoked::generate,
            || Invocation::new(&context, ty.clone()),
            |invoked: &Invoked| (invoked.stub.to_module(ty).encode(), vec![Invocation::call(invoked)]),
            |wasm, calls| Some(Invoked { stub: stub_of(wasm, ty)?, arguments: arguments_of(calls)? }),
            Property::check,
        ),
    }
}

impl Arguments {
    /// The generator of functions: the one that was asked for, or what suits the guidance. Peers and the published MUTAGEN are
    /// about what can be done without a generator that knows what is valid.
    fn generator(&self) -> Generator {
        let CampaignFlags { guidance, preset, .. } = &self.campaign;
        let ours = guidance == "mutagen" && preset == "default";
        self.generator.unwrap_or(if ours { Generator::Typed } else { Generator::Derived })
    }

    /// The property: the one that was asked for, or what suits the guidance.
    fn property(&self) -> Result<What, Failure> {
        // What is replayed are the modules as they are in their files.
        let replays = self.campaign.replays()?;
        let whole = !replays && self.campaign.search()?.needs_modules();
        match self.property {
            None if whole || replays => Ok(What::Interpreter),
            Some(What::InterpreterI32 | What::Invocation) if whole => Err(Failure::usage(format!(
                "{} makes whole modules: use it with `--property interpreter`",
                self.campaign.guidance
            ))),
            chosen => Ok(chosen.unwrap_or(What::InterpreterI32)),
        }
    }
}

/// The inside of the function, if this is a stub module for functions of this type.
fn stub_of(wasm: &[u8], ty: &FuncType) -> Option<Stub> {
    let module = Module::decode(wasm).ok()?;
    let function = module.functions.first()?;
    let stub = Stub { locals: function.locals.clone(), body: function.body.clone() };
    (stub.to_module(ty) == module).then_some(stub)
}

/// The arguments of the first call; none if there is no call. Nothing, if they are of types that are never generated.
fn arguments_of(calls: &[Call]) -> Option<Vec<Argument>> {
    calls.iter().take(1).flat_map(|call| &call.arguments).map(Argument::of).collect()
}

/// For every file: what each engine does at each step.
fn judge(arguments: &Arguments, context: &Context) -> Result<Code, Failure> {
    let modules = Modules::new(context).map_err(Failure::usage)?;
    let invoked = match &arguments.invoke[..] {
        [] => None,
        [name, list @ ..] => Some(invoke::call(name, list)?),
    };
    input::judge_each(&arguments.files, |file, wasm| {
        let calls = match (&invoked, modules.exports(wasm)) {
            (None, _) => modules.seeded_calls(wasm, arguments.campaign.seed),
            (Some(call), Some(exports)) => {
                let unusable = |why| Failure::new(Code::Unusable, format!("{}: {why}", file.display()));
                invoke::check(call, &exports).map_err(unusable)?;
                vec![call.clone()]
            }
            // There is nothing to call, as the engines will say.
            (Some(_), None) => Vec::new(),
        };
        judge_one(&modules, file, wasm, &calls)
    })
}

/// Says what the engines do with one module; whether they differ.
fn judge_one(modules: &Modules, file: &Path, wasm: &[u8], calls: &[Call]) -> Result<bool, Failure> {
    let judgement = modules.pair().judge(wasm, calls);
    for step in &judgement.steps {
        let reference = step.reference.as_deref().unwrap_or("not asked");
        let answers = if step.target == reference {
            format!("both {reference}")
        } else {
            format!("wasmi {}; wasmtime {reference}", step.target)
        };
        say::out(format!("{}: {}: {answers}", file.display(), step.question))?;
    }
    say::out(format!("{}: {}", file.display(), judgement.verdict))?;
    Ok(matches!(judgement.verdict, Verdict::Differ(_)))
}
