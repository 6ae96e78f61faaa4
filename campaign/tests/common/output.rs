//! Campaigns with an output directory, for tests.

use std::fs;
use std::path::{Path, PathBuf};

use mutagen_bugs::Bug;
use mutagen_campaign::store::Disk;
use mutagen_campaign::{Budget, Earlier, Error, Finding, Ran, Setup, Spec, Stored, run};
use mutagen_oracles::{Registry, on_stack};
use tempfile::TempDir;

pub fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

pub fn hunting(id: &str) -> Spec {
    let spec = Spec::hunting(&Bug::find(id).expect("it exists")).expect("it is a bug");
    Spec { budget: Budget { tests: Some(200_000), ..Budget::default() }, ..spec }
}

pub fn run_on(disk: Disk, spec: &Spec, output: &Path, earlier: Earlier) -> Result<Ran, Error> {
    let engines = Registry::default();
    let setup = Setup { output: Some((output.to_owned(), earlier)), disk, ..Setup::new(&engines) };
    on_stack(|| run(spec, setup)).expect("there is a thread")
}

#[allow(dead_code, reason = "not all tests look at files")]
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(directory) else { return Vec::new() };
    files.map(|file| file.expect("it can be listed").path()).collect()
}

/// The findings that can be read. Every JSON file must be whole.
#[allow(dead_code, reason = "not all tests look at findings")]
pub fn findings(output: &Path) -> Vec<Finding> {
    let is_json = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "json");
    let whole = |file: PathBuf| match Finding::read(&file) {
        Ok(Stored::Finding(finding)) => finding,
        other => panic!("{}: {other:?}", file.display()),
    };
    files(&output.join("findings")).into_iter().filter(is_json).map(whole).collect()
}
