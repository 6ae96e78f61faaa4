//! The generators of modules and functions to choose from, and the sizes of their values.

use std::borrow::Cow;

use mutagen_engine::{Generate, Guidance, Scope, Source, Strategy, Turns};
use mutagen_wasm_ast::{Features, FuncType, Module, Stub};
use serde::{Deserialize, Serialize};

use crate::Smith;
use crate::change::change_one_part;

/// The size of the largest generated module or function.
const MAX_SIZE: usize = 5;
/// The size of the largest typed module. The reference takes a millisecond for the smallest, and hardly two for one of this
/// size, in which more things meet.
const MAX_TYPED_SIZE: usize = 9;
/// How often a function is generated instead of mutated, for generators that make only valid functions: one
/// in so many. 2, 3, 4 and 8 were tried. With more generation, rare bugs are met sooner, but every valid
/// function goes to the reference, and with 2 this cost outweighs the gain.
const GENERATE_EVERY: usize = 4;

/// The same for the modules of validators. Most rules are about one place of a module, and a module has many: those that are met
/// rarely are met sooner in other modules than in all mutants of one.
const GENERATE_FOR_VALIDATORS: usize = 2;

/// The largest memories and tables that are run: twice what typed modules have. Mutants have any size, but the engines refuse
/// large ones, and comparing them takes long.
const MOST_PAGES: u64 = 8;
const MOST_ELEMENTS: u64 = 200;

/// How many tests from derived and from typed modules take turns. Derived modules are small, and most are rejected at once: so
/// many take about as long as the typed ones.
const DERIVED_TURN: usize = 48;
const TYPED_TURN: usize = 16;

/// A generator of whole modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleGenerator {
    /// The generator that is derived from the types of the syntax tree. Few of its modules are valid.
    #[default]
    Derived,
    /// A generator that follows the signatures of instructions. All of its modules are valid, and their mutants are
    /// repaired before they are run.
    Typed,
    /// wasm-smith. All of its modules are valid.
    Smith,
    /// The first two in turns, each with a search of its own. Mutants stay as they are. For validators: the first reaches
    /// every rule that takes one thing, the second those that take several things in different sections.
    Turns,
}

impl ModuleGenerator {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ModuleGenerator::Derived => "derived",
            ModuleGenerator::Typed => "typed",
            ModuleGenerator::Smith => "smith",
            ModuleGenerator::Turns => "turns",
        }
    }

    /// Adapts a strategy to this generator: it generates often if modules are typed.
    pub(crate) fn suit(self, strategy: Strategy) -> Strategy {
        let strategy = suit_modules(strategy);
        match self {
            ModuleGenerator::Typed => strategy.max_size(MAX_TYPED_SIZE).generate_every(GENERATE_EVERY),
            ModuleGenerator::Derived | ModuleGenerator::Smith | ModuleGenerator::Turns => strategy,
        }
    }
}

impl From<FunctionGenerator> for ModuleGenerator {
    /// The generator that makes modules in the same way.
    fn from(functions: FunctionGenerator) -> Self {
        match functions {
            FunctionGenerator::Derived => ModuleGenerator::Derived,
            FunctionGenerator::Typed | FunctionGenerator::Repaired => ModuleGenerator::Typed,
        }
    }
}

/// A generator of single functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionGenerator {
    /// The generator that is derived from the types of the syntax tree, as in the published study. Few of its
    /// functions are valid.
    Derived,
    /// A generator that follows the signatures of instructions. All of its functions are valid.
    Typed,
    /// The same, and mutants are repaired before they are run. Then nearly every test runs to a comparison.
    Repaired,
}

impl FunctionGenerator {
    /// All generators of functions.
    pub const ALL: [FunctionGenerator; 3] =
        [FunctionGenerator::Derived, FunctionGenerator::Typed, FunctionGenerator::Repaired];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FunctionGenerator::Derived => "derived",
            FunctionGenerator::Typed => "typed",
            FunctionGenerator::Repaired => "repaired",
        }
    }

    /// The inside of a function of type `ty`.
    pub(crate) fn generate(self, ty: &FuncType, source: &mut Source, size: usize) -> Stub {
        match self {
            FunctionGenerator::Derived => Stub::generate(source, size),
            FunctionGenerator::Typed | FunctionGenerator::Repaired => Stub::typed(ty, source),
        }
    }

    /// Adapts a strategy to this generator: it generates often if all functions are valid.
    pub(crate) fn suit(self, strategy: Strategy) -> Strategy {
        let strategy = suit_modules(strategy);
        match self {
            FunctionGenerator::Derived => strategy,
            FunctionGenerator::Typed | FunctionGenerator::Repaired => strategy.generate_every(GENERATE_EVERY),
        }
    }
}

/// Adapts a strategy to modules, or to functions from a generator that also makes invalid ones.
pub(crate) fn suit_modules(strategy: Strategy) -> Strategy {
    strategy.max_size(MAX_SIZE)
}

/// A typed module for validators: as it is, with a mistake in its code, or with any one change.
fn spoiled(source: &mut Source, size: usize) -> Module {
    match source.below(4) {
        0 | 1 => Module::mistyped(source, size),
        2 => {
            let mut module = Module::typed(source, size);
            change_one_part(&mut module, source);
            module
        }
        _ => Module::typed(source, size),
    }
}

/// Makes modules.
#[derive(Clone, Debug)]
pub(crate) struct ModuleMaker {
    generator: ModuleGenerator,
    features: Features,
    smith: Option<Smith>,
}

impl ModuleMaker {
    pub(crate) fn new(generator: ModuleGenerator, features: Features) -> Self {
        let smith = (generator == ModuleGenerator::Smith).then(|| Smith::new(features));
        ModuleMaker { generator, features, smith }
    }

    pub(crate) fn features(&self) -> Features {
        self.features
    }

    pub(crate) fn generator(&self) -> ModuleGenerator {
        self.generator
    }

    /// The module that is run in place of this one: mutants of typed modules are repaired, so that they say something.
    pub(crate) fn runnable<'a>(&self, module: &'a Module) -> Cow<'a, Module> {
        if !self.repairs() {
            return Cow::Borrowed(module);
        }
        let mut repaired = module.clone();
        self.repair(&mut repaired);
        Cow::Owned(repaired)
    }

    /// Whether mutants are repaired before they are run.
    pub(crate) fn repairs(&self) -> bool {
        self.generator == ModuleGenerator::Typed
    }

    /// Repairs a mutant of a typed module.
    pub(crate) fn repair(&self, module: &mut Module) {
        if self.repairs() {
            module.repair(self.features);
            module.limit_sizes(MOST_PAGES, MOST_ELEMENTS);
        }
    }

    /// A guidance that follows the strategy, or two in turns. Mutants stay as they are. Most typed modules come
    /// with a mistake, since only those can break a rule.
    pub(crate) fn guidance(
        &self,
        strategy: &Strategy,
        seed: u64,
        scope: &Scope,
    ) -> Box<dyn Guidance<Module>> {
        if self.generator == ModuleGenerator::Turns {
            let part = |generator| Self::new(generator, self.features).guidance(strategy, seed, scope);
            let turns = Turns::new().turn("derived modules", DERIVED_TURN, part(ModuleGenerator::Derived));
            return Box::new(turns.turn("typed modules", TYPED_TURN, part(ModuleGenerator::Typed)));
        }
        let strategy = self.generator.suit(strategy.clone());
        let strategy = match self.generator {
            ModuleGenerator::Typed => strategy.generate_every(GENERATE_FOR_VALIDATORS),
            _ => strategy,
        };
        let maker = self.clone();
        let generate = move |source: &mut Source, size| {
            if maker.generator == ModuleGenerator::Typed {
                spoiled(source, size)
            } else {
                maker.generate(source, size)
            }
        };
        strategy.guidance(seed, scope.clone(), generate)
    }

    /// A module of about this size.
    pub(crate) fn generate(&self, source: &mut Source, size: usize) -> Module {
        match &self.smith {
            Some(smith) => smith.generate(source, size),
            None if self.generator == ModuleGenerator::Typed => Module::typed(source, size),
            None => Generate::generate(source, size),
        }
    }

    /// The number of unusable modules from wasm-smith. `None` if another generator is used.
    pub(crate) fn refused(&self) -> Option<u64> {
        self.smith.as_ref().map(Smith::refused)
    }
}
