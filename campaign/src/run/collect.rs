//! Collecting what a search finds: each failing test is confirmed, named by a fix of the catalogue, shrunk, stored and
//! counted in its group.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mutagen_bugs::fixes;
use mutagen_engine::{
    Counterexample, Failure, Outcome, Property, SHRINK_TESTS, Verdict, judged, shrink_failure,
};
use mutagen_oracles::Script;
use mutagen_properties::{Case, Pair, Shape, Subject, TARGET_ENGINE};

use crate::store::Folder;
use crate::{Curb, Decision, Finding, FindingReport, Groups, Moment, Spec, Store};

/// The label of values that are not tested because their shape is that of a group that keeps coming.
const SKIPPED: &str = "skipped: a known group";
/// The label of failures that did not show again.
pub(super) const NOT_CONFIRMED: &str = "not confirmed";
/// A failing test is not shrunk if fewer tests than this are left for it.
const LEAST_SHRINKING: usize = 100;

/// Collects the failing tests of all workers.
pub(super) struct Collector<'a, S: Subject> {
    spec: &'a Spec,
    subject: Arc<S>,
    store: Option<&'a Store>,
    interrupt: Arc<AtomicBool>,
    groups: Mutex<Groups>,
    /// Whether some shapes are skipped. Asked before every test.
    skipping: AtomicBool,
    /// How many tests shrinking has taken.
    shrinking: AtomicUsize,
    /// How many failures did not show again.
    unconfirmed: AtomicU64,
}

impl<'a, S: Subject> Collector<'a, S> {
    pub(super) fn new(
        spec: &'a Spec,
        subject: Arc<S>,
        store: Option<&'a Store>,
        interrupt: Arc<AtomicBool>,
        groups: Groups,
    ) -> Self {
        let (skipping, shrinking, unconfirmed) = Default::default();
        let groups = Mutex::new(groups);
        Collector { spec, subject, store, interrupt, groups, skipping, shrinking, unconfirmed }
    }

    pub(super) fn store(&self) -> Option<&'a Store> {
        self.store
    }

    /// How many tests shrinking has taken so far.
    pub(super) fn shrinking(&self) -> usize {
        self.shrinking.load(Ordering::Relaxed)
    }

    /// How many failures did not show again.
    pub(super) fn unconfirmed(&self) -> u64 {
        self.unconfirmed.load(Ordering::Relaxed)
    }

    pub(super) fn into_groups(self) -> Groups {
        self.groups.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn groups(&self) -> MutexGuard<'_, Groups> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a failing test if it fails again in the same way. Returns whether it does.
    pub(super) fn take_confirmed(
        &self,
        property: &mut S::Property,
        found: &Counterexample<S::Value>,
        budget: usize,
    ) -> bool {
        let again = judge_quietly(&*self.subject, property, &found.value).verdict;
        let fails = matches!(again, Verdict::Failed(failure) if failure.kind == found.failure.kind);
        match fails {
            true => self.take(property, found, budget),
            false => drop(self.unconfirmed.fetch_add(1, Ordering::Relaxed)),
        }
        fails
    }

    /// Takes a value that failed in an earlier run, if it still fails in this way. Returns whether it does.
    pub(super) fn take_again(&self, property: &mut S::Property, value: S::Value, kind: &str) -> bool {
        match judge_quietly(&*self.subject, property, &value).verdict {
            Verdict::Failed(failure) if failure.kind == kind => {
                let failure = *failure;
                let found = Counterexample {
                    value,
                    failure,
                    labels: Vec::new(),
                    tests: 0,
                    seconds: 0.0,
                    late: false,
                };
                self.take(property, &found, SHRINK_TESTS);
                true
            }
            _ => false,
        }
    }

    /// Takes a failing test. `budget` tests may be run to shrink it.
    ///
    /// It is stored as it was found before it is shrunk, so that it is not lost if the run is killed meanwhile. What takes
    /// its place is stored before it is removed.
    fn take(&self, property: &mut S::Property, found: &Counterexample<S::Value>, budget: usize) {
        let now = Moment { tests: found.tests, seconds: found.seconds };
        let case = self.subject.case(&found.value);
        let as_found = Shape::of(&found.failure.kind, &case);
        let recognised = self.groups().recognise(&as_found, now);
        if let Some((_, curb)) = recognised {
            return self.curb(curb, None);
        }
        // A fix that explains it names its group. It must explain it to the engines that differ.
        let others = found.failure.details.iter().any(|(name, _)| name == TARGET_ENGINE);
        let context = self.subject.context().filter(|_| !others);
        let pair = context.and_then(|context| Pair::new(context).ok());
        let mut fix = explaining_fix(pair.as_ref(), &case);
        let explained = fix.and_then(|fix| self.groups().explain(fix, &as_found, now));
        if let Some((_, curb)) = explained {
            return self.curb(curb, fix);
        }
        if budget < LEAST_SHRINKING {
            return self.groups().leave_unsorted();
        }
        // Store it as it was found, and shrink it.
        let large = Finding::new(self.spec, case, &found.failure).with_fixes(self.late_fixes());
        let large_file = self.store.and_then(|store| store.store(Folder::Findings, &large));
        let (value, failure) = self.shrunk(property, found, budget);
        let case = self.subject.case(&value);
        let shape = Shape::of(&failure.kind, &case);
        fix = fix.or_else(|| explaining_fix(pair.as_ref(), &case));
        let small = Finding::new(self.spec, case, &failure).with_fixes(self.late_fixes());
        // The small one takes the place of the large one, or its group has an exemplar already.
        let exemplar =
            FindingReport { finding: small.clone(), tests: found.tests, seconds: found.seconds, file: None };
        let (decision, curb) = self.groups().add(&as_found, shape.clone(), fix, failure.message, exemplar);
        let small_file = match decision {
            Decision::New => self.store.and_then(|store| store.store(Folder::Findings, &small)),
            Decision::Counted | Decision::Silenced => None,
        };
        if let Some(file) = small_file.clone().or(large_file.filter(|_| decision == Decision::New)) {
            self.groups().stored(&shape, file);
        }
        let replaced = small_file.is_some() && large.file_name() != small.file_name();
        let is_exemplar = |name: &str| self.groups().list().iter().any(|group| group.is_stored_as(name));
        if let Some(store) = self.store
            && (replaced || decision != Decision::New && !is_exemplar(&large.file_name()))
        {
            store.discard(Folder::Findings, &large);
        }
        self.curb(curb, fix);
    }

    /// Makes a failing value smaller, as long as it fails in the same way. Stops when the user interrupts the campaign.
    fn shrunk(
        &self,
        property: &mut S::Property,
        found: &Counterexample<S::Value>,
        budget: usize,
    ) -> (S::Value, Failure) {
        let judge = |value: &S::Value| match self.interrupt.load(Ordering::Relaxed) {
            true => Outcome::discarded(),
            false => judge_quietly(&*self.subject, property, value),
        };
        let explicit = Counterexample { value: self.subject.explicit(found.value.clone()), ..found.clone() };
        let shrunk = shrink_failure(&self.subject.scope(), explicit, judge, budget);
        self.shrinking.fetch_add(shrunk.tests, Ordering::Relaxed);
        (shrunk.value, shrunk.failure)
    }

    /// Does what is to be done about a group that keeps coming.
    fn curb(&self, curb: Option<Curb>, fix: Option<&'static str>) {
        match (curb, fix, self.subject.context()) {
            (Some(Curb::Fixed), Some(fix), Some(context)) => context.late_fixes.switch_on(fix),
            (Some(Curb::Fixed), None, Some(context)) => {
                // It was recognised by its shape. Its group knows the fix.
                let groups = self.groups().list();
                let curbed = groups.iter().filter(|group| group.curbed == Some(Curb::Fixed));
                let names: Vec<&str> = curbed.filter_map(|group| group.fix.as_deref()).collect();
                fixes()
                    .filter(|fix| names.contains(&fix.id))
                    .for_each(|fix| context.late_fixes.switch_on(fix.id));
            }
            _ => {}
        }
        self.skipping.store(self.groups().is_skipping(), Ordering::Relaxed);
    }

    fn late_fixes(&self) -> Vec<&'static str> {
        self.subject.context().map(|context| context.late_fixes.list()).unwrap_or_default()
    }

    /// Whether a value is not worth testing: its shape is that of a group that keeps coming.
    fn skips(&self, value: &S::Value) -> bool {
        self.skipping.load(Ordering::Relaxed)
            && self.subject.module(value).is_some_and(|wasm| self.groups().skips(Shape::of_module(&wasm)))
    }

    /// How many tests may be run to shrink another failing test, after so many tests of the search. Shrinking takes at
    /// most as many tests as the search, and those of one finding.
    fn shrinking_left(&self, tests: u64) -> usize {
        let allowed = SHRINK_TESTS.saturating_add(usize::try_from(tests).unwrap_or(usize::MAX));
        allowed.saturating_sub(self.shrinking()).min(SHRINK_TESTS)
    }
}

/// The catalogue's fix with which the engines agree on a module.
fn explaining_fix(pair: Option<&Pair>, case: &Case) -> Option<&'static str> {
    let Case::Module { wasm, calls, hosts } = case else { return None };
    pair?.explaining_fix(fixes().map(|fix| fix.id), wasm, Script { calls, hosts }).ok().flatten()
}

/// Judges one value. A panic of the property is a failure, as in a campaign.
fn judge_quietly<S: Subject>(subject: &S, property: &mut S::Property, value: &S::Value) -> Outcome {
    judged(|| subject.judge(property, value))
}

/// The property of one worker. In a campaign that goes on after a finding, what fails is handed to the collector between
/// two tests, so that the traces of tests are not mixed with those of shrinking.
pub(super) struct Collecting<'c, 'a, S: Subject> {
    property: S::Property,
    /// The collector, and a property for shrinking besides the one that may have open questions.
    collector: Option<(&'c Collector<'a, S>, S::Property)>,
    started: Instant,
    tests: u64,
    failed: Option<(S::Value, Failure)>,
}

impl<'c, 'a, S: Subject> Collecting<'c, 'a, S> {
    pub(super) fn new(property: S::Property, collector: Option<(&'c Collector<'a, S>, S::Property)>) -> Self {
        Collecting { property, collector, started: Instant::now(), tests: 0, failed: None }
    }

    /// Hands a failure to the collector. Returns whether it was confirmed.
    fn collect(&mut self, value: S::Value, failure: Failure) -> bool {
        let Some((collector, alone)) = &mut self.collector else { return true };
        let (tests, seconds) = (self.tests, self.started.elapsed().as_secs_f64());
        let found = Counterexample { value, failure, labels: Vec::new(), tests, seconds, late: false };
        collector.take_confirmed(alone, &found, collector.shrinking_left(tests))
    }
}

impl<S: Subject> Property<S::Value> for Collecting<'_, '_, S> {
    fn check(&mut self, value: &S::Value) -> Outcome {
        self.tests += 1;
        let Some((collector, _)) = &self.collector else { return self.property.check(value) };
        if collector.skips(value) {
            return Outcome::discarded().label(SKIPPED);
        }
        let outcome = judged(|| self.property.check(value));
        if let Verdict::Failed(failure) = &outcome.verdict {
            self.failed = Some((value.clone(), (**failure).clone()));
        }
        outcome
    }

    fn late(&mut self, finish: bool) -> Option<(S::Value, Outcome)> {
        if let Some((value, failure)) = self.failed.take() {
            self.collect(value, failure);
        }
        let (value, outcome) = self.property.late(finish)?;
        match &outcome.verdict {
            Verdict::Failed(failure) if !self.collect(value.clone(), (**failure).clone()) => {
                Some((value, Outcome::inconclusive(NOT_CONFIRMED)))
            }
            _ => Some((value, outcome)),
        }
    }
}
