//! The part of TOML that the bug catalogue uses, read with std alone: tables, arrays of tables, strings of all four
//! kinds, integers and arrays of strings.

/// A value and the line on which its key stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Any of the four kinds of string.
    Text(String),
    /// A decimal integer.
    Integer(i64),
    /// An array of strings.
    List(Vec<String>),
}

/// One table: the root, a `[name]` or a `[[name]]`.
#[derive(Debug)]
pub struct Table {
    /// Its name, empty for the root.
    pub name: String,
    /// The line of its header.
    pub line: usize,
    /// Its keys in order, each with its line.
    pub entries: Vec<(String, Value, usize)>,
}

/// Something is wrong on this line.
#[derive(Debug)]
pub struct Error {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Reads a document into its tables, the root first.
pub fn parse(text: &str) -> Result<Vec<Table>, Error> {
    let mut reader = Reader { rest: text, line: 1 };
    let mut tables = vec![Table { name: String::new(), line: 1, entries: Vec::new() }];
    loop {
        reader.skip_blank();
        match reader.peek() {
            None => return Ok(tables),
            Some('[') => tables.push(reader.header()?),
            Some(_) => {
                let line = reader.line;
                let (key, value) = reader.entry()?;
                let table = tables.last_mut().expect("the root is always there");
                if table.entries.iter().any(|(known, ..)| *known == key) {
                    return Err(Error { line, message: format!("`{key}` is given twice") });
                }
                table.entries.push((key, value, line));
            }
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Moves on by `bytes` and gives them.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn eat(&mut self, token: &str) -> bool {
        let here = self.rest.starts_with(token);
        if here {
            self.take(token.len());
        }
        here
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        Err(Error { line: self.line, message: message.into() })
    }

    /// Skips white space, line ends and comments.
    fn skip_blank(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            if self.peek() != Some('#') {
                return;
            }
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
    }

    /// After a header or a value only a comment may follow on the line.
    fn end_of_line(&mut self) -> Result<(), Error> {
        let spaces = self.rest.len() - self.rest.trim_start_matches([' ', '\t', '\r']).len();
        self.take(spaces);
        match self.peek() {
            None | Some('\n' | '#') => Ok(()),
            Some(other) => self.fail(format!("`{other}` where the line should end")),
        }
    }

    fn header(&mut self) -> Result<Table, Error> {
        let line = self.line;
        let (open, close) = if self.rest.starts_with("[[") { ("[[", "]]") } else { ("[", "]") };
        self.eat(open);
        let name = self.key()?;
        if !self.eat(close) {
            return self.fail(format!("`{close}` is missing after `{open}{name}`"));
        }
        self.end_of_line()?;
        Ok(Table { name, line, entries: Vec::new() })
    }

    fn key(&mut self) -> Result<String, Error> {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)))
            .unwrap_or(self.rest.len());
        if end == 0 {
            return self.fail("a key should stand here");
        }
        Ok(self.take(end).to_owned())
    }

    fn entry(&mut self) -> Result<(String, Value), Error> {
        let key = self.key()?;
        self.skip_spaces();
        if !self.eat("=") {
            return self.fail(format!("`=` is missing after `{key}`"));
        }
        self.skip_spaces();
        let value = self.value()?;
        self.end_of_line()?;
        Ok((key, value))
    }

    fn skip_spaces(&mut self) {
        self.take(self.rest.len() - self.rest.trim_start_matches([' ', '\t']).len());
    }

    fn value(&mut self) -> Result<Value, Error> {
        match self.peek() {
            Some('"' | '\'') => self.string().map(Value::Text),
            Some('[') => self.list().map(Value::List),
            Some('-' | '0'..='9') => self.integer().map(Value::Integer),
            _ => self.fail("a string, an integer or a list of strings should stand here"),
        }
    }

    fn integer(&mut self) -> Result<i64, Error> {
        let end = self.rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(self.rest.len());
        let digits = self.take(end);
        digits.parse().or_else(|_| self.fail(format!("`{digits}` is not an integer")))
    }

    fn list(&mut self) -> Result<Vec<String>, Error> {
        self.eat("[");
        let mut items = Vec::new();
        loop {
            self.skip_blank();
            if self.eat("]") {
                return Ok(items);
            }
            items.push(self.string()?);
            self.skip_blank();
            if !self.eat(",") && self.peek() != Some(']') {
                return self.fail("`,` or `]` should stand here");
            }
        }
    }

    fn string(&mut self) -> Result<String, Error> {
        for (quote, escapes) in [("\"\"\"", true), ("'''", false), ("\"", true), ("'", false)] {
            if self.eat(quote) {
                let line = self.line;
                if quote.len() == 3 {
                    self.eat("\n");
                }
                let text = if escapes { self.basic(quote)? } else { self.literal(quote)? };
                return match text {
                    Some(text) if quote.len() == 3 || !text.contains('\n') => Ok(text),
                    _ => Err(Error { line, message: format!("the string has no closing {quote}") }),
                };
            }
        }
        self.fail("a string should stand here")
    }

    /// The text up to the closing quote, if there is one.
    fn literal(&mut self, quote: &str) -> Result<Option<String>, Error> {
        let Some(end) = self.rest.find(quote) else { return Ok(None) };
        let text = self.take(end).to_owned();
        self.eat(quote);
        Ok(Some(text))
    }

    /// The text up to the closing quote, with escapes replaced. `None` if there is no closing quote.
    fn basic(&mut self, quote: &str) -> Result<Option<String>, Error> {
        let mut text = String::new();
        while !self.eat(quote) {
            match self.peek() {
                None => return Ok(None),
                Some('\\') => text.push(self.escape()?),
                Some(c) => text.push_str(self.take(c.len_utf8())),
            }
        }
        Ok(Some(text))
    }

    fn escape(&mut self) -> Result<char, Error> {
        self.eat("\\");
        let escaped = match self.peek() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some(c @ ('"' | '\\')) => c,
            _ => {
                return self.fail("known escapes are \\n \\t \\\" \\\\; use '...' for text with backslashes");
            }
        };
        self.take(1);
        Ok(escaped)
    }
}
