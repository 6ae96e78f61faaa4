//! Interpreters agree on whole modules: the property `interpreter`.

use mutagen_engine::{Outcome, Property, Scope, Source, Strategy, Verdict, stable};
use mutagen_oracles::{Call, Engine, EngineError, Function, Script, Watched};
use mutagen_wasm_ast::Module;

use crate::generators::{ModuleGenerator, ModuleMaker};
use crate::pair::{Context, Pair, ran_out};
use crate::scenario::{Prepared, Scenario, from_case, prepare, sweep};
use crate::subject::{Case, Subject, WatchError, watch_target};
use crate::twins::{asks_twins, twins_differ};

/// How many steps a call may make in a module that would not end otherwise: functions and rounds of loops. A step of tens of
/// instructions is within the fuel of a call.
const STEPS: i32 = 1000;

/// The property `interpreter`: instantiating the module of a [`Scenario`] and making its calls has the same effect on both
/// engines, while host functions do the same.
///
/// The target also agrees with its other way to run, such as lazy translation. As that rarely shows anything, only one test
/// in eight asks for it: which ones follows from the module.
pub struct Modules {
    pair: Pair,
    twins: Option<Pair>,
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
        Ok(Self { pair: Pair::new(context)?, twins: Pair::twins(context)?, modules })
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
    /// and then with random ones. The random arguments are derived from the module: they differ between modules, and are
    /// always the same for the same module.
    pub fn calls(&self, bytes: &[u8]) -> Vec<Call> {
        self.seeded_calls(bytes, stable::hash(bytes))
    }

    /// The same, with random arguments that are derived from the seed.
    pub fn seeded_calls(&self, bytes: &[u8], seed: u64) -> Vec<Call> {
        let functions = self.exports(bytes).unwrap_or_default().into_iter();
        sweep(functions.map(|function| (function.name, function.signature.parameters)), seed)
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
        if let Some(barred) = self.pair.context.barred(wasm) {
            return barred;
        }
        // Of modules that are valid by construction, a rejection is an answer to compare.
        let may_be_invalid = !self.modules.repairs();
        if may_be_invalid && !self.pair.target_opinion(wasm).validity().is_accepted() {
            return Outcome::discarded();
        }
        self.pair.confirmed(wasm, Script { calls, hosts })
    }

    /// Judges a scenario, and returns it as it was judged. Many mutants of a module with loops do not end. If none of
    /// their calls can be compared, they are judged again with calls that count their steps. Others are left as they are,
    /// because engines fuse instructions, and nothing should come between them.
    fn judge_ending(&self, scenario: &Scenario) -> (Prepared, Outcome) {
        let prepared = self.modules.prepare(scenario);
        let outcome = self.judge_prepared(&prepared);
        let bounded = ran_out(&outcome).then(|| self.modules.prepare_bounded(scenario)).flatten();
        let judged = bounded.map(|bounded| {
            let outcome = self.judge_prepared(&bounded);
            (bounded, outcome)
        });
        // Counting is of no use if the calls run out again, such as by filling memories.
        judged.filter(|(_, outcome)| !ran_out(outcome)).unwrap_or((prepared, outcome))
    }
}

impl Modules {
    /// Checks a scenario. Whether the target's other way to run is asked depends on the module's hash.
    fn check_if(&self, scenario: &Scenario, asks_twins: impl Fn(u64) -> bool) -> Outcome {
        let (Prepared { wasm, calls, hosts }, outcome) = self.judge_ending(scenario);
        match &self.twins {
            Some(twins) if outcome.verdict == Verdict::Passed && asks_twins(stable::hash(&wasm)) => {
                let script = Script { calls: &calls, hosts: &hosts };
                twins_differ(twins, &wasm, script).unwrap_or(outcome)
            }
            _ => outcome,
        }
    }
}

impl Property<Scenario> for Modules {
    fn check(&mut self, scenario: &Scenario) -> Outcome {
        self.check_if(scenario, asks_twins)
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

    /// Shrinking must not lose a failure of the target's other way to run, so that one is always asked.
    fn judge(&self, property: &mut Modules, scenario: &Scenario) -> Outcome {
        property.check_if(scenario, |_| true)
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
        match judged {
            Ok(Prepared { wasm, calls, hosts }) => Case::Module { wasm, calls, hosts },
            Err(_) => self.case_as_is(scenario),
        }
    }

    fn case_as_is(&self, scenario: &Scenario) -> Case {
        let Prepared { wasm, calls, hosts } = self.modules.prepare(scenario);
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

    fn with_module(&self, scenario: &Scenario, wasm: &[u8]) -> Option<Scenario> {
        Module::decode(wasm).ok().map(|module| Scenario { module, ..scenario.clone() })
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
