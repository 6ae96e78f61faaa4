//! Sharing: workers of one campaign, on one machine or on several, tell each other what they find.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mutagen_engine::stable;
use mutagen_exchange::{CampaignName, Entry, Exchange, Health, Place, Terms};
use mutagen_oracles::Registry;
use mutagen_properties::Shape;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CampaignReport, Error, Executable, Finding, Progress, Spec, SpecError, Stored, SubjectSpec};

/// How often a campaign says how it is doing.
const TOLD_EVERY: Duration = Duration::from_secs(1);
/// How long the end of a campaign waits until the others have what all of its workers published.
const LONGEST_END: Duration = Duration::from_secs(10);

/// Where the workers of a campaign meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sharing {
    /// The directory or the server.
    pub place: Place,
    /// The campaign there.
    pub campaign: CampaignName,
    /// A worker runs the mutants of one in so many tests of others, drawn anew by each worker: if all ran those of all, they would run
    /// the same ones.
    pub mutates_one_of: NonZeroU64,
}

impl Sharing {
    /// How many tests of others there usually are for each whose mutants a worker runs.
    pub const MUTATES_ONE_OF: NonZeroU64 = NonZeroU64::new(4).unwrap();

    /// A campaign that meets there, with the usual settings.
    pub fn new(place: Place, campaign: CampaignName) -> Self {
        Sharing { place, campaign, mutates_one_of: Self::MUTATES_ONE_OF }
    }
}

/// How a campaign is doing, as it is told to others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// How many workers run at once.
    pub jobs: u16,
    /// Whether it has ended.
    pub ended: bool,
    /// The work so far.
    #[serde(flatten)]
    pub progress: Progress,
}

/// What came of sharing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shared {
    /// Tests of others that were run.
    pub received: u64,
    /// Entries that were not stored when the campaign ended.
    pub unsent: u64,
    /// Tests that were dropped, because too many waited or there was no more room.
    pub dropped: u64,
    /// Entries that were too large.
    pub too_large: u64,
    /// Entries of others that were damaged, of another format, or no tests of this campaign.
    pub foreign: u64,
}

impl Shared {
    /// The sum of both.
    pub(crate) fn and(self, other: Shared) -> Shared {
        Shared {
            received: self.received + other.received,
            unsent: self.unsent + other.unsent,
            dropped: self.dropped + other.dropped,
            too_large: self.too_large + other.too_large,
            foreign: self.foreign + other.foreign,
        }
    }
}

/// What all workers of a campaign must have in common: all that a spec says but seed, jobs, budget and when to stop, the build of
/// the program, and the versions of target and reference.
///
/// # Errors
///
/// If the campaign cannot be shared, or there is no such target.
pub fn terms_of(spec: &Spec, engines: &Registry) -> Result<Terms, Error> {
    if spec.strategy.is_none() {
        return Err(SpecError::NotShared.into());
    }
    let mut terms = program_terms("campaign")?;
    // The machines are parts of this program. The reference may be installed besides it.
    if let SubjectSpec::Engines(about) = &spec.subject {
        terms = terms
            .with("target version", engines.find(&about.target)?.version.clone())
            .with("reference version", engines.find(&about.reference)?.version.clone());
    }
    let mut common = serde_json::to_value(spec).unwrap_or_default();
    if let Value::Object(fields) = &mut common {
        ["seed", "jobs", "budget", "keep_going"].iter().for_each(|name| drop(fields.remove(*name)));
    }
    Ok(flattened(terms, "spec", &common))
}

/// What workers of any kind must have in common: what they do, and the program that does it.
///
/// # Errors
///
/// If the file of the program cannot be read.
pub fn program_terms(kind: &str) -> Result<Terms, Error> {
    let build = Executable::this().and_then(|program| program.build()).map_err(Error::NoWorker)?;
    let terms = Terms::default().with("kind", kind).with("version", env!("CARGO_PKG_VERSION"));
    Ok(terms.with("build", build))
}

/// Adds a value to terms, each part under a name of its own.
fn flattened(terms: Terms, name: &str, value: &Value) -> Terms {
    match value {
        Value::Object(fields) => {
            fields.iter().fold(terms, |terms, (key, value)| flattened(terms, &format!("{name}.{key}"), value))
        }
        Value::String(text) => terms.with(name, text),
        other => terms.with(name, other.to_string()),
    }
}

/// One worker's end of an exchange, which several parts of a campaign use.
pub(crate) type End = Arc<Mutex<Box<dyn Exchange>>>;

/// The ends of the exchanges of one process.
pub(crate) struct Voice {
    sharing: Sharing,
    terms: Terms,
    end: End,
    /// The ends of workers besides the first.
    others: Mutex<Vec<End>>,
    told: Mutex<Option<Instant>>,
    jobs: u16,
    received: Arc<AtomicU64>,
    foreign: Arc<AtomicU64>,
    /// Whether this process is a worker, for which its supervisor speaks.
    is_worker: bool,
}

fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Voice {
    /// Joins the campaign.
    pub(crate) fn join(
        sharing: Sharing,
        spec: &Spec,
        engines: &Registry,
        is_worker: bool,
    ) -> Result<Self, Error> {
        let terms = terms_of(spec, engines)?;
        // The supervisor of a worker has joined before: the server may be gone now, and local work goes on.
        let end = match is_worker {
            true => sharing.place.join_again(&sharing.campaign, &terms)?,
            false => sharing.place.join(&sharing.campaign, &terms)?,
        };
        let end = Arc::new(Mutex::new(end));
        let (others, told, received, foreign) = Default::default();
        Ok(Voice { sharing, terms, end, others, told, jobs: spec.jobs, received, foreign, is_worker })
    }

    /// The end of a worker. `None` if it cannot join: it then works alone.
    pub(crate) fn end(&self, worker: usize) -> Option<End> {
        if worker == 0 {
            return Some(Arc::clone(&self.end));
        }
        let end = self.sharing.place.join_again(&self.sharing.campaign, &self.terms).ok()?;
        let end = Arc::new(Mutex::new(end));
        locked(&self.others).push(Arc::clone(&end));
        Some(end)
    }

    /// Counts tests of others.
    pub(crate) fn received(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.received)
    }

    /// Counts entries of others that cannot be read.
    pub(crate) fn foreign(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.foreign)
    }

    /// Tells the others about a finding.
    pub(crate) fn found(&self, finding: &Finding) {
        let Ok(case) = finding.case() else { return };
        let shape = Shape::of(finding.kind(), &case).to_string();
        if let Ok(bytes) = serde_json::to_vec(finding) {
            locked(&self.end).publish(Entry::finding(stable::hash(shape.as_bytes()), bytes));
        }
    }

    /// Tells about the findings of a whole campaign: a worker that died may not have said all that it had found.
    pub(crate) fn found_all(&self, report: &CampaignReport) {
        for file in report.groups.iter().filter_map(|group| group.file.as_ref()) {
            if let Ok(Stored::Finding(finding)) = Finding::read(file) {
                self.found(&finding);
            }
        }
        report.finding.iter().for_each(|found| self.found(&found.finding));
    }

    /// Says how the campaign is doing, from time to time. Returns whether somebody asked it to stop.
    pub(crate) fn tell(&self, progress: &Progress) -> bool {
        if self.is_worker {
            return false;
        }
        let mut told = locked(&self.told);
        if told.is_none_or(|told| told.elapsed() >= TOLD_EVERY) {
            *told = Some(Instant::now());
            self.say(&Status { jobs: self.jobs, ended: false, progress: *progress });
        }
        locked(&self.end).is_stopped()
    }

    fn say(&self, status: &Status) {
        locked(&self.end).tell(&serde_json::to_string(status).unwrap_or_default());
    }

    /// Says that the campaign has ended, and how.
    fn ended(&self, report: &CampaignReport) {
        let CampaignReport { seconds, tests, passed, discarded, inconclusive, .. } = *report;
        let progress = Progress { seconds, tests, passed, discarded, inconclusive, ..Progress::default() };
        self.say(&Status { jobs: self.jobs, ended: true, progress });
    }

    /// Waits until the others have everything, and adds to the report what came of it.
    pub(crate) fn finish(&self, report: &mut CampaignReport) {
        if !self.is_worker {
            self.ended(report);
        }
        let received = self.received.load(Ordering::Relaxed);
        let mut sum = Shared { received, ..report.shared.unwrap_or_default() };
        sum.received += report.shared.map_or(0, |shared| shared.received);
        sum.foreign += self.foreign.load(Ordering::Relaxed);
        let deadline = Instant::now() + LONGEST_END;
        for end in std::iter::once(&self.end).chain(&*locked(&self.others)) {
            let mut end = locked(end);
            end.finish(deadline.saturating_duration_since(Instant::now()));
            let Health { unsent, dropped, too_large, foreign, .. } = end.health();
            sum = sum.and(Shared { received: 0, unsent, dropped, too_large, foreign });
        }
        report.shared = Some(sum);
    }

    /// Where the campaign meets.
    pub(crate) fn sharing(&self) -> &Sharing {
        &self.sharing
    }
}
