//! Makes cargo watch what a woven crate was made from.
//!
//! Cargo decides from rustc's dep-info file whether a crate is fresh. We add to it the catalogue files that edit the
//! crate (a changed file rebuilds it), the catalogue's directories (their time stamp changes when a file comes or
//! goes) and the variable that names an extra directory.

use std::fs;
use std::path::PathBuf;

use crate::call::Call;

/// Adds `paths` and the environment variable to the dep-info that the call has written.
pub fn watch(call: &Call, paths: &[PathBuf], variable: &str) -> Result<(), String> {
    let Some(file) = call.dep_info().filter(|file| file.exists()) else { return Ok(()) };
    let fail = |error: std::io::Error| format!("{}: {error}", file.display());
    let text = fs::read_to_string(&file).map_err(fail)?;
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
        Ok(value) => format!("# env-dep:{variable}={value}"),
        Err(_) => format!("# env-dep:{variable}"),
    });
    fs::write(&file, lines.join("\n") + "\n").map_err(fail)
}

/// A path as dep-info wants it, where spaces separate paths.
fn escape(path: &std::path::Path) -> String {
    path.display().to_string().replace(' ', "\\ ")
}
