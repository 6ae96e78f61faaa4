//! `mutagen-wasm show`: everything about one module.

use std::path::{Path, PathBuf};

use clap::Args;
use mutagen_campaign::{
    EngineProperty, EngineSpec, Error, Executable, JudgeApart, Said, Spec, SubjectSpec, Unanswered, input,
};
use mutagen_corpus::{Collection, Contents, Covered, Portrait};
use mutagen_oracles::Registry;
use mutagen_properties::Case;
use mutagen_wasm_ast::Module;

use crate::exit_code::{Code, CommandError};
use crate::say;
use crate::watching::{self, WatchFlags};

/// Shows a module: its text, the features that it needs, sizes, what both engines say, and what it reaches in the target
///
/// The engines are asked as `interpret FILE` asks them, in another process, which they may end. If the file of a finding lies
/// beside the module, its calls are made.
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm show module.wat\n  \
    mutagen-wasm show out/findings/result-0123456789abcdef.wasm --functions 50\n  \
    cat module.wasm | mutagen-wasm show -\n\n\
    Exit status 0: the engines agree, or nothing can be concluded; 1: they differ, or one ends the process; 3: the module cannot be used")]
pub struct Arguments {
    /// The module, as text or binary; `-` is standard input
    file: PathBuf,

    /// The engine that the target is compared with
    #[arg(long, value_name = "NAME", default_value = EngineSpec::REFERENCE)]
    reference: String,

    /// Lists at most so many functions of the target, those with most probes first
    #[arg(long, value_name = "N", default_value_t = 20)]
    functions: usize,

    /// Leaves out the module's text
    #[arg(long)]
    no_text: bool,

    #[command(flatten)]
    watch: WatchFlags,
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let (file, case) = read(&arguments.file)?;
    let Case::Module { wasm, .. } = &case else {
        return Err(CommandError::new(Code::Internal, "a file holds a module"));
    };
    if !arguments.no_text {
        match Module::disassemble(wasm) {
            Ok(text) => say::out(text.trim_end())?,
            Err(error) => say::out(format!("no text: {error}"))?,
        }
    }
    say::out(portrait(&Portrait::of(wasm)))?;
    let code = if judge(arguments, engines, &case)? { Code::Finding } else { Code::Fine };
    let collection = Collection { modules: vec![(file, case)], ..Collection::default() };
    let watched = match arguments.watch.watch(collection, engines) {
        // The rest was said, and holds.
        Err(error) if error.code == Code::Usage => {
            say::out(format!("reached:    {}", error.message))?;
            return Ok(code);
        }
        watched => watched?,
    };
    let reached_all = watched.is_all;
    let reaches = watched.modules.into_iter().map(|module| module.reached);
    let covered = Covered::by(reaches).map_err(|error| CommandError::new(Code::Internal, error))?;
    if reached_all {
        say::out(reached(&covered, arguments.functions))?;
    }
    Ok(code)
}

/// The module with the calls and host functions of the finding beside it.
fn read(file: &Path) -> Result<(PathBuf, Case), CommandError> {
    match input::collect(&[file.to_owned()]).pop() {
        _ if file.is_dir() => Ok((file.to_owned(), Case::of(input::read(file)?, Vec::new()))),
        Some(module) => Ok(module?),
        None => Err(CommandError::new(Code::Unusable, format!("{}: there is no module", file.display()))),
    }
}

fn portrait(portrait: &Portrait) -> String {
    let sections: Vec<String> =
        portrait.sections.iter().map(|(name, bytes)| format!("{name} {bytes}")).collect();
    let sections = if sections.is_empty() { "none".to_owned() } else { sections.join(", ") };
    let head = format!("size:       {} bytes; sections: {sections}", portrait.bytes);
    match &portrait.contents {
        Ok(Contents { features, functions, instructions, depth, borders: [imports, exports] }) => format!(
            "{head}\ncontents:   {functions} functions, {instructions} instructions, blocks {depth} deep, {imports} imports, \
             {exports} exports\nneeds:      {features}"
        ),
        Err(error) => format!("{head}\ncontents:   the syntax tree cannot express it: {error}"),
    }
}

/// Asks the engines in another process, and shows what they say. Returns whether it is a finding.
fn judge(arguments: &Arguments, engines: &Registry, case: &Case) -> Result<bool, CommandError> {
    let spec = spec(arguments, engines)?;
    let program = Executable::this().map_err(Error::NoWorker)?;
    let mut judge = JudgeApart::new(&program, spec.clone(), arguments.watch.limits.limits());
    match said(&mut judge, case, arguments.watch.validate_only) {
        Ok(said) => {
            say::out(answers(target(arguments), &arguments.reference, &said))?;
            Ok(said.is_finding)
        }
        Err(Unanswered::Died(death)) => {
            say::out(format!("engines:    {death}"))?;
            Ok(true)
        }
        Err(Unanswered::Failed(error)) => Err(error.into()),
    }
}

fn said(judge: &mut JudgeApart<'_>, case: &Case, only_validity: bool) -> Result<Said, Unanswered> {
    let Case::Module { wasm, calls, hosts } = case else { return judge.judge(case, only_validity) };
    let swept = if calls.is_empty() && !only_validity { judge.calls(wasm)? } else { calls.clone() };
    judge.judge(&Case::Module { wasm: wasm.clone(), calls: swept, hosts: hosts.clone() }, only_validity)
}

fn target(arguments: &Arguments) -> &str {
    arguments.watch.target.as_deref().unwrap_or(EngineSpec::TARGET)
}

/// What both engines are asked with: the features that both have.
fn spec(arguments: &Arguments, engines: &Registry) -> Result<Spec, CommandError> {
    let ours = engines.find_chosen(target(arguments)).map_err(Error::from)?;
    let theirs = engines.find_chosen(&arguments.reference).map_err(Error::from)?;
    let usual = EngineSpec::new(EngineProperty::Interpreter { generator: Default::default() });
    Ok(Spec::new(SubjectSpec::Engines(EngineSpec {
        nans: watching::nans(usual.nans, [target(arguments), &arguments.reference], engines)?,
        target: target(arguments).to_owned(),
        reference: arguments.reference.clone(),
        features: arguments.watch.features.unwrap_or(ours.features & theirs.features),
        ..usual
    })))
}

/// At most so many steps are shown.
const STEPS: usize = 20;

fn answers(target: &str, reference: &str, said: &Said) -> String {
    let mut text = format!("engines:    {}", said.agreement);
    // The last step is the one that decides.
    let (first, rest) = said.steps.split_at(said.steps.len().min(STEPS));
    for step in first.iter().chain(rest.last()) {
        let theirs = step.reference.as_deref().unwrap_or("not asked");
        text += &match step.target == theirs {
            true => format!("\n  {}: both {theirs}", step.question),
            false => format!("\n  {}: {target} {}; {reference} {theirs}", step.question, step.target),
        };
    }
    if rest.len() > 1 {
        text += &format!("\n  and {} more steps", rest.len() - 1);
    }
    text
}

/// The probes that fired, by function.
fn reached(covered: &Covered, most: usize) -> String {
    let mut functions: Vec<(&(String, String), usize)> =
        covered.functions.iter().map(|(function, probes)| (function, *probes)).collect();
    functions.sort_by_key(|(function, probes)| (std::cmp::Reverse(*probes), *function));
    let mut text = format!(
        "reached:    {} of {} probes of the target, in {} functions",
        covered.probes.reached,
        covered.probes.all,
        functions.len()
    );
    for ((file, name), probes) in functions.iter().take(most) {
        // A name without a path is that of a function that was inlined: there are several of that name.
        text += &match name.contains("::") || file.is_empty() {
            true => format!("\n  {probes:>5}  {name}"),
            false => format!("\n  {probes:>5}  {name} in {file}"),
        };
    }
    if functions.len() > most {
        text += &format!("\n  and {} more functions: --functions shows more", functions.len() - most);
    }
    text
}
