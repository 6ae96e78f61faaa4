//! Random choices among items.

use mutagen_engine::Source;

/// One of the items, all with equal probability. None if there are no items.
pub(super) fn pick<T>(items: impl IntoIterator<Item = T>, source: &mut Source) -> Option<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    if items.is_empty() { None } else { Some(items.swap_remove(source.below(items.len()))) }
}

/// One of the items. There must be at least one.
pub(super) fn one_of<T: Copy, const N: usize>(items: [T; N], source: &mut Source) -> T {
    items[source.below(N)]
}

/// One of the items, with probabilities by weight. None if all weights are zero.
pub(super) fn weighted<T: Copy>(items: &[(u32, T)], source: &mut Source) -> Option<T> {
    let weights: Vec<u32> = items.iter().map(|(weight, _)| *weight).collect();
    let (weight, item) = items.get(source.weighted(&weights))?;
    (*weight > 0).then_some(*item)
}
