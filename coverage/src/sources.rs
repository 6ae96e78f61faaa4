//! Where the source files lie on this machine.

use std::env;
use std::fs;
use std::path::PathBuf;

/// Directories in which source files are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    roots: Vec<PathBuf>,
}

impl Sources {
    /// The sources of published packages that cargo keeps, if there are any on this machine.
    pub fn of_registry() -> Self {
        let home = env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
        let listed = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
        let mut roots: Vec<PathBuf> =
            listed.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
        roots.sort();
        Sources { roots }
    }

    /// These, and those below a directory, which is looked at first.
    #[must_use]
    pub fn with(mut self, directory: PathBuf) -> Self {
        self.roots.insert(0, directory);
        self
    }

    /// The path of a file, if it lies here.
    pub fn find(&self, file: &str) -> Option<PathBuf> {
        self.roots.iter().map(|root| root.join(file)).find(|path| path.is_file())
    }

    /// The text of a file, if it lies here.
    pub(crate) fn read(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.find(file)?).ok()
    }
}
