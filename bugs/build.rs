//! Embeds the bug catalogue. The weaver reads the same files with the same code.

#[allow(dead_code, reason = "the weaver shares the file and needs every field")]
#[path = "../weave/src/catalogue.rs"]
mod catalogue;
#[path = "../weave/src/toml.rs"]
mod toml;

use std::path::{Path, PathBuf};
use std::{env, fs};

use catalogue::{Edit, Entry, Witness};

fn main() {
    let project = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("..");
    println!("cargo::rerun-if-env-changed={}", catalogue::EXTRA_BUGS);
    println!("cargo::rerun-if-changed={}", project.join("bugs/catalogue").display());
    match embed(&project, Path::new(&variable("OUT_DIR"))) {
        Ok(()) => {}
        Err(message) => println!("cargo::error={message}"),
    }
}

fn embed(project: &Path, out: &Path) -> Result<(), String> {
    let sources = catalogue::sources(project)?;
    for watched in &sources.watched {
        println!("cargo::rerun-if-changed={}", watched.display());
    }
    let entries: String = catalogue::read(&sources.files)?.iter().map(entry).collect();
    let file = out.join("catalogue.rs");
    fs::write(&file, format!("&[{entries}]")).map_err(|error| format!("{}: {error}", file.display()))
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("cargo sets {name}: {error}"))
}

fn entry(entry: &Entry) -> String {
    let kind = if entry.kind == "fix" { "Fix" } else { "Bug" };
    let subsystem = if entry.subsystem == "validator" { "Validator" } else { "Interpreter" };
    format!(
        "Entry {{ id: {:?}, kind: Kind::{kind}, title: {:?}, subsystem: Subsystem::{subsystem}, origin: {:?}, \
         story: {:?}, package: {:?}, version: {:?}, overlaps: &{:?}, edits: &[{}], witnesses: &[{}] }},\n",
        entry.id,
        entry.title,
        entry.origin,
        entry.story.trim(),
        entry.package,
        entry.version,
        entry.overlaps,
        entry.edits.iter().map(edit).collect::<String>(),
        entry.witnesses.iter().map(witness).collect::<String>(),
    )
}

fn edit(edit: &Edit) -> String {
    format!(
        "Edit {{ file: {:?}, anchor: {:?}, after: {:?}, text: {:?} }}, ",
        edit.file, edit.anchor, edit.after, edit.text
    )
}

fn witness(witness: &Witness) -> String {
    format!(
        "Witness {{ features: {:?}, module: {:?}, invoke: {:?}, arguments: &{:?}, off: {:?}, on: {:?} }}, ",
        witness.features, witness.module, witness.invoke, witness.arguments, witness.off, witness.on
    )
}
