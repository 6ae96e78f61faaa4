//! Published modules: npm packages that ship `.wasm` files, listed with version and checksum in
//! `external.tsv`. The test fetches them if it runs with `MUTAGEN_EXTERNAL_MODULES=1`. They are kept below
//! `target` and never committed:
//!
//! ```text
//! MUTAGEN_EXTERNAL_MODULES=1 cargo test --release -p mutagen-wasm-ast external -- --nocapture
//! ```
//!
//! The test needs `npm` and `tar`. It prints size, depth and features of every module, and the number of
//! compared outcomes on wasmi. At the time of writing there are 13 modules from 25 KB to 11.6 MB, and the
//! deepest one is nested 3,212 levels.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use mutagen_wasm_ast::{Features, Module};
use sha2::{Digest, Sha256};

use crate::behaviour::assert_unchanged;
use crate::corpus::validate;

const MANIFEST: &str = include_str!("external.tsv");

#[test]
fn published_modules_survive() {
    if env::var_os("MUTAGEN_EXTERNAL_MODULES").is_none() {
        println!("skipped: set MUTAGEN_EXTERNAL_MODULES=1 to fetch published modules and test with them");
        return;
    }
    println!("{:45} {:>10} {:>9} {:>6} {:>8}  features", "module", "bytes", "instrs", "depth", "outcomes");
    for line in MANIFEST.lines() {
        let [name, version, checksum] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("a line of the manifest is NAME, VERSION, SHA-256, but this is `{line}`");
        };
        let package = unpacked(name, version, checksum);
        let modules = wasm_files(&package);
        assert!(!modules.is_empty(), "{name} {version} has no .wasm files");
        modules.iter().for_each(|path| assert_survives(name, path));
    }
}

fn assert_survives(package: &str, path: &Path) {
    let bytes = fs::read(path).expect("unpacked files are readable");
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let module = Module::decode(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let encoded = module.encode();
    assert_eq!(validate(&encoded, Features::WASMI), Ok(()));
    assert_eq!(validate(&encoded, module.features()), Ok(()));
    let again = Module::decode(&encoded).expect("what was encoded decodes");
    assert!(again == module && again.encode() == encoded, "{file} is not at a fixed point");
    let (size, depth, features) = (module.instructions(), module.depth(), module.features());
    let (name, length) = (format!("{package}/{file}"), bytes.len());
    let outcomes = assert_unchanged([bytes].into_iter());
    println!("{name:45} {length:>10} {size:>9} {depth:>6} {outcomes:>8}  {features}");
}

/// Fetches a package, verifies its checksum and returns the directory with its content.
fn unpacked(name: &str, version: &str, checksum: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{version}"));
    fs::create_dir_all(&directory).expect("the target directory is writable");
    let archive = directory.join(format!("{name}-{version}.tgz"));
    if !archive.exists() {
        let npm = ["pack", "--silent", &format!("{name}@{version}"), "--pack-destination"];
        run(Command::new("npm").args(npm).arg(&directory).current_dir(&directory));
    }
    let actual = Sha256::digest(fs::read(&archive).expect("downloaded files are readable"));
    let actual: String = actual.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(actual, checksum, "{} is not what the manifest says: delete it", archive.display());
    run(Command::new("tar").arg("xzf").arg(&archive).arg("-C").arg(&directory));
    directory
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

fn wasm_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("unpacked directories are readable");
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    let found = paths.into_iter().flat_map(|path| if path.is_dir() { wasm_files(&path) } else { vec![path] });
    found.filter(|path| path.extension().is_some_and(|extension| extension == "wasm")).collect()
}
