//! Validators agree: the reference accepts every module that the target accepts. The property `validator`.

use std::sync::Arc;

use mutagen_engine::{Guidance, Outcome, Property, Scope, Source, Strategy, Verdict};
use mutagen_oracles::{Agreement, EngineError, Settings, Validity, Watched, compare_validity};
use mutagen_wasm_ast::{Features, Module};
use mutagen_weave::Recorder;
use serde::{Deserialize, Serialize};

use crate::generators::{ModuleGenerator, ModuleMaker};
use crate::pair::{Context, Pair, outcome_of};
use crate::subject::{Case, Subject, WatchError, watch_target};
use crate::twins::{REFERENCE_ENGINE, TARGET_ENGINE};

/// Which disagreements count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The target accepts a module that the reference rejects, as in the published study. Modules that the
    /// target rejects are discarded, and the reference is not asked.
    #[default]
    Accept,
    /// The target rejects a module that the reference accepts. For modules that the target accepts, the reference is not
    /// asked.
    Reject,
    /// Either engine accepts a module that the other rejects.
    Both,
}

impl Direction {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Accept => "accept",
            Direction::Reject => "reject",
            Direction::Both => "both",
        }
    }
}

/// The property `validator`.
pub struct Validator {
    pair: Pair,
    direction: Direction,
    /// The third opinion, compared with the reference.
    third: Option<Pair>,
}

impl Validator {
    /// The property in this context.
    ///
    /// # Errors
    ///
    /// If an engine refuses the settings.
    pub fn new(context: &Context, direction: Direction) -> Result<Self, EngineError> {
        Ok(Self { pair: Pair::new(context)?, direction, third: Pair::third(context)? })
    }
}

impl Pair {
    /// The third opinion with the reference, if there is one.
    fn third(context: &Context) -> Result<Option<Self>, EngineError> {
        let Some(third) = &context.third_opinion else { return Ok(None) };
        let features = context.settings.features & third.features;
        let settings = Settings { features, ..context.settings };
        let injection = context.injection.without_bug();
        let (target, twin) = (third.clone(), None);
        let other =
            Context { target, twin, settings, injection, first_opinions: Vec::new(), ..context.clone() };
        Ok(Some(Self::new(&other)?))
    }

    /// The failure, with the names of both, if the third opinion is not that of target and reference, which agree.
    ///
    /// It may lack features, which modules do not need on which it has a say.
    pub(crate) fn contradicts(&self, bytes: &[u8], features: Features) -> Option<Outcome> {
        // What it does is no part of the test's trace.
        let outcome = Recorder::new(0).record(|| {
            let differs = self.judge_validity(bytes).agreement.is_finding();
            let may_judge = || self.context.target.can_judge(bytes, features);
            if differs && may_judge() { self.confirmed(bytes, &[]) } else { Outcome::passed() }
        });
        let Verdict::Failed(failure) = outcome.verdict else { return None };
        let [third, reference] = self.names();
        Some((*failure).detail(TARGET_ENGINE, third).detail(REFERENCE_ENGINE, reference).into())
    }
}

impl Property<Module> for Validator {
    fn check(&mut self, module: &Module) -> Outcome {
        let bytes = module.encode();
        if let Some(barred) = self.pair.context.barred(&bytes) {
            return barred;
        }
        let ours = self.pair.target_opinion(&bytes);
        let rejected = matches!(ours.validity(), Validity::Rejected(_));
        match self.direction {
            Direction::Accept if rejected => return Outcome::discarded(),
            Direction::Reject if ours.validity().is_accepted() => return Outcome::passed(),
            _ => {}
        }
        let theirs = self.pair.reference_opinion(&bytes, &ours);
        match compare_validity(&bytes, &ours, &theirs, self.pair.context.settings.features) {
            Agreement::Equal => self.third_opinion(&bytes, rejected),
            Agreement::Differ(_) => self.pair.confirmed(&bytes, &[]),
            agreement => outcome_of(&agreement),
        }
    }
}

impl Validator {
    /// The outcome of a module on which target and reference agree.
    fn third_opinion(&self, bytes: &[u8], rejected: bool) -> Outcome {
        let features = self.pair.context.settings.features;
        let contradicted = self.third.as_ref().and_then(|third| third.contradicts(bytes, features));
        contradicted.unwrap_or(if rejected { Outcome::discarded() } else { Outcome::passed() })
    }
}

/// Campaigns on the property `validator`.
pub struct ValidatorSubject {
    context: Context,
    direction: Direction,
    modules: ModuleMaker,
}

impl ValidatorSubject {
    /// Campaigns in this context.
    pub fn new(context: Context, direction: Direction, generator: ModuleGenerator) -> Self {
        let modules = ModuleMaker::new(generator, context.settings.features);
        Self { context, direction, modules }
    }
}

impl Subject for ValidatorSubject {
    type Value = Module;
    type Property = Validator;

    fn property(&self) -> Result<Validator, EngineError> {
        Validator::new(&self.context, self.direction)
    }

    fn generate(&self, source: &mut Source, size: usize) -> Module {
        self.modules.generate(source, size)
    }

    fn scope(&self) -> Scope {
        Scope::new().with(self.context.settings.features)
    }

    fn suit(&self, strategy: Strategy) -> Strategy {
        self.modules.generator().suit(strategy)
    }

    fn guidance(self: &Arc<Self>, strategy: &Strategy, seed: u64) -> Box<dyn Guidance<Module>> {
        self.modules.guidance(strategy, seed, &self.scope())
    }

    fn case(&self, module: &Module) -> Case {
        Case::of(module.encode(), Vec::new())
    }

    fn value(&self, case: &Case) -> Option<Module> {
        case.module()
    }

    fn module(&self, module: &Module) -> Option<Vec<u8>> {
        Some(module.encode())
    }

    fn context(&self) -> Option<&Context> {
        Some(&self.context)
    }

    fn refused_modules(&self) -> Option<u64> {
        self.modules.refused()
    }

    fn watch(&self) -> Result<(), WatchError> {
        watch_target(&self.context, Watched::Modules)
    }
}
