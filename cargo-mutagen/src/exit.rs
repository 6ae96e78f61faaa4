//! How the program ends.

use std::process::ExitCode;

/// The exit codes, those of `mutagen-wasm` where they mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Nothing was found.
    Fine = 0,
    /// A property does not hold, or a bug was not caught.
    Found = 1,
    /// The project cannot be tested.
    Unusable = 3,
    /// Results could not be stored.
    NotStored = 5,
    /// Somebody interrupted it.
    Interrupted = 130,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        ExitCode::from(code as u8)
    }
}
