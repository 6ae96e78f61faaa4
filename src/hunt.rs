//! Running a campaign and reporting its result, for all commands that run campaigns.

use std::fs::{self, File};
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mutagen_campaign::{
    CampaignOutcome, Earlier, Error, Executable, Ran, Setup, Sharing, Spec, WorkerLimits, is_supervised, run,
    supervise,
};
use mutagen_engine::{Strategy, stable};
use mutagen_exchange::{CampaignName, Memory, Place};
use mutagen_oracles::Registry;
use tempfile::TempDir;

use crate::exit_code::{Code, CommandError};
use crate::flags::TellingFlags;
use crate::meeting::SharingFlags;
use crate::progress::Shown;
use crate::seed::Seed;
use crate::showing::Showing;
use crate::signals::{self, interrupt_flag};
use crate::{say, tell};

/// Where a campaign starts from, and where its results go.
#[derive(Default)]
pub struct Places {
    /// Modules to start from, or directories of them.
    pub inputs: Vec<PathBuf>,
    /// The output directory, and what to do with earlier results there.
    pub output: Option<(PathBuf, Earlier)>,
    /// The file of known groups.
    pub known: Option<PathBuf>,
    /// What worker processes may use. `None` if tests run in this process.
    pub limits: Option<WorkerLimits>,
    /// Where the page of the output directory is served.
    pub serve: Option<String>,
    /// Where the campaign meets others.
    pub sharing: Option<Sharing>,
    /// Of one in how many tests of others a worker runs the mutants, if the workers of this campaign tell each other what they find.
    pub shares: Option<NonZeroU64>,
    /// Whether nobody named a seed, so that a campaign that meets others may draw one.
    pub draws_seed: bool,
}

impl Places {
    /// The same, with what the flags say about sharing.
    pub fn sharing(self, flags: &SharingFlags) -> Result<Self, CommandError> {
        let mutates_one_of = flags.mutate_one_of;
        let sharing = flags.meeting.sharing()?.map(|sharing| Sharing { mutates_one_of, ..sharing });
        Ok(Places { sharing, shares: flags.share.then_some(mutates_one_of), ..self })
    }

    /// The same, for a campaign whose seed was named or not.
    pub fn seed(self, named: Option<Seed>) -> Self {
        Places { draws_seed: named.is_none(), ..self }
    }
}

/// Runs a campaign, prints its report, and returns the exit code.
pub fn hunt(
    spec: &Spec,
    engines: &Registry,
    places: Places,
    telling: &TellingFlags,
) -> Result<Code, CommandError> {
    let Places { inputs, output, known, limits, serve, sharing, shares, draws_seed } = places;
    let limits = limits.filter(|_| is_supervised(spec));
    let private = if shares.is_some() && limits.is_some() { Some(private()?) } else { None };
    let place = match &private {
        Some(private) => Place::Directory(private.directory.path().to_owned()),
        None => Place::Memory(Memory::default()),
    };
    let own = shares
        .map(|mutates_one_of| Sharing { mutates_one_of, ..Sharing::new(place, CampaignName::default()) });
    let directory = output.as_ref().map(|(directory, _)| directory.as_path());
    let showing = Showing::start(directory, serve.as_deref())?;
    let is_drawn = sharing.is_some() && draws_seed;
    let drawn = is_drawn.then(|| Spec { seed: drawn_seed(), ..spec.clone() });
    let learns = spec.strategy.as_ref().is_none_or(Strategy::learns);
    if (sharing.is_some() || shares.is_some()) && !learns && !telling.quiet {
        say::note("this guidance learns nothing from tests, so only findings are shared");
    }
    let spec = drawn.as_ref().unwrap_or(spec);
    let setup = Setup {
        inputs: inputs.clone(),
        output,
        known,
        sharing: sharing.or(own),
        interrupt: interrupt_flag()?,
        observer: Box::new(Shown::new(telling.quiet)),
        ..Setup::new(engines)
    };
    let ran = match limits {
        Some(limits) => {
            let program = Executable::this().map_err(Error::NoWorker)?;
            supervise(spec, setup, &program, limits)?
        }
        None => run(spec, setup)?,
    };
    // A finding is printed even if it could not be stored.
    let told = tell::campaign(&ran.report, &inputs, telling);
    let shown = showing.finish(&ran.report);
    ran.stored.as_ref().map_or_else(|error| Err(not_stored(error)), |()| Ok(())).and(shown).and(told)?;
    Ok(code(spec, &ran))
}

/// A seed that no other worker has. Workers that meet would begin with the same tests if all had the usual one.
fn drawn_seed() -> u64 {
    // Scripts read numbers of up to 53 bits exactly.
    stable::hash(mutagen_exchange::new_worker().as_bytes()) >> 32 | 1
}

/// How the names of directories begin in which the workers of one campaign meet.
const PRIVATE: &str = "mutagen-wasm-share-";
/// The file in such a directory that is held as long as its campaign runs.
const HELD: &str = "held";
/// A directory that is so old was locked long ago, if its campaign still runs.
const OLD: Duration = Duration::from_secs(60);

/// A directory for the worker processes of one campaign alone, and what is held as long as it is used.
struct Private {
    directory: TempDir,
    _held: File,
}

/// A directory for the worker processes of this campaign alone: in memory, where there is a place for such files. Those of
/// campaigns that were killed are removed.
fn private() -> Result<Private, CommandError> {
    let made = private_in(Path::new("/dev/shm")).or_else(|_| private_in(&std::env::temp_dir()));
    made.map_err(|error| {
        CommandError::new(Code::Unusable, format!("cannot make a directory to share: {error}"))
    })
}

fn private_in(place: &Path) -> io::Result<Private> {
    for entry in fs::read_dir(place)?.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PRIVATE);
        if is_ours && is_left_over(&entry.path()) {
            // Somebody else may do the same right now.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    let directory = tempfile::Builder::new().prefix(PRIVATE).tempdir_in(place)?;
    let held = File::create_new(directory.path().join(HELD))?;
    held.try_lock()?;
    Ok(Private { directory, _held: held })
}

/// Whether nobody uses this directory any more.
fn is_left_over(directory: &Path) -> bool {
    let about = fs::symlink_metadata(directory).ok().filter(fs::Metadata::is_dir);
    let age = about.and_then(|about| about.modified().ok()).and_then(|changed| changed.elapsed().ok());
    let is_free = || File::open(directory.join(HELD)).is_ok_and(|held| held.try_lock().is_ok());
    age.is_some_and(|age| age > OLD) && is_free()
}

fn not_stored(error: &mutagen_campaign::Error) -> CommandError {
    CommandError::new(error.class().into(), error)
}

fn code(spec: &Spec, ran: &Ran) -> Code {
    match ran.report.outcome {
        CampaignOutcome::Finding => Code::Finding,
        // Somebody asked all workers of a shared campaign to stop.
        CampaignOutcome::Interrupted if !signals::has_come() => Code::Fine,
        CampaignOutcome::Interrupted => signals::interrupted(),
        CampaignOutcome::GaveUp => Code::Unusable,
        // Not all of the files that the user named were tested.
        _ if spec.strategy.is_none() && ran.left_out => Code::Unusable,
        CampaignOutcome::Passed | CampaignOutcome::Running => Code::Fine,
    }
}
