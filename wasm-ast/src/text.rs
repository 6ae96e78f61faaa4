//! The text format. Only this module uses wat and wasmprinter.

use std::fmt;

use crate::decode::DecodeError;
use crate::module::Module;

impl Module {
    /// Reads a module in the text format.
    ///
    /// ```
    /// use mutagen_wasm_ast::Module;
    ///
    /// let module = Module::from_text("(module (func (result i32) i32.const 1 i32.const 2 i32.add))")?;
    /// assert_eq!(module.instructions(), 3);
    /// assert!(module.to_text()?.contains("i32.add"));
    /// # Ok::<(), mutagen_wasm_ast::TextError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not a module (the error gives line and column), or if [`Module::decode`] refuses the
    /// module.
    pub fn from_text(text: &str) -> Result<Self, TextError> {
        Self::decode(&Self::assemble(text.as_bytes())?).map_err(TextError::Decode)
    }

    /// The binary form of a module in the text format, whatever features it uses.
    ///
    /// # Errors
    ///
    /// If the text is not a module. The error gives line and column.
    pub fn assemble(text: &[u8]) -> Result<Vec<u8>, TextError> {
        let text =
            std::str::from_utf8(text).map_err(|error| TextError::Syntax(format!("not a text: {error}")))?;
        wat::parse_str(text).map_err(|error| TextError::Syntax(on_one_line(&error.to_string())))
    }

    /// Reads a module in either format: binary if it begins with a zero byte or is not UTF-8, else text.
    ///
    /// # Errors
    ///
    /// As [`Module::decode`] and [`Module::from_text`]. Empty input is not a module in either format.
    pub fn read(bytes: &[u8]) -> Result<Self, TextError> {
        match std::str::from_utf8(bytes) {
            Ok(text) if !bytes.is_empty() && !bytes.starts_with(b"\0") => Self::from_text(text),
            _ => Self::decode(bytes).map_err(TextError::Decode),
        }
    }

    /// Writes the module in the text format.
    ///
    /// # Errors
    ///
    /// If the module is invalid in a way that the text format cannot express, such as a function without a
    /// type.
    pub fn to_text(&self) -> Result<String, TextError> {
        Self::disassemble(&self.encode())
    }

    /// The text of a module in the binary format, whatever features it uses.
    ///
    /// # Errors
    ///
    /// If the bytes are no module, or one that the text format cannot express.
    pub fn disassemble(wasm: &[u8]) -> Result<String, TextError> {
        wasmprinter::print_bytes(wasm).map_err(|error| TextError::Print(format!("{error:#}")))
    }
}

/// Shortens the parser's message, which quotes the source in several lines, to place and problem. Long lines are not quoted:
/// then the place is at the end of the first line.
fn on_one_line(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let below = message.lines().find_map(|line| line.trim_start().strip_prefix("--> <anon>:"));
    let found = below.map(|place| (first, place)).or_else(|| first.rsplit_once(" at <anon>:"));
    let (what, place) = found.unwrap_or((first, ""));
    // The parser says that it was compiled without them.
    let what =
        if what.contains("parsing components") { "this is a component, not a core module" } else { what };
    if place.is_empty() { what.to_owned() } else { format!("{place}: {what}") }
}

/// Why text could not be read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextError {
    /// The text does not follow the text format.
    Syntax(String),
    /// The text is a module that [`Module::decode`] refuses.
    Decode(DecodeError),
    /// The module cannot be expressed in the text format.
    Print(String),
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) => write!(f, "malformed text: {message}"),
            Self::Decode(error) => error.fmt(f),
            Self::Print(message) => write!(f, "this module cannot be written as text: {message}"),
        }
    }
}

impl std::error::Error for TextError {}
