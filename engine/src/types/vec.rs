//! Vectors: edits at every index, and splicing a child's sequence in.

use super::edit::{insert_random, paper_count, paper_edit, random_edit, rich_count, rich_edit};
use crate::{Count, Generate, Mutable, NoText, SampleSize, Scope, SequenceMutants, Source, Text, TextError};
use std::any::Any;

impl<T: Generate> Generate for Vec<T> {
    fn generate(source: &mut Source, size: usize) -> Self {
        let length = source.below(size.saturating_add(1));
        (0..length).map(|_| T::generate(source, size)).collect()
    }

    fn smallest() -> Self {
        Vec::new()
    }

    fn to_text(&self) -> Result<Text, NoText> {
        Ok(Text::list(self.iter().map(T::to_text).collect::<Result<Vec<_>, _>>()?))
    }

    fn from_text(text: &Text) -> Result<Self, TextError> {
        text.items()?.map(T::from_text).collect()
    }
}

impl<T: Mutable + Clone + PartialEq> Mutable for Vec<T> {
    fn children(&self) -> usize {
        self.len()
    }

    fn child(&self, index: usize) -> &dyn Mutable {
        &self[index]
    }

    fn child_mut(&mut self, index: usize) -> &mut dyn Mutable {
        &mut self[index]
    }

    fn count(&self, scope: &Scope) -> Count {
        match scope.or_default() {
            SequenceMutants::Rich => Count::fixed(rich_count(self.len()) + splices(self).count()),
            SequenceMutants::Paper => Count { fixed: paper_count(self.len()), sampled: self.len() + 1 },
        }
    }

    fn mutate(&mut self, number: usize, source: &mut Source) -> bool {
        match source.scope().or_default() {
            SequenceMutants::Rich => mutate_rich(self, number),
            SequenceMutants::Paper => mutate_paper(self, number, source),
        }
    }

    fn mutate_randomly(&mut self, source: &mut Source, size: usize) {
        let mutate = |item: &mut T, source: &mut Source| item.mutate_randomly(source, size);
        random_edit(self, source, mutate, |source| Vec::generate(source, size));
    }
}

fn mutate_rich<T: Mutable + Clone + PartialEq>(items: &mut Vec<T>, number: usize) -> bool {
    match rich_edit(items.len(), number) {
        Some(edit) => edit.apply(items, T::smallest),
        None => splice(items, number - rich_count(items.len())),
    }
}

fn mutate_paper<T: Mutable + Clone + PartialEq>(
    items: &mut Vec<T>,
    number: usize,
    source: &mut Source,
) -> bool {
    if let Some(edit) = paper_edit(items.len(), number) {
        return edit.apply(items, T::smallest);
    }
    let index = number - paper_count(items.len());
    let sampler = index <= items.len();
    if sampler {
        let SampleSize(size) = source.scope().or_default();
        insert_random(items, index, size, source, T::generate);
    }
    sampler
}

/// Replaces an element by the elements of a sequence inside it.
fn splice<T: Mutable + Clone + PartialEq>(items: &mut Vec<T>, number: usize) -> bool {
    let Some((index, inner)) = splices(items).nth(number) else { return false };
    let inner = inner.clone();
    items.splice(index..=index, inner);
    true
}

/// The sequences that can replace an element, each with the element's index.
fn splices<T: Mutable>(items: &[T]) -> impl Iterator<Item = (usize, &Vec<T>)> {
    items.iter().enumerate().flat_map(|(index, item)| inner_sequences(item).map(move |inner| (index, inner)))
}

/// The sequences inside an element that have the type of the whole sequence, such as the body of a block.
fn inner_sequences<T: Mutable>(item: &T) -> impl Iterator<Item = &Vec<T>> {
    let holder = holder(item);
    (0..holder.children()).filter_map(|index| sequence(holder.child(index)))
}

/// The value whose children are such sequences: the element, or its only child (the struct with all that a block has).
fn holder<T: Mutable>(item: &T) -> &dyn Mutable {
    match item.children() {
        1 if sequence::<T>(item.child(0)).is_none() => item.child(0),
        _ => item,
    }
}

fn sequence<T: 'static>(value: &dyn Mutable) -> Option<&Vec<T>> {
    let any: &dyn Any = value;
    any.downcast_ref()
}
