//! Weaves the packages of this project: those in `packages.rs`, with the bugs of `bugs/catalogue/`.
//!
//! It is called as `weaver PROJECT RUSTC ARGUMENTS...`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::call::Call;
use super::catalogue::{self, Entry};
use super::packages::{self, Package};
use super::{dep_info, edit};

/// Acts as the wrapper that cargo calls.
pub fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(project), Some(rustc)) = (arguments.next(), arguments.next()) else {
        eprintln!("weave: this program is run by cargo through weave/rustc; there is nothing to do by hand");
        return ExitCode::from(2);
    };
    let call = Call::new(rustc, arguments.collect());
    match weave(Path::new(&project), call) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: weave: {message}");
            ExitCode::FAILURE
        }
    }
}

fn weave(project: &Path, mut call: Call) -> Result<ExitCode, String> {
    if call.asks_for_version() {
        return call.answer_version(&version(project));
    }
    if call.compiles_runtime() {
        call.push("--cfg=mutagen_woven");
    }
    if let Some(is_woven) = packages::on_demand(&call) {
        return weave_on_demand(call, is_woven);
    }
    let Some(package) = packages::find(&call)? else {
        return call.run();
    };
    call.extend(packages::COVERAGE);
    if !package.has_catalogue_edits() {
        return call.run();
    }
    weave_published(project, call, package)
}

/// Compiles a package with probes or without, and makes cargo compile it again when that is asked for in another way.
fn weave_on_demand(mut call: Call, is_woven: bool) -> Result<ExitCode, String> {
    if is_woven {
        call.extend(packages::COVERAGE);
    }
    let code = call.run()?;
    dep_info::watch(&call, &[], packages::DEMAND)?;
    Ok(code)
}

/// Compiles an edited copy of a published package, and makes cargo watch the catalogue for it.
fn weave_published(project: &Path, mut call: Call, package: &Package) -> Result<ExitCode, String> {
    let sources = catalogue::sources(project)?;
    let mut entries = catalogue::read(&sources.files)?;
    entries.retain(|entry| entry.package == package.name);
    edit::check_versions(&call, &entries)?;
    let copy = edit::woven_copy(&call, &entries)?;
    call.compile_instead(&copy)?;
    let code = call.run()?;
    let files = entries.into_iter().map(|entry: Entry| entry.source);
    let watched: Vec<PathBuf> =
        sources.watched.into_iter().chain(files).chain(own_sources(project)).collect();
    dep_info::watch(&call, &watched, catalogue::EXTRA_BUGS)?;
    Ok(code)
}

/// Stands for the packages that the catalogue edits. A file that cannot be read is reported where it matters, when a crate
/// is woven.
fn catalogue_digest(project: &Path) -> String {
    match catalogue::sources(project).and_then(|sources| catalogue::read(&sources.files)) {
        Ok(entries) => {
            let edited: BTreeSet<&str> = entries.iter().map(|entry| entry.package.as_str()).collect();
            format!("{:08x}", catalogue::number(&edited.into_iter().collect::<Vec<_>>().join(" ")))
        }
        Err(_) => "unreadable".to_owned(),
    }
}

/// The weaver's own sources: what it weaves depends on them as well.
fn own_sources(project: &Path) -> impl Iterator<Item = PathBuf> {
    let sources = std::fs::read_dir(project.join("weave/src")).into_iter().flatten();
    sources.filter_map(|file| file.ok().map(|file| file.path()))
}

/// What separates woven artefacts from plain ones, and from those of another list of packages.
///
/// A change of this line rebuilds everything, wasmtime included. So it tells which packages the catalogue edits and not
/// how: for that cargo watches the list, the entries and the variable that names more of them, through dep-info, and
/// rebuilds just the crates that they edit.
fn version(project: &Path) -> String {
    format!("weave: {} {}", packages::signature(), catalogue_digest(project))
}
