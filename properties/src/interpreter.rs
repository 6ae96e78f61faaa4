//! Interpreters agree on whole modules: the property `interpreter`.

use mutagen_engine::{Outcome, Property, Scope, Source, Strategy};
use mutagen_oracles::{Call, Engine, EngineError, Function, Script, Validity, Watched};
use mutagen_wasm_ast::Module;

use crate::generators::{ModuleGenerator, ModuleMaker};
use crate::pair::{Context, Pair, ran_out};
use crate::scenario::{Prepared, Scenario, from_case, prepare, surface_calls};
use crate::subject::{Case, Subject, WatchError, watch_target};

/// How many steps a call may make in a module that would not end otherwise: functions and rounds of loops. A step of tens of
/// instructions is within the fuel of a call.
const STEPS: i32 = 1000;

/// The property `interpreter`: instantiating the module of a [`Scenario`] and making its calls has the same effect on both
/// engines, while host functions do the same.
pub struct Modules {
    pair: Pair,
    modules: ModuleMaker,
}

impl Modules {
    /// The property in this context.
    ///
    /// # Errors
    ///
    /// If an engine refuses the settings.
    pub fn new(context: &Context) -> Result<Self, EngineError> {
        Self::of(context, ModuleMaker::new(ModuleGenerator::Derived, context.settings.features))
    }

    fn of(context: &Context, modules: ModuleMaker) -> Result<Self, EngineError> {
        Ok(Self { pair: Pair::new(context)?, modules })
    }

    /// The engines.
    pub fn pair(&self) -> &Pair {
        &self.pair
    }

    /// The exported functions of a module. `None` if the target cannot instantiate it.
    pub fn exports(&self, bytes: &[u8]) -> Option<Vec<Function>> {
        self.pair.target.instantiate(bytes).ok().map(|instance| instance.exports())
    }

    /// The calls by which a module without calls of its own is judged: every exported function with boundary arguments,
    /// and then with random ones that are derived from the seed. None if the module cannot be decoded.
    pub fn seeded_calls(&self, bytes: &[u8], seed: u64) -> Vec<Call> {
        Module::decode(bytes).map_or_else(|_| Vec::new(), |module| surface_calls(&module.surface(), seed))
    }
}

impl ModuleMaker {
    /// The scenario as engines are asked about it. Mutants of typed modules are repaired.
    fn prepare(&self, scenario: &Scenario) -> Prepared {
        prepare(scenario, self.runnable(&scenario.module).into_owned(), self.features())
    }

    /// The same with calls that end. `None` if modules are run as they are.
    fn prepare_bounded(&self, scenario: &Scenario) -> Option<Prepared> {
        let mut module = self.repairs().then(|| self.runnable(&scenario.module).into_owned())?;
        module.bound_calls(STEPS);
        Some(prepare(scenario, module, self.features()))
    }
}

impl Modules {
    /// Judges a scenario as it is.
    fn judge_prepared(&self, prepared: &Prepared) -> Outcome {
        let Prepared { wasm, calls, hosts } = prepared;
        if let Validity::Rejected(_) = self.pair.target_opinion(wasm).validity() {
            return Outcome::discarded();
        }
        self.pair.confirmed(wasm, Script { calls, hosts })
    }

    /// Judges a scenario, and returns it as it was judged. Many mutants of a module with loops do not end, and say nothing:
    /// they are judged again with calls that count their steps. Others are left as they are, because engines fuse instructions,
    /// and nothing should come between them.
    fn judge_ending(&self, scenario: &Scenario) -> (Prepared, Outcome) {
        let prepared = self.modules.prepare(scenario);
        let outcome = self.judge_prepared(&prepared);
        let bounded = ran_out(&outcome).then(|| self.modules.prepare_bounded(scenario)).flatten();
        match bounded {
            Some(bounded) => {
                let outcome = self.judge_prepared(&bounded);
                (bounded, outcome)
            }
            None => (prepared, outcome),
        }
    }
}

impl Property<Scenario> for Modules {
    fn check(&mut self, scenario: &Scenario) -> Outcome {
        self.judge_ending(scenario).1
    }
}

/// Campaigns on the property `interpreter`.
pub struct ModuleSubject {
    context: Context,
    modules: ModuleMaker,
}

impl ModuleSubject {
    /// Campaigns in this context.
    pub fn new(context: Context, generator: ModuleGenerator) -> Self {
        let modules = ModuleMaker::new(generator, context.settings.features);
        Self { context, modules }
    }
}

impl Subject for ModuleSubject {
    type Value = Scenario;
    type Property = Modules;

    fn property(&self) -> Result<Modules, EngineError> {
        Modules::of(&self.context, self.modules.clone())
    }

    fn generate(&self, source: &mut Source, size: usize) -> Scenario {
        Scenario::around(self.modules.generate(source, size), source)
    }

    fn scope(&self) -> Scope {
        Scope::new().with(self.context.settings.features)
    }

    fn suit(&self, strategy: Strategy) -> Strategy {
        self.modules.generator().suit(strategy)
    }

    fn repair(&self, scenario: &mut Scenario) {
        self.modules.repair(&mut scenario.module);
    }

    fn case(&self, scenario: &Scenario) -> Case {
        // As it was judged: whether its calls end is known only then.
        let judged = self.property().map(|property| property.judge_ending(scenario).0);
        let Prepared { wasm, calls, hosts } = judged.unwrap_or_else(|_| self.modules.prepare(scenario));
        Case::Module { wasm, calls, hosts }
    }

    fn value(&self, case: &Case) -> Option<Scenario> {
        let Case::Module { calls, hosts, .. } = case else { return None };
        Some(from_case(case.module()?, calls, hosts))
    }

    fn explicit(&self, scenario: Scenario) -> Scenario {
        let explicit = self.value(&self.case(&scenario));
        explicit.map_or(scenario, |explicit| Scenario { sweep: false, ..explicit })
    }

    fn module(&self, scenario: &Scenario) -> Option<Vec<u8>> {
        Some(self.modules.prepare(scenario).wasm)
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
