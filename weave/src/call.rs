//! One call of rustc: what cargo asks for, and how the weaver changes it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A rustc command line together with what cargo's environment says about the package.
pub struct Call {
    /// The real compiler.
    pub rustc: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The package that is compiled.
    pub package: Option<String>,
    /// The package's version.
    pub version: Option<String>,
}

impl Call {
    /// Takes a call apart.
    pub fn new(rustc: OsString, arguments: Vec<OsString>) -> Self {
        Self {
            rustc: PathBuf::from(rustc),
            arguments,
            package: std::env::var("CARGO_PKG_NAME").ok(),
            version: std::env::var("CARGO_PKG_VERSION").ok(),
        }
    }

    /// Cargo's question for compiler version and host.
    pub fn asks_for_version(&self) -> bool {
        self.arguments.len() == 1 && self.arguments[0] == "-vV"
    }

    /// Whether this compiles the crate that holds the probes' callbacks: it is told that the wrapper ran.
    pub fn compiles_runtime(&self) -> bool {
        self.compiles_library_of("mutagen-weave") && self.package.as_deref() == Some("mutagen-weave")
    }

    /// Whether this compiles the package's library (or its unit tests), rather than a build script or an example.
    pub fn compiles_library_of(&self, package: &str) -> bool {
        self.option("--crate-name").is_some_and(|name| name == OsStr::new(&package.replace('-', "_")))
    }

    /// Where the package lies.
    pub fn package_directory(&self) -> Result<PathBuf, String> {
        std::env::var_os("CARGO_MANIFEST_DIR")
            .map(PathBuf::from)
            .ok_or("cargo did not say where the package is".into())
    }

    /// Where the artefacts go.
    pub fn out_directory(&self) -> Result<PathBuf, String> {
        self.option("--out-dir").map(PathBuf::from).ok_or("cargo did not say where the artefacts go".into())
    }

    /// The suffix that tells artefacts of one crate apart, such as `-0123456789abcdef`.
    pub fn extra_filename(&self) -> String {
        self.codegen("extra-filename=").unwrap_or_default()
    }

    /// The dep-info file that rustc writes, if it writes one.
    pub fn dep_info(&self) -> Option<PathBuf> {
        let name = self.option("--crate-name")?.to_str()?;
        Some(self.out_directory().ok()?.join(format!("{name}{}.d", self.extra_filename())))
    }

    /// Adds an argument.
    pub fn push(&mut self, argument: impl Into<OsString>) {
        self.arguments.push(argument.into());
    }

    /// Adds several arguments.
    pub fn extend(&mut self, arguments: &[&str]) {
        self.arguments.extend(arguments.iter().map(OsString::from));
    }

    /// Compiles the copy of the package at `copy` in place of the original.
    pub fn compile_instead(&mut self, copy: &Path) -> Result<(), String> {
        let original = self.package_directory()?;
        let root = self
            .arguments
            .iter_mut()
            .find(|argument| Path::new(argument).extension() == Some(OsStr::new("rs")))
            .ok_or("no source file on the command line")?;
        let inside = Path::new(root)
            .strip_prefix(&original)
            .map_err(|_| format!("{} lies outside its package", Path::new(root).display()))?;
        *root = copy.join(inside).into_os_string();
        // Panics and line tables then say `wasmi-2.0.0/src/..`, whatever the machine.
        let name = original.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.push(format!("--remap-path-prefix={}={name}", copy.display()));
        self.push(format!("--remap-path-prefix={}=.", original.display()));
        Ok(())
    }

    /// Runs the compiler.
    pub fn run(&self) -> Result<ExitCode, String> {
        let status = Command::new(&self.rustc)
            .args(&self.arguments)
            .status()
            .map_err(|error| format!("cannot run {}: {error}", self.rustc.display()))?;
        // A compiler that was killed by a signal has no code.
        Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(101)))
    }

    fn option(&self, name: &str) -> Option<&OsStr> {
        let at = self.arguments.iter().position(|argument| argument == name)?;
        self.arguments.get(at + 1).map(OsString::as_os_str)
    }

    /// The value of `-C key=value` or `-Ckey=value`.
    fn codegen(&self, key: &str) -> Option<String> {
        self.arguments.iter().find_map(|argument| {
            let text = argument.to_str()?;
            text.strip_prefix("-C").unwrap_or(text).strip_prefix(key).map(str::to_owned)
        })
    }
}
