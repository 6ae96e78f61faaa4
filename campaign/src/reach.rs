//! What modules reach in the target, watched as the campaign of a spec watches it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mutagen_oracles::{Registry, Watched};
use mutagen_properties::{Case, Context, Exercise, Reach, Reached, Subject};
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

/// What the corpus reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CorpusReach {
    /// How many probes of the target fire.
    pub(crate) probes: u64,
    /// How many it has, in its own files and in code of the standard library that was compiled into it. None if it has no probes in
    /// this program.
    pub(crate) all: u64,
    /// How many of them in each source file of the target, in the order of their names.
    pub(crate) files: Vec<FileReach>,
    /// How many modules were watched, if not all of them were.
    pub(crate) part: Option<u64>,
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

/// How long finding out what the corpus reaches may take: a tenth of the campaign's time, within these bounds.
const TIME: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(60)];
/// The same for a campaign that was told to stop, which must end soon.
const TIME_IF_INTERRUPTED: Duration = Duration::from_secs(3);

/// How long finding out what the corpus reaches may take, after a campaign of so many seconds.
pub(crate) fn time_for(seconds: f64, is_interrupted: bool) -> Duration {
    let [least, most] = TIME;
    let share = Duration::try_from_secs_f64(seconds / 10.0).unwrap_or(most);
    if is_interrupted { TIME_IF_INTERRUPTED } else { share.clamp(least, most) }
}

/// What these modules reach together. Those for which there is no time are left out, as are those of which nothing can be said.
/// `None` if the target cannot be watched at all.
pub(crate) fn reached_by(
    modules: Vec<Vec<u8>>,
    time: Duration,
    mut reach: impl FnMut(&Case) -> Option<Reached>,
) -> Option<CorpusReach> {
    let started = Instant::now();
    if !fires_in_target(&reach(&smallest())?) {
        return Some(CorpusReach::default());
    }
    let mut reached = vec![false; probes::count() + 1];
    let (all, mut watched) = (modules.len(), 0);
    for wasm in modules {
        if started.elapsed() > time {
            break;
        }
        let Some(one) = reach(&Case::of(wasm, Vec::new())) else { continue };
        one.probes.into_iter().for_each(|probe| reached[probe as usize] = true);
        watched += 1;
    }
    let probes = reached.iter().filter(|reached| **reached).count() as u64;
    let part = (watched < all).then_some(watched as u64);
    let all = probes::names().unwrap_or_default().iter().filter(|name| is_in_target(name)).count() as u64;
    Some(CorpusReach { probes, all, files: by_file(&reached[1..]), part })
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

/// A module on which every engine does some work: one function with one constant.
pub(crate) fn smallest() -> Case {
    let wasm = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x07\x01\x05\0\x41\0\x1a\x0b";
    Case::of(wasm.to_vec(), Vec::new())
}

/// Whether something of this was reached in the target, and not in packages of this project alone.
pub(crate) fn fires_in_target(reached: &Reached) -> bool {
    let Ok(names) = probes::names() else { return !reached.probes.is_empty() };
    let named = reached.probes.iter().filter_map(|probe| names.get((*probe as usize).checked_sub(1)?));
    named.into_iter().any(is_in_target)
}

/// Whether a probe lies in the target. Packages of this project are woven as well, and lie in this program.
pub fn is_in_target(name: &Name) -> bool {
    name.file != probes::UNSTABLE_FILE && !name.package.starts_with("mutagen-")
}

/// Whether a probe lies in a file of the target, and not in code of the standard library that was compiled into it.
fn has_a_file(name: &Name) -> bool {
    !name.package.is_empty() && !name.file.starts_with('/')
}
