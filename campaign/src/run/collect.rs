//! Collecting what a search finds: each failing test is confirmed, named by a fix of the catalogue, shrunk, stored and
//! counted in its group.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mutagen_bugs::fixes;
use mutagen_engine::{
    Counterexample, Failure, Outcome, Property, SHRINK_TESTS, Verdict, judged, shrink_failure,
};
use mutagen_oracles::Script;
use mutagen_properties::{Case, Pair, REFERENCE_ENGINE, Shape, Subject, TARGET_ENGINE, Votes};

use crate::sharing::Voice;
use crate::store::Folder;
use crate::{Curb, Decision, Finding, FindingReport, Groups, Moment, Spec, Store};

/// The label of values that are not tested because their shape is that of a group that keeps coming.
const SKIPPED: &str = "skipped: a known group";
/// The label of failures that did not show again.
pub(super) const NOT_CONFIRMED: &str = "not confirmed";
/// The detail of a failure that says where in the target it happened, if that is known.
pub(crate) const SITE: &str = "site";
/// A failing test is not shrunk if fewer tests than this are left for it.
const LEAST_SHRINKING: usize = 100;
/// How long one failing test may be shrunk. Most take a second; where each test takes long, such as one that fills large memories,
/// the search has better use for the time. Tests that end their process have a limit of their own.
const LONGEST_SHRINKING: Duration = Duration::from_secs(10);
/// The same for one that a fix of the catalogue explains: that bug is known, and the search has others to find.
const LONGEST_EXPLAINED: Duration = Duration::from_secs(3);

/// Collects the failing tests of all workers.
pub(crate) struct Collector<'a, S: Subject> {
    spec: &'a Spec,
    subject: Arc<S>,
    store: Option<&'a Store>,
    interrupt: Arc<AtomicBool>,
    groups: Mutex<Groups>,
    /// What tells others about findings, if the campaign is shared.
    voice: Option<Arc<Voice>>,
    /// Whether some shapes are skipped. Asked before every test.
    skipping: AtomicBool,
    /// How many tests shrinking has taken.
    shrinking: AtomicUsize,
    /// How many failures did not show again.
    unconfirmed: AtomicU64,
}

impl<'a, S: Subject> Collector<'a, S> {
    pub(crate) fn new(
        spec: &'a Spec,
        subject: Arc<S>,
        store: Option<&'a Store>,
        interrupt: Arc<AtomicBool>,
        groups: Groups,
    ) -> Self {
        let (shrinking, unconfirmed) = Default::default();
        let skipping = AtomicBool::new(groups.is_skipping());
        let groups = Mutex::new(groups);
        Collector { spec, subject, store, interrupt, groups, voice: None, skipping, shrinking, unconfirmed }
    }

    /// Tells others about findings.
    pub(crate) fn telling(self, voice: Option<Arc<Voice>>) -> Self {
        Collector { voice, ..self }
    }

    /// Tells others about a finding that is the first of its group.
    fn tell(&self, decision: Decision, finding: &Finding) {
        if let (Decision::New, Some(voice)) = (decision, &self.voice) {
            voice.found(finding);
        }
    }

    pub(crate) fn store(&self) -> Option<&'a Store> {
        self.store
    }

    /// How many tests shrinking has taken so far.
    pub(crate) fn shrinking(&self) -> usize {
        self.shrinking.load(Ordering::Relaxed)
    }

    /// How many failures did not show again.
    pub(crate) fn unconfirmed(&self) -> u64 {
        self.unconfirmed.load(Ordering::Relaxed)
    }

    pub(crate) fn into_groups(self) -> Groups {
        self.groups.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn groups(&self) -> MutexGuard<'_, Groups> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a failing test if it fails again in the same way. Returns whether it does.
    pub(crate) fn take_confirmed(
        &self,
        judge: &mut impl Judge<S>,
        found: &Counterexample<S::Value>,
        budget: usize,
    ) -> bool {
        let again = judge.judge(&found.value).verdict;
        let fails = matches!(again, Verdict::Failed(failure) if failure.kind == found.failure.kind);
        match fails {
            true => self.take(judge, found, budget),
            false => drop(self.unconfirmed.fetch_add(1, Ordering::Relaxed)),
        }
        fails
    }

    /// Takes a value that failed in an earlier run, if it still fails in this way. Returns whether it does.
    pub(super) fn take_again(&self, judge: &mut impl Judge<S>, value: S::Value, kind: &str) -> bool {
        match judge.judge(&value).verdict {
            Verdict::Failed(failure) if failure.kind == kind => {
                self.take(judge, &counterexample(value, *failure, Moment::default()), SHRINK_TESTS);
                true
            }
            _ => false,
        }
    }

    /// Takes a failing test. `budget` tests may be run to shrink it.
    ///
    /// It is stored as it was found before it is shrunk, so that it is not lost if the run is killed meanwhile. What takes
    /// its place is stored before it is removed.
    pub(crate) fn take(&self, judge: &mut impl Judge<S>, found: &Counterexample<S::Value>, budget: usize) {
        let now = Moment { tests: found.tests, seconds: found.seconds };
        let case = judge.case(&found.value);
        let as_found = Shape::of(&found.failure.kind, &case);
        let site = site(&found.failure);
        if let Some((_, curb)) = self.recognise(&as_found, site, now) {
            return self.curb(curb, None);
        }
        // A fix that explains it names its group. It must explain it to the engines that differ.
        let others = found.failure.details.iter().any(|(name, _)| name == TARGET_ENGINE);
        let explain = |judge: &mut _, case: &_| if others { Vec::new() } else { fixes_of(judge, case) };
        let needed = explain(judge, &case);
        // Otherwise the place that an engine names does: one fault is in modules of many shapes.
        let said = needed.is_empty().then(|| said_at(&found.failure)).flatten();
        let recognised = said.as_ref().and_then(|said| self.groups().recognise_site(said, &as_found, now));
        if let Some((_, curb)) = recognised {
            return self.curb(curb, None);
        }
        // One that takes several is shrunk unless all of their groups are there: it may be the first to show one of the bugs.
        let is_known = needed.iter().all(|fix| self.groups().has_fix(fix));
        let known = needed.first().copied().filter(|_| is_known);
        if let Some((_, curb)) = known.and_then(|fix| self.groups().explain(fix, &as_found, now)) {
            return self.curb(curb, known);
        }
        if budget < LEAST_SHRINKING {
            return self.groups().leave_unsorted();
        }
        // Store it as it was found, and shrink it.
        let large = Finding::new(self.spec, case, &found.failure).with_fixes(self.late_fixes());
        let large_file = self.store.and_then(|store| store.store(Folder::Findings, &large));
        let longest = if needed.len() == 1 { LONGEST_EXPLAINED } else { LONGEST_SHRINKING };
        let (value, failure) = self.shrunk(judge, found, budget, longest);
        let case = judge.case(&value);
        let shape = Shape::of(&failure.kind, &case);
        let fix = match needed[..] {
            [fix] => Some(fix),
            // It shows less than before.
            _ => self.newest(&explain(judge, &case)).or_else(|| self.newest(&needed)),
        };
        let votes = judge.votes(&case, &failure);
        let small = Finding::new(self.spec, case, &failure).with_fixes(self.late_fixes()).with_votes(votes);
        // The small one takes the place of the large one, or its group has an exemplar already.
        let exemplar =
            FindingReport { finding: small.clone(), tests: found.tests, seconds: found.seconds, file: None };
        let (decision, curb) = self.groups().add(&as_found, shape.clone(), fix, failure.message, exemplar);
        self.tell(decision, &small);
        if let Some(site) = site.map(str::to_owned).or(said) {
            self.groups().is_at(&shape, &site);
        }
        let small_file = match decision {
            Decision::New => self.store.and_then(|store| store.store(Folder::Findings, &small)),
            Decision::Counted | Decision::Silenced => None,
        };
        if let Some(file) = small_file.clone().or(large_file.filter(|_| decision == Decision::New)) {
            self.groups().stored(&shape, file);
        }
        let replaced = small_file.is_some() && large.file_name() != small.file_name();
        if let Some(store) = self.store
            && (replaced || decision != Decision::New && !self.has_exemplar(&large.file_name()))
        {
            store.discard(Folder::Findings, &large);
        }
        self.curb(curb, fix);
    }

    /// Whether the exemplar of a group is stored under this name.
    pub(super) fn has_exemplar(&self, name: &str) -> bool {
        self.groups().list().iter().any(|group| group.is_stored_as(name))
    }

    /// Takes a failing test that cannot be shrunk.
    pub(crate) fn take_as_is(&self, judge: &mut impl Judge<S>, case: Case, failure: &Failure, now: Moment) {
        let shape = Shape::of(&failure.kind, &case);
        if let Some((_, curb)) = self.recognise(&shape, site(failure), now) {
            return self.curb(curb, None);
        }
        let fix = self.newest(&fixes_of(judge, &case));
        let finding = Finding::new(self.spec, case, failure).with_fixes(self.late_fixes());
        let Moment { tests, seconds } = now;
        let exemplar = FindingReport { finding: finding.clone(), tests, seconds, file: None };
        let (decision, curb) =
            self.groups().add(&shape, shape.clone(), fix, failure.message.clone(), exemplar);
        self.tell(decision, &finding);
        if decision == Decision::New
            && let Some(file) = self.store.and_then(|store| store.store(Folder::Findings, &finding))
        {
            self.groups().stored(&shape, file);
        }
        if let Some(site) = site(failure) {
            self.groups().is_at(&shape, site);
        }
        self.curb(curb, fix);
    }

    /// Of the fixes that a test takes, the one after which it is named: the first that no group has, or else the first.
    fn newest(&self, needed: &[&'static str]) -> Option<&'static str> {
        let groups = self.groups();
        needed.iter().find(|fix| !groups.has_fix(fix)).or(needed.first()).copied()
    }

    /// Counts a failing test in its group, if one like it, or one at the same site, was there before.
    fn recognise(
        &self,
        as_found: &Shape,
        site: Option<&str>,
        now: Moment,
    ) -> Option<(Decision, Option<Curb>)> {
        let mut groups = self.groups();
        groups.recognise(as_found, now).or_else(|| groups.recognise_site(site?, as_found, now))
    }

    /// Makes a failing value smaller, as long as it fails in the same way. Stops when the user interrupts the campaign, and when
    /// tests are so slow that it takes long.
    fn shrunk(
        &self,
        judge: &mut impl Judge<S>,
        found: &Counterexample<S::Value>,
        budget: usize,
        longest: Duration,
    ) -> (S::Value, Failure) {
        let explicit = Counterexample { value: judge.explicit(found.value.clone()), ..found.clone() };
        let started = Instant::now();
        let is_over = || self.interrupt.load(Ordering::Relaxed) || started.elapsed() > longest;
        let mut judge = |value: &S::Value| if is_over() { Outcome::discarded() } else { judge.judge(value) };
        let (explicit, tests) = self.without_large_parts(&mut judge, explicit, budget / 2);
        let shrunk = shrink_failure(&self.subject.scope(), explicit, judge, budget - tests);
        self.shrinking.fetch_add(tests + shrunk.tests, Ordering::Relaxed);
        (shrunk.value, shrunk.failure)
    }

    /// Makes the module of a failing value smaller in large steps, as long as it fails in the same way. Mutants alone take long
    /// on large modules. Returns how many tests it took as well.
    fn without_large_parts(
        &self,
        judge: &mut impl FnMut(&S::Value) -> Outcome,
        found: Counterexample<S::Value>,
        budget: usize,
    ) -> (Counterexample<S::Value>, usize) {
        let subject = &self.subject;
        let Some(wasm) = subject.module(&found.value) else { return (found, 0) };
        if subject.with_module(&found.value, &wasm).is_none() {
            return (found, 0);
        }
        let (mut smallest, mut tests) = (found.clone(), 0);
        let fails = |wasm: &[u8]| {
            let Some(value) = subject.with_module(&found.value, wasm) else { return false };
            tests += 1;
            match judge(&value).verdict {
                Verdict::Failed(failure) if failure.kind == found.failure.kind => {
                    smallest = Counterexample { value, failure: *failure, ..found.clone() };
                    true
                }
                _ => false,
            }
        };
        // What is not shrunk here is left to the mutants.
        let _ = mutagen_shrink::shrink(&wasm, mutagen_shrink::Limits { tests: budget }, fails, |_| ());
        (smallest, tests)
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

    /// The fixes that were switched on so far.
    pub(crate) fn late_fixes(&self) -> Vec<&'static str> {
        self.subject.context().map(|context| context.late_fixes.list()).unwrap_or_default()
    }

    /// Whether a value is not worth testing: its shape is that of a group that keeps coming.
    fn skips(&self, value: &S::Value) -> bool {
        self.skipping.load(Ordering::Relaxed)
            && self.subject.module(value).is_some_and(|wasm| {
                let mut groups = self.groups();
                groups.skips(Shape::of_module(&wasm)) || groups.is_killer(&wasm)
            })
    }

    /// How many tests may be run to shrink another failing test, after so many tests of the search. Shrinking takes at
    /// most as many tests as the search, and those of one finding.
    fn shrinking_left(&self, tests: u64) -> usize {
        let allowed = SHRINK_TESTS.saturating_add(usize::try_from(tests).unwrap_or(usize::MAX));
        allowed.saturating_sub(self.shrinking()).min(SHRINK_TESTS)
    }
}

/// The fixes of the catalogue that explain a failing test.
fn fixes_of<S: Subject>(judge: &mut impl Judge<S>, case: &Case) -> Vec<&'static str> {
    explaining_fixes(judge.asks_apart(), |fixes| judge.is_explained(case, fixes))
}

/// The fixes of the catalogue with which a test shows nothing: one of those that are off, or several that are all needed, because the
/// test shows several bugs at once.
///
/// Questions that are asked apart take long, and most tests that no fix explains need one only: with all fixes. Others begin with one
/// fix after the other, since with all fixes the target leaves nothing wrong behind for it to read.
fn explaining_fixes(
    asks_apart: bool,
    mut is_explained: impl FnMut(&[&'static str]) -> bool,
) -> Vec<&'static str> {
    let mut needed: Vec<&'static str> = fixes().map(|fix| fix.id).collect();
    if asks_apart && !is_explained(&needed) {
        return Vec::new();
    }
    if let Some(fix) = needed.iter().find(|fix| is_explained(&[fix])) {
        return vec![fix];
    }
    if !asks_apart && !is_explained(&needed) {
        return Vec::new();
    }
    for fix in needed.clone() {
        let others: Vec<&'static str> = needed.iter().copied().filter(|other| *other != fix).collect();
        if is_explained(&others) {
            needed = others;
        }
    }
    needed
}

/// Where a failure happened, if that is known.
fn site(failure: &Failure) -> Option<&str> {
    failure.details.iter().find(|(name, _)| name == SITE).map(|(_, site)| site.as_str())
}

/// The kinds of failures in which an engine says what it could not do.
const SAYING: [&str; 2] = ["panic", "compilation"];

/// Where an engine panicked, or else what it says without its numbers.
fn said_at(failure: &Failure) -> Option<String> {
    SAYING.contains(&failure.kind.as_str()).then_some(())?;
    let place = failure.message.find(".rs:").and_then(|at| {
        let before = failure.message[..at].rfind('(')?;
        let length = failure.message[before..].find(')')?;
        Some(&failure.message[before + 1..before + length])
    });
    let said = place.map_or_else(|| failure.message.replace(|c: char| c.is_ascii_digit(), ""), str::to_owned);
    Some(format!("{}: {said}", failure.kind))
}

/// A failing test, met at this moment.
pub(crate) fn counterexample<T>(value: T, failure: Failure, at: Moment) -> Counterexample<T> {
    let (labels, Moment { tests, seconds }) = (Vec::new(), at);
    Counterexample { value, failure, labels, tests, seconds, late: false }
}

/// Who judges failing tests while they are collected: this process, or others for tests that end a process.
pub(crate) trait Judge<S: Subject> {
    /// Judges a value.
    fn judge(&mut self, value: &S::Value) -> Outcome;

    /// The value in the form in which it is stored.
    fn case(&self, value: &S::Value) -> Case;

    /// The same test, with everything said that follows from the rest.
    fn explicit(&self, value: S::Value) -> S::Value;

    /// Whether each question has a process of its own.
    fn asks_apart(&self) -> bool {
        false
    }

    /// Whether a module that fails shows nothing with these fixes. Not if they are on already.
    fn is_explained(&mut self, case: &Case, fixes: &[&'static str]) -> bool;

    /// What other engines say of a test that fails in this way, if they can be asked.
    fn votes(&mut self, case: &Case, failure: &Failure) -> Option<Votes> {
        let _ = (case, failure);
        None
    }
}

/// Judges tests in this process.
pub(super) struct Here<'s, S: Subject> {
    subject: &'s S,
    property: S::Property,
    /// The engines, to try fixes with.
    pair: Option<Pair>,
}

impl<'s, S: Subject> Here<'s, S> {
    /// A judge with this property.
    pub(super) fn new(subject: &'s S, property: S::Property) -> Self {
        let pair = subject.context().and_then(|context| Pair::new(context).ok());
        Here { subject, property, pair }
    }
}

impl<S: Subject> Judge<S> for Here<'_, S> {
    /// A panic of the property is a failure, as in a campaign.
    fn judge(&mut self, value: &S::Value) -> Outcome {
        judged(|| self.subject.judge(&mut self.property, value))
    }

    fn case(&self, value: &S::Value) -> Case {
        self.subject.case(value)
    }

    fn explicit(&self, value: S::Value) -> S::Value {
        self.subject.explicit(value)
    }

    fn is_explained(&mut self, case: &Case, fixes: &[&'static str]) -> bool {
        let (Case::Module { wasm, calls, hosts }, Some(pair)) = (case, &self.pair) else { return false };
        pair.is_explained(fixes, wasm, Script { calls, hosts }).unwrap_or(false)
    }

    fn votes(&mut self, case: &Case, failure: &Failure) -> Option<Votes> {
        let (Case::Module { wasm, calls, hosts }, Some(pair)) = (case, &self.pair) else { return None };
        let script = Script { calls, hosts };
        let named = |detail: &str| {
            let found = failure.details.iter().find(|(name, _)| name == detail);
            found.map(|(_, engine)| engine.as_str())
        };
        match (named(TARGET_ENGINE), named(REFERENCE_ENGINE)) {
            (Some(target), Some(reference)) => pair.votes_between([target, reference], wasm, script),
            _ => pair.votes(wasm, script),
        }
    }
}

/// The property of one worker. In a campaign that goes on after a finding, what fails is handed to the collector between
/// two tests, so that the traces of tests are not mixed with those of shrinking.
pub(super) struct Collecting<'c, 'a, S: Subject> {
    property: S::Property,
    /// The collector, and a judge besides the property, which may have open questions.
    collector: Option<(&'c Collector<'a, S>, Here<'c, S>)>,
    started: Instant,
    tests: u64,
    failed: Option<(S::Value, Failure)>,
}

impl<'c, 'a, S: Subject> Collecting<'c, 'a, S> {
    pub(super) fn new(property: S::Property, collector: Option<(&'c Collector<'a, S>, Here<'c, S>)>) -> Self {
        Collecting { property, collector, started: Instant::now(), tests: 0, failed: None }
    }

    /// Hands a failure to the collector. Returns whether it was confirmed.
    fn collect(&mut self, value: S::Value, failure: Failure) -> bool {
        let Some((collector, alone)) = &mut self.collector else { return true };
        let now = Moment { tests: self.tests, seconds: self.started.elapsed().as_secs_f64() };
        collector.take_confirmed(
            alone,
            &counterexample(value, failure, now),
            collector.shrinking_left(self.tests),
        )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_explained_by_one_fix_or_by_all_that_it_needs() {
        for asks_apart in [false, true] {
            let needing = |needed: &[&'static str]| {
                explaining_fixes(asks_apart, |fixes| needed.iter().all(|fix| fixes.contains(fix)))
            };
            assert_eq!(needing(&["wasm-f4"]), ["wasm-f4"]);
            assert_eq!(needing(&["wasm-f5", "wasm-f2"]), ["wasm-f2", "wasm-f5"]);
            assert!(needing(&["wasm-f2", "no fix of the catalogue"]).is_empty());
        }
    }
}
