//! Builds the project's tests, woven.

use crate::arguments::BuildArguments;
use crate::config::inner_wrapper;
use crate::error::Error;
use crate::project::{Project, directory};
use crate::toolchain::Toolchain;
use cargo_metadata::Message;
use mutagen_weaver::outside::{ACTIVE, INNER, Order, STUBS, WOVEN};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A test program of a package.
#[derive(Clone, Debug)]
pub struct TestProgram {
    /// The name of the package.
    pub package: String,
    /// Where the package lies: tests are run there.
    pub package_directory: PathBuf,
    /// The program.
    pub executable: PathBuf,
}

/// Set for the profile of the woven build, whatever the project says about it: these would take away probes, their names, or
/// the panics that are findings. `false` still optimises across the units of one crate; `"off"` would not, and makes whatever is
/// not woven slower.
const PROFILE: [&str; 4] = [
    "profile.release.lto=false",
    "profile.release.strip=\"none\"",
    "profile.release.panic=\"unwind\"",
    "profile.release.incremental=false",
];

/// Builds all test programs, with the catalogues of bugs or without.
pub fn build(
    project: &Project,
    arguments: &BuildArguments,
    with_bugs: bool,
) -> Result<Vec<TestProgram>, Error> {
    let toolchain = Toolchain::of(project.root())?;
    let stubs = stubs(project, &toolchain)?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let cannot_run = |program: &str| {
        let program = program.to_owned();
        move |reason| Error::CannotRun { program, reason }
    };
    let this = std::env::current_exe().map_err(cannot_run("cargo-mutagen"))?;
    let mut command = Command::new(&cargo);
    command.args(["test", "--no-run", "--tests", "--release", "--message-format=json-render-diagnostics"]);
    // With a target, cargo compiles build scripts and macros apart, and they stay plain.
    command.args(["--target", &toolchain.host]).arg("--target-dir").arg(project.target_directory());
    command.args(PROFILE.iter().flat_map(|setting| ["--config", setting]));
    command.args(selection(arguments));
    // All of them, wherever cargo was called: a package at the root would be alone.
    command.args(project.members().flat_map(|member| ["-p".to_owned(), member.id.repr.clone()]));
    command.env("RUSTC_WRAPPER", this).env(ACTIVE, stubs);
    // Cargo would remember the answer of another wrapper.
    command.env("CARGO_CACHE_RUSTC_INFO", "0");
    command.env_remove(INNER);
    if let Some(inner) = inner_wrapper(project.root()) {
        command.env(INNER, inner);
    }
    let woven = project.woven_directories()?;
    let woven: Vec<String> = woven.iter().map(|directory| directory.display().to_string()).collect();
    command.env(WOVEN, woven.join("\n"));
    for (package, order) in project.orders(with_bugs)? {
        command.env(Order::variable(&package), order.to_value());
    }
    command.stdout(Stdio::piped());
    let mut child = command.spawn().map_err(cannot_run(&cargo))?;
    let mut programs = Vec::new();
    let messages =
        child.stdout.take().into_iter().flat_map(|output| Message::parse_stream(BufReader::new(output)));
    for message in messages.flatten() {
        if let Message::CompilerArtifact(artifact) = message
            && let (true, Some(executable)) = (artifact.profile.test, artifact.executable)
        {
            let package = project.package(&artifact.package_id);
            programs.push(TestProgram {
                package: package.name.to_string(),
                package_directory: directory(package),
                executable: executable.into(),
            });
        }
    }
    let status = child.wait().map_err(cannot_run(&cargo))?;
    if status.success() { Ok(programs) } else { Err(Error::DoesNotBuild) }
}

fn selection(arguments: &BuildArguments) -> Vec<String> {
    let mut flags = Vec::new();
    if let Some(path) = &arguments.manifest_path {
        flags.extend(["--manifest-path".to_owned(), path.display().to_string()]);
    }
    for features in &arguments.features {
        flags.extend(["--features".to_owned(), features.clone()]);
    }
    let switches = [
        (arguments.all_features, "--all-features"),
        (arguments.no_default_features, "--no-default-features"),
        (arguments.offline, "--offline"),
        (arguments.locked, "--locked"),
    ];
    flags.extend(switches.into_iter().filter(|(on, _)| *on).map(|(_, flag)| flag.to_owned()));
    flags
}

/// The library with the callbacks that do nothing, compiled once per compiler.
fn stubs(project: &Project, toolchain: &Toolchain) -> Result<PathBuf, Error> {
    let source = mutagen_engine::stable::hash(STUBS.as_bytes());
    let folder =
        project.target_directory().join("stubs").join(format!("{}-{source:016x}", toolchain.release));
    let library = folder.join("libmutagen_stubs.rlib");
    if library.exists() {
        return Ok(library);
    }
    let source = folder.join("mutagen_stubs.rs");
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |reason| Error::File { path, reason }
    };
    std::fs::create_dir_all(&folder).map_err(fail(&folder))?;
    std::fs::write(&source, STUBS).map_err(fail(&source))?;
    let unfinished = folder.join(format!("{}.rlib", std::process::id()));
    let status = Command::new(&toolchain.rustc)
        .args(["--crate-type=rlib", "--crate-name=mutagen_stubs", "--edition=2024", "-O"])
        .args(["--target", &toolchain.host, "-o"])
        .arg(&unfinished)
        .arg(&source)
        .current_dir(project.root())
        .status()
        .map_err(|reason| Error::CannotRun { program: toolchain.rustc.clone(), reason })?;
    if !status.success() {
        return Err(Error::DoesNotBuild);
    }
    std::fs::rename(&unfinished, &library).map_err(fail(&library))?;
    Ok(library)
}
