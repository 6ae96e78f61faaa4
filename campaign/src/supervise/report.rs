//! The report of a supervised campaign: what all its workers told, and what was found about those that died.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mutagen_properties::Subject;

use super::order::{CampaignOrder, Message, Order, Refusal};
use super::seat::Seat;
use super::supervisor::uncounted;
use super::{Program, ReachApart, WorkerLimits};
use crate::reach::{CorpusReach, reached_by, time_for};
use crate::run::{Collector, Driver, STATS};
use crate::{
    Budget, CampaignOutcome, CampaignReport, Deaths, Error, Finding, FindingReport, Group, Groups, Ran, Spec,
    Store, Stored, SubjectSpec,
};

/// How often a worker is started that sorts findings.
const SORT_TRIES: usize = 3;

/// Why a campaign ended, if no worker has said so.
const ALL_ENDED: &str = "all workers have ended";

/// A campaign whose workers have ended.
pub(super) struct Ended {
    /// How long it took.
    pub(super) seconds: f64,
    pub(super) seats: Vec<Seat>,
    pub(super) deaths: Deaths,
    /// The hashes of modules that are not tested any more.
    pub(super) barred: Vec<u64>,
    /// Why the campaign ended before its time.
    pub(super) gave_up: Option<String>,
}

impl Ended {
    /// The report of the whole campaign, which is stored as well.
    pub(super) fn report<S: Subject>(
        self,
        driver: &Driver<'_, S>,
        collector: Collector<'_, S>,
        program: &Program<'_>,
    ) -> Result<Ran, Error> {
        let Ended { seconds, seats, deaths, barred, gave_up } = self;
        let (spec, store) = (driver.spec, collector.store());
        let late_fixes = collector.late_fixes().into_iter().map(str::to_owned).collect();
        let mut groups = collector.into_groups();
        let Sum { mut report, refused, left_out, surplus } = Sum::of(spec, seats, seconds);
        absorb(&mut groups, std::mem::take(&mut report.groups), store);
        let is_exemplar = |file: &PathBuf| {
            groups
                .list()
                .iter()
                .any(|group| group.file.as_ref().is_some_and(|own| own.file_name() == file.file_name()))
        };
        if let Some(store) = store {
            surplus.iter().filter(|file| !is_exemplar(file)).for_each(|file| store.discard_file(file));
        }
        // Only workers that died, or those of earlier runs, leave something to sort.
        if let Some(store) = store.filter(|store| deaths != Deaths::default() || store.resumes()) {
            let order = CampaignOrder {
                spec: without_search(spec),
                resumes: false,
                sorts: true,
                groups: Vec::new(),
                late_fixes,
                skipped: Vec::new(),
                killers: Vec::new(),
                corpus: None,
                tested: 0,
                barred,
                unasked: Vec::new(),
                sharing: None,
            };
            sort_left_over(&mut groups, store, program, order, seconds);
        }
        report.groups = groups.list();
        report.unsorted += groups.unsorted();
        report.finding = first_finding(&groups, report.finding.take());
        report.deaths = (deaths != Deaths::default()).then_some(deaths);
        if let Some(why) = gave_up {
            (report.outcome, report.stop_reason) = (CampaignOutcome::GaveUp, why);
        } else if report.stop_reason == ALL_ENDED && driver.interrupt.load(Ordering::Relaxed) {
            // The last worker could not say so.
            (report.outcome, report.stop_reason) = (CampaignOutcome::Interrupted, "interrupted".to_owned());
        }
        if groups.has_news() || report.unsorted > 0 {
            report.outcome = CampaignOutcome::Finding;
        }
        if let Some(voice) = &driver.voice {
            voice.found_all(&report);
            voice.finish(&mut report);
        }
        if let Some(store) = store {
            let CampaignReport { tests, passed, discarded, seconds, .. } = report;
            report.total = Some(driver.earlier.and(tests, passed, discarded, seconds));
            let time = time_for(seconds, driver.interrupt.load(Ordering::Relaxed));
            report.reaches(reached(spec, store, program, time));
            store.write_json(STATS, &report);
        }
        let stored = store.map_or(Ok(()), Store::complete);
        let stored = stored.and(refused.map_or(Ok(()), |refused| Err(refused.into())));
        Ok(Ran { report, stored, left_out })
    }
}

/// The campaign of a worker that only sorts what is stored: it may run no test of its own.
fn without_search(spec: &Spec) -> Spec {
    let mut spec = Spec { jobs: 1, budget: Budget { tests: Some(0), ..spec.budget }, ..spec.clone() };
    // It judges what failed, so the reference decides.
    if let SubjectSpec::Engines(engines) = &mut spec.subject {
        engines.first_opinion = None;
    }
    spec
}

/// What the workers told, added up.
struct Sum {
    report: CampaignReport,
    /// Why something could not be stored.
    refused: Option<Refusal>,
    left_out: bool,
    /// Files of exemplars of groups that may have another one.
    surplus: BTreeSet<PathBuf>,
}

impl Sum {
    fn of(spec: &Spec, seats: Vec<Seat>, seconds: f64) -> Self {
        let (mut all, mut refused, mut left_out) = (Vec::new(), None, false);
        let mut surplus = BTreeSet::new();
        for seat in seats {
            let (earlier, done, files) = seat.into_reports();
            all.extend(earlier);
            surplus.extend(files);
            if let Some(done) = done {
                refused = refused.or(done.not_stored);
                left_out |= done.left_out;
                all.push(done.report);
            }
        }
        // Complete reports first: what is not known of the others does not hide what is known.
        all.sort_by_key(|report| report.stop_reason.is_empty());
        let mut all = all.into_iter();
        let mut report = all.next().unwrap_or_else(|| CampaignReport::empty(spec));
        let is_alone = all.len() == 0 && !report.stop_reason.is_empty();
        for mut other in all {
            report.groups.append(&mut other.groups);
            report.add(other);
        }
        // A single worker knows best how long it took.
        if !is_alone {
            report.seconds = seconds;
            report.tests_per_second = report.tests as f64 / seconds.max(f64::MIN_POSITIVE);
        }
        (report.spec, report.seed, report.jobs) = (spec.clone(), spec.seed, spec.jobs);
        if report.stop_reason.is_empty() {
            report.stop_reason = ALL_ENDED.to_owned();
        }
        Sum { report, refused, left_out, surplus }
    }
}

/// Adds groups. The exemplar of a group that is there already is removed from the disk: one is enough.
fn absorb(groups: &mut Groups, more: Vec<Group>, store: Option<&Store>) {
    for group in more {
        let surplus = groups.absorb(group);
        if let (Some(file), Some(store)) = (surplus, store) {
            store.discard_file(&file);
        }
    }
}

/// Sorts the findings of workers that died before they could: a worker of their own does it. What it cannot sort is kept as it
/// is, in groups of its own. Nobody knows any more when they were met: it was before the campaign ended, after these seconds.
fn sort_left_over(
    groups: &mut Groups,
    store: &Store,
    program: &Program<'_>,
    mut order: CampaignOrder,
    seconds: f64,
) {
    let is_sortable = |left: &FindingReport| !left.finding.ends_the_process();
    for _ in 0..SORT_TRIES {
        if !store.left_over(&groups.list()).iter().any(is_sortable) {
            break;
        }
        order.groups = groups.list().into_iter().map(uncounted).collect();
        let (sorted, barred) = sort(program, order.clone());
        order.barred.extend(barred);
        if let Some(sorted) = sorted {
            absorb(groups, sorted.later(seconds).groups, Some(store));
            break;
        }
    }
    store.left_over(&groups.list()).into_iter().for_each(|left| groups.keep(left));
}

/// Lets a worker sort. Returns its report, or the hash of the module that it died of.
fn sort(program: &Program<'_>, order: CampaignOrder) -> (Option<CampaignReport>, Option<u64>) {
    match program.follow(&Order::Campaign(Box::new(order))) {
        Ok((Some(Message::Done(done)), _)) => (Some(done.report), None),
        Ok((_, remains)) => (None, remains.noted().and_then(|noted| noted.hash())),
        Err(_) => (None, None),
    }
}

/// What the corpus reaches. Processes of their own find out: modules that were kept may end one when they are called in another
/// way, and are left out then.
fn reached(spec: &Spec, store: &Store, program: &Program<'_>, time: Duration) -> Option<CorpusReach> {
    let modules = store.corpus().ok()?;
    let limits = WorkerLimits { processor: program.limits.processor.min(time), ..program.limits };
    let mut reach = ReachApart::new(program.executable, spec.clone(), limits);
    reached_by(modules, time, |case| reach.of(case).ok())
}

/// The finding that the report shows: the first one of this run.
fn first_finding(groups: &Groups, told: Option<FindingReport>) -> Option<FindingReport> {
    let crashed = groups.first().cloned();
    let first = match (told, crashed) {
        (Some(told), Some(crashed)) if crashed.seconds < told.seconds => Some(crashed),
        (told, crashed) => told.or(crashed),
    };
    // The worker that found it may have died since. Its file is there.
    first.or_else(|| {
        let met = groups.list().into_iter().filter(|group| group.count > 0 && group.silenced.is_none());
        met.filter_map(|group| Some((group.first, group.file?))).find_map(|(first, file)| {
            let Ok(Stored::Finding(finding)) = Finding::read(&file) else { return None };
            Some(FindingReport { finding, tests: first.tests, seconds: first.seconds, file: Some(file) })
        })
    })
}
