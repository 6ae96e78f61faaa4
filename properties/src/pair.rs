//! The two engines, and what a difference between them means.

use mutagen_engine::{Failure, Outcome, Verdict};
use mutagen_oracles::{
    Agreement, Difference, Engine, EngineEntry, EngineError, Guarded, Judgement, Opinion, Registry, Script,
    Settings, Why, Wrapped, confirm, judge, judge_validity,
};
use mutagen_wasm_ast::Features;
use mutagen_weave::{Recorder, attempt};

use crate::discrepancies::Discrepancies;
use crate::injection::{Barred, Injection, LateFixes, Present};
use crate::notes::Notes;
use crate::opinion::{FirstOpinion, Opinions, Said};
use crate::times::Times;

/// How often a difference must show in fresh engines before it is believed.
const CONFIRMATIONS: usize = 3;

/// The target with its injection, and the reference.
pub struct Pair {
    pub(crate) context: Context,
    pub(crate) target: Guarded<Wrapped<Box<dyn Engine>, Present>>,
    pub(crate) reference: Guarded<Wrapped<Box<dyn Engine>, Present>>,
    pub(crate) first: Option<FirstOpinion>,
}

/// What all workers of a campaign on two engines share.
#[derive(Clone, Debug)]
pub struct Context {
    /// The engine under test.
    pub target: EngineEntry,
    /// The engine that it is compared with.
    pub reference: EngineEntry,
    /// Another way to run the target, which must agree with it.
    pub twin: Option<EngineEntry>,
    /// Quick engines that are asked first, in this order: where one agrees with the target, the reference is not asked.
    pub first_opinions: Vec<EngineEntry>,
    /// An engine with a validator of its own, which is asked where target and reference agree.
    pub third_opinion: Option<EngineEntry>,
    /// What came of asking for first opinions.
    pub opinions: Opinions,
    /// The modules that it is not asked about.
    pub unasked: Barred,
    /// All engines that can be asked who is right.
    pub voters: Vec<EngineEntry>,
    /// The settings of both engines.
    pub settings: Settings,
    /// The injection into the target.
    pub injection: Injection,
    /// The fixes that are switched on while the campaign runs.
    pub late_fixes: LateFixes,
    /// The modules that no engine is asked about.
    pub barred: Barred,
    /// Where the last test is noted.
    pub notes: Notes,
    /// The collection of differences between the published engines.
    pub discrepancies: Discrepancies,
    /// The time spent in each engine.
    pub times: Times,
}

impl Context {
    /// Two engines with the same settings, and nothing injected.
    pub fn of(target: &EngineEntry, reference: &EngineEntry, settings: Settings) -> Self {
        Self {
            target: target.clone(),
            reference: reference.clone(),
            twin: None,
            first_opinions: Vec::new(),
            third_opinion: None,
            opinions: Opinions::default(),
            unasked: Barred::default(),
            voters: Vec::new(),
            settings,
            injection: Injection::default(),
            late_fixes: LateFixes::default(),
            barred: Barred::default(),
            notes: Notes::default(),
            discrepancies: Discrepancies::default(),
            times: Times::default(),
        }
    }

    /// The default target and reference, with these features.
    ///
    /// ```
    /// use mutagen_properties::Context;
    /// use mutagen_wasm_ast::Features;
    ///
    /// let context = Context::new(Features::WASM1);
    /// assert_eq!((context.target.name, context.reference.name), ("wasmi", "wasmtime"));
    /// ```
    pub fn new(features: Features) -> Self {
        let registry = Registry::default();
        let named = |name| registry.find(name).unwrap_or_else(|unknown| panic!("it is built in: {unknown}"));
        let settings = Settings { features, ..Settings::default() };
        Self::of(named(Registry::TARGET), named(Registry::REFERENCE), settings).find_twin(&registry)
    }

    /// The same context with the target's other way to run, if the registry has it.
    #[must_use]
    pub fn find_twin(mut self, registry: &Registry) -> Self {
        self.twin = self.target.twin.and_then(|name| registry.find(name).ok()).cloned();
        self
    }

    /// The same context with the engines of a registry as voters. Those that may end the process vote from another one: their
    /// death is no answer, and harms nobody.
    #[must_use]
    pub fn find_voters(mut self, registry: &Registry) -> Self {
        let here = |entry: &EngineEntry| match entry.may_end_the_process {
            true => registry.find(&format!("isolated:{}", entry.name)).ok().cloned(),
            false => Some(entry.clone()),
        };
        let linked = registry.entries().iter().filter(|entry| entry.how_to_get.is_none());
        self.voters = linked.filter_map(here).collect();
        self
    }

    /// What is around each question to the target, with this injection.
    pub(crate) fn present(&self, injection: &Injection) -> Present {
        let (late, notes) = (self.late_fixes.clone(), self.notes.clone());
        Present { entries: injection.numbers(), late, notes, engine: self.target.name, leads: true }
    }

    /// The same for engines that are no target: if one is woven, it is repaired as the target is.
    pub(crate) fn present_without_bug(&self) -> Present {
        self.present(&self.injection.without_bug())
    }

    /// The outcome of a module that is not tested. `None` if it is to be tested.
    pub(crate) fn barred(&self, wasm: &[u8]) -> Option<Outcome> {
        self.barred.bars(wasm).then(|| Outcome::discarded().label(BARRED))
    }

    /// The same context with this injection into the target.
    #[must_use]
    pub fn inject(mut self, injection: Injection) -> Self {
        self.injection = injection;
        self
    }
}

impl Pair {
    /// Both engines.
    ///
    /// # Errors
    ///
    /// If an engine refuses the settings.
    pub fn new(context: &Context) -> Result<Self, EngineError> {
        let context = context.clone();
        let target = context.present(&context.injection);
        let target = Wrapped::new(context.target.make(&context.settings)?, target);
        // If the reference is woven as well, it is repaired in the same way, and never has the bug.
        let repaired =
            Present { engine: context.reference.name, leads: false, ..context.present_without_bug() };
        let reference = Wrapped::new(context.reference.make(&context.settings)?, repaired);
        let first = FirstOpinion::of(&context)?;
        Ok(Self { target: Guarded(target), reference: Guarded(reference), first, context })
    }

    /// The other way to run the target, compared with the target, if there is one.
    ///
    /// # Errors
    ///
    /// If an engine refuses the settings.
    pub fn twins(context: &Context) -> Result<Option<Self>, EngineError> {
        let twins = |twin: &EngineEntry| {
            let (target, reference) = (twin.clone(), context.target.clone());
            let first_opinions = Vec::new();
            Self::new(&Context { target, reference, twin: None, first_opinions, ..context.clone() })
        };
        context.twin.as_ref().map(twins).transpose()
    }

    /// The names of the target and of the reference.
    pub fn names(&self) -> [&str; 2] {
        [self.target.name(), self.reference.name()]
    }

    /// The target's opinion on a module's validity.
    pub(crate) fn target_opinion(&self, bytes: &[u8]) -> Opinion<'_> {
        self.context.times.target(|| Opinion::of_target(&self.target, bytes))
    }

    /// The reference's opinion, after the target's.
    pub(crate) fn reference_opinion(&self, bytes: &[u8], target: &Opinion<'_>) -> Opinion<'_> {
        self.context.times.reference(|| Opinion::of_reference(&self.reference, bytes, target))
    }

    /// Judges whether both accept a module.
    pub fn judge_validity(&self, bytes: &[u8]) -> Judgement {
        judge_validity(bytes, &self.target, &self.reference, &self.context.settings)
    }

    /// Judges a module and calls from the beginning, in fresh engines.
    pub fn judge<'a>(&self, bytes: &[u8], script: impl Into<Script<'a>>) -> Judgement {
        let times = &self.context.times;
        let (target, reference) = (times.of_target(&self.target), times.of_reference(&self.reference));
        judge(bytes, script, &target, &reference, &self.context.settings)
    }

    /// The judgement with a first opinion in the place of the reference, if that settles the test. Otherwise the trace is as
    /// if nobody had been asked.
    fn settled_first(&self, bytes: &[u8], script: Script<'_>) -> Option<Judgement> {
        let first = self.first.as_ref().filter(|first| first.may_be_asked(bytes))?;
        let mut settled = None;
        first.settles(bytes, |adviser| {
            let mut said = Said::Agrees;
            settled = attempt(|| {
                let target = self.context.times.of_target(&self.target);
                let judgement = judge(bytes, script, &target, adviser, &self.context.settings);
                said = said_in(&judgement);
                if said == Said::Agrees && self.is_contradicted(first, bytes, script) {
                    said = Said::Differs;
                }
                (said == Said::Agrees).then_some(judgement)
            });
            said
        });
        settled
    }

    /// Whether this test is one of those that the reference judges all the same, and finds a difference in.
    fn is_contradicted(&self, first: &FirstOpinion, bytes: &[u8], script: Script<'_>) -> bool {
        if !first.checks(bytes) {
            return false;
        }
        let judgement = Recorder::new(0).record(|| self.judge(bytes, script));
        first.note_check(judgement.agreement.is_finding())
    }

    /// How the engines differ without the injected bug, if they do.
    ///
    /// # Errors
    ///
    /// If the target refuses the settings, although it did not before.
    pub(crate) fn failure_without_bug(
        &self,
        bytes: &[u8],
        script: Script<'_>,
    ) -> Result<Option<Failure>, EngineError> {
        let injection = self.context.injection.without_bug().with(self.context.late_fixes.list());
        let judgement = self.judge_with(injection, bytes, script)?;
        Ok(match &judgement.agreement {
            Agreement::Differ(difference) => Some(failure(&judgement, difference)),
            _ => None,
        })
    }

    /// Judges a module with another injection into the target.
    fn judge_with(
        &self,
        injection: Injection,
        bytes: &[u8],
        script: Script<'_>,
    ) -> Result<Judgement, EngineError> {
        let Context { target, settings, .. } = &self.context;
        let target = Wrapped::new(target.make(settings)?, self.context.present(&injection));
        Ok(judge(bytes, script, &target, &self.reference, settings))
    }

    /// Whether the engines, which differ on this module, agree once these fixes are on. They must differ right before: where the
    /// target reads memory that it never wrote, a question may leave the right bits there for the next one. `false` if all of the
    /// fixes are on already.
    ///
    /// # Errors
    ///
    /// If the target refuses the settings, although it did not before.
    pub fn is_explained(
        &self,
        fixes: &[&'static str],
        bytes: &[u8],
        script: Script<'_>,
    ) -> Result<bool, EngineError> {
        let present = self.context.injection.clone().with(self.context.late_fixes.list());
        if fixes.iter().all(|fix| present.fixes.contains(fix)) {
            return Ok(false);
        }
        if !self.judge(bytes, script).agreement.is_finding() {
            return Ok(false);
        }
        let judgement = self.judge_with(present.with(fixes.iter().copied()), bytes, script)?;
        Ok(judgement.agreement == Agreement::Equal)
    }

    /// The outcome of a module on which the engines seem to differ. It is a failure if they differ again in
    /// fresh engines and, if a bug is injected, do not differ without the bug.
    pub(crate) fn confirmed<'a>(&self, bytes: &[u8], script: impl Into<Script<'a>>) -> Outcome {
        let script = script.into();
        if let Some(barred) = self.context.barred(bytes) {
            return barred;
        }
        match self.settled_first(bytes, script) {
            Some(judgement) => outcome(&judgement),
            None => self.confirmed_by_reference(bytes, script),
        }
    }

    /// The same without a first opinion, for a module that is not barred.
    pub(crate) fn confirmed_by_reference<'a>(&self, bytes: &[u8], script: impl Into<Script<'a>>) -> Outcome {
        let script = script.into();
        let judgement = confirm(CONFIRMATIONS, || self.judge(bytes, script));
        if judgement.agreement.is_finding() && self.context.injection.bug.is_some() {
            match self.failure_without_bug(bytes, script) {
                Ok(Some(failure)) => {
                    self.context.discrepancies.add(bytes, script, failure);
                    return Outcome::discarded().label(DISCREPANCY);
                }
                Ok(None) => {}
                Err(error) => return Outcome::inconclusive(error.to_string()),
            }
        }
        outcome(&judgement)
    }
}

/// What the engine in the place of the reference said. It agrees where the judgement would be the same whoever had been asked for
/// comparison: also where the target alone decided that there is nothing to compare.
fn said_in(judgement: &Judgement) -> Said {
    let target_alone = || judgement.steps.last().is_some_and(|step| step.reference.is_none());
    match judgement.agreement {
        Agreement::Equal => Said::Agrees,
        Agreement::Differ(_) => Said::Differs,
        Agreement::Limit(_) | Agreement::Inconclusive(_) if target_alone() => Said::Agrees,
        Agreement::Limit(_) | Agreement::Inconclusive(_) | Agreement::Infra(_) => Said::Nothing,
    }
}

/// The label of tests that are not run, because their module ended the process before.
const BARRED: &str = "barred: this module ended the process";
/// The label of tests on which the published engines differ.
pub const DISCREPANCY: &str = "discrepancy";

/// A judgement as the outcome of a test. All properties use this rule: only a difference is a failure; a
/// module over a limit is discarded, like an invalid one; and a test is inconclusive if the engines may
/// differ legally or could not be run.
pub fn outcome(judgement: &Judgement) -> Outcome {
    match &judgement.agreement {
        Agreement::Differ(difference) => failure(judgement, difference).into(),
        agreement => {
            let outcome = outcome_of(agreement).costing(judgement.fuel);
            if judgement.left_out == 0 { outcome } else { outcome.label(LEFT_OUT) }
        }
    }
}

/// Whether a call did not end within what it may use, so that nothing can be concluded.
pub(crate) fn ran_out(outcome: &Outcome) -> bool {
    let is =
        |reason: Why| matches!(&outcome.verdict, Verdict::Inconclusive(why) if **why == *reason.to_string());
    is(Why::Fuel) || is(Why::Stack)
}

/// The label of tests in which a call was left out.
const LEFT_OUT: &str = "a call was left out: without fuel or stack it tells nothing";

/// The outcome of an agreement that is not a difference.
pub(crate) fn outcome_of(agreement: &Agreement) -> Outcome {
    match agreement {
        Agreement::Equal => Outcome::passed(),
        Agreement::Limit(_) => Outcome::discarded().label(agreement.to_string()),
        Agreement::Inconclusive(why) => Outcome::inconclusive(why.to_string()),
        Agreement::Infra(why) => Outcome::inconclusive(format!("could not be judged: {why}")),
        Agreement::Differ(difference) => {
            Failure::new(difference.to_string()).kind(difference.what.kind()).into()
        }
    }
}

/// A difference as a failure, with the last question and the answer of each engine.
fn failure(judgement: &Judgement, difference: &Difference) -> Failure {
    let question = judgement.steps.last().map_or_else(String::new, |step| step.question.to_string());
    let host = judgement.host.first.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    Failure::new(difference.to_string())
        .kind(difference.what.kind())
        .detail("question", question)
        .detail("host", host)
        .detail("part", difference.what.to_string())
        .detail("target", &difference.target)
        .detail("reference", &difference.reference)
}
