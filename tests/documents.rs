//! What the documents name is there: paths, crates, exit codes, types.

#[path = "common/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const DESIGN: &str = include_str!("../DESIGN.md");
const README: &str = include_str!("../README.md");
const DOCUMENTS: [(&str, &str); 3] =
    [("DESIGN.md", DESIGN), ("README.md", README), ("CONTRIBUTING.md", include_str!("../CONTRIBUTING.md"))];

/// Names with these endings are taken for paths even without a folder in front.
const ENDINGS: [&str; 5] = [".rs", ".md", ".toml", ".yml", "/"];
/// Stands for a part of a path that the reader is to replace.
const PLACEHOLDER: &str = "NAME";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What stands in backticks in a document, outside of its blocks of code.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    // Three backticks separate prose from blocks, and single ones words from prose. Both times every other piece counts.
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2))
}

/// The files that a document links to.
fn linked(text: &str) -> impl Iterator<Item = PathBuf> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.contains("://")).map(PathBuf::from)
}

/// The path that a quoted word names, up to what the reader is to replace; none if the word is no path.
fn named_path(word: &str) -> Option<PathBuf> {
    let is_path_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    let is_below_a_folder = || word.split_once('/').is_some_and(|(folder, _)| root().join(folder).is_dir());
    let is_path = word.chars().all(is_path_letter)
        && (ENDINGS.iter().any(|ending| word.ends_with(ending)) || is_below_a_folder());
    is_path.then(|| word.split('/').take_while(|part| !part.contains(PLACEHOLDER)).collect())
}

/// The part of DESIGN.md below this heading.
fn section(heading: &str) -> &'static str {
    let after = DESIGN.split(&format!("\n## {heading}\n")).nth(1);
    let after = after.unwrap_or_else(|| panic!("DESIGN.md has no section `{heading}`"));
    after.split("\n## ").next().unwrap_or(after)
}

/// The folders of all crates but that of the program.
fn crates() -> impl Iterator<Item = &'static str> {
    let manifest = include_str!("../Cargo.toml");
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    members.expect("the workspace lists its members").split('"').skip(1).step_by(2)
}

/// The names of all public types that the crates declare.
fn declared_types() -> BTreeSet<String> {
    let mut folders: Vec<PathBuf> = crates().map(|folder| root().join(folder).join("src")).collect();
    let mut types = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("sources can be listed") {
            let path = entry.expect("sources can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("sources are text");
                types.extend(text.lines().filter_map(declared_type));
            }
        }
    }
    types
}

/// The name of the public type whose declaration begins on this line.
fn declared_type(line: &str) -> Option<String> {
    let starts = ["pub struct ", "pub enum ", "pub trait "];
    let rest = starts.iter().find_map(|start| line.trim_start().strip_prefix(start))?;
    Some(rest.chars().take_while(char::is_ascii_alphanumeric).collect())
}

#[test]
fn every_path_that_a_document_names_exists() {
    for (document, text) in DOCUMENTS {
        let paths: Vec<PathBuf> = quoted(text).filter_map(named_path).chain(linked(text)).collect();
        assert!(paths.len() >= 10, "{document} names only {paths:?}");
        for path in paths {
            assert!(root().join(&path).exists(), "{document} names {}, which is not there", path.display());
        }
    }
}

#[test]
fn the_list_of_folders_has_every_crate_and_no_folder_that_is_not_there() {
    let list = section("The folders").split("```").nth(1).expect("the folders stand in a block");
    let listed: BTreeSet<&str> =
        list.lines().filter_map(|line| line.split_whitespace().next()?.strip_suffix('/')).collect();
    assert!(crates().count() >= 12);
    for folder in crates().chain(["src"]) {
        assert!(listed.contains(folder), "DESIGN.md does not list {folder}/");
    }
    for folder in listed {
        assert!(root().join(folder).is_dir(), "DESIGN.md lists {folder}/, which is not there");
    }
}

#[test]
fn the_exit_codes_of_the_documents_are_those_of_the_help() {
    let program::Run { code, out: help, err } = program::run("--help");
    assert_eq!((code, err.as_str()), (0, ""));
    let codes = help.split("Exit status:\n").nth(1).expect("the help lists them");
    let rows: Vec<String> = codes
        .lines()
        .filter_map(|line| {
            line.trim().split_once(' ').map(|(code, meaning)| format!("| {code} | {} |", meaning.trim()))
        })
        .collect();
    assert_eq!(rows.len(), 10, "{codes}");
    for (document, text) in [("README.md", README), ("DESIGN.md", section("Contracts"))] {
        for row in &rows {
            assert!(text.contains(row), "{document} lacks: {row}");
        }
    }
}

#[test]
fn every_type_of_the_glossary_is_declared() {
    let declared = declared_types();
    let is_type = |word: &&str| {
        word.starts_with(|letter: char| letter.is_ascii_uppercase())
            && word.chars().all(|letter| letter.is_ascii_alphanumeric())
    };
    let types: Vec<&str> = quoted(section("Glossary")).filter(is_type).collect();
    assert!(types.len() >= 30, "{types:?}");
    for name in types {
        assert!(declared.contains(name), "the glossary names `{name}`, which no crate declares");
    }
}
