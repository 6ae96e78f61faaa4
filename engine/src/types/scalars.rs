//! Values without parts that are not numbers: bool, char, unit, phantom data.

use crate::text::parse::unquote;
use crate::{Count, Generate, Mutable, NoText, Scope, Source, Text, TextError};
use std::marker::PhantomData;

impl Generate for bool {
    fn generate(source: &mut Source, _size: usize) -> Self {
        source.chance(1, 2)
    }

    fn smallest() -> Self {
        false
    }

    fn to_text(&self) -> Result<Text, NoText> {
        Ok(Text::word(self.to_string()))
    }

    fn from_text(text: &Text) -> Result<Self, TextError> {
        text.parse_word("`true` or `false`")
    }
}

impl Mutable for bool {
    no_children!();

    fn count(&self, _scope: &Scope) -> Count {
        Count::fixed(1)
    }

    fn mutate(&mut self, number: usize, _source: &mut Source) -> bool {
        *self ^= number == 0;
        number == 0
    }

    fn magnitude(&self) -> u64 {
        u64::from(*self)
    }
}

/// The characters that text mutates to, one of each kind; the first is the smallest.
pub(super) const CHARACTERS: [char; 5] = ['a', 'A', '0', ' ', '\0'];

/// Characters that tend to upset programs, mixed into generated text.
const UNUSUAL: [char; 8] = ['\0', '\n', '"', '\\', '\u{7f}', 'é', '\u{2028}', '🦀'];

impl Generate for char {
    fn generate(source: &mut Source, _size: usize) -> Self {
        match source.below(8) {
            0..=3 => char::from(b'a' + source.below(26) as u8),
            4..=6 => char::from(b' ' + source.below(95) as u8),
            _ => UNUSUAL[source.below(UNUSUAL.len())],
        }
    }

    fn smallest() -> Self {
        CHARACTERS[0]
    }

    fn to_text(&self) -> Result<Text, NoText> {
        Ok(Text::word(format!("{self:?}")))
    }

    fn from_text(text: &Text) -> Result<Self, TextError> {
        let unquoted = unquote(text.as_word()?, '\'').unwrap_or_default();
        let mut letters = unquoted.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok(letter),
            _ => Err(text.error("a character in single quotes should stand here")),
        }
    }
}

impl Mutable for char {
    no_children!();

    fn count(&self, _scope: &Scope) -> Count {
        Count { fixed: CHARACTERS.len() - usize::from(CHARACTERS.contains(self)), sampled: 1 }
    }

    fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
        let count = self.count(source.scope());
        let mutant = match number {
            number if number == count.fixed => Some(char::generate(source, 0)),
            number => CHARACTERS.into_iter().filter(|other| other != self).nth(number),
        };
        let mutant = mutant.unwrap_or(*self);
        std::mem::replace(self, mutant) != mutant
    }

    fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
        *self = char::generate(source, size);
    }

    fn magnitude(&self) -> u64 {
        let rank = CHARACTERS.iter().position(|other| other == self);
        rank.map_or(u64::from(*self) + CHARACTERS.len() as u64, |rank| rank as u64)
    }
}

macro_rules! only_one_value {
    ($type:ty, $value:expr, $($parameter:ident)?) => {
        impl$(<$parameter: 'static>)? Generate for $type {
            fn generate(_source: &mut Source, _size: usize) -> Self {
                $value
            }

            fn smallest() -> Self {
                $value
            }

            fn to_text(&self) -> Result<Text, NoText> {
                Ok(Text::tuple([]))
            }

            fn from_text(text: &Text) -> Result<Self, TextError> {
                text.fields().end().map(|()| $value)
            }
        }

        impl$(<$parameter: 'static>)? Mutable for $type {
            no_children!();

            fn count(&self, _scope: &Scope) -> Count {
                Count::NONE
            }

            fn mutate(&mut self, _number: usize, _source: &mut Source) -> bool {
                false
            }
        }
    };
}

only_one_value!((), (),);
only_one_value!(PhantomData<T>, PhantomData, T);
