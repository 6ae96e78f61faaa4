//! The manifest of a run: its spec, stored before the work starts.

use std::path::Path;

use mutagen_wasm_ast::Features;
use serde::{Deserialize, Serialize};

use super::Store;
use crate::{Error, Spec, SubjectSpec};

/// The format version of the file. It is raised when older programs cannot read the new format. Files without
/// a version are older.
const FORMAT: u32 = 2;

/// The file `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    #[serde(default)]
    format: u32,
    pub(crate) version: String,
    /// The words of a command line that asks for this campaign.
    arguments: Vec<String>,
    command: String,
    property: String,
    bug: Option<String>,
    #[serde(default)]
    features: Option<Features>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    fixes: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    generator: Option<String>,
    seed: u64,
    /// How many modules of earlier runs this run starts with.
    #[serde(default)]
    resumed_with: usize,
    /// The spec. Files of older programs have none.
    #[serde(default)]
    pub(crate) spec: Option<Spec>,
}

impl Manifest {
    pub(super) const FILE: &'static str = "run.json";

    pub(crate) fn new(spec: &Spec, resumed_with: usize) -> Self {
        Manifest {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            arguments: spec.words(),
            command: spec.command().to_owned(),
            property: spec.property(),
            bug: spec.bug.clone(),
            features: features(spec),
            fixes: match &spec.subject {
                SubjectSpec::Engines(engines) => Some(engines.fixes),
                SubjectSpec::Machine(_) => None,
            },
            generator: spec.generator().map(str::to_owned),
            seed: spec.seed,
            resumed_with,
            spec: Some(spec.clone()),
        }
    }

    /// Stores the manifest.
    pub(crate) fn store(&self, store: &Store) -> Result<(), Error> {
        store.write_json(Self::FILE, self);
        store.complete()
    }

    /// The spec of the campaign, if the file has it.
    pub(crate) fn into_spec(self) -> Option<Spec> {
        self.spec
    }

    /// Reads the manifest in an output directory. `None` if there is none.
    pub(crate) fn read(directory: &Path) -> Result<Option<Self>, Error> {
        let file = directory.join(Self::FILE);
        match super::read_json::<Manifest>(&file)? {
            Some(newer) if newer.format > FORMAT => {
                let why = format!("written in format {}, this program reads format {FORMAT}", newer.format);
                Err(Error::unusable(file, why))
            }
            read => Ok(read),
        }
    }

    /// Refuses to continue the results of another campaign.
    pub(crate) fn require_same(spec: &Spec, store: &Store) -> Result<(), Error> {
        let Some(earlier) = Self::read(store.directory())? else { return Ok(()) };
        let now = Manifest::new(spec, 0);
        if earlier.about() == now.about() {
            return Ok(());
        }
        let bug = earlier.bug.as_deref().unwrap_or("none");
        let features =
            earlier.features.map_or_else(String::new, |features| format!(" and features {features}"));
        let engines = earlier.engines().filter(|_| earlier.features.is_some());
        let engines = engines.map_or_else(String::new, |[target, reference]| {
            format!(" on {target}, compared with {reference}")
        });
        let Manifest { command, property, .. } = &earlier;
        Err(Error::OtherCampaign(format!("{command} of {property} with bug {bug}{features}{engines}")))
    }

    /// The parts of a spec that must be equal for one run to continue another.
    fn about(&self) -> (&str, &str, Option<&str>, Option<Features>, Option<[&str; 2]>) {
        (&self.command, &self.property, self.bug.as_deref(), self.features, self.engines())
    }

    /// The names of the engines. `None` in files of older programs, which only had the default engines.
    fn engines(&self) -> Option<[&str; 2]> {
        match self.spec.as_ref().map(|spec| &spec.subject) {
            Some(SubjectSpec::Engines(engines)) => Some([&engines.target, &engines.reference]),
            Some(SubjectSpec::Machine(_)) => None,
            None => Some([crate::EngineSpec::TARGET, crate::EngineSpec::REFERENCE]),
        }
    }
}

fn features(spec: &Spec) -> Option<Features> {
    match &spec.subject {
        SubjectSpec::Engines(engines) => Some(engines.features),
        SubjectSpec::Machine(_) => None,
    }
}
