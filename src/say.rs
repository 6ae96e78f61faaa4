//! Output to standard output and standard error. A closed pipe ends the output, but not the work. Control characters, which
//! may come from the name of a file, are written as escapes: a terminal would obey them.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use crate::exit_code::{Code, CommandError};

/// Writes text to standard output, of one line or several. A closed pipe is not an error.
pub fn out(text: impl Display) -> Result<(), CommandError> {
    let text = escaped(&text.to_string(), |letter| letter.is_control() && !"\n\t".contains(letter));
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
    let line = escaped(&text.to_string(), char::is_control);
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes an error message.
pub fn error(text: impl Display) {
    note(format_args!("error: {text}"));
}

/// A path as a part of a line.
pub fn path(path: &Path) -> String {
    escaped(&path.to_string_lossy(), char::is_control)
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_escaped(letter) {
            true => shown.extend(letter.escape_default()),
            false => shown.push(letter),
        }
    }
    shown
}
