//! `mutagen-wasm cmin`: the few modules of a corpus that reach as much as all of it.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use mutagen_campaign::store::files;
use mutagen_campaign::{Error, spec_of};
use mutagen_corpus::{Weighed, minimise};
use mutagen_oracles::Registry;
use mutagen_properties::Case;

use crate::exit_code::{Code, CommandError};
use crate::say;
use crate::watching::{self, Module, WatchFlags};

/// Makes a corpus smaller: keeps modules that together take every edge of the target that all of them take
///
/// Small modules are preferred. Without --output, the other modules are removed from the directory once it is known which ones
/// are kept; nothing else in it is touched, and modules with a finding beside them always stay, as do those on which the target ends its
/// process. With --output, the kept ones
/// are copied, and the directory stays as it is.
#[derive(Args)]
#[command(after_help = "Examples:\n  mutagen-wasm cmin out\n  mutagen-wasm cmin seeds -o small\n\n\
    Exit status 0: done; 3: some of the modules cannot be used, and stay; 4: a campaign is running in the directory")]
pub struct Arguments {
    /// An output directory, of which the corpus counts, or a directory of modules
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Copies the kept modules into this directory
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Says what would be kept, and changes nothing
    #[arg(long, conflicts_with = "output")]
    dry_run: bool,

    #[command(flatten)]
    watch: WatchFlags,
}

/// Runs the command.
pub fn run(arguments: &Arguments, engines: &Registry) -> Result<Code, CommandError> {
    let directory = &arguments.directory;
    if !directory.is_dir() {
        return Err(Error::unusable(directory, "this is no directory").into());
    }
    // No campaign must rely on the corpus meanwhile.
    let is_output = spec_of(directory)?.is_some();
    let _lock = is_output.then(|| files::lock(directory, "lock")).transpose()?;
    let collection = watching::modules(std::slice::from_ref(directory))?;
    let watched = arguments.watch.watch(collection, engines)?;
    let code = watched.code();
    let (files, sets): (Vec<PathBuf>, Vec<Weighed<(u32, u32)>>) = watched
        .modules
        .into_iter()
        .map(|Module { file, case, reached }| {
            (file, Weighed { elements: reached.edges, weight: size(&case) })
        })
        .unzip();
    let kept = minimise(&sets);
    let mut edges: Vec<_> = sets.iter().flat_map(|set| &set.elements).collect();
    edges.sort_unstable();
    edges.dedup();
    let bytes = |places: &mut dyn Iterator<Item = usize>| places.map(|place| sets[place].weight).sum::<u64>();
    say::out(format!(
        "{} of {} modules, {} of {} bytes, take all {} edges",
        kept.len(),
        sets.len(),
        bytes(&mut kept.iter().copied()),
        bytes(&mut (0..sets.len())),
        edges.len()
    ))?;
    match &arguments.output {
        Some(output) => copy(directory, output, kept.iter().map(|place| files[*place].as_path()))?,
        None if arguments.dry_run => {}
        None => {
            let surplus = (0..files.len()).filter(|place| kept.binary_search(place).is_err());
            remove(surplus.map(|place| files[place].as_path()))?;
        }
    }
    Ok(code)
}

fn size(case: &Case) -> u64 {
    match case {
        Case::Module { wasm, .. } => wasm.len() as u64,
        Case::States(_) => 0,
    }
}

/// Copies files into a directory, at the places that they have below the first one.
fn copy<'a>(from: &Path, to: &Path, kept: impl Iterator<Item = &'a Path>) -> Result<(), CommandError> {
    if fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        let why = format!("{} is not empty: name a new directory with --output", to.display());
        return Err(CommandError::new(Code::Busy, why));
    }
    files::create(to)?;
    for file in kept {
        let place = to.join(file.strip_prefix(from).unwrap_or(file));
        place.parent().map_or(Ok(()), files::create)?;
        let bytes = fs::read(file).map_err(|error| Error::unusable(file, error))?;
        files::write_soon(&place, &bytes)?;
    }
    Ok(())
}

/// Removes modules that are not needed. All that are needed are where they were, so a kill in between loses nothing.
fn remove<'a>(surplus: impl Iterator<Item = &'a Path>) -> Result<(), CommandError> {
    for file in surplus.filter(|file| !file.with_extension("json").exists()) {
        fs::remove_file(file).map_err(|error| {
            CommandError::new(Code::NotStored, format!("cannot remove {}: {error}", file.display()))
        })?;
    }
    Ok(())
}
