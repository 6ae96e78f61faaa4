//! What modules reach in the target.

use std::collections::BTreeMap;

use mutagen_campaign::is_in_target;
use mutagen_coverage::{Coverage, Hits, Share, plain};
use mutagen_properties::Reached;
use mutagen_weave::probes::{self, Name, NamesError};

/// What modules reach together.
#[derive(Clone, Debug)]
pub struct Covered {
    /// By file, line and function.
    pub coverage: Coverage,
    /// How many of the target's probes fired.
    pub probes: Share,
    /// How many of them in each function of the target, by its file and name. Those in inlined functions of the standard library
    /// are left out.
    pub functions: BTreeMap<(String, String), usize>,
    /// How many modules went round a loop for longer than was watched.
    pub truncated: usize,
}

impl Covered {
    /// What modules reach together of which each one reaches this.
    ///
    /// # Errors
    ///
    /// If the probes of this program cannot be named.
    pub fn by(modules: impl IntoIterator<Item = Reached>) -> Result<Self, NamesError> {
        let names = probes::names()?;
        let mut hits = Hits::new(names.len());
        let mut truncated = 0;
        for reached in modules {
            hits.add(&reached.probes);
            truncated += usize::from(reached.truncated);
        }
        let named = names.iter().map(|name| if is_in_target(name) { name.clone() } else { Name::default() });
        let all = names.iter().filter(|name| is_in_target(name)).count();
        let coverage = Coverage::new(&named.collect::<Vec<_>>(), &hits);
        let mut functions = BTreeMap::new();
        let fired = names.iter().zip(hits.tests()).filter(|(_, tests)| *tests > 0);
        for (name, _) in fired.filter(|(name, _)| !name.file.starts_with('/')) {
            *functions.entry((name.file.clone(), plain(&name.function))).or_default() += 1;
        }
        Ok(Covered { coverage, probes: Share { reached: hits.reached(), all }, functions, truncated })
    }
}
