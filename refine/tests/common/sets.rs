//! Sets of words, and sets of sets of them, with the properties of FitSpec's paper.

use mutagen_refine::{Function, Refine, Word, function};
use std::collections::BTreeSet;

pub type Element = Word<2>;
pub type Set = BTreeSet<Element>;
pub type Sets = BTreeSet<Set>;

/// Member, insert, delete, intersection, union, subset.
pub type Library = (
    Function<fn(Element, Set) -> bool>,
    Function<fn(Element, Set) -> Set>,
    Function<fn(Element, Set) -> Set>,
    Function<fn(Set, Set) -> Set>,
    Function<fn(Set, Set) -> Set>,
    Function<fn(Set, Set) -> bool>,
);

pub fn library() -> Library {
    (
        function("member", |x: Element, s: Set| s.contains(&x)),
        function("insert", |x: Element, mut s: Set| {
            s.insert(x);
            s
        }),
        function("delete", |x: Element, mut s: Set| {
            s.remove(&x);
            s
        }),
        function("intersection", |s: Set, t: Set| &s & &t),
        function("union", |s: Set, t: Set| &s | &t),
        function("subset", |s: Set, t: Set| s.is_subset(&t)),
    )
}

/// With the budgets of the paper.
fn refine() -> Refine<Library> {
    Refine::new(library()).mutants(750).tests(1500)
}

fn union_and_intersection(refine: Refine<Library>) -> Refine<Library> {
    refine
        .property("members of a union", |f, (x, s, t): (Element, Set, Set)| {
            (f.0)(x, (f.4)(s.clone(), t.clone())) == ((f.0)(x, s) || (f.0)(x, t))
        })
        .property("members of an intersection", |f, (x, s, t): (Element, Set, Set)| {
            (f.0)(x, (f.3)(s.clone(), t.clone())) == ((f.0)(x, s) && (f.0)(x, t))
        })
}

fn inserted_and_deleted(refine: Refine<Library>) -> Refine<Library> {
    refine
        .property("inserted", |f, (x, s): (Element, Set)| (f.0)(x, (f.1)(x, s)))
        .property("deleted", |f, (x, s): (Element, Set)| !(f.0)(x, (f.2)(x, s)))
}

fn subset(refine: Refine<Library>) -> Refine<Library> {
    refine.property("subset", |f, (s, t): (Set, Set)| {
        (f.5)(s.clone(), t.clone()) == s.into_iter().all(|x| (f.0)(x, t.clone()))
    })
}

pub fn initial() -> Refine<Library> {
    union_and_intersection(inserted_and_deleted(refine()))
        .property("part of a union", |f, (s, t): (Set, Set)| (f.5)(s.clone(), (f.4)(s, t)))
        .property("part of an intersection", |f, (s, t): (Set, Set)| (f.5)((f.3)(s.clone(), t), s))
        .property("union commutes", |f, (s, t): (Set, Set)| (f.4)(s.clone(), t.clone()) == (f.4)(t, s))
        .property("intersection commutes", |f, (s, t): (Set, Set)| (f.3)(s.clone(), t.clone()) == (f.3)(t, s))
}

pub fn with_subset() -> Refine<Library> {
    subset(union_and_intersection(inserted_and_deleted(refine())))
}

pub fn strengthened() -> Refine<Library> {
    let refine = refine()
        .property("members after insertion", |f, (x, y, s): (Element, Element, Set)| {
            (f.0)(x, (f.1)(y, s.clone())) == (x == y || (f.0)(x, s))
        })
        .property("members after deletion", |f, (x, y, s): (Element, Element, Set)| {
            (f.0)(x, (f.2)(y, s.clone())) == (x != y && (f.0)(x, s))
        });
    subset(union_and_intersection(refine))
}

pub type PowerAndPartitions = (Function<fn(Set) -> Sets>, Function<fn(Set) -> BTreeSet<Sets>>);

fn power(s: Set) -> Sets {
    s.into_iter().fold(Sets::from([Set::new()]), |sets, x| {
        let with = sets.iter().map(|set| set | &Set::from([x]));
        with.chain(sets.clone()).collect()
    })
}

fn partitions(s: Set) -> BTreeSet<Sets> {
    s.into_iter().fold(BTreeSet::from([Sets::new()]), |all, x| {
        let own = Set::from([x]);
        let extended = |partition: &Sets| {
            let joined = partition.iter().map(|block| {
                let mut joined = partition.clone();
                joined.remove(block);
                joined.insert(block | &own);
                joined
            });
            let alone = partition | &Sets::from([own.clone()]);
            joined.chain([alone]).collect::<Vec<_>>()
        };
        all.iter().flat_map(extended).collect()
    })
}

pub fn power_and_partitions() -> PowerAndPartitions {
    (function("power", power), function("partitions", partitions))
}

fn union(sets: &Sets) -> Set {
    sets.iter().flatten().copied().collect()
}

/// So many of the properties of power sets and partitions, out of four.
pub fn sets_of_sets(properties: usize) -> Refine<PowerAndPartitions> {
    let refine = Refine::new(power_and_partitions())
        .property("power set", |(power, _), (s, t): (Set, Set)| {
            power(s.clone()).contains(&t) == t.is_subset(&s)
        })
        .property("blocks are subsets", |(_, partitions), s: Set| {
            partitions(s.clone()).iter().flatten().all(|block| block.is_subset(&s))
        });
    let refine = match properties {
        0..3 => return refine,
        _ => refine.property("there is a partition", |(_, partitions), s: Set| !partitions(s).is_empty()),
    };
    match properties {
        3 => refine,
        _ => refine.property("blocks cover the set and are not empty", |(_, partitions), s: Set| {
            let covers = |partition: &Sets| union(partition) == s && !partition.contains(&Set::new());
            partitions(s.clone()).iter().all(covers)
        }),
    }
}

/// What power sets and partitions are.
pub fn sets_of_sets_defined() -> Refine<PowerAndPartitions> {
    Refine::new(power_and_partitions())
        .property("power set", |(power, _), (s, t): (Set, Set)| {
            power(s.clone()).contains(&t) == t.is_subset(&s)
        })
        .property("partitions", |(_, partitions), (s, blocks): (Set, Sets)| {
            let amount: usize = blocks.iter().map(Set::len).sum();
            let is_partition = union(&blocks) == s && amount == s.len() && !blocks.contains(&Set::new());
            partitions(s).contains(&blocks) == is_partition
        })
}
