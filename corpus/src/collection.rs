//! The modules of output directories, directories and files.

use std::path::{Path, PathBuf};

use mutagen_campaign::{Error, Spec, corpus_of, input, spec_of};
use mutagen_properties::Case;

/// Modules, each with its file.
#[derive(Debug, Default)]
pub struct Collection {
    /// The modules that can be used.
    pub modules: Vec<(PathBuf, Case)>,
    /// Why the other files cannot be used.
    pub left_out: Vec<Error>,
    /// The campaign of the first output directory among the paths.
    pub spec: Option<Spec>,
}

impl Collection {
    /// The corpus of each output directory, the modules below each other directory, and the files.
    ///
    /// # Errors
    ///
    /// If a path does not exist, or the description of an output directory cannot be read.
    pub fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut collection = Collection::default();
        for path in paths {
            match spec_of(path)? {
                Some(spec) => {
                    collection.modules.extend(corpus_of(path)?);
                    collection.spec.get_or_insert(spec);
                }
                None => collection.add(path)?,
            }
        }
        Ok(collection)
    }

    fn add(&mut self, path: &Path) -> Result<(), Error> {
        if path != Path::new("-") && !path.exists() {
            return Err(Error::unusable(path, "there is no such file or directory"));
        }
        for module in input::collect(&[path.to_owned()]) {
            match module {
                Ok(module) => self.modules.push(module),
                Err(error) => self.left_out.push(error),
            }
        }
        Ok(())
    }
}
