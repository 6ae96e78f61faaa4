//! The list of faults that campaigns must survive names a test for each, and each of these tests is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const LIST: &str = include_str!("../docs/faults.md");
/// How many faults of each kind there are.
const KINDS: [(char, usize); 6] = [('A', 35), ('B', 10), ('C', 11), ('D', 9), ('E', 10), ('F', 7)];

/// A row of the list: faults, and the tests that cover them.
struct Row<'a> {
    faults: Vec<&'a str>,
    /// Each with its file.
    tests: Vec<(&'a str, &'a str)>,
}

/// `None` if the line is no row.
fn row(line: &str) -> Option<Row<'_>> {
    let [_, faults, _, tests, _] = line.split('|').collect::<Vec<_>>()[..] else { return None };
    let faults: Vec<&str> = faults.trim().split(", ").collect();
    let is_fault = |fault: &&str| fault.len() > 1 && fault[1..].chars().all(|digit| digit.is_ascii_digit());
    let tests = tests.split(';').flat_map(|part| {
        // The first quoted word is the file, all others are its tests.
        let mut words = part.split('`').skip(1).step_by(2);
        let file = words.next().unwrap_or_default();
        words.map(move |test| (file, test)).collect::<Vec<_>>()
    });
    let tests = tests.collect();
    faults.iter().all(is_fault).then_some(Row { faults, tests })
}

#[test]
fn every_fault_is_listed_with_tests_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut listed = BTreeSet::new();
    for Row { faults, tests } in LIST.lines().filter_map(row) {
        assert!(!tests.is_empty(), "{faults:?}");
        for (file, test) in tests {
            let text = fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(text.contains(&format!("#[test]\nfn {test}() {{")), "{file} has no test {test}");
        }
        listed.extend(faults.into_iter().map(str::to_owned));
    }
    let all: BTreeSet<String> = KINDS
        .iter()
        .flat_map(|(kind, count)| (1..=*count).map(move |number| format!("{kind}{number}")))
        .collect();
    assert_eq!(listed, all);
}
