//! The list of faults that campaigns must survive names a test for each, and each of these tests is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const LIST: &str = include_str!("../docs/faults.md");
/// How many faults of each kind there are.
const KINDS: [(char, usize); 6] = [('A', 35), ('B', 10), ('C', 11), ('D', 9), ('E', 10), ('F', 7)];

/// The faults of a row and its tests, each with its file. `None` if the line is no such row.
fn row(line: &str) -> Option<(Vec<&str>, Vec<(&str, &str)>)> {
    let [_, faults, _, tests, _] = line.split('|').collect::<Vec<_>>()[..] else { return None };
    let faults: Vec<&str> = faults.trim().split(", ").collect();
    let is_fault = |fault: &&str| fault.len() > 1 && fault[1..].chars().all(|digit| digit.is_ascii_digit());
    let tests = tests.split(';').flat_map(|part| {
        // The first quoted word is the file, all others are its tests.
        let mut words = part.split('`').skip(1).step_by(2);
        let file = words.next().unwrap_or_default();
        words.map(move |test| (file, test)).collect::<Vec<_>>()
    });
    faults.iter().all(|fault| is_fault(fault)).then(|| (faults.clone(), tests.collect()))
}

#[test]
fn every_fault_is_listed_with_tests_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut listed = BTreeSet::new();
    for (faults, tests) in LIST.lines().filter_map(row) {
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
