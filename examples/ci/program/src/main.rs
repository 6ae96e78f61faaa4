//! mutagen-wasm with an engine of your own, by the name of `mine`: `program interpret --target mine --time 70s`.

use std::process::ExitCode;

use mutagen_oracles::{Engine, EngineEntry, Instance, Instantiation, Registry, Settings, Validity, Wasmi};

/// Your engine. Here it is wasmi: write yours in its place.
struct Mine {
    engine: Wasmi,
}

impl Mine {
    /// The engine with the features and limits of a campaign.
    fn new(settings: &Settings) -> Self {
        Mine { engine: Wasmi::new(settings) }
    }
}

impl Engine for Mine {
    fn name(&self) -> &str {
        "mine"
    }

    /// Whether the engine accepts a module.
    fn validate(&self, bytes: &[u8]) -> Validity {
        self.engine.validate(bytes)
    }

    /// An instance, which answers calls and shows memories, globals and tables. `Instance` has the few methods that it needs.
    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.engine.instantiate(bytes)
    }
}

fn main() -> ExitCode {
    let make = |settings: &Settings| Ok(Box::new(Mine::new(settings)) as Box<dyn Engine>);
    // Its version, and the features that it has, if these are not all: `.features(...)`.
    let mine = EngineEntry::new("mine", "0.1.0", make).about("the engine of this repository");
    mutagen_wasm::main_with(Registry::default().with(mine))
}
