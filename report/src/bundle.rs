//! A directory for each group of findings, with everything that the maintainer of an engine needs.
//!
//! ```text
//! OUT/NAME/README.md         what differs, what is right and why, the engines' configuration, how to see it again
//! OUT/NAME/module.wat        the module as text
//! OUT/NAME/module.wasm       and as bytes
//! OUT/NAME/finding.wast      assertions for any engine's runner
//! OUT/NAME/Cargo.toml        a package of its own with one test, which uses the engine's public crate ...
//! OUT/NAME/tests/finding.rs  ... and fails on the bug
//! OUT/NAME/finding.json      the finding, for `mutagen-wasm replay`
//! ```

mod expected;
mod host;
mod nans;
mod readme;
mod rust_test;
mod script;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mutagen_campaign::{Error, Finding, GroupResult, Results};
use mutagen_oracles::Registry;

use expected::Expected;
pub use rust_test::{PublicCrate, public_crate};

/// Writes a directory for each group that is not silenced and whose exemplar is there. Returns their paths. All of them are
/// there, or none.
///
/// # Errors
///
/// If there is something in the place of the directory already, or it cannot be written.
pub fn bundle(results: &Results, engines: &Registry, output: &Path) -> Result<Vec<PathBuf>, Error> {
    let not_stored = |error: io::Error| Error::NotStored { path: output.to_owned(), why: error.to_string() };
    if fs::symlink_metadata(output).is_ok() && !is_empty_directory(output) {
        return Err(Error::Occupied(output.to_owned()));
    }
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(not_stored)?;
    let unfinished = tempfile::Builder::new()
        .prefix(".mutagen-")
        .suffix(".part")
        .tempdir_in(parent)
        .map_err(not_stored)?;
    let mut names = Vec::new();
    for result in results.open() {
        let Some(finding) = &result.finding else { continue };
        let name = result.name();
        write_group(&unfinished.path().join(&name), result, finding, engines).map_err(not_stored)?;
        names.push(output.join(name));
    }
    allow_reading(unfinished.path())
        .and_then(|()| fs::rename(unfinished.path(), output))
        .map_err(not_stored)?;
    // It has another name now, under which it stays.
    let _ = unfinished.keep();
    Ok(names)
}

/// What the directory of a group has.
#[derive(Clone, Copy)]
struct Contents {
    /// Whether the script asserts something.
    asserts: bool,
    /// Whether there is a Rust test.
    has_test: bool,
}

fn is_empty_directory(path: &Path) -> bool {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    is_directory && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// Temporary directories are for their owner alone, results are for all.
fn allow_reading(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755))
}

fn write_group(
    directory: &Path,
    result: &GroupResult,
    finding: &Finding,
    engines: &Registry,
) -> io::Result<()> {
    fs::create_dir(directory)?;
    let write = |name: &str, bytes: &[u8]| fs::write(directory.join(name), bytes);
    write(
        "finding.json",
        (serde_json::to_string_pretty(finding).map_err(io::Error::other)? + "\n").as_bytes(),
    )?;
    let module = match finding {
        Finding::Module(module) => module,
        Finding::Leak(leak) => {
            write("finding.txt", format!("{}\n", leak.explanation.trim_end()).as_bytes())?;
            return write("README.md", readme::of_leak(result, finding).as_bytes());
        }
    };
    let expected = Expected::of(module, engines);
    write("module.wat", module.wat.as_bytes())?;
    write("module.wasm", &module.wasm)?;
    let script = script::script(module, &expected);
    write("finding.wast", script.text.as_bytes())?;
    let version = engines
        .find(rust_test::plain_name(&module.target_engine))
        .map(|entry| entry.version.clone())
        .unwrap_or_default();
    let package = rust_test::package(&result.name(), &version, module, &expected);
    if let Some(package) = &package {
        fs::create_dir(directory.join("tests"))?;
        fs::create_dir(directory.join("src"))?;
        write("src/lib.rs", b"//! The test of this package is `tests/finding.rs`.\n")?;
        write("Cargo.toml", package.manifest.as_bytes())?;
        write("tests/finding.rs", package.test.as_bytes())?;
    }
    write(
        "README.md",
        readme::of_module(
            result,
            finding,
            &expected,
            engines,
            Contents { asserts: script.asserts, has_test: package.is_some() },
        )
        .as_bytes(),
    )
}
