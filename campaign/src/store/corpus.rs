//! The corpus of an output directory: modules that showed something new, one file each, in 256 folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mutagen_engine::stable;

use super::disk::{self, Disk};
use crate::Error;

/// At most so many modules of a corpus are read.
const MOST: usize = 50_000;

/// The name of a module's file: a folder of two digits, and the whole hash.
pub(super) fn path_of(corpus: &Path, wasm: &[u8]) -> PathBuf {
    let hash = format!("{:016x}", stable::hash(wasm));
    corpus.join(&hash[..2]).join(format!("{hash}.wasm"))
}

/// Keeps a module. There are thousands of them, and waiting for the disk each time would take longer than all tests. So
/// the last ones may be lost if the machine fails; a resumed run skips them.
pub(super) fn keep(disk: &Disk, corpus: &Path, wasm: &[u8]) -> Result<(), Error> {
    let path = path_of(corpus, wasm);
    if fs::symlink_metadata(&path).is_ok() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        let lost = |error: Error| Error::NotStored { path: path.clone(), why: error.to_string() };
        disk.make_inside(folder).map_err(lost)?;
    }
    disk.write_soon(&path, wasm)
}

/// Removes unfinished files of a run that was killed.
pub(super) fn sweep(disk: &Disk, corpus: &Path) -> Result<(), Error> {
    disk.sweep(corpus)?;
    folders(corpus)?.iter().try_for_each(|folder| disk.sweep(folder))
}

/// The files of the corpus with their modules, new and small ones first: those with the smallest sum of two ranks, by age and by size.
/// Links, pipes, devices and files that cannot be read are left out; a file whose name is not the hash of its content was
/// not finished or is not ours, and is left out as well.
pub(super) fn read(corpus: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
    let whole = |path: PathBuf| whole(&path).map(|wasm| (path, wasm));
    Ok(ordered(all_described(corpus)?).into_iter().take(MOST).filter_map(whole).collect())
}

/// The files that look like modules of the corpus.
pub(super) fn files(corpus: &Path) -> Result<Vec<PathBuf>, Error> {
    Ok(all_described(corpus)?.into_iter().map(|(_, _, path)| path).collect())
}

fn all_described(corpus: &Path) -> Result<Vec<(SystemTime, u64, PathBuf)>, Error> {
    let mut files = Vec::new();
    for folder in folders(corpus)?.into_iter().chain([corpus.to_owned()]) {
        files.extend(disk::entries(&folder)?.into_iter().filter_map(described));
    }
    Ok(files)
}

/// The folders of the corpus. Links to folders are left out.
fn folders(corpus: &Path) -> Result<Vec<PathBuf>, Error> {
    let is_folder = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    Ok(disk::entries(corpus)?.into_iter().filter(is_folder).collect())
}

/// A file with its age and size, if it looks like a module.
fn described(path: PathBuf) -> Option<(SystemTime, u64, PathBuf)> {
    let found = fs::symlink_metadata(&path).ok()?;
    let is_module = found.is_file() && path.extension().is_some_and(|extension| extension == "wasm");
    is_module.then_some((found.modified().unwrap_or(SystemTime::UNIX_EPOCH), found.len(), path))
}

fn ordered(files: Vec<(SystemTime, u64, PathBuf)>) -> Vec<PathBuf> {
    let mut ranks: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut by_age: Vec<_> = files.iter().collect();
    by_age.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.2.cmp(&other.2)));
    let mut by_size: Vec<_> = files.iter().collect();
    by_size.sort_by(|one, other| (one.1, &one.2).cmp(&(other.1, &other.2)));
    for list in [by_age, by_size] {
        for (rank, (_, _, path)) in list.into_iter().enumerate() {
            *ranks.entry(path.clone()).or_default() += rank;
        }
    }
    let mut ranked: Vec<(usize, PathBuf)> = ranks.into_iter().map(|(path, rank)| (rank, path)).collect();
    ranked.sort();
    ranked.into_iter().map(|(_, path)| path).collect()
}

/// The content of a file, if its name is the hash of it.
fn whole(path: &Path) -> Option<Vec<u8>> {
    let bytes = disk::read(path).ok()?;
    let name = format!("{:016x}", stable::hash(&bytes));
    path.file_stem().is_some_and(|stem| stem == name.as_str()).then_some(bytes)
}
