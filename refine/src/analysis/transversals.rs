//! Minimal sets that meet each of several sets, by Berge's algorithm.

use super::PropertySet;

/// The minimal sets that have something in common with each of `edges`, short ones first. None if there are more than `limit`.
pub(super) fn minimal(edges: impl Iterator<Item = PropertySet>, limit: usize) -> Option<Vec<PropertySet>> {
    let mut found = vec![PropertySet::default()];
    for edge in smallest(edges) {
        let (hits, misses): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|set| !set.intersection(edge).is_empty());
        let extended = misses.iter().flat_map(|set| edge.iter().map(|property| set.with(property)));
        let extended = extended.filter(|set| !hits.iter().any(|hit| hit.is_subset(*set)));
        found = hits.iter().copied().chain(extended).take(limit + 1).collect();
        if found.len() > limit {
            return None;
        }
    }
    found.sort_by_key(|set| set.rank());
    Some(found)
}

/// The edges that contain no other: whatever meets them meets all.
fn smallest(edges: impl Iterator<Item = PropertySet>) -> Vec<PropertySet> {
    let mut edges: Vec<PropertySet> = edges.collect();
    edges.sort_by_key(|set| set.rank());
    let mut smallest: Vec<PropertySet> = Vec::new();
    for edge in edges {
        if !smallest.iter().any(|smaller| smaller.is_subset(edge)) {
            smallest.push(edge);
        }
    }
    smallest
}
