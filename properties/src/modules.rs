//! Interpreters agree on whole modules: the property `interpreter`.

use mutagen_engine::{Outcome, Property};
use mutagen_oracles::{Call, Engine, Instance, Validity};
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

    /// The calls by which a module is judged: every exported function with boundary arguments.
    pub fn calls(&self, bytes: &[u8]) -> Vec<Call> {
        match self.pair.target.instantiate(bytes) {
            Ok(instance) => calls(&*instance),
            Err(_) => Vec::new(),
        }
    }
}

fn calls(instance: &dyn Instance) -> Vec<Call> {
    let per_function = |function: mutagen_oracles::Function| {
        let lists = boundary_arguments(&function.signature.parameters);
        lists.into_iter().map(move |list| Call::new(function.name.clone(), list))
    };
    instance.exports().into_iter().flat_map(per_function).collect()
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
