//! Finds the place where two memories or tables differ.

use std::fmt;

use crate::{
    agreement::{Difference, What},
    engine::Instance,
    state::{Extent, State},
};

/// The difference with the address or element at which it begins, which takes the contents of both sides.
pub(super) fn locate(
    difference: Difference,
    state: &State,
    ours: &mut dyn Instance,
    theirs: &mut dyn Instance,
) -> Difference {
    let place = match &difference.what {
        What::Memory(name, _) => index_of(&state.memories, name).and_then(|index| {
            let place = first_difference(&ours.memory(index), &theirs.memory(index));
            place.map(|(at, a, b)| (What::Memory(name.clone(), at), a, b))
        }),
        What::Table(name, _) => index_of(&state.tables, name).and_then(|index| {
            let place = first_difference(&ours.table(index), &theirs.table(index));
            place.map(|(at, a, b)| (What::Table(name.clone(), at), a, b))
        }),
        _ => None,
    };
    place.map_or(difference, |(what, target, reference)| Difference { what, target, reference })
}

fn index_of(extents: &[Extent], name: &str) -> Option<usize> {
    extents.iter().position(|extent| *extent.name == *name)
}

/// The first place where two sequences differ, with what stands there.
fn first_difference<T: PartialEq + fmt::Display>(a: &[T], b: &[T]) -> Option<(u64, String, String)> {
    let common = a.iter().zip(b).position(|(a, b)| a != b);
    let at = common.or_else(|| (a.len() != b.len()).then(|| a.len().min(b.len())))?;
    let shown = |side: &[T]| side.get(at).map_or_else(|| "its end".to_owned(), T::to_string);
    Some((at as u64, shown(a), shown(b)))
}
