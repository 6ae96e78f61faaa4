//! One call of rustc: what cargo asks for, and how the weaver changes it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A rustc command line together with what cargo's environment says about the package.
pub struct Call {
    /// Another wrapper that the compiler is called through, if there is one.
    pub wrapper: Option<OsString>,
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
            wrapper: None,
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

    /// Answers `rustc -vV` with one more line. Cargo hashes the answer into every artefact's name, so artefacts under
    /// another line never stand in for one another.
    pub fn answer_version(&self, line: &str) -> Result<ExitCode, String> {
        let output = self.command().output().map_err(|error| self.cannot_run(&error))?;
        print!("{}", String::from_utf8_lossy(&output.stdout));
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        println!("{line}");
        Ok(if output.status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Whether this compiles for the target that was asked for, rather than a build script or a macro for the host.
    pub fn names_a_target(&self) -> bool {
        self.option("--target").is_some()
    }

    /// Whether this compiles tests.
    pub fn is_test(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--test")
    }

    /// Whether a program comes of this, or a library with everything that it needs: the linker is called.
    pub fn links(&self) -> bool {
        self.is_test() || self.crate_types().any(|kind| kind != "lib" && kind != "rlib")
    }

    /// Whether a library for other crates comes of this.
    pub fn makes_library(&self) -> bool {
        self.crate_types().any(|kind| kind == "lib" || kind == "rlib")
    }

    fn crate_types(&self) -> impl Iterator<Item = &OsString> {
        let pairs = self.arguments.iter().zip(self.arguments.iter().skip(1));
        pairs.filter(|(name, _)| *name == "--crate-type").map(|(_, kind)| kind)
    }

    /// The root of the crate that is compiled, as an absolute path.
    pub fn root(&self) -> Result<PathBuf, String> {
        let is_source = |argument: &&OsString| Path::new(argument).extension() == Some(OsStr::new("rs"));
        let root = self.arguments.iter().find(is_source).ok_or("no source file on the command line")?;
        let here = std::env::current_dir().map_err(|error| format!("no current directory: {error}"))?;
        Ok(here.join(root))
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
        let root = self.root()?;
        let inside = root
            .strip_prefix(&original)
            .map_err(|_| format!("{} lies outside its package", root.display()))?;
        let is_source = |argument: &&mut OsString| Path::new(argument).extension() == Some(OsStr::new("rs"));
        if let Some(argument) = self.arguments.iter_mut().find(is_source) {
            *argument = copy.join(inside).into_os_string();
        }
        // Panics and line tables then say `wasmi-2.0.0/src/..`, whatever the machine.
        let name = original.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.push(format!("--remap-path-prefix={}={name}", copy.display()));
        self.push(format!("--remap-path-prefix={}=.", original.display()));
        Ok(())
    }

    /// Runs the compiler.
    pub fn run(&self) -> Result<ExitCode, String> {
        let status = self.command().status().map_err(|error| self.cannot_run(&error))?;
        // A compiler that was killed by a signal has no code.
        Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(101)))
    }

    /// The call as a command.
    pub fn command(&self) -> Command {
        let mut command = match &self.wrapper {
            Some(wrapper) => {
                let mut command = Command::new(wrapper);
                command.arg(&self.rustc);
                command
            }
            None => Command::new(&self.rustc),
        };
        command.args(&self.arguments);
        command
    }

    fn cannot_run(&self, error: &std::io::Error) -> String {
        let program = self.wrapper.as_ref().map_or(self.rustc.as_path(), Path::new);
        format!("cannot run {}: {error}", program.display())
    }

    fn option(&self, name: &str) -> Option<&OsStr> {
        let at = self.arguments.iter().position(|argument| argument == name)?;
        self.arguments.get(at + 1).map(OsString::as_os_str)
    }

    /// The value of `-C key=value` or `-Ckey=value`.
    pub fn codegen(&self, key: &str) -> Option<String> {
        self.arguments.iter().find_map(|argument| {
            let text = argument.to_str()?;
            text.strip_prefix("-C").unwrap_or(text).strip_prefix(key).map(str::to_owned)
        })
    }
}
