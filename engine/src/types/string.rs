//! Strings: sequences of characters. The characters are not positions of their own.

use super::edit::{insert_random, paper_count, paper_edit, random_edit, rich_count, rich_edit};
use super::scalars::CHARACTERS;
use crate::text::parse::unquote;
use crate::{Count, Generate, Mutable, NoText, SampleSize, Scope, SequenceMutants, Source, Text, TextError};

impl Generate for String {
    fn generate(source: &mut Source, size: usize) -> Self {
        let length = source.below(size.saturating_add(1));
        (0..length).map(|_| char::generate(source, size)).collect()
    }

    fn smallest() -> Self {
        String::new()
    }

    fn to_text(&self) -> Result<Text, NoText> {
        Ok(Text::word(format!("{self:?}")))
    }

    fn from_text(text: &Text) -> Result<Self, TextError> {
        let literal = text.as_word()?;
        unquote(literal, '"').ok_or_else(|| text.error("a string in double quotes should stand here"))
    }
}

/// The edits of a sequence; then every character replaced by one of each kind; then a random insertion at every place.
impl Mutable for String {
    no_children!();

    fn count(&self, scope: &Scope) -> Count {
        let length = self.chars().count();
        Count { fixed: edits(length, scope) + length * CHARACTERS.len(), sampled: length + 1 }
    }

    fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
        let mut characters: Vec<char> = self.chars().collect();
        let changed = mutate_characters(&mut characters, number, source);
        if changed {
            *self = characters.into_iter().collect();
        }
        changed
    }

    fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
        let mut characters: Vec<char> = self.chars().collect();
        let mutate = |character: &mut char, source: &mut Source| character.mutate_randomly(source, size);
        random_edit(&mut characters, source, mutate, |source| Vec::generate(source, size));
        *self = characters.into_iter().collect();
    }

    fn magnitude(&self) -> u64 {
        self.chars().map(|character| 1 + character.magnitude()).sum()
    }
}

fn edits(length: usize, scope: &Scope) -> usize {
    match scope.or_default() {
        SequenceMutants::Rich => rich_count(length),
        SequenceMutants::Paper => paper_count(length),
    }
}

fn mutate_characters(characters: &mut Vec<char>, number: usize, source: &mut Source) -> bool {
    let length = characters.len();
    let edit = match source.scope().or_default() {
        SequenceMutants::Rich => rich_edit(length, number),
        SequenceMutants::Paper => paper_edit(length, number),
    };
    if let Some(edit) = edit {
        return edit.apply(characters, char::smallest);
    }
    let number = number - edits(length, source.scope());
    match number.checked_sub(length * CHARACTERS.len()) {
        None => replace_character(characters, number),
        Some(index) if index <= length => {
            let SampleSize(size) = source.scope().or_default();
            insert_random(characters, index, size, source, char::generate);
            true
        }
        Some(_) => false,
    }
}

fn replace_character(characters: &mut [char], number: usize) -> bool {
    let new = CHARACTERS[number % CHARACTERS.len()];
    std::mem::replace(&mut characters[number / CHARACTERS.len()], new) != new
}
