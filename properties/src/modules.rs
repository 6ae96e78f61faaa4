//! Interpreters agree on whole modules: the property `interpreter`.

use mutagen_engine::{Outcome, Property};
use mutagen_oracles::{Call, Engine, Function, Validity};
use mutagen_wasm_ast::Module;

use crate::arguments::boundary_arguments;
use crate::pair::{Context, Pair};

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

    /// The calls by which a module is judged: every exported function with boundary arguments.
    pub fn calls(&self, bytes: &[u8]) -> Vec<Call> {
        let per_function = |function: Function| {
            let lists = boundary_arguments(&function.signature.parameters);
            lists.into_iter().map(move |list| Call::new(function.name.clone(), list))
        };
        self.exports(bytes).unwrap_or_default().into_iter().flat_map(per_function).collect()
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
