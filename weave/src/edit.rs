//! Makes the copy of a package that is compiled in its place.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::call::Call;
use super::catalogue::{self, Edit, Entry};

/// Appended to the crate root. The function is defined in `mutagen-weave`; a program without it does not link.
const HOOK: &str = "
#[doc(hidden)]
mod mutagen_hook {
    unsafe extern \"C\" {
        safe fn __mutagen_bug(number: u32) -> bool;
    }
    #[inline]
    pub(crate) fn bug(number: u32) -> bool {
        __mutagen_bug(number)
    }
}
";

/// Copies the package that is being compiled next to its artefacts, with all edits applied. Gives the copy's directory.
pub fn woven_copy(call: &Call, entries: &[Entry]) -> Result<PathBuf, String> {
    let original = call.package_directory()?;
    let name = package_name(&original);
    let copy = call.out_directory()?.join("../woven").join(format!("{name}{}", call.extra_filename()));
    copy_tree(&original, &copy)?;
    for entry in entries {
        for edit in &entry.edits {
            apply(&copy, &name, entry, edit)?;
        }
    }
    let root = call.root()?;
    let root =
        root.strip_prefix(&original).map_err(|_| format!("{} lies outside its package", root.display()))?;
    append_hook(&copy.join(root))?;
    back_date(&copy)?;
    Ok(copy)
}

/// Refuses entries that were written for another version of the package.
pub fn check_versions(call: &Call, entries: &[Entry]) -> Result<(), String> {
    let name = package_name(&call.package_directory()?);
    match entries.iter().find(|entry| call.version.as_deref() != Some(entry.version.as_str())) {
        None => Ok(()),
        Some(Entry { id, package, version, .. }) => {
            Err(format!("{id}: edits {package} {version}, but {name} is compiled"))
        }
    }
}

fn package_name(directory: &Path) -> String {
    directory.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn apply(copy: &Path, package: &str, entry: &Entry, edit: &Edit) -> Result<(), String> {
    let place = format!("{}:{}", entry.source.display(), edit.line);
    let file = copy.join(&edit.file);
    let text = fs::read_to_string(&file)
        .map_err(|error| format!("{}: {place}: cannot read {package}/{}: {error}", entry.id, edit.file))?;
    let count = text.matches(&edit.anchor).count();
    if count != edit.matches {
        return Err(format!(
            "{}: {place}: the anchor stands {count} times in {package}/{}, expected {}: `{}`",
            entry.id, edit.file, edit.matches, edit.anchor
        ));
    }
    // On the anchor's own line, so that line numbers stay those of the published source.
    let insertion = edit
        .text
        .trim()
        .replace("$bug", &format!("crate::mutagen_hook::bug({})", catalogue::number(&entry.id)));
    let edited = match edit.after {
        true => format!("{} {insertion} ", edit.anchor),
        false => format!(" {insertion} {}", edit.anchor),
    };
    write(&file, &text.replace(&edit.anchor, &edited))
}

fn append_hook(root: &Path) -> Result<(), String> {
    let text = fs::read_to_string(root).map_err(|error| format!("{}: {error}", root.display()))?;
    write(root, &(text + HOOK))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("cannot copy {} to {}: {error}", from.display(), to.display());
    fs::create_dir_all(to).map_err(fail)?;
    for item in fs::read_dir(from).map_err(fail)? {
        let item = item.map_err(fail)?;
        let target = to.join(item.file_name());
        if is_left_out(&item.path()) {
            continue;
        }
        if item.file_type().map_err(fail)?.is_dir() {
            copy_tree(&item.path(), &target)?;
        } else {
            // `fs::copy` would also copy a read-only bit.
            fs::write(&target, fs::read(item.path()).map_err(fail)?).map_err(fail)?;
        }
    }
    Ok(())
}

/// What no crate is made from: hidden folders, and what cargo builds (it marks the folder).
fn is_left_out(path: &Path) -> bool {
    let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    path.is_dir() && (hidden || path.join("CACHEDIR.TAG").exists())
}

/// Makes the copied files look old. They were written just before rustc started, and cargo would rebuild a crate whose sources
/// are newer than its artefact.
fn back_date(directory: &Path) -> Result<(), String> {
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let fail = |error: std::io::Error| format!("cannot back-date {}: {error}", directory.display());
    for item in fs::read_dir(directory).map_err(fail)? {
        let path = item.map_err(fail)?.path();
        if path.is_dir() {
            back_date(&path)?;
        } else {
            File::options()
                .write(true)
                .open(&path)
                .and_then(|file| file.set_modified(long_ago))
                .map_err(fail)?;
        }
    }
    Ok(())
}
