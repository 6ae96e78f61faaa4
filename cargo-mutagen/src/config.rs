//! The wrapper of rustc that the project uses already, such as sccache. Ours calls it.

use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The wrapper, by the rules of cargo: environment variables first, then the nearest configuration file that names one.
pub fn inner_wrapper(directory: &Path) -> Option<OsString> {
    let variables = ["RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"];
    // A variable that is set and empty says that there is none.
    if let Some(value) = variables.iter().find_map(std::env::var_os) {
        return Some(value).filter(|value| !value.is_empty());
    }
    configuration_files(directory).find_map(|file| wrapper_in(&file))
}

fn configuration_files(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let above = directory.ancestors().map(|ancestor| ancestor.join(".cargo")).collect::<Vec<_>>();
    above.into_iter().chain(home).flat_map(|folder| [folder.join("config.toml"), folder.join("config")])
}

#[derive(Deserialize)]
struct Configuration {
    build: Option<Build>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Build {
    rustc_wrapper: Option<String>,
}

fn wrapper_in(file: &Path) -> Option<OsString> {
    let text = std::fs::read_to_string(file).ok()?;
    // A file that cannot be read is an error of cargo's, which tells better.
    let wrapper = toml::from_str::<Configuration>(&text).ok()?.build?.rustc_wrapper?;
    // A bare name is looked up in PATH; a path begins where the folder of the file lies.
    let base = file.parent()?.parent()?;
    Some(if wrapper.contains('/') { base.join(wrapper).into_os_string() } else { wrapper.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_in_a_configuration_file_is_found_where_it_lies() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let inside = directory.path().join("a/b");
        let folder = directory.path().join(".cargo");
        for path in [&inside, &folder] {
            std::fs::create_dir_all(path).expect("it can be made");
        }
        let write = |text: &str| std::fs::write(folder.join("config.toml"), text).expect("it can be written");
        let found = || configuration_files(&inside).find_map(|file| wrapper_in(&file));
        write("[build]\nrustc-wrapper = \"sccache\"\n");
        assert_eq!(found(), Some("sccache".into()));
        write("[build]\nrustc-wrapper = \"tools/wrap\"\n");
        assert_eq!(found(), Some(directory.path().join("tools/wrap").into_os_string()));
    }
}
