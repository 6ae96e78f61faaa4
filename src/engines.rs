//! `mutagen-wasm engines`: lists the engines that can be tested or compared with.

use clap::Args;
use mutagen_oracles::{EngineEntry, Registry, Role};
use serde_json::json;

use crate::exit_code::{Code, CommandError};
use crate::say;

/// Lists the engines: name, version, role, features
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm engines\n  mutagen-wasm engines --json\n  \
    mutagen-wasm interpret --target wasmi-lazy --reference wasmtime-speed\n  \
    mutagen-wasm interpret --reference node --nans raw\n  \
    mutagen-wasm interpret --target isolated:wasmi\n  \
    mutagen-wasm interpret --reference \"process:./my-engine --serve\" --nans raw\n\n\
    `isolated:NAME` is an engine of the list in a process of its own, `process:COMMAND` a command that speaks the protocol\n\
    of docs/engines-in-processes.md, `plain:CHECK` or `plain:CHECK;RUN` one that checks modules, and prints results of calls.")]
pub struct Arguments {
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    if arguments.json {
        let entries: Vec<_> = engines.entries().iter().map(EngineEntry::known).map(described).collect();
        say::out(json!({ "engines": entries }))?;
        return Ok(Code::Fine);
    }
    for entry in engines.entries().iter().map(EngineEntry::known) {
        let EngineEntry { name, version, about, features, how_to_get, .. } = entry;
        say::out(format!("{name:<16} {version:<9} {:<26} {about}", roles(entry)))?;
        match how_to_get {
            Some(how_to_get) => say::out(format!("{:<16} not in this program: {how_to_get}", ""))?,
            None => say::out(format!("{:<16} features: {features}", ""))?,
        }
    }
    Ok(Code::Fine)
}

fn roles(entry: &EngineEntry) -> String {
    entry.roles.iter().map(Role::to_string).collect::<Vec<_>>().join(", ")
}

fn described(entry: &EngineEntry) -> serde_json::Value {
    json!({
        "name": entry.name,
        "version": entry.version,
        "roles": entry.roles.iter().map(Role::to_string).collect::<Vec<_>>(),
        "features": entry.features.to_string(),
        "about": entry.about,
        "available": entry.how_to_get.is_none(),
        "how_to_get": entry.how_to_get,
    })
}
