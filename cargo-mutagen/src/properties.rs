//! The properties in test programs.

use crate::build::TestProgram;
use crate::error::Error;
use mutagen_engine::MARK;
use std::collections::HashSet;
use std::path::PathBuf;

/// A property, and the program that holds it.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its path with that of its crate, such as `outside::tests::insertion_keeps_the_order`.
    pub path: String,
    /// The program.
    pub program: TestProgram,
}

impl Property {
    /// The name of its function.
    pub fn name(&self) -> &str {
        self.path.rsplit("::").next().unwrap_or(&self.path)
    }

    /// The name under which the test runner knows it: the path inside the crate.
    pub fn test(&self) -> &str {
        self.path.split_once("::").map_or(self.path.as_str(), |(_, inside)| inside)
    }

    /// Where its corpus and its counterexamples are.
    pub fn folder(&self) -> PathBuf {
        self.program.package_directory.join("mutagen").join(self.inside())
    }

    /// The part of that folder that is the property's own.
    pub fn inside(&self) -> PathBuf {
        mutagen_engine::folder_of(&self.program.package, &self.path)
    }
}

/// All properties of the programs, in the order of their paths.
pub fn find(programs: &[TestProgram]) -> Result<Vec<Property>, Error> {
    let mut properties = Vec::new();
    for program in programs {
        let bytes = std::fs::read(&program.executable)
            .map_err(|reason| Error::File { path: program.executable.clone(), reason })?;
        let mut paths = marked(&bytes);
        paths.sort();
        paths.dedup();
        properties.extend(paths.into_iter().map(|path| Property { path, program: program.clone() }));
    }
    properties.sort_by(|one, other| one.path.cmp(&other.path));
    refuse_shared_folders(&properties)?;
    if properties.is_empty() { Err(Error::NoProperty) } else { Ok(properties) }
}

/// Two properties with one folder would take each other's values for their own.
fn refuse_shared_folders(properties: &[Property]) -> Result<(), Error> {
    let mut folders = HashSet::new();
    match properties.iter().find(|property| !folders.insert(property.folder())) {
        Some(property) => Err(Error::SharedFolder { path: property.path.clone(), folder: property.folder() }),
        None => Ok(()),
    }
}

/// What stands behind a mark, up to a zero byte.
fn marked(bytes: &[u8]) -> Vec<String> {
    let mark = MARK.as_bytes();
    let mut paths = Vec::new();
    let mut rest = bytes;
    while let Some(at) = find_bytes(rest, mark) {
        rest = &rest[at + mark.len()..];
        let end = rest.iter().take(1000).position(|byte| *byte == 0);
        let path = end.and_then(|end| std::str::from_utf8(&rest[..end]).ok());
        paths.extend(path.filter(|path| is_path(path)).map(str::to_owned));
    }
    paths
}

fn find_bytes(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == wanted[0]) {
        if bytes[from + at..].starts_with(wanted) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

fn is_path(text: &str) -> bool {
    text.contains("::") && text.chars().all(|letter| letter.is_alphanumeric() || "_:#".contains(letter))
}

/// The properties with `filter` in their path.
pub fn matching(properties: Vec<Property>, filter: &str) -> Result<Vec<Property>, Error> {
    let known = paths(&properties);
    let matching: Vec<Property> =
        properties.into_iter().filter(|property| property.path.contains(filter)).collect();
    if matching.is_empty() {
        return Err(Error::NoSuchProperty { filter: filter.to_owned(), known });
    }
    Ok(matching)
}

/// The one property with this name or path, or with this in its path.
pub fn single(properties: Vec<Property>, name: &str) -> Result<Property, Error> {
    let exact =
        |property: &&Property| property.path == name || property.name() == name || property.test() == name;
    let named: Vec<&Property> = properties.iter().filter(exact).collect();
    if let [one] = named[..] {
        return Ok(one.clone());
    }
    let mut found = matching(properties, name)?;
    match found.len() {
        1 => Ok(found.remove(0)),
        _ => Err(Error::SeveralProperties { filter: name.to_owned(), matching: paths(&found) }),
    }
}

/// The paths of all of them.
pub fn paths(properties: &[Property]) -> Vec<String> {
    properties.iter().map(|property| property.path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_among_other_bytes() {
        let mut bytes = b"\x01junk\x01".to_vec();
        for path in ["outside::tests::first", "outside::second", "not a path", ""] {
            bytes.extend(MARK.as_bytes());
            bytes.extend(path.as_bytes());
            bytes.extend(b"\0\xff");
        }
        bytes.extend(MARK.as_bytes());
        assert_eq!(marked(&bytes), ["outside::tests::first", "outside::second"]);
    }
}
