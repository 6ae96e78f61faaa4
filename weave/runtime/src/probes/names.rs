//! Names of probes, read from the program's own file.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use addr2line::Loader;
use object::{Object, ObjectSymbol, ReadCache};

use super::{TableEntry, table};

/// What a probe stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    /// The package that holds the probe, with its version if it is a published one: `wasmparser-0.228.0`. Empty where
    /// a whole function of the standard library was instantiated.
    pub package: String,
    /// The function that holds the probe; of inlined ones the innermost.
    pub function: String,
    /// The source file, from the package on: `wasmparser-0.228.0/src/parser.rs`.
    pub file: String,
    /// The line, 0 where the compiler does not say.
    pub line: u32,
    /// Whether the probe stands at a function's entry.
    pub is_entry: bool,
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at {}:{}", self.function, self.file, self.line)
    }
}

/// Why the probes of the program cannot be named.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum NamesError {
    /// The program's own file cannot be found or opened.
    NoFile(Arc<std::io::Error>),
    /// The file is not a program that can be read.
    NoProgram(object::Error),
    /// The file has no symbols.
    Stripped,
    /// The line tables in the file cannot be read, for this reason.
    NoLines(String),
}

impl fmt::Display for NamesError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("cannot name the probes of this program: ")?;
        match self {
            Self::NoFile(error) => error.fmt(formatter),
            Self::NoProgram(error) => error.fmt(formatter),
            Self::Stripped => formatter.write_str("it has no symbols (was it stripped?)"),
            Self::NoLines(reason) => formatter.write_str(reason),
        }
    }
}

// The message holds the reason, so there is no separate source to print.
impl Error for NamesError {}

impl NamesError {
    fn no_file(error: std::io::Error) -> Self {
        Self::NoFile(Arc::new(error))
    }

    /// `addr2line` gives errors that cannot leave their thread: only the text is kept.
    fn no_lines(error: Box<dyn Error>) -> Self {
        Self::NoLines(error.to_string())
    }
}

/// The names of all probes: probe `n` has the name at `n - 1`.
///
/// Reading them takes a moment (the line tables of the program are searched for every probe) and happens once.
///
/// # Errors
///
/// If the program's own file cannot be read or has no table of probes.
pub fn names() -> Result<&'static [Name], NamesError> {
    static NAMES: OnceLock<Result<Vec<Name>, NamesError>> = OnceLock::new();
    NAMES.get_or_init(read).as_deref().map_err(Clone::clone)
}

fn read() -> Result<Vec<Name>, NamesError> {
    let program = Program::open()?;
    let name = |entry: &TableEntry| {
        let mut name = program.name_at(entry.address).map_err(NamesError::no_lines)?;
        name.is_entry = entry.is_entry != 0;
        Ok(name)
    };
    table().iter().map(name).collect()
}

/// For every probe, whether `wanted` holds for its source file: for probe `n` at `n - 1`. Several times faster than reading all
/// names.
///
/// # Errors
///
/// If the program's own file cannot be read or has no table of probes.
pub fn in_files(wanted: impl Fn(&str) -> bool) -> Result<Vec<bool>, NamesError> {
    let program = Program::open()?;
    table()
        .iter()
        .map(|entry| program.file_at(entry.address, &wanted).map_err(NamesError::no_lines))
        .collect()
}

/// The program's own file, and how far from its place there it was loaded.
struct Program {
    lines: Loader,
    offset: usize,
}

impl Program {
    fn open() -> Result<Self, NamesError> {
        // The file that runs, even if another one has its name by now.
        let own = PathBuf::from("/proc/self/exe");
        let path = if own.exists() { Ok(own) } else { std::env::current_exe() };
        let path = path.map_err(NamesError::no_file)?;
        let lines = Loader::new(&path).map_err(NamesError::no_lines)?;
        let bytes = ReadCache::new(File::open(&path).map_err(NamesError::no_file)?);
        let file = object::File::parse(&bytes).map_err(NamesError::NoProgram)?;
        // A function of which both sides know the address tells the offset.
        let symbol = file.symbol_by_name("__mutagen_bug").ok_or(NamesError::Stripped)?;
        Ok(Self { lines, offset: crate::switch::address() - symbol.address() as usize })
    }

    fn file_at(&self, address: usize, wanted: impl Fn(&str) -> bool) -> Result<bool, Box<dyn Error>> {
        let location = self.lines.find_location((address - self.offset) as u64)?;
        Ok(location.and_then(|location| location.file).is_some_and(|file| wanted(relative(file))))
    }

    fn name_at(&self, address: usize) -> Result<Name, Box<dyn Error>> {
        let mut name = Name::default();
        let place = (address - self.offset) as u64;
        let mut frames = self.lines.find_frames(place)?;
        let mut depth = 0;
        while let Some(frame) = frames.next()? {
            depth += 1;
            let location = frame.location.as_ref();
            let file = relative(location.and_then(|location| location.file).unwrap_or(""));
            if depth == 1 {
                let function = frame.function.as_ref().and_then(|function| function.demangle().ok());
                name.function = without_hash(&function.unwrap_or_default()).to_owned();
                name.file = file.to_owned();
                name.line = location.and_then(|location| location.line).unwrap_or(0);
            }
            // Code of the standard library is inlined into the package that holds the probe.
            if name.package.is_empty() && !file.starts_with('/') {
                name.package = file.split('/').next().unwrap_or("").to_owned();
            }
        }
        // Line tables have the last part of a name at most. The symbol has all of it, but is that of the outermost function.
        if let Some(symbol) = self.lines.find_symbol(place).filter(|_| depth == 1) {
            name.function = without_hash(&addr2line::demangle_auto(symbol.into(), None)).to_owned();
        }
        Ok(name)
    }
}

/// The weaver compiles packages as if they lay in `.`.
fn relative(file: &str) -> &str {
    file.trim_start_matches("./")
}

/// A demangled name without the hash that legacy mangling adds: it changes from build to build.
fn without_hash(function: &str) -> &str {
    match function.rsplit_once("::h") {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => function,
    }
}
