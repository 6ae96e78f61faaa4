//! Modules that users give: binary or text, from files or from standard input, told apart by content.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use mutagen_wasm_ast::Module;

use crate::exit_code::{Code, Failure};

/// Larger inputs are refused.
const MAX_BYTES: u64 = 16 << 20;

/// The binary form of a module, whatever form it is given in. `-` is standard input.
pub fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let unusable = |reason: String| Failure::new(Code::Unusable, format!("{}: {reason}", file.display()));
    let bytes = bytes(file).map_err(unusable)?;
    match &bytes[..] {
        [] => Err(unusable("the file is empty".into())),
        [0, b'a', b's', b'm', 13, 0, 1, 0, ..] => {
            Err(unusable("this is a component, not a core module".into()))
        }
        [0, b'a', b's', b'm', ..] => Ok(bytes),
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
