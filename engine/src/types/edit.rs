//! Changes of a sequence, by number.

use crate::Source;

/// One change of a sequence that its length alone allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SequenceEdit {
    Remove(usize),
    Duplicate(usize),
    SwapWithNext(usize),
    InsertSmallest(usize),
    /// Puts the smallest element on both sides. In a program where that is a statement without demands, such as `skip` or
    /// `unreachable`, this can free an instruction from what its neighbours expect.
    Enclose(usize),
    Truncate(usize),
}

/// How many edits a sequence of this length has.
pub(super) fn rich_count(length: usize) -> usize {
    kinds(length).into_iter().map(|(count, _)| count).sum()
}

/// The edit `number` of a sequence of this length, kind by kind.
///
/// Truncation leaves out what removing does already: it never takes one element alone. So no two edits do the same to every
/// sequence.
pub(super) fn rich_edit(length: usize, mut number: usize) -> Option<SequenceEdit> {
    kinds(length).into_iter().find_map(|(count, edit)| {
        let found = (number < count).then(|| edit(number));
        number = number.saturating_sub(count);
        found
    })
}

type EditKind = (usize, fn(usize) -> SequenceEdit);

fn kinds(length: usize) -> [EditKind; 7] {
    [
        (length, SequenceEdit::Remove),
        (length, SequenceEdit::Duplicate),
        (length.saturating_sub(1), SequenceEdit::SwapWithNext),
        (length + 1, SequenceEdit::InsertSmallest),
        (length, SequenceEdit::Enclose),
        (length.saturating_sub(2), |index| SequenceEdit::Truncate(index + 1)),
        (usize::from(length > 1), |_| SequenceEdit::Truncate(0)),
    ]
}

/// How many edits the original MUTAGEN has: three per cell, and one for the empty list.
pub(super) fn paper_count(length: usize) -> usize {
    (3 * length).max(1)
}

/// The edit `number` of the original MUTAGEN, which walks a list cell by cell: cut off, drop, duplicate. Cutting off the
/// last cell would be dropping it, so that one comes first there; behind it the empty rest gets the smallest element.
pub(super) fn paper_edit(length: usize, number: usize) -> Option<SequenceEdit> {
    let cell = number / 3;
    if number >= paper_count(length) {
        return None;
    }
    Some(match (number % 3, cell + 1 >= length) {
        (0, false) => SequenceEdit::Truncate(cell),
        (1, false) => SequenceEdit::Remove(cell),
        (2, false) => SequenceEdit::Duplicate(cell),
        (0, true) if length > 0 => SequenceEdit::Remove(cell),
        (1, true) => SequenceEdit::Duplicate(cell),
        _ => SequenceEdit::InsertSmallest(length),
    })
}

impl SequenceEdit {
    /// Changes `items`. False, and unchanged, if the neighbours to be swapped are equal.
    pub(super) fn apply<T: Clone + PartialEq>(self, items: &mut Vec<T>, smallest: fn() -> T) -> bool {
        match self {
            SequenceEdit::Remove(index) => drop(items.remove(index)),
            SequenceEdit::Duplicate(index) => items.insert(index, items[index].clone()),
            SequenceEdit::SwapWithNext(index) if items[index] == items[index + 1] => return false,
            SequenceEdit::SwapWithNext(index) => items.swap(index, index + 1),
            SequenceEdit::InsertSmallest(index) => items.insert(index, smallest()),
            SequenceEdit::Enclose(index) => {
                items.insert(index + 1, smallest());
                items.insert(index, smallest());
            }
            SequenceEdit::Truncate(length) => items.truncate(length),
        }
        true
    }
}

/// Inserts random elements behind element `index`, or at the end: as many as half the size allows.
pub(super) fn insert_random<T>(
    items: &mut Vec<T>,
    index: usize,
    size: usize,
    source: &mut Source,
    generate: fn(&mut Source, usize) -> T,
) {
    let amount = 1 + source.below((size / 2).max(1));
    let index = (index + 1).min(items.len());
    items.splice(index..index, (0..amount).map(|_| generate(source, size)));
}

/// Changes a sequence as FuzzChick does, walking along it. With `n` elements left, mutating the next one and removing it have
/// one chance in `n + 2` each; otherwise the walk goes on. At the end it appends a fresh sequence.
pub(super) fn random_edit<T>(
    items: &mut Vec<T>,
    source: &mut Source,
    mutate: impl FnOnce(&mut T, &mut Source),
    fresh: impl FnOnce(&mut Source) -> Vec<T>,
) {
    for index in 0..items.len() {
        match source.below(items.len() - index + 2) {
            0 => return mutate(&mut items[index], source),
            1 => return drop(items.remove(index)),
            _ => {}
        }
    }
    items.extend(fresh(source));
}
