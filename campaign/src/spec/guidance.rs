//! Guidances by their names on the command line.

use std::fmt;

use mutagen_engine::Strategy;
use mutagen_properties::ModuleGenerator;

use super::SpecError;

/// A guidance of the command line: a guidance of the engine, one of these on modules from wasm-smith, or
/// `repro`, which does not search.
///
/// ```
/// use mutagen_campaign::GuidanceName;
/// use mutagen_properties::ModuleGenerator;
///
/// let smith = GuidanceName::find("smith-zest")?;
/// let strategy = smith.strategy("default", &["no-counts"])?.expect("it searches");
/// assert_eq!((strategy.to_string().as_str(), smith.modules()), ("zest,no-counts", ModuleGenerator::Smith));
/// assert!(GuidanceName::find("smith-fuzzchick").is_err());
/// # Ok::<(), mutagen_campaign::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuidanceName {
    name: &'static str,
    about: &'static str,
    /// The engine's guidance. `None` if it does not search.
    engine: Option<&'static str>,
    modules: ModuleGenerator,
}

/// The guidances that are not the engine's.
const FURTHER: [GuidanceName; 3] = [
    GuidanceName {
        name: "smith",
        about: "random modules from wasm-smith",
        engine: Some("random"),
        modules: ModuleGenerator::Smith,
    },
    GuidanceName {
        name: "smith-zest",
        about: "modules from wasm-smith and mutated byte strings (zest)",
        engine: Some("zest"),
        modules: ModuleGenerator::Smith,
    },
    GuidanceName {
        name: "repro",
        about: "the modules given by --input, and no others",
        engine: None,
        modules: ModuleGenerator::Derived,
    },
];

impl GuidanceName {
    /// Every guidance.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::of_any_value().chain(FURTHER)
    }

    /// Every guidance that does not need modules.
    pub fn of_any_value() -> impl Iterator<Item = Self> {
        Strategy::GUIDANCES.into_iter().chain(Strategy::EXTERNAL).map(|name| GuidanceName {
            name,
            about: Strategy::description(name),
            engine: Some(name),
            modules: ModuleGenerator::Derived,
        })
    }

    /// The guidance with this name.
    ///
    /// # Errors
    ///
    /// If there is no such guidance. The error lists the known ones.
    pub fn find(name: &str) -> Result<Self, SpecError> {
        Self::all()
            .find(|known| known.name == name)
            .ok_or_else(|| SpecError::UnknownGuidance(name.to_owned()))
    }

    /// The guidance of a strategy on such modules.
    pub(super) fn of(strategy: Option<&Strategy>, modules: ModuleGenerator) -> Self {
        let engine = strategy.map(Strategy::guidance_name);
        let is_it = |known: &GuidanceName| known.engine == engine && known.modules == modules;
        let plain = |known: &GuidanceName| known.engine == engine;
        let known = Self::all().find(is_it).or_else(|| Self::all().find(plain));
        known.unwrap_or_else(|| unreachable!("a strategy has one of the engine's guidances"))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// What it does, in one line.
    pub fn about(self) -> &'static str {
        self.about
    }

    /// The generator of its modules.
    pub fn modules(self) -> ModuleGenerator {
        self.modules
    }

    /// Whether it makes only whole modules.
    pub fn needs_modules(self) -> bool {
        self.modules == ModuleGenerator::Smith
    }

    /// The engine's strategy. `None` if it does not search.
    ///
    /// # Errors
    ///
    /// If the preset or a switch does not exist. The error names it.
    pub fn strategy<S: AsRef<str>>(
        self,
        preset: &str,
        switches: &[S],
    ) -> Result<Option<Strategy>, SpecError> {
        match (self.engine, switches) {
            (Some(engine), _) => Ok(Some(Strategy::new(engine, preset, switches)?)),
            (None, [switch, ..]) => Err(SpecError::NoSwitches(switch.as_ref().to_owned())),
            (None, []) => Ok(None),
        }
    }

    /// All names, in one line.
    pub(super) fn list() -> String {
        Self::all().map(Self::name).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for GuidanceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}
