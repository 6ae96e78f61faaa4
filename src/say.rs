//! Writing to people: a closed pipe ends the talking, never the work.

use std::fmt::Display;
use std::io::{self, Write};

use crate::exit_code::{Code, Failure};

/// Writes text to standard output. Whoever closed the other end of a pipe has seen enough.
pub fn out(text: impl Display) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match writeln!(output, "{text}").and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Code::NotStored, format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, if anybody listens.
pub fn note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Says what went wrong.
pub fn error(text: impl Display) {
    note(format_args!("error: {text}"));
}
