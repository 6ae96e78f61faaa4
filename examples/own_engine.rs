//! The whole program with an engine of one's own: `cargo run --release --example own_engine -- engines`.
//!
//! The engine here is wasmi with a twist: it believes that no module may have more than one function. A real one would be an
//! adapter around whatever answers the three questions of [`Engine`].

use std::process::ExitCode;

use mutagen_oracles::{
    Engine, EngineEntry, Instance, Instantiation, Registry, Rejection, Settings, Validity, Wasmi,
};
use mutagen_wasm_ast::Module;

/// wasmi, but for modules with several functions.
struct OneFunction(Wasmi);

impl OneFunction {
    fn check(bytes: &[u8]) -> Result<(), Rejection> {
        let functions = Module::decode(bytes).map_or(0, |module| module.functions.len());
        if functions > 1 { Err(Rejection::new("more than one function")) } else { Ok(()) }
    }
}

impl Engine for OneFunction {
    fn name(&self) -> &str {
        "one-function"
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        match Self::check(bytes) {
            Ok(()) => self.0.validate(bytes),
            refused => refused.into(),
        }
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        Self::check(bytes)?;
        self.0.instantiate(bytes)
    }
}

fn main() -> ExitCode {
    let make = |settings: &Settings| Ok(Box::new(OneFunction(Wasmi::new(settings))) as Box<dyn Engine>);
    let mine = EngineEntry::new("one-function", "0.1.0", make).about("an engine of one's own");
    mutagen_wasm::main_with(Registry::default().with(mine))
}
