//! Values as text that people can read, and the engine can read back.
//!
//! The text looks like what `{:?}` prints. It names constructors and fields, so a stored value survives a changed order of
//! variants and new ones beside them; where a name is gone, reading says which.

use std::fmt;

mod fields;
mod layout;
pub(crate) mod parse;
#[doc(hidden)]
pub mod probe;

pub use fields::Fields;

/// A value as text: a word, or a constructor with parts.
///
/// ```
/// use mutagen_engine::{Generate, Text};
///
/// #[derive(Generate, Debug, PartialEq)]
/// enum Tree {
///     Leaf,
///     Node { left: Box<Tree>, key: i8, right: Box<Tree> },
/// }
///
/// let leaf = || Box::new(Tree::Leaf);
/// let tree = Tree::Node { left: leaf(), key: -3, right: leaf() };
/// let text = tree.to_text().unwrap().to_string();
/// assert_eq!(text, "Node { left: Leaf, key: -3, right: Leaf }");
/// let read: Text = text.parse().unwrap();
/// assert_eq!(Tree::from_text(&read).unwrap(), tree);
///
/// let error = Tree::from_text(&"Knot(1)".parse().unwrap()).unwrap_err();
/// assert_eq!(error.to_string(), "line 1: there is no constructor `Knot`; known are Leaf, Node");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The line on which it begins, from 1; 0 if it was not read.
    line: usize,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// A number, a literal, or a constructor without parts, as it is written.
    Word(String),
    /// A constructor with its parts; the name of a tuple or a list is empty.
    Group { name: String, bracket: Bracket, parts: Vec<(Option<String>, Text)> },
}

/// What stands around the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    Round,
    Square,
    Curly,
}

impl Bracket {
    fn open(self) -> char {
        match self {
            Bracket::Round => '(',
            Bracket::Square => '[',
            Bracket::Curly => '{',
        }
    }

    fn close(self) -> char {
        match self {
            Bracket::Round => ')',
            Bracket::Square => ']',
            Bracket::Curly => '}',
        }
    }
}

impl Text {
    /// A number or a literal.
    pub fn word(word: impl Into<String>) -> Self {
        Text { line: 0, shape: Shape::Word(word.into()) }
    }

    /// A list.
    pub fn list(items: impl IntoIterator<Item = Text>) -> Self {
        Self::group("", Bracket::Square, items.into_iter().map(|item| (None, item)).collect())
    }

    /// A tuple.
    pub fn tuple(parts: impl IntoIterator<Item = Text>) -> Self {
        Self::group("", Bracket::Round, parts.into_iter().map(|part| (None, part)).collect())
    }

    /// A constructor with its parts, each with the name of its field, if fields have names.
    pub fn constructor(name: &str, parts: Vec<(Option<&str>, Text)>) -> Self {
        let bracket = match parts.first() {
            None => return Self::word(name),
            Some((Some(_), _)) => Bracket::Curly,
            Some((None, _)) => Bracket::Round,
        };
        let parts = parts.into_iter().map(|(field, part)| (field.map(str::to_owned), part)).collect();
        Self::group(name, bracket, parts)
    }

    fn group(name: &str, bracket: Bracket, parts: Vec<(Option<String>, Text)>) -> Self {
        Text { line: 0, shape: Shape::Group { name: name.to_owned(), bracket, parts } }
    }

    /// The word, if it is one.
    pub fn as_word(&self) -> Result<&str, TextError> {
        match &self.shape {
            Shape::Word(word) => Ok(word),
            Shape::Group { .. } => Err(self.error("one word should stand here")),
        }
    }

    /// The word as a value that Rust can read.
    pub fn parse_word<T: std::str::FromStr>(&self, what: &str) -> Result<T, TextError> {
        let word = self.as_word()?;
        word.parse().map_err(|_| self.error(format!("`{word}` is not {what}")))
    }

    /// The items of a list.
    pub fn items(&self) -> Result<impl ExactSizeIterator<Item = &Text>, TextError> {
        match &self.shape {
            Shape::Group { bracket: Bracket::Square, parts, .. } => Ok(parts.iter().map(|(_, part)| part)),
            _ => Err(self.error("a list should stand here")),
        }
    }

    /// The constructor and its parts, to be taken one by one.
    pub fn fields(&self) -> Fields<'_> {
        Fields::of(self)
    }

    /// An error about this place.
    pub fn error(&self, message: impl Into<String>) -> TextError {
        TextError { line: self.line, message: message.into() }
    }
}

/// Why a text is not a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The line, from 1; 0 if the text was not read from anywhere.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => formatter.write_str(&self.message),
            line => write!(formatter, "line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for TextError {}

/// A value that has no text, because a part of it is of this type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoText {
    /// The name of the type.
    pub type_name: &'static str,
}

impl NoText {
    /// Values of this type have no text.
    pub fn of<T: ?Sized>() -> Self {
        NoText { type_name: std::any::type_name::<T>() }
    }
}

impl fmt::Display for NoText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "values of `{}` have no text: derive Generate for it, or implement `to_text` and `from_text`",
            self.type_name
        )
    }
}

impl std::error::Error for NoText {}
