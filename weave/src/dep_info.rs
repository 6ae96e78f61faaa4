//! Makes cargo watch what a woven crate was made from.
//!
//! Cargo decides from rustc's dep-info file whether a crate is fresh. We add to it the catalogue files that edit the
//! crate (a changed file rebuilds it), the catalogue's directories (their time stamp changes when a file comes or
//! goes) and the variable that names an extra directory.

use std::fs;
use std::path::{Path, PathBuf};

use super::call::Call;

/// Adds `paths` and the environment variable to the dep-info that the call has written.
pub fn watch(call: &Call, paths: &[PathBuf], variable: &str) -> Result<(), String> {
    change(call, |text| with(text, paths, variable))
}

/// Makes cargo watch the original files of a package of which a copy was compiled.
pub fn name_originals(call: &Call, copy: &Path, original: &Path) -> Result<(), String> {
    change(call, |text| text.replace(&escape(copy), &escape(original)))
}

fn change(call: &Call, change: impl FnOnce(&str) -> String) -> Result<(), String> {
    let Some(file) = call.dep_info().filter(|file| file.exists()) else { return Ok(()) };
    let fail = |error: std::io::Error| format!("{}: {error}", file.display());
    let text = fs::read_to_string(&file).map_err(fail)?;
    fs::write(&file, change(&text)).map_err(fail)
}

fn with(text: &str, paths: &[PathBuf], variable: &str) -> String {
    let watched: String = paths.iter().map(|path| format!(" {}", escape(path))).collect();
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| {
            if line.contains(": ") && !line.starts_with('#') {
                format!("{line}{watched}")
            } else {
                line.to_owned()
            }
        })
        .collect();
    lines.push(match std::env::var(variable) {
        Ok(value) => format!("# env-dep:{variable}={}", escape_value(&value)),
        Err(_) => format!("# env-dep:{variable}"),
    });
    lines.join("\n") + "\n"
}

/// A path as dep-info wants it, where spaces separate paths.
fn escape(path: &Path) -> String {
    path.display().to_string().replace(' ', "\\ ")
}

/// A value of a variable as dep-info wants it, on one line.
fn escape_value(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}
