//! Output to standard output and standard error. A closed pipe ends the output, but not the work.

use std::fmt::Display;
use std::io::{self, Write};

use crate::exit_code::{Code, CommandError};

/// Writes text to standard output. A closed pipe is not an error.
pub fn out(text: impl Display) -> Result<(), CommandError> {
    let mut output = io::stdout().lock();
    match writeln!(output, "{text}").and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CommandError::new(Code::NotStored, format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, if possible.
pub fn note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes an error message.
pub fn error(text: impl Display) {
    note(format_args!("error: {text}"));
}
