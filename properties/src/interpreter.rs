//! Interpreters agree on whole modules: the property `interpreter`.

use mutagen_engine::{Outcome, Property, Scope, Source, Strategy, stable};
use mutagen_oracles::{Call, Engine, EngineError, Function, Validity, Watched};
use mutagen_wasm_ast::Module;

use crate::arguments::{boundary_arguments, random_arguments};
use crate::generators::{ModuleGenerator, ModuleMaker};
use crate::pair::{Context, Pair};
use crate::subject::{Case, Subject, WatchError, watch_target};

/// How many lists of random arguments a function is called with.
const SEEDED: usize = 2;

/// The property `interpreter`: instantiating a module and calling every exported function has the same effect
/// on both engines.
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

    /// The calls by which a module is judged: every exported function with boundary arguments, and then with
    /// random ones. The random arguments are derived from the module: they differ between modules, and are
    /// always the same for the same module.
    pub fn calls(&self, bytes: &[u8]) -> Vec<Call> {
        self.seeded_calls(bytes, stable::hash(bytes))
    }

    /// The same, with random arguments that are derived from the seed.
    pub fn seeded_calls(&self, bytes: &[u8], seed: u64) -> Vec<Call> {
        let mut source = Source::seeded(seed);
        let mut calls = Vec::new();
        for Function { name, signature } in self.exports(bytes).unwrap_or_default() {
            let mut lists = boundary_arguments(&signature.parameters);
            lists.extend((0..SEEDED).map(|_| random_arguments(&signature.parameters, &mut source)));
            calls.extend(lists.into_iter().map(|list| Call::new(name.clone(), list)));
        }
        calls
    }
}

impl Property<Module> for Modules {
    fn check(&mut self, module: &Module) -> Outcome {
        let bytes = self.modules.runnable(module).encode();
        if let Validity::Rejected(_) = self.pair.target_opinion(&bytes).validity() {
            return Outcome::discarded();
        }
        let calls = self.pair.context.times.target(|| self.calls(&bytes));
        self.pair.confirmed(&bytes, &calls)
    }
}

/// Campaigns on the property `interpreter`.
pub struct ModuleSubject {
    context: Context,
    modules: ModuleMaker,
    /// The property that chooses the calls by which a module is judged.
    property: Modules,
}

impl ModuleSubject {
    /// Campaigns in this context.
    ///
    /// # Errors
    ///
    /// If an engine refuses the settings.
    pub fn new(context: Context, generator: ModuleGenerator) -> Result<Self, EngineError> {
        let modules = ModuleMaker::new(generator, context.settings.features);
        let property = Modules::of(&context, modules.clone())?;
        Ok(Self { context, modules, property })
    }
}

impl Subject for ModuleSubject {
    type Value = Module;
    type Property = Modules;

    fn property(&self) -> Result<Modules, EngineError> {
        Modules::of(&self.context, self.modules.clone())
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

    fn case(&self, module: &Module) -> Case {
        let wasm = self.modules.runnable(module).encode();
        let calls = self.property.calls(&wasm);
        Case::Module { wasm, calls }
    }

    fn value(&self, case: &Case) -> Option<Module> {
        case.module()
    }

    fn module(&self, module: &Module) -> Option<Vec<u8>> {
        Some(self.modules.runnable(module).encode())
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
