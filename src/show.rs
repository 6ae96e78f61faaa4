//! `mutagen-wasm show`: everything about one module.

use std::path::{Path, PathBuf};

use clap::Args;
use mutagen_campaign::{EngineProperty, EngineSpec, Spec, SubjectSpec, context_of, input};
use mutagen_corpus::{Collection, Contents, Covered, Portrait};
use mutagen_oracles::{Call, HostPlan, Judgement, Registry, Script};
use mutagen_properties::{Case, Modules};
use mutagen_wasm_ast::Module;

use crate::exit_code::{Code, CommandError};
use crate::say;
use crate::watching::WatchFlags;

/// Shows a module: its text, the features that it needs, sizes, what both engines say, and what it reaches in the target
///
/// The engines are asked as `interpret FILE` asks them. If the file of a finding lies beside the module, its calls are made.
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm show module.wat\n  \
    mutagen-wasm show out/findings/result-0123456789abcdef.wasm --functions 50\n  \
    cat module.wasm | mutagen-wasm show -\n\n\
    Exit status 0: the engines agree, or nothing can be concluded; 1: they differ; 3: the module cannot be used")]
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
    let Case::Module { wasm, calls, hosts } = &case else {
        return Err(CommandError::new(Code::Internal, "a file holds a module"));
    };
    if !arguments.no_text {
        match Module::disassemble(wasm) {
            Ok(text) => say::out(text.trim_end())?,
            Err(error) => say::out(format!("no text: {error}"))?,
        }
    }
    say::out(portrait(&Portrait::of(wasm)))?;
    let judgement = judged(arguments, engines, wasm, calls, hosts)?;
    say::out(answers(&judgement))?;
    let collection = Collection { modules: vec![(file, case)], ..Collection::default() };
    let reach = arguments.watch.reach(&collection, engines)?;
    let covered =
        Covered::by(&collection.modules, reach).map_err(|error| CommandError::new(Code::Internal, error))?;
    say::out(reached(&covered, arguments.functions))?;
    Ok(if judgement.1.agreement.is_finding() { Code::Finding } else { Code::Fine })
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

/// What the engines say, after their names.
fn judged(
    arguments: &Arguments,
    engines: &Registry,
    wasm: &[u8],
    calls: &[Call],
    hosts: &[HostPlan],
) -> Result<([String; 2], Judgement), CommandError> {
    let target = arguments.watch.target.as_deref().unwrap_or(EngineSpec::TARGET);
    let found = [target, &arguments.reference].map(|name| engines.find(name));
    let [ours, theirs] = found;
    let (ours, theirs) =
        (ours.map_err(mutagen_campaign::Error::from)?, theirs.map_err(mutagen_campaign::Error::from)?);
    let spec = Spec::new(SubjectSpec::Engines(EngineSpec {
        target: target.to_owned(),
        reference: arguments.reference.clone(),
        features: arguments.watch.features.unwrap_or(ours.features & theirs.features),
        ..EngineSpec::new(EngineProperty::Interpreter { generator: Default::default() })
    }));
    let modules = Modules::new(&context_of(&spec, engines)?).map_err(mutagen_campaign::Error::from)?;
    let names = modules.pair().names().map(str::to_owned);
    if arguments.watch.validate_only {
        return Ok((names, modules.pair().judge_validity(wasm)));
    }
    let swept = if calls.is_empty() { modules.calls(wasm) } else { calls.to_vec() };
    Ok((names, modules.pair().judge(wasm, Script { calls: &swept, hosts })))
}

/// At most so many steps are shown.
const STEPS: usize = 20;

fn answers(([target, reference], judgement): &([String; 2], Judgement)) -> String {
    let mut text = format!("engines:    {}", judgement.agreement);
    // The last step is the one that decides.
    let (first, rest) = judgement.steps.split_at(judgement.steps.len().min(STEPS));
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
    let mut functions: Vec<(&str, usize)> =
        covered.functions.iter().map(|(name, probes)| (name.as_str(), *probes)).collect();
    functions.sort_by_key(|(name, probes)| (std::cmp::Reverse(*probes), *name));
    let mut text = format!(
        "reached:    {} of {} probes of the target, in {} functions",
        covered.probes.reached,
        covered.probes.all,
        functions.len()
    );
    for (name, probes) in functions.iter().take(most) {
        text += &format!("\n  {probes:>5}  {name}");
    }
    if functions.len() > most {
        text += &format!("\n  and {} more functions: --functions shows more", functions.len() - most);
    }
    text
}
