//! What the corpus consists of: instructions and features.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mutagen_campaign::store::corpus_files;
use mutagen_wasm_ast::Module;

use crate::paragraph::opcodes;

/// The modules of a corpus that were looked at. A module is read once, however often the corpus is counted.
#[derive(Default)]
pub struct Corpus {
    read: BTreeMap<PathBuf, Contents>,
}

/// What one module has.
#[derive(Default)]
struct Contents {
    opcodes: BTreeSet<String>,
    features: Vec<String>,
}

/// In how many modules something occurs.
#[derive(Default)]
pub struct Histogram {
    /// How many modules were looked at.
    pub modules: usize,
    /// How many there are.
    pub all: usize,
    /// Instructions.
    pub opcodes: Vec<(String, f64)>,
    /// Features that modules need.
    pub features: Vec<(String, f64)>,
}

impl Corpus {
    /// At most so many modules are looked at, and at most so many new ones each time: a page must not take long.
    const MOST: usize = 5_000;
    const MOST_AT_ONCE: usize = 2_000;

    /// Counts the corpus of an output directory.
    pub fn count(&mut self, directory: &Path) -> Histogram {
        let files: BTreeSet<PathBuf> = corpus_files(directory).into_iter().collect();
        self.read.retain(|file, _| files.contains(file));
        let room = Self::MOST.saturating_sub(self.read.len()).min(Self::MOST_AT_ONCE);
        let new: Vec<&PathBuf> =
            files.iter().filter(|file| !self.read.contains_key(*file)).take(room).collect();
        for file in new {
            self.read.insert(file.clone(), contents(file).unwrap_or_default());
        }
        Histogram {
            modules: self.read.len(),
            all: files.len(),
            opcodes: counted(self.read.values().flat_map(|contents| &contents.opcodes)),
            features: counted(self.read.values().flat_map(|contents| &contents.features)),
        }
    }
}

fn contents(file: &Path) -> Option<Contents> {
    let module = Module::decode(&std::fs::read(file).ok()?).ok()?;
    let text = module.to_text().ok()?;
    let features = module.features().iter().map(|feature| feature.name()).collect();
    Some(Contents { opcodes: opcodes(&text).map(str::to_owned).collect(), features })
}

/// How often each name occurs, the most frequent first.
fn counted<'a>(names: impl Iterator<Item = &'a String>) -> Vec<(String, f64)> {
    let mut counts: BTreeMap<&String, u32> = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    let mut counts: Vec<(String, f64)> =
        counts.into_iter().map(|(name, count)| (name.clone(), f64::from(count))).collect();
    counts.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    counts
}
