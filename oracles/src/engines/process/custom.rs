//! Engines whose names say how to start them: any command that speaks the protocol, and any engine of ours in a process of its own.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    process::Command,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{
    client::ProcessEngine,
    link::{Broken, Link},
    messages::Terms,
    plain::Plain,
};
use crate::{
    Feature, Features,
    engine::Engine,
    registry::{EngineEntry, EngineError, Lineage},
    settings::{NanMode, Settings},
};

/// What the name of a command begins with.
const PROCESS: &str = "process:";
/// What the name of a command begins with that knows nothing of the protocol.
const PLAIN: &str = "plain:";
/// What the name of an engine of ours begins with that gets a process of its own.
const ISOLATED: &str = "isolated:";
/// The subcommand of this program that serves an engine.
pub const SERVE: &str = "serve-engine";

/// Entries live as long as the program: there are as many as different names were asked for.
static KNOWN: Mutex<BTreeMap<String, &'static EngineEntry>> = Mutex::new(BTreeMap::new());

/// Whether commands are started whoever names them.
static TRUSTED: AtomicBool = AtomicBool::new(false);

/// Lets [`Registry::find`](crate::Registry::find) start the command of any `process:COMMAND`, also of one that a file names. It is for
/// programs whose user says so, and for those that get their orders from one that has looked already.
pub fn trust_commands() {
    TRUSTED.store(true, Ordering::Relaxed);
}

/// Whether the name is that of a command.
pub(crate) fn is_command(name: &str) -> bool {
    name.starts_with(PROCESS) || name.starts_with(PLAIN)
}

/// The engine that a name describes. A command that was not started before is only started if the user has chosen it. `find` knows
/// the engines with names.
pub(crate) fn custom<'a>(
    name: &str,
    is_chosen: bool,
    find: impl FnOnce(&str) -> Option<&'a EngineEntry>,
) -> Option<&'static EngineEntry> {
    let known = |name: &str| KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied();
    if let Some(entry) = known(name) {
        return Some(entry);
    }
    if is_command(name) && !is_chosen && !TRUSTED.load(Ordering::Relaxed) {
        return None;
    }
    let entry = match (name.strip_prefix(PROCESS), name.strip_prefix(PLAIN)) {
        (Some(command), _) => of_command(leaked(name), command),
        (_, Some(_)) => plain(leaked(name)),
        _ => isolated(leaked(name), find(name.strip_prefix(ISOLATED)?)?),
    };
    let entry: &'static EngineEntry = Box::leak(Box::new(entry));
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), entry);
    Some(entry)
}

fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// An engine of ours, in another process of this program.
fn isolated(name: &'static str, inner: &EngineEntry) -> EngineEntry {
    let program = env::current_exe().map_or_else(|_| "mutagen-wasm".into(), OsString::from);
    let words = vec![program, SERVE.into(), inner.name.into()];
    let mut entry = inner.clone().renamed(name, move |settings| made(name, &words, settings));
    entry.twin = None;
    entry
}

/// A command that is started anew for each question. What it has is unknown, so users name the features.
fn plain(name: &'static str) -> EngineEntry {
    let make = move |settings: &Settings| {
        let command = name.strip_prefix(PLAIN).unwrap_or_default();
        Ok(Box::new(Plain::new(name, command, settings)) as Box<dyn Engine>)
    };
    EngineEntry::new(name, "", make)
        .features(Settings::default().features)
        .with_raw_nans()
        .without_fuel()
        .about("a plain command: it checks modules, and may print the results of a call")
}

/// A command, which is asked who it is.
fn of_command(name: &'static str, command: &str) -> EngineEntry {
    let words: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
    let settings = Settings { features: Features::WASM1, nan: NanMode::Raw, ..Settings::default() };
    let hello = match Link::start(&mut command_of(&words), &Terms::of(&settings)) {
        Ok(link) => link.hello.clone(),
        Err(broken) => {
            let advice =
                format!("the command must speak the protocol of docs/engines-in-processes.md, but {broken}");
            return EngineEntry::missing(name, "", leaked(&advice));
        }
    };
    let features: Features = hello.features.parse().unwrap_or(Features::WASM1);
    let make = move |settings: &Settings| made(name, &words, settings);
    let entry = EngineEntry::new(name, hello.engine_version, make)
        .features(features.without(Feature::RelaxedSimd))
        .lineage(Lineage { validation: name, execution: name })
        .about("a command that speaks the protocol for engines in processes");
    let entry = if hello.has_fuel { entry } else { entry.without_fuel() };
    if hello.canonicalises { entry } else { entry.with_raw_nans() }
}

fn made(name: &'static str, words: &[OsString], settings: &Settings) -> Result<Box<dyn Engine>, EngineError> {
    let words = words.to_vec();
    let start = Arc::new(move |_: &Settings| command_of(&words));
    let refused =
        |broken: Broken| EngineError::Refused { engine: name.to_owned(), source: broken.to_string().into() };
    Ok(Box::new(ProcessEngine::new(name, start, settings).map_err(refused)?))
}

fn command_of(words: &[OsString]) -> Command {
    let mut command = Command::new(words.first().cloned().unwrap_or_default());
    command.args(words.iter().skip(1));
    command
}
