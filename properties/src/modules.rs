//! Interpreters agree on whole modules: the property `interpreter`.

use mutagen_engine::{Outcome, Property, Source};
use mutagen_oracles::{Call, Engine, Function, Validity};
use mutagen_wasm_ast::Module;

use crate::arguments::{boundary_arguments, random_arguments};
use crate::pair::{Context, Pair};

/// How many lists of random arguments a function is called with.
const SEEDED: usize = 2;

/// The property `interpreter`: instantiating a module and calling every exported function does the same on both sides.
pub struct Modules {
    pair: Pair,
}

impl Modules {
    /// The property in this context.
    ///
    /// # Errors
    ///
    /// If the reference refuses the settings.
    pub fn new(context: &Context) -> Result<Self, String> {
        Ok(Self { pair: Pair::new(context)? })
    }

    /// The engines.
    pub fn pair(&self) -> &Pair {
        &self.pair
    }

    /// The exported functions of a module. `None` if the target makes no instance of it.
    pub fn exports(&self, bytes: &[u8]) -> Option<Vec<Function>> {
        self.pair.target.instantiate(bytes).ok().map(|instance| instance.exports())
    }

    /// The calls by which a module is judged: every exported function with boundary arguments, and then with random ones, which follow
    /// from the module. So every module is called with others, and the same one always with the same.
    pub fn calls(&self, bytes: &[u8]) -> Vec<Call> {
        self.seeded_calls(bytes, seed_of(bytes))
    }

    /// The same with random arguments that follow from the seed.
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
        let bytes = module.encode();
        if let Validity::Rejected(_) = self.pair.target_validity(&bytes) {
            return Outcome::discarded();
        }
        let calls = self.pair.times.target(|| self.calls(&bytes));
        self.pair.confirmed(&bytes, &calls)
    }
}

/// A seed that follows from the bytes (FNV-1a).
fn seed_of(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |seed, byte| (seed ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
