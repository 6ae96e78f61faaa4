//! The parts of a constructor, taken one by one.

use super::{Shape, Text, TextError};

/// A constructor whose parts are taken one by one, so that what is missing and what is left over can be named.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    text: &'a Text,
    name: &'a str,
    parts: Vec<(Option<&'a str>, &'a Text)>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(text: &'a Text) -> Self {
        let (name, parts) = match &text.shape {
            Shape::Word(word) => (word.as_str(), Vec::new()),
            Shape::Group { name, parts, .. } => {
                (name.as_str(), parts.iter().map(|(field, part)| (field.as_deref(), part)).collect())
            }
        };
        Fields { text, name, parts }
    }

    /// The constructor; empty for a tuple or a list.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The part of the field with this name, or the next one of a constructor whose fields have none.
    pub fn take(&mut self, field: Option<&str>) -> Result<&'a Text, TextError> {
        let found = self.parts.iter().position(|(name, _)| *name == field);
        match (found, field) {
            (Some(place), _) => Ok(self.parts.remove(place).1),
            (None, Some(field)) => {
                Err(self.text.error(format!("`{}` has no field `{field}` here", self.name)))
            }
            (None, None) => Err(self.text.error(format!("`{}` has too few parts", self.name))),
        }
    }

    /// Checks that nothing is left.
    pub fn end(self) -> Result<(), TextError> {
        match self.parts.first() {
            None => Ok(()),
            Some((Some(field), part)) => {
                Err(part.error(format!("`{}` has no field `{field}` any more", self.name)))
            }
            Some((None, part)) => Err(part.error(format!("`{}` has too many parts", self.name))),
        }
    }

    /// The error that the type has no such constructor.
    pub fn unknown(&self, known: &[&str]) -> TextError {
        let known = known.join(", ");
        self.text.error(format!("there is no constructor `{}`; known are {known}", self.name))
    }
}
