//! A matrix that comes from elsewhere: the tasks that ETNA publishes for its binary search trees.

use mutagen_refine::{Fate, KillMatrix, RefineReport};

const PROPERTIES: [&str; 18] = [
    "InsertValid",
    "DeleteValid",
    "UnionValid",
    "InsertPost",
    "DeletePost",
    "UnionPost",
    "InsertModel",
    "DeleteModel",
    "UnionModel",
    "InsertInsert",
    "InsertDelete",
    "InsertUnion",
    "DeleteInsert",
    "DeleteDelete",
    "DeleteUnion",
    "UnionDeleteInsert",
    "UnionUnionIdem",
    "UnionUnionAssoc",
];

/// Each bug with the numbers of the properties that find it, counted from 1.
const BUGS: [(&str, &[usize]); 8] = [
    ("insert_1", &[4, 7, 10, 12, 13, 16]),
    ("insert_2", &[4, 7, 10, 11, 12, 13, 16]),
    ("insert_3", &[4, 7, 10, 11, 12, 16]),
    ("delete_4", &[5, 8, 11, 13, 14, 15, 16]),
    ("delete_5", &[5, 8, 13, 14, 15, 16]),
    ("union_6", &[3, 6, 9, 12, 15, 16, 17, 18]),
    ("union_7", &[3, 6, 9, 12, 15, 16, 18]),
    ("union_8", &[6, 9, 12, 15, 16, 18]),
];

fn search_trees() -> RefineReport {
    let mut matrix = KillMatrix::new(PROPERTIES);
    for (bug, found_by) in BUGS {
        let cell = |number: usize| if found_by.contains(&number) { Fate::Killed } else { Fate::Survived };
        matrix.push(bug, (1..=18).map(cell));
    }
    RefineReport::of(matrix).expect("a report")
}

#[test]
fn the_tasks_of_search_trees_have_the_known_classes_and_minimal_sets() {
    let report = search_trees();
    let kills: Vec<usize> = (0..18).map(|property| report.matrix().kills(property)).collect();
    assert_eq!(kills, [0, 0, 2, 3, 2, 3, 3, 2, 3, 3, 3, 6, 4, 2, 5, 8, 1, 3]);
    assert_eq!(kills.iter().sum::<usize>(), 53);
    assert!(report.is_complete());
    assert_eq!(report.analysis().classes.len(), 32);
    let by_length = |length| report.minimal_sets().iter().filter(|set| set.len() == length).count();
    assert_eq!((report.minimal_sets().len(), by_length(1), by_length(2), by_length(3)), (49, 1, 8, 40));
    assert_eq!(report.minimal_sets()[0].to_string(), "{16}");
    let implied: Vec<&str> =
        report.analysis().strongest().implied.iter().map(|index| PROPERTIES[index]).collect();
    assert_eq!(implied, ["InsertValid", "DeleteValid", "UnionValid", "UnionUnionIdem"]);
}

#[test]
fn the_tasks_of_search_trees_have_the_known_conjectures() {
    let report = search_trees();
    let conjectures: Vec<_> = report.conjectures().collect();
    assert_eq!(conjectures.len(), 14);
    let first = conjectures[0];
    assert_eq!(format!("{} {} {}", first.left, first.relation, first.right), "{13} ==> {5,8,14}");
    assert_eq!((first.killed, first.survivors, first.score()), (4, 4, 50));
}

#[test]
fn unknown_outcomes_count_as_survived_and_are_told() {
    let mut matrix = KillMatrix::new(["results", "memory"]);
    matrix.push("first", [Fate::Killed, Fate::Unknown]);
    matrix.push("second", [Fate::Survived]);
    let report = RefineReport::of(matrix).expect("a report");
    assert_eq!(report.survivors().collect::<Vec<_>>(), [1]);
    assert!(report.to_string().contains("unknown, and counted as survived: 2 outcomes"), "{report}");
    assert_eq!(report.to_json()["matrix"][1]["unknown"], serde_json::json!([2]));
    assert!(report.to_html("two").contains("class=\"unknown\""));
}

/// The classes as the definition has them: all subsets, grouped by what survives them.
fn by_definition(properties: usize, columns: &[usize]) -> Vec<(usize, Vec<String>)> {
    let mut classes: Vec<(Vec<bool>, Vec<usize>)> = Vec::new();
    for set in (0..1_usize << properties).rev() {
        let survivors: Vec<bool> = columns.iter().map(|killers| killers & set == 0).collect();
        match classes.iter_mut().find(|(other, _)| *other == survivors) {
            Some((_, sets)) => sets.push(set),
            None => classes.push((survivors, vec![set])),
        }
    }
    // Subsets with the first property come before those without, so that it is the highest bit here.
    let shown = |set: usize| {
        let numbers = (0..properties).filter(|index| set >> (properties - 1 - index) & 1 == 1);
        format!("{{{}}}", numbers.map(|index| (index + 1).to_string()).collect::<Vec<_>>().join(","))
    };
    classes.sort_by(|one, other| one.0.cmp(&other.0));
    classes.sort_by_key(|(survivors, _)| survivors.iter().filter(|survives| **survives).count());
    let minimal = |(survivors, mut sets): (Vec<bool>, Vec<usize>)| {
        sets.sort_by_key(|set| set.count_ones());
        let mut kept: Vec<usize> = Vec::new();
        for set in sets {
            if !kept.iter().any(|smaller| smaller & set == *smaller) {
                kept.push(set);
            }
        }
        (survivors.iter().filter(|survives| **survives).count(), kept.into_iter().map(shown).collect())
    };
    classes.into_iter().map(minimal).collect()
}

#[test]
fn classes_are_those_of_going_through_all_subsets() {
    let mut state = 1_usize;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    for round in 0..200 {
        let (properties, mutants) = (1 + round % 7, 1 + next() % 20);
        let columns: Vec<usize> = (0..mutants).map(|_| next() & next() & ((1 << properties) - 1)).collect();
        let mut matrix = KillMatrix::new((0..properties).map(|property| property.to_string()));
        for killers in &columns {
            let cell = |index: usize| match killers >> (properties - 1 - index) & 1 {
                1 => Fate::Killed,
                _ => Fate::Survived,
            };
            matrix.push("mutant", (0..properties).map(cell));
        }
        let report = RefineReport::of(matrix).expect("a report");
        let found: Vec<(usize, Vec<String>)> = report
            .analysis()
            .classes
            .iter()
            .map(|class| (class.survivors, class.sets.iter().map(ToString::to_string).collect()))
            .collect();
        assert_eq!(found, by_definition(properties, &columns), "round {round}");
    }
}
