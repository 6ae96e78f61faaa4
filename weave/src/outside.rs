//! Weaves packages of a project outside of this one, as `cargo mutagen` tells it by environment variables.
//!
//! Only what is compiled for the target is woven. Build scripts and macros run inside of the compiler's own programs, where
//! nobody answers probes; cargo compiles them without `--target` as long as one is given for everything else.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::call::Call;
use super::{catalogue, dep_info, edit, foreign, packages};

/// Set while this program acts as the wrapper. Its value is the path of the library that [`STUBS`] becomes.
pub const ACTIVE: &str = "MUTAGEN_WEAVING";
/// The wrapper that the project used before, if it had one.
pub const INNER: &str = "MUTAGEN_INNER_WRAPPER";
/// The directories of all woven packages, one per line: code that others of them bring into a crate has probes there, too.
pub const WOVEN: &str = "MUTAGEN_WOVEN";

/// Callbacks that do nothing, for programs in which a woven library is linked and the engine is not, such as the binary of a
/// package that has the engine as a dev-dependency. The linker takes them from the end of its command line, and only if
/// nobody else defines them.
pub const STUBS: &str = r#"#![no_std]
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_trace_pc_guard(_: *mut u32) {}
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_trace_pc_guard_init(_: *mut u32, _: *mut u32) {}
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_pcs_init(_: *const usize, _: *const usize) {}
#[unsafe(no_mangle)]
extern "C" fn __mutagen_bug(_: u32) -> bool {
    false
}
"#;

/// Besides the probes: a probe is asked only while somebody records.
const GATED: &str = "-Cllvm-args=-sanitizer-coverage-gated-trace-callbacks";
/// Mistakes in arithmetic show, although the code is optimised.
const OVERFLOW: &str = "-Coverflow-checks=on";

/// How the crate that answers probes is compiled. The callback is called at every branch of the woven crates, so it is
/// optimised whatever the project's profile says, and in one unit: what it calls stands in its place then.
const RUNTIME: &[&str] =
    &["--cfg=mutagen_woven", "--cfg=mutagen_gated", "-Copt-level=3", "-Ccodegen-units=1"];

/// Which functions of a woven crate get probes.
const PROBED: &str = "own-functions";

/// What to weave of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    /// The roots of its crates that get probes: those of its library and, compiled as tests, of its programs.
    pub roots: Vec<PathBuf>,
    /// The directory of the bug catalogue to apply, if bugs are hunted.
    pub bugs: Option<PathBuf>,
}

impl Order {
    /// The environment variable that holds the order for a package.
    ///
    /// Each has its own, because cargo compiles a package again when its variable changes: an order for one package leaves
    /// all others alone.
    pub fn variable(package: &str) -> String {
        // Shells, which other wrappers may be written in, drop variables with a hyphen.
        format!("MUTAGEN_WEAVE_{}", package.replace('-', "_"))
    }

    /// The order as the value of that variable: a line for the catalogue, then a line for each root.
    pub fn to_value(&self) -> OsString {
        let mut value = self.bugs.clone().unwrap_or_default().into_os_string();
        for root in &self.roots {
            value.push("\n");
            value.push(root);
        }
        value
    }

    fn from_value(value: &str) -> Self {
        let mut lines = value.lines();
        let bugs = lines.next().filter(|line| !line.is_empty()).map(PathBuf::from);
        Order { roots: lines.map(PathBuf::from).collect(), bugs }
    }

    fn of(call: &Call) -> Option<Self> {
        let value = env::var(Self::variable(call.package.as_deref()?)).ok()?;
        Some(Self::from_value(&value))
    }

    fn is_for(&self, call: &Call) -> Result<bool, String> {
        if self.roots.is_empty() {
            return Ok(false);
        }
        Ok(self.roots.contains(&call.root()?) && (call.is_test() || call.makes_library()))
    }
}

/// Acts as the wrapper that cargo calls, as `PROGRAM RUSTC ARGUMENTS...`. Artefacts of another `version` of the program are
/// not used.
pub fn main(version: &str, mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(rustc) = arguments.next() else {
        eprintln!(
            "error: {ACTIVE} is set, so this program waits to be called by cargo in place of rustc: unset it"
        );
        return ExitCode::from(2);
    };
    let mut call = Call::new(rustc, arguments.collect());
    call.wrapper = env::var_os(INNER).filter(|wrapper| !wrapper.is_empty());
    match weave(version, call) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: cargo mutagen: {message}");
            ExitCode::FAILURE
        }
    }
}

fn weave(version: &str, mut call: Call) -> Result<ExitCode, String> {
    if call.asks_for_version() {
        let flags = [packages::COVERAGE, &[GATED, OVERFLOW], RUNTIME].concat().join(" ");
        return call.answer_version(&format!("cargo-mutagen: {version} {flags} {PROBED}"));
    }
    let Some(package) = call.package.clone().filter(|_| call.names_a_target()) else {
        return call.run();
    };
    if call.compiles_runtime() {
        call.extend(RUNTIME);
    }
    let order = Order::of(&call).filter(|order| !order.roots.is_empty());
    if let Some(stubs) = env::var_os(ACTIVE).filter(|_| order.is_some() && call.links()) {
        let mut argument = OsString::from("-Clink-arg=");
        argument.push(stubs);
        call.push(argument);
    }
    let woven = match &order {
        Some(order) => order.is_for(&call)?,
        None => false,
    };
    let mut watched = Vec::new();
    let mut copied = None;
    if woven {
        call.push(OVERFLOW);
        if let Some(directory) = order.and_then(|order| order.bugs) {
            watched = apply_catalogue(&mut call, &directory, &package, &mut copied)?;
        }
        let own = own_directories(&call)?;
        foreign::leave_out(&mut call, &own);
        call.extend(packages::COVERAGE);
        call.push(GATED);
    }
    let code = call.run()?;
    if let Some(copy) = copied {
        dep_info::name_originals(&call, &copy, &call.package_directory()?)?;
    }
    dep_info::watch(&call, &watched, &Order::variable(&package))?;
    Ok(code)
}

/// Where the code lies that gets probes.
fn own_directories(call: &Call) -> Result<Vec<PathBuf>, String> {
    let package = call.package_directory()?;
    let mut own: Vec<PathBuf> = env::var(WOVEN).unwrap_or_default().lines().map(PathBuf::from).collect();
    // Code that the build script made.
    own.extend(env::var_os("OUT_DIR").map(PathBuf::from));
    // An edited copy is compiled under the name of its package.
    let here = env::current_dir().map_err(|error| format!("no current directory: {error}"))?;
    own.extend(package.file_name().map(|name| here.join(name)));
    own.push(package);
    Ok(own)
}

/// Has an edited copy compiled. Gives the files that the copy was made from besides the package.
fn apply_catalogue(
    call: &mut Call,
    directory: &Path,
    package: &str,
    copied: &mut Option<PathBuf>,
) -> Result<Vec<PathBuf>, String> {
    let entries = catalogue::in_directory(directory, package)?;
    let copy = edit::woven_copy(call, &entries)?;
    call.compile_instead(&copy)?;
    // The inserted switch is foreign code in a crate that may forbid `unsafe`, or what a bug leaves unused.
    call.push("--cap-lints=allow");
    *copied = Some(copy);
    let mut watched: Vec<PathBuf> = entries.into_iter().map(|entry| entry.source).collect();
    watched.push(directory.to_owned());
    Ok(watched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_the_environment() {
        for bugs in [None, Some(PathBuf::from("/a b/mutagen/bugs"))] {
            let order = Order { roots: vec!["/a b/src/lib.rs".into(), "/a b/src/main.rs".into()], bugs };
            let value = order.to_value().into_string().expect("it is text");
            assert_eq!(Order::from_value(&value), order);
        }
    }
}
