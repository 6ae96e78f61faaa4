//! The trace stores.

use mutagen_engine::{EdgeMap, Novelty, PathTrie, Source, Trace, TraceStore};
use std::collections::HashSet;

fn insert(store: &mut impl TraceStore, events: &[u32]) -> (usize, usize) {
    let Novelty { new, depth } = store.insert(Trace::new(events));
    (new, depth)
}

#[test]
fn trie_gives_new_nodes_and_branching_depth() {
    let mut trie = PathTrie::new();
    assert_eq!(insert(&mut trie, &[1, 2, 3, 4]), (4, 0));
    assert_eq!(insert(&mut trie, &[1, 2, 3, 5]), (1, 3));
    assert_eq!(insert(&mut trie, &[1, 2, 6, 7]), (2, 2));
    for known in [[1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 6, 7]] {
        assert_eq!(insert(&mut trie, &known), (0, 4));
    }
    assert_eq!(trie.len(), 7);
}

#[test]
fn trie_takes_prefixes_and_empty_traces_for_known() {
    let mut trie = PathTrie::new();
    assert_eq!(insert(&mut trie, &[]), (0, 0));
    insert(&mut trie, &[5, 6, 7]);
    assert_eq!(insert(&mut trie, &[5, 6]), (0, 2));
    assert_eq!(insert(&mut trie, &[5, 6, 7, 8]), (1, 3));
}

#[test]
fn trie_looks_at_no_more_events_than_it_is_told_to() {
    let mut trie = PathTrie::new().max_length(Some(2));
    assert_eq!(insert(&mut trie, &[1, 2, 3]), (2, 0));
    assert_eq!(insert(&mut trie, &[1, 2, 4]), (0, 2));
}

#[test]
fn cleared_stores_know_nothing() {
    let stores: [Box<dyn TraceStore>; 3] =
        [Box::new(PathTrie::new()), Box::new(EdgeMap::new()), Box::new(EdgeMap::hit_buckets())];
    for mut store in stores {
        let first = store.insert(Trace::new(&[3, 1, 3, 2, 3, 4, 3, 5])).new;
        store.clear();
        assert!(store.is_empty());
        assert_eq!(store.insert(Trace::new(&[3, 1, 3, 2, 3, 4, 3, 5])).new, first);
    }
}

/// Random traces over few events, so that they share prefixes of all lengths.
fn random_traces(count: usize) -> Vec<Vec<u32>> {
    let mut source = Source::seeded(5);
    let mut trace = || (0..source.below(12)).map(|_| 1 + source.below(3) as u32).collect();
    (0..count).map(|_| trace()).collect()
}

#[test]
fn trie_agrees_with_a_set_of_all_prefixes() {
    let mut trie = PathTrie::new();
    let mut prefixes = HashSet::new();
    for trace in random_traces(20_000) {
        let known =
            (0..=trace.len()).rev().find(|&length| length == 0 || prefixes.contains(&trace[..length]));
        let depth = known.unwrap_or(0);
        prefixes.extend((1..=trace.len()).map(|length| trace[..length].to_vec()));
        assert_eq!(insert(&mut trie, &trace), (trace.len() - depth, depth), "{trace:?}");
        assert_eq!(trie.len(), prefixes.len());
    }
}

#[test]
fn edge_map_agrees_with_a_set_of_pairs() {
    let mut edges = EdgeMap::new();
    let mut pairs = HashSet::new();
    let mut source = Source::seeded(9);
    for _ in 0..2000 {
        let trace: Vec<u32> = (0..source.below(20)).map(|_| 1 + source.below(40) as u32).collect();
        let before = pairs.len();
        pairs.extend(std::iter::once(&0).chain(&trace).copied().zip(trace.iter().copied()));
        assert_eq!(insert(&mut edges, &trace), (pairs.len() - before, 0));
        assert_eq!(edges.len(), pairs.len());
    }
}

#[test]
fn hit_buckets_tell_orders_of_magnitude_apart() {
    let mut edges = EdgeMap::hit_buckets();
    let looping = |times: usize| vec![7; times];
    let mut newness = |times| insert(&mut edges, &looping(times)).0;
    assert_eq!(newness(2), 2, "the edges 0-7 and 7-7");
    assert_eq!(newness(2), 0);
    assert_eq!(newness(3), 1, "7-7 twice");
    assert_eq!(newness(5), 1, "7-7 four times");
    assert_eq!(newness(7), 0, "six times is about as often as four times");
    assert_eq!(newness(200), 1);
}

#[test]
fn full_stores_refuse_visibly_and_find_nothing_new() {
    let mut trie = PathTrie::new().max_bytes(4000);
    let mut edges = EdgeMap::new().max_bytes(4000);
    for event in 1..5000 {
        insert(&mut trie, &[event, event + 1, event + 2]);
        insert(&mut edges, &[event]);
    }
    for store in [&mut trie as &mut dyn TraceStore, &mut edges] {
        assert!(store.bytes() <= 4000, "{}", store.bytes());
        assert!(store.refused() > 0 && !store.is_empty());
        assert_eq!(store.insert(Trace::new(&[4999])).new, 0);
    }
}

#[test]
fn a_million_long_paths_that_share_prefixes_take_little_memory() {
    let mut trie = PathTrie::new();
    let mut path: Vec<u32> = (1..=1000).collect();
    for number in 0..1_000_000u32 {
        // They part in the last ten events.
        for (place, event) in path[990..].iter_mut().enumerate() {
            *event = 1 + (number >> (2 * place) & 3);
        }
        insert(&mut trie, &path);
    }
    let apart = 1_000_000 * 1000 * size_of::<u32>();
    assert!(trie.len() > 1_000_000);
    assert!(trie.bytes() < apart / 40, "{} bytes", trie.bytes());
}
