//! `mutagen-wasm shrink`: makes a module smaller while it stays interesting.

mod differing;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::{Args, ValueEnum};
use mutagen_campaign::store::files;
use mutagen_campaign::{
    EngineProperty, EngineSpec, Error, Executable, GuidanceName, JudgeApart, PropertyName, Spec, SubjectSpec,
    Usual, input,
};
use mutagen_oracles::Registry;
use mutagen_properties::Case;
use mutagen_shrink::{Limits, NotShrunk, shrink};
use mutagen_wasm_ast::Module;

use crate::exit_code::{Code, CommandError};
use crate::flags::{EngineFlags, LimitFlags, duration};
use crate::predicate::Predicate;
use crate::say;
use crate::signals::interrupt_flag;
use differing::Differing;

/// Makes a module smaller while the engines differ on it in the same way, or while a command says that it is interesting
///
/// Without --predicate, both engines are asked about validity, instantiation and calls, and the kind of their difference must
/// stay. They are asked in another process: a module that ends it, or hangs, is shrunk as long as it does so in the same way. If the file of a finding lies beside the module, its calls are made; otherwise every exported function is called.
/// Each smaller module is stored at once, as a whole, so the search can be ended at any time.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mutagen-wasm shrink found.wasm\n  mutagen-wasm shrink found.wat --bug wasm-11 -o small.wat\n  \
    mutagen-wasm shrink crash.wasm --predicate ./crashes.sh\n  \
    mutagen-wasm shrink big.wasm --predicate 'wasm-tools validate --features=-simd' -o small.wasm\n\n\
    Exit status 0: done, or nothing smaller was found; 3: the module cannot be used, or is not interesting as it is"
)]
pub struct Arguments {
    /// The module, as text or binary; `-` is standard input
    file: PathBuf,

    /// Where the smaller module goes, as text if it ends with `.wat` [default: beside FILE, with `.shrunk` in its name]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// A command that ends with 0 for a module that is interesting; the name of the binary module is its last argument
    #[arg(long, value_name = "CMD", conflicts_with_all = ["property", "bug", "fixes", "target", "reference", "features", "nans"])]
    predicate: Option<String>,

    /// How long the command may take for one module
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration, requires = "predicate")]
    timeout: Duration,

    /// In what the engines must differ: in whether the module is valid, or in anything [default: in what they differ]
    #[arg(long, value_name = "NAME", value_enum)]
    property: Option<Asked>,

    /// Tests at most so many modules
    #[arg(long, value_name = "N", default_value_t = Limits::default().tests)]
    attempts: usize,

    #[command(flatten)]
    engines: EngineFlags,

    #[command(flatten)]
    limits: LimitFlags,
}

/// What both engines are asked.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Asked {
    /// Whether the module is valid
    Validator,
    /// Also what it does
    Interpreter,
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let case = input::collect(std::slice::from_ref(&arguments.file)).pop();
    let case = if arguments.file.is_dir() { None } else { case.transpose()? };
    let Some((_, Case::Module { wasm, calls, hosts })) = case else {
        return Err(CommandError::new(
            Code::Unusable,
            format!("{}: this is no module", arguments.file.display()),
        ));
    };
    let output = output(arguments)?;
    match &arguments.predicate {
        Some(command) => {
            let predicate = Predicate::new(command, arguments.timeout)?;
            let why = || format!("`{command}` does not end with 0 for it");
            search(arguments, &output, &wasm, |wasm| predicate.holds(wasm), why)
        }
        None => {
            let program = Executable::this().map_err(Error::NoWorker)?;
            let spec = spec(arguments, engines)?;
            let limits = arguments.limits.limits();
            let judge = JudgeApart::new(&program, spec, limits);
            let only_validity = arguments.property == Some(Asked::Validator);
            let differing = Differing::new(judge, only_validity, &wasm, calls, hosts)?;
            let why = || format!("the engines do not differ on it: {}", differing.first());
            let code = search(arguments, &output, &wasm, |wasm| differing.is_alike(wasm), why)?;
            differing.died().into_iter().for_each(say::note);
            Ok(code)
        }
    }
}

/// What both engines are asked with.
fn spec(arguments: &Arguments, engines: &Registry) -> Result<Spec, CommandError> {
    let bug = arguments.engines.bug()?;
    let usual = Usual { guidance: GuidanceName::find("repro")?, strategy: None, bug: bug.as_ref() };
    let property: EngineProperty = usual.property(PropertyName::Interpreter);
    let of: EngineSpec = arguments.engines.spec(property, &usual, engines)?;
    Ok(Spec { bug: arguments.engines.bug.clone(), ..Spec::new(SubjectSpec::Engines(of)) })
}

/// The file for the smaller module.
fn output(arguments: &Arguments) -> Result<PathBuf, CommandError> {
    match &arguments.output {
        Some(output) => Ok(output.clone()),
        None if arguments.file == Path::new("-") => {
            Err(CommandError::usage("a module from standard input needs --output"))
        }
        None => {
            let is_text = arguments.file.extension().is_some_and(|extension| extension == "wat");
            Ok(arguments.file.with_extension(if is_text { "shrunk.wat" } else { "shrunk.wasm" }))
        }
    }
}

/// Shrinks the module, stores each smaller one, and says what came of it.
fn search(
    arguments: &Arguments,
    output: &Path,
    wasm: &[u8],
    is_interesting: impl Fn(&[u8]) -> Result<bool, CommandError>,
    why_not: impl Fn() -> String,
) -> Result<Code, CommandError> {
    let interrupt = interrupt_flag()?;
    // The first error ends the search, as a signal does.
    let trouble: RefCell<Option<CommandError>> = RefCell::new(None);
    let keep = |error: CommandError| {
        trouble.borrow_mut().get_or_insert(error);
    };
    let is_over = || interrupt.load(Ordering::Relaxed) || trouble.borrow().is_some();
    let test = |wasm: &[u8]| {
        !is_over()
            && is_interesting(wasm).unwrap_or_else(|error| {
                keep(error);
                false
            })
    };
    let improved = |wasm: &[u8]| store(output, wasm).unwrap_or_else(keep);
    let shrunk = shrink(wasm, Limits { tests: arguments.attempts.max(1) }, test, improved);
    if let Some(error) = trouble.into_inner() {
        return Err(error);
    }
    let name = arguments.file.display();
    let shrunk = shrunk.map_err(|error| match error {
        NotShrunk::NotInteresting => {
            CommandError::new(Code::Unusable, format!("{name}: nothing to shrink: {}", why_not()))
        }
        NotShrunk::Unknown(_) => CommandError::new(Code::Unusable, format!("{name}: {error}")),
    })?;
    let limit =
        if shrunk.limited { "; --attempts ended the search, so there may be smaller ones" } else { "" };
    if shrunk.steps == 0 {
        say::out(format!(
            "nothing shrinks: of {} modules that are smaller than its {} bytes, none is interesting{limit}",
            shrunk.tests - 1,
            wasm.len()
        ))?;
    } else {
        say::out(format!(
            "{} of {} bytes are left after {} tests: {}{limit}",
            shrunk.wasm.len(),
            wasm.len(),
            shrunk.tests,
            output.display()
        ))?;
    }
    Ok(if interrupt.load(Ordering::Relaxed) { crate::signals::interrupted() } else { Code::Fine })
}

/// Writes a module as a whole or not at all, as text if the file's name says so.
fn store(file: &Path, wasm: &[u8]) -> Result<(), CommandError> {
    if file.extension().is_some_and(|extension| extension == "wat") {
        let text = Module::disassemble(wasm).map_err(|error| CommandError::new(Code::NotStored, error))?;
        return Ok(files::write_named(file, text.as_bytes())?);
    }
    Ok(files::write_named(file, wasm)?)
}
