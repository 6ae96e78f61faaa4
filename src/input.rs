//! Modules that users give: binary or text, from files or from standard input, told apart by content.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use mutagen_wasm_ast::Module;

use crate::exit_code::{Code, Failure};
use crate::say;

/// Larger inputs are refused.
const MAX_BYTES: u64 = 16 << 20;

/// Judges every file, with `differs` to say what the engines do with it, or that it is unusable. A file that cannot be used
/// does not keep the others from being judged, and a difference in one of them counts more than that.
pub fn judge_each(
    files: &[PathBuf],
    mut differs: impl FnMut(&Path, &[u8]) -> Result<bool, Failure>,
) -> Result<Code, Failure> {
    let mut codes = Vec::new();
    for file in files {
        codes.push(match read(file).and_then(|wasm| differs(file, &wasm)) {
            Ok(true) => Code::Finding,
            Ok(false) => Code::Fine,
            Err(Failure { code: Code::Unusable, message }) => {
                say::error(message);
                Code::Unusable
            }
            Err(failure) => return Err(failure),
        });
    }
    let worst = [Code::Finding, Code::Unusable].into_iter().find(|code| codes.contains(code));
    Ok(worst.unwrap_or(Code::Fine))
}

/// The modules behind the paths: files as they are, and those in directories and below, in the order of their names. A
/// text is left out if the binary of the same name lies beside it. What cannot be used is a failure in its place, so that
/// it does not stand in the way of the others.
pub fn collect(paths: &[PathBuf]) -> Vec<Result<(PathBuf, Vec<u8>), Failure>> {
    let files = paths.iter().flat_map(|path| match path.is_dir() {
        true => modules_below(path),
        false => vec![Ok(path.clone())],
    });
    files.map(|file| file.and_then(|file| read(&file).map(|wasm| (file, wasm)))).collect()
}

fn modules_below(directory: &Path) -> Vec<Result<PathBuf, Failure>> {
    let entries: std::io::Result<Vec<PathBuf>> = fs::read_dir(directory)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => {
            return vec![Err(Failure::new(Code::Unusable, format!("{}: {error}", directory.display())))];
        }
    };
    entries.sort();
    let has = |path: &Path, extension: &str| path.extension().is_some_and(|own| own == extension);
    let mut files = Vec::new();
    for entry in &entries {
        if entry.is_dir() {
            files.extend(modules_below(entry));
        } else if has(entry, "wasm") || has(entry, "wat") && !entries.contains(&entry.with_extension("wasm"))
        {
            files.push(Ok(entry.clone()));
        }
    }
    files
}

/// The binary form of a module, whatever form it is given in. `-` is standard input.
fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let unusable = |reason: String| Failure::new(Code::Unusable, format!("{}: {reason}", file.display()));
    let bytes = bytes(file).map_err(unusable)?;
    match &bytes[..] {
        [] => Err(unusable("the file is empty".into())),
        [0, b'a', b's', b'm', 13, 0, 1, 0, ..] => {
            Err(unusable("this is a component, not a core module".into()))
        }
        [0, b'a', b's', b'm', ..] => Ok(bytes),
        start if b"\0asm".starts_with(start) => {
            Err(unusable("the file ends inside the first word of a binary module".into()))
        }
        _ => Module::assemble(&bytes).map_err(|error| unusable(error.to_string())),
    }
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
