//! What modules reach in the target, watched as the campaign of a spec watches it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mutagen_oracles::{Registry, Watched};
use mutagen_properties::{Case, Context, Exercise, Reach, Subject};
use mutagen_weave::SharedMemory;
use mutagen_weave::probes::{self, Name};
use serde::{Deserialize, Serialize};

use crate::run::{Visitor, visit};
use crate::store::{Manifest, corpus_below};
use crate::{EngineProperty, Error, Spec, SpecError, SubjectSpec};

/// Watches the target of a spec, with the injected bug and fixes. A campaign on validators only validates.
///
/// # Errors
///
/// If the spec is not about engines, or its engines cannot be made or watched.
pub fn reach_of(spec: &Spec, engines: &Registry) -> Result<Reach, Error> {
    visit(spec, engines, Watch(spec, None))
}

/// The same, and each question to the target is noted in this memory.
pub(crate) fn reach_noting(spec: &Spec, engines: &Registry, notes: SharedMemory) -> Result<Reach, Error> {
    visit(spec, engines, Watch(spec, Some(notes)))
}

/// The spec of the campaign whose output directory this is. `None` if it is none, or that of a program which stored no spec.
///
/// # Errors
///
/// If there is a file of that name which is something else.
pub fn spec_of(directory: &Path) -> Result<Option<Spec>, Error> {
    if !directory.is_dir() {
        return Ok(None);
    }
    Manifest::read(directory).map(|manifest| manifest.and_then(Manifest::into_spec))
}

/// The files of the corpus in an output directory, each with its module.
///
/// # Errors
///
/// If the corpus cannot be listed.
pub fn corpus_of(directory: &Path) -> Result<Vec<(PathBuf, Case)>, Error> {
    let files = corpus_below(directory)?;
    Ok(files.into_iter().map(|(file, wasm)| (file, Case::of(wasm, Vec::new()))).collect())
}

struct Watch<'a>(&'a Spec, Option<SharedMemory>);

impl Visitor for Watch<'_> {
    type Result = Result<Reach, Error>;

    fn subject<S: Subject>(self, subject: S) -> Self::Result {
        let context = subject.context().ok_or(SpecError::NoEngines)?;
        if let Some(notes) = self.1 {
            context.notes.keep_in(notes);
        }
        watching(self.0, context, subject.watched())
    }
}

/// Watches the target of a context as the campaign of the spec does.
pub(crate) fn watching(spec: &Spec, context: &Context, watched: Watched) -> Result<Reach, Error> {
    let exercise = match &spec.subject {
        SubjectSpec::Engines(engines) if matches!(engines.property, EngineProperty::Validator { .. }) => {
            Exercise::Validate
        }
        _ => Exercise::Run,
    };
    Ok(Reach::new(context, watched, exercise)?)
}

/// What modules reach together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusReach {
    /// How many probes of the target fire.
    pub probes: u64,
    /// How many it has, in its own files and in code of the standard library that was compiled into it.
    #[serde(default)]
    pub all: u64,
    /// How many of them in each source file of the target, in the order of their names.
    pub files: Vec<FileReach>,
}

/// What modules reach in one source file of the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReach {
    /// The file, from its package on.
    pub file: String,
    /// How many of its probes fire.
    pub reached: u64,
    /// How many it has.
    pub all: u64,
}

/// Finding out what the corpus reaches takes no longer than this. A campaign that was told to stop must end soon.
const LONGEST: Duration = Duration::from_secs(10);

/// What these modules reach together. `None` if there is no time for all of them.
pub(crate) fn reached_by(
    mut reach: Reach,
    modules: impl IntoIterator<Item = Vec<u8>>,
) -> Option<CorpusReach> {
    let started = Instant::now();
    let mut reached = vec![false; probes::count() + 1];
    for wasm in modules {
        if started.elapsed() > LONGEST {
            return None;
        }
        for probe in reach.of(&Case::of(wasm, Vec::new())).probes {
            reached[probe as usize] = true;
        }
    }
    let probes = reached.iter().filter(|reached| **reached).count() as u64;
    let all = probes::names().unwrap_or_default().iter().filter(|name| is_in_target(name)).count() as u64;
    Some(CorpusReach { probes, all, files: by_file(&reached[1..]) })
}

/// The probes of the target by file: whether probe `n` is reached stands at `n - 1`. Nothing if they have no names.
fn by_file(reached: &[bool]) -> Vec<FileReach> {
    let mut files: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let names = probes::names().unwrap_or_default();
    for (name, reached) in
        names.iter().zip(reached).filter(|(name, _)| is_in_target(name) && has_a_file(name))
    {
        let (hit, all) = files.entry(&name.file).or_default();
        *hit += u64::from(*reached);
        *all += 1;
    }
    files
        .into_iter()
        .map(|(file, (reached, all))| FileReach { file: file.to_owned(), reached, all })
        .collect()
}

/// Whether a probe lies in the target. Packages of this project are woven as well, and lie in this program.
pub fn is_in_target(name: &Name) -> bool {
    name.file != probes::UNSTABLE_FILE && !name.package.starts_with("mutagen-")
}

/// Whether a probe lies in a file of the target, and not in code of the standard library that was compiled into it.
fn has_a_file(name: &Name) -> bool {
    !name.package.is_empty() && !name.file.starts_with('/')
}
