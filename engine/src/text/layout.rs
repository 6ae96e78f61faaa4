//! Writes texts: on one line if it fits, otherwise one part per line.

use super::{Bracket, Shape, Text};
use std::fmt::{self, Write};

/// Lines are not longer, except where a single word is.
const WIDTH: usize = 100;

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(formatter, 0, 0)
    }
}

impl Text {
    /// Writes the text, which begins `used` characters after an indentation of `depth` levels.
    fn write(&self, out: &mut fmt::Formatter<'_>, depth: usize, used: usize) -> fmt::Result {
        let Shape::Group { name, bracket, parts } = &self.shape else { return self.write_flat(out) };
        if self.fits(WIDTH.saturating_sub(4 * depth + used)) {
            return self.write_flat(out);
        }
        open(out, name, *bracket)?;
        for (field, part) in parts {
            write!(out, "\n{:1$}", "", 4 * (depth + 1))?;
            let used = field.as_ref().map_or(0, |field| field.len() + 2);
            if let Some(field) = field {
                write!(out, "{field}: ")?;
            }
            part.write(out, depth + 1, used + 1)?;
            out.write_char(',')?;
        }
        write!(out, "\n{:1$}{2}", "", 4 * depth, bracket.close())
    }

    fn write_flat(&self, out: &mut dyn Write) -> fmt::Result {
        let (name, bracket, parts) = match &self.shape {
            Shape::Word(word) => return out.write_str(word),
            Shape::Group { name, bracket, parts } => (name, *bracket, parts),
        };
        open(out, name, bracket)?;
        let space = if bracket == Bracket::Curly { " " } else { "" };
        out.write_str(space)?;
        for (place, (field, part)) in parts.iter().enumerate() {
            if place > 0 {
                out.write_str(", ")?;
            }
            if let Some(field) = field {
                write!(out, "{field}: ")?;
            }
            part.write_flat(out)?;
        }
        out.write_str(space)?;
        out.write_char(bracket.close())
    }

    /// Whether the text takes at most so many characters on one line. Looks no further than that.
    fn fits(&self, width: usize) -> bool {
        let mut left = Left(width);
        self.write_flat(&mut left).is_ok()
    }
}

fn open(out: &mut (impl Write + ?Sized), name: &str, bracket: Bracket) -> fmt::Result {
    out.write_str(name)?;
    if bracket == Bracket::Curly && !name.is_empty() {
        out.write_char(' ')?;
    }
    out.write_char(bracket.open())
}

/// Swallows so many characters and fails at the next.
struct Left(usize);

impl Write for Left {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.chars().count()).ok_or(fmt::Error)?;
        Ok(())
    }
}
