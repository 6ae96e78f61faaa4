//! The two engines, and what a difference between them means.

use mutagen_engine::{Failure, Outcome};
use mutagen_oracles::{
    Call, Difference, Engine, Features as OracleFeatures, Guarded, Judgement, Question, Settings, Step,
    Validity, Verdict, Wasmi, Wasmtime, compare_validity, confirm, judge,
};
use mutagen_wasm_ast::Features;

use crate::discrepancies::Discrepancies;
use crate::injected::{Injected, Injection};
use crate::times::Times;

/// How often a difference must show in fresh engines before it is believed.
const CONFIRMATIONS: usize = 3;

/// The target with what is injected into it, and the reference.
pub struct Pair {
    pub(crate) settings: Settings,
    pub(crate) target: Guarded<Injected<Wasmi>>,
    pub(crate) reference: Wasmtime,
    injection: Injection,
    pub(crate) discrepancies: Discrepancies,
    /// Where the time went.
    pub(crate) times: Times,
}

/// What all workers of a campaign on two engines share.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The features that are on, on both sides.
    pub settings: Settings,
    /// What is injected into the target.
    pub injection: Injection,
    /// Where differences of the published engines go.
    pub discrepancies: Discrepancies,
    /// Where the time goes.
    pub times: Times,
}

impl Context {
    /// Both engines with these features, and nothing injected.
    pub fn new(features: Features) -> Self {
        Self { settings: settings(features), ..Self::default() }
    }

    /// With this injected into the target.
    #[must_use]
    pub fn inject(mut self, injection: Injection) -> Self {
        self.injection = injection;
        self
    }
}

/// The settings of the engines that go with the features of modules.
pub fn settings(features: Features) -> Settings {
    let mut on = OracleFeatures::NONE;
    for feature in features.iter() {
        if let Some(switch) = on.by_name(&feature.name().replace('-', "_")) {
            *switch = true;
        }
    }
    Settings { features: on, ..Settings::default() }
}

impl Pair {
    /// Both engines.
    ///
    /// # Errors
    ///
    /// If the reference refuses the settings.
    pub fn new(context: &Context) -> Result<Self, String> {
        let Context { settings, injection, discrepancies, times } = context.clone();
        Ok(Self {
            target: Guarded(Injected::new(Wasmi::new(&settings), injection.clone())),
            reference: Wasmtime::new(&settings)?,
            settings,
            injection,
            discrepancies,
            times,
        })
    }

    /// What the target says about a module's validity.
    pub(crate) fn target_validity(&self, bytes: &[u8]) -> Validity {
        self.times.target(|| self.target.validate(bytes))
    }

    /// What the reference says.
    pub(crate) fn reference_validity(&self, bytes: &[u8]) -> Validity {
        self.times.reference(|| Guarded(&self.reference).validate(bytes))
    }

    /// Judges whether both accept a module.
    pub fn judge_validity(&self, bytes: &[u8]) -> Judgement {
        let (ours, theirs) = (self.target_validity(bytes), self.reference_validity(bytes));
        let verdict = compare_validity(bytes, &ours, &theirs, &self.settings);
        let step = Step {
            question: Question::Validate,
            target: ours.to_string(),
            reference: Some(theirs.to_string()),
        };
        Judgement { verdict, steps: vec![step], fuel: 0 }
    }

    /// Judges a module and calls from the beginning, in fresh engines.
    pub fn judge(&self, bytes: &[u8], calls: &[Call]) -> Judgement {
        let (target, reference) =
            (self.times.of_target(&self.target), self.times.of_reference(&self.reference));
        judge(bytes, calls, &target, &reference, &self.settings)
    }

    /// In what the engines differ without the injected bug.
    pub(crate) fn difference_without_bug(&self, bytes: &[u8], calls: &[Call]) -> Option<Difference> {
        let target = Injected::new(Wasmi::new(&self.settings), self.injection.without_bug());
        match judge(bytes, calls, &target, &self.reference, &self.settings).verdict {
            Verdict::Differ(difference) => Some(difference),
            _ => None,
        }
    }

    /// What to make of a module on which the engines seem to differ: a failure if they do so again in fresh engines and,
    /// where a bug is injected, no longer without it.
    pub(crate) fn confirmed(&self, bytes: &[u8], calls: &[Call]) -> Outcome {
        let judgement = confirm(CONFIRMATIONS, || self.judge(bytes, calls));
        if let Verdict::Differ(_) = judgement.verdict
            && self.injection.bug.is_some()
            && let Some(difference) = self.difference_without_bug(bytes, calls)
        {
            self.discrepancies.add(bytes, calls, difference);
            return Outcome::discarded().label(DISCREPANCY);
        }
        outcome(&judgement)
    }
}

/// The label of tests on which the published engines differ.
pub const DISCREPANCY: &str = "discrepancy";
/// The label of tests from which nothing can be concluded.
pub const INCONCLUSIVE: &str = "inconclusive";

/// A judgement as the outcome of a test: only a difference is a failure.
pub fn outcome(judgement: &Judgement) -> Outcome {
    match &judgement.verdict {
        Verdict::Equal => Outcome::passed().costing(judgement.fuel),
        Verdict::Differ(difference) => failure(judgement, difference).into(),
        // Never run, as an invalid module is not.
        limit @ Verdict::Limit(_) => Outcome::discarded().label(limit.to_string()),
        other => Outcome::discarded().label(INCONCLUSIVE).label(other.to_string()),
    }
}

/// A difference as a report: what was asked last, and what each engine said.
fn failure(judgement: &Judgement, difference: &Difference) -> Failure {
    let question = judgement.steps.last().map_or_else(String::new, |step| step.question.to_string());
    Failure::new(difference.to_string())
        .kind(difference.what.kind())
        .detail("question", question)
        .detail("part", difference.what.to_string())
        .detail("target", &difference.target)
        .detail("reference", &difference.reference)
}
