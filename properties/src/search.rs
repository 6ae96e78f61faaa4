//! The engine's strategies, and those that go with WebAssembly alone.

use std::fmt;

use mutagen_engine::{Source, Strategy, UnknownStrategy};
use mutagen_wasm_ast::{Features, Module};

use crate::Smith;

/// A strategy by name, and who makes its modules: `smith` is `random` and `smith-zest` is `zest` on modules from
/// wasm-smith; every other name is the engine's.
///
/// ```
/// use mutagen_properties::Search;
///
/// let search = Search::new("smith-zest", "default", &["no-counts"])?;
/// assert!(search.needs_modules());
/// assert_eq!(search.strategy().to_string(), "zest,no-counts");
/// assert!(Search::new("smith-fuzzchick", "default", &[""; 0]).is_err());
/// # Ok::<(), mutagen_properties::UnknownSearch>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    strategy: Strategy,
    smith: bool,
}

/// The guidances on modules from wasm-smith, and the engine's guidances that they are.
const SMITH: [(&str, &str); 2] = [("smith", "random"), ("smith-zest", "zest")];

impl Search {
    /// The names of all guidances that search.
    pub fn guidances() -> impl Iterator<Item = &'static str> {
        Strategy::GUIDANCES.into_iter().chain(SMITH.map(|(name, _)| name))
    }

    /// What a guidance does, in one line; empty if there is none of that name.
    pub fn description(guidance: &str) -> &'static str {
        match guidance {
            "smith" => "random modules from wasm-smith",
            "smith-zest" => "modules from wasm-smith and mutated byte strings (zest)",
            _ => Strategy::description(guidance),
        }
    }

    /// Puts a strategy together from its parts.
    ///
    /// # Errors
    ///
    /// Names the part that is not known, and those that are.
    pub fn new<S: AsRef<str>>(guidance: &str, preset: &str, switches: &[S]) -> Result<Self, UnknownSearch> {
        let engine = SMITH.iter().find(|(name, _)| *name == guidance).map(|(_, engine)| *engine);
        let strategy = Strategy::new(engine.unwrap_or(guidance), preset, switches).map_err(UnknownSearch)?;
        Ok(Search { strategy, smith: engine.is_some() })
    }

    /// The engine's strategy.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// Whether it makes whole modules and nothing else.
    pub fn needs_modules(&self) -> bool {
        self.smith
    }

    /// The generator of modules that goes with it.
    pub fn modules(&self, features: Features) -> ModuleGenerator {
        ModuleGenerator { smith: self.smith.then(|| Smith::new(features)) }
    }
}

/// Makes modules: wasm-smith, or the derived generator.
#[derive(Clone, Debug, Default)]
pub struct ModuleGenerator {
    smith: Option<Smith>,
}

impl ModuleGenerator {
    /// A module of about this size.
    pub fn generate(&self, source: &mut Source, size: usize) -> Module {
        match &self.smith {
            Some(smith) => smith.generate(source, size),
            None => mutagen_engine::Generate::generate(source, size),
        }
    }

    /// How many modules wasm-smith made that could not be used, if it was asked.
    pub fn refused(&self) -> Option<u64> {
        self.smith.as_ref().map(Smith::refused)
    }
}

/// A strategy that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSearch(UnknownStrategy);

impl fmt::Display for UnknownSearch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            UnknownStrategy::Guidance(name) => {
                let known: Vec<_> = Search::guidances().collect();
                write!(formatter, "there is no guidance `{name}`; choose one of {}", known.join(", "))
            }
            other => other.fmt(formatter),
        }
    }
}

impl std::error::Error for UnknownSearch {}
