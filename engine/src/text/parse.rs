//! Reads texts.

use super::{Bracket, Shape, Text, TextError};
use std::str::FromStr;

impl FromStr for Text {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let mut reader = Reader { rest: text, line: 1, depth: 0 };
        let read = reader.text()?;
        reader.skip_space();
        match reader.rest.chars().next() {
            None => Ok(read),
            Some(extra) => Err(reader.error(format!("`{extra}` where the text should end"))),
        }
    }
}

/// Deeper texts are refused rather than overflowing the stack.
const DEEPEST: usize = 10_000;

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn error(&self, message: impl Into<String>) -> TextError {
        TextError { line: self.line, message: message.into() }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn skip_space(&mut self) {
        self.take(self.rest.len() - self.rest.trim_start().len());
    }

    fn eat(&mut self, letter: char) -> bool {
        self.skip_space();
        let here = self.rest.starts_with(letter);
        if here {
            self.take(letter.len_utf8());
        }
        here
    }

    fn text(&mut self) -> Result<Text, TextError> {
        self.skip_space();
        let line = self.line;
        if self.rest.starts_with(['"', '\'']) {
            let word = self.literal()?.to_owned();
            return Ok(Text { line, shape: Shape::Word(word) });
        }
        let name = self.name().to_owned();
        let bracket = [Bracket::Round, Bracket::Square, Bracket::Curly];
        let bracket = bracket.into_iter().find(|bracket| self.eat(bracket.open()));
        match bracket {
            Some(bracket) => {
                let parts = self.parts(bracket)?;
                Ok(Text { line, shape: Shape::Group { name, bracket, parts } })
            }
            None if name.is_empty() => Err(self.error("a value should stand here")),
            None => Ok(Text { line, shape: Shape::Word(name) }),
        }
    }

    fn parts(&mut self, bracket: Bracket) -> Result<Vec<(Option<String>, Text)>, TextError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("the value is nested too deeply"));
        }
        let mut parts = Vec::new();
        while !self.eat(bracket.close()) {
            parts.push((self.field(bracket)?, self.text()?));
            self.skip_space();
            if !self.eat(',') && !self.rest.starts_with(bracket.close()) {
                return Err(self.error(format!("`,` or `{}` should stand here", bracket.close())));
            }
        }
        self.depth -= 1;
        Ok(parts)
    }

    /// The name in front of a part in curly brackets.
    fn field(&mut self, bracket: Bracket) -> Result<Option<String>, TextError> {
        if bracket != Bracket::Curly {
            return Ok(None);
        }
        self.skip_space();
        let name = self.name().to_owned();
        if name.is_empty() || !self.eat(':') {
            return Err(self.error("the name of a field and `:` should stand here"));
        }
        Ok(Some(name))
    }

    /// A name or a number; perhaps nothing.
    fn name(&mut self) -> &'a str {
        let is_part = |letter: char| letter.is_alphanumeric() || "_-+.#".contains(letter);
        self.take(self.rest.find(|letter| !is_part(letter)).unwrap_or(self.rest.len()))
    }

    /// A string or a character with its quotes.
    fn literal(&mut self) -> Result<&'a str, TextError> {
        let quote = self.rest.chars().next();
        let mut escaped = false;
        for (place, letter) in self.rest.char_indices().skip(1) {
            match letter {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if Some(letter) == quote => return Ok(self.take(place + 1)),
                _ => {}
            }
        }
        Err(self.error("the closing quote is missing"))
    }
}

/// The characters of a literal with these quotes, its escapes replaced: those that `{:?}` writes.
pub(crate) fn unquote(literal: &str, quote: char) -> Option<String> {
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut text = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        text.push(if letter == '\\' { escape(&mut letters)? } else { letter });
    }
    Some(text)
}

fn escape(letters: &mut std::str::Chars<'_>) -> Option<char> {
    match letters.next()? {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        '0' => Some('\0'),
        same @ ('\\' | '\'' | '"') => Some(same),
        'u' => {
            let digits = letters.as_str().strip_prefix('{')?.split_once('}')?.0;
            letters.nth(digits.len() + 1);
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)
        }
        _ => None,
    }
}
