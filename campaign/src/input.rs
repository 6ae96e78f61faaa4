//! Modules given by users, from files or from standard input. Binary and text are told apart by their
//! content.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use mutagen_oracles::{Call, HostPlan};
use mutagen_properties::Case;
use mutagen_wasm_ast::Module;

use crate::{Error, Finding, Stored};

/// Larger inputs are refused.
const MAX_BYTES: u64 = 16 << 20;

/// The modules at the paths: files as given, and the modules in directories and their subdirectories, in the
/// order of their names. Links to directories inside of a directory are not followed. In a directory, a text is left out if a binary of the same name lies beside it. A
/// file that cannot be used gives an error in its place, so that the others can still be used.
///
/// If the file of a finding lies beside a module, the module comes with the calls and host functions of that finding.
pub fn collect(paths: &[PathBuf]) -> Vec<Result<(PathBuf, Case), Error>> {
    let files = paths.iter().flat_map(|path| match path.is_dir() {
        true => modules_below(path),
        false => vec![Ok(path.clone())],
    });
    let case = |file: PathBuf| {
        let (wasm, (calls, hosts)) = (read(&file)?, asked_beside(&file)?);
        Ok((file, Case::Module { wasm, calls, hosts }))
    };
    files.map(|file| file.and_then(case)).collect()
}

fn modules_below(directory: &Path) -> Vec<Result<PathBuf, Error>> {
    let entries: std::io::Result<Vec<PathBuf>> = fs::read_dir(directory)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return vec![Err(Error::unusable(directory, error))],
    };
    entries.sort();
    let has = |path: &Path, extension: &str| path.extension().is_some_and(|own| own == extension);
    let mut files = Vec::new();
    for entry in &entries {
        // A link to a directory may lead back here.
        if fs::symlink_metadata(entry).is_ok_and(|found| found.is_dir()) {
            files.extend(modules_below(entry));
        } else if entry.is_dir() {
            continue;
        } else if has(entry, "wasm") || has(entry, "wat") && !entries.contains(&entry.with_extension("wasm"))
        {
            files.push(Ok(entry.clone()));
        }
    }
    files
}

/// The calls and host functions of the finding whose file lies beside this module; none if there is no such
/// file. The module may have been changed since, but they are still worth a try. A file that is not a finding
/// is an error: without its calls, the module would be tested in another way than the user expects.
fn asked_beside(module: &Path) -> Result<(Vec<Call>, Vec<HostPlan>), Error> {
    let file = module.with_extension("json");
    if !file.is_file() {
        return Ok(Default::default());
    }
    match Finding::read(&file)? {
        Stored::Finding(Finding::Module(finding)) => {
            let calls = finding.calls().map_err(|error| Error::unusable(file, error))?;
            Ok((calls, finding.hosts))
        }
        _ => Err(Error::unusable(file, "this finding is about a machine, not about a module")),
    }
}

/// The binary form of a module that is given as binary or text. `-` is standard input.
///
/// # Errors
///
/// If the file cannot be used. The error names the file and says why.
pub fn read(file: &Path) -> Result<Vec<u8>, Error> {
    let unusable = |why: String| Error::unusable(file, why);
    let bytes = bytes(file).map_err(unusable)?;
    let is_binary = !begins_like_text(&bytes)
        && (file.extension().is_some_and(|extension| extension == "wasm") || bytes.contains(&0));
    match &bytes[..] {
        [] => Err(unusable("the file is empty".into())),
        [0, b'a', b's', b'm', 13, 0, 1, 0, ..] => {
            Err(unusable("this is a component, not a core module".into()))
        }
        [0, b'a', b's', b'm', ..] => Ok(bytes),
        start if b"\0asm".starts_with(start) => {
            Err(unusable("the file ends inside the first word of a binary module".into()))
        }
        _ if is_binary => {
            Err(unusable("this is no binary module: it does not begin with the bytes 00 61 73 6d".into()))
        }
        _ => Module::assemble(&bytes).map_err(|error| unusable(error.to_string())),
    }
}

/// Whether this begins with a parenthesis or a comment, as modules in the text format do, whatever the name of the file.
fn begins_like_text(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_start(), [b'(' | b';', ..])
}

fn bytes(file: &Path) -> Result<Vec<u8>, String> {
    if file == Path::new("-") {
        return capped(std::io::stdin().lock());
    }
    let kind = fs::metadata(file).map_err(|error| error.to_string())?.file_type();
    if kind.is_dir() {
        return Err("this is a directory: name the modules in it".into());
    }
    if !kind.is_file() {
        return Err("this is not a regular file".into());
    }
    capped(File::open(file).map_err(|error| error.to_string())?)
}

fn capped(input: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("larger than {} MiB", MAX_BYTES >> 20));
    }
    Ok(bytes)
}
