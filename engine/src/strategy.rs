//! Guidances by name: what a command line or a benchmark chooses from.

use crate::{Generator, Guidance, Mutable, Mutagen, MutagenConfig, Random, Scope, UnknownSwitch};
use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

/// A guidance with its settings, by name: `GUIDANCE[/PRESET][,SWITCH]...`.
///
/// ```
/// use mutagen_engine::{Campaign, Derived, Scope, Strategy};
///
/// let strategy: Strategy = "mutagen/paper,no-reset".parse()?;
/// let mut guidance = strategy.guidance(7, Scope::new(), Derived);
/// let report = Campaign::new(7).tests(100).run(&mut guidance, &mut |_: &Vec<u8>| true);
/// assert_eq!(report.passed, 100);
///
/// assert!("mutagne".parse::<Strategy>().unwrap_err().to_string().contains("mutagen"));
/// # Ok::<(), mutagen_engine::UnknownStrategy>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    name: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Mutagen(Box<MutagenConfig>),
    Random,
}

impl Strategy {
    /// The names of the guidances.
    pub const GUIDANCES: [&'static str; 2] = ["mutagen", "random"];
    /// The names of the presets.
    pub const PRESETS: [&'static str; 2] = ["default", "paper"];

    /// Puts a strategy together from its parts.
    ///
    /// # Errors
    ///
    /// Names the part that is not known, and those that are.
    pub fn new<S: AsRef<str>>(guidance: &str, preset: &str, switches: &[S]) -> Result<Self, UnknownStrategy> {
        let kind = match (guidance, preset) {
            ("mutagen", "default") => Kind::Mutagen(Box::default()),
            ("mutagen", "paper") => Kind::Mutagen(Box::new(MutagenConfig::paper())),
            ("random", "default" | "paper") => Kind::Random,
            ("mutagen" | "random", _) => return Err(UnknownStrategy::Preset(preset.to_owned())),
            _ => return Err(UnknownStrategy::Guidance(guidance.to_owned())),
        };
        let mut strategy = Strategy { name: guidance.to_owned(), kind };
        if preset != "default" {
            strategy.name += &format!("/{preset}");
        }
        for switch in switches {
            strategy.set(switch.as_ref())?;
        }
        Ok(strategy)
    }

    fn set(&mut self, switch: &str) -> Result<(), UnknownStrategy> {
        match &mut self.kind {
            Kind::Mutagen(config) => config.set(switch).map_err(UnknownStrategy::Switch)?,
            Kind::Random => return Err(UnknownStrategy::NoSwitches(switch.to_owned())),
        }
        self.name += &format!(",{switch}");
        Ok(())
    }

    /// Generates values up to this size, unless a switch says otherwise.
    pub fn max_size(mut self, size: usize) -> Self {
        if let Kind::Mutagen(config) = &mut self.kind
            && !self.name.contains(",max-size=")
        {
            config.max_size = size;
        }
        self
    }

    /// The guidance, ready to run.
    pub fn guidance<T>(
        &self,
        seed: u64,
        scope: Scope,
        generator: impl Generator<T> + 'static,
    ) -> Box<dyn Guidance<T>>
    where
        T: Mutable + Clone + Hash,
    {
        match &self.kind {
            Kind::Mutagen(config) => {
                Box::new(Mutagen::with_generator((**config).clone(), seed, generator).scope(scope).hashed())
            }
            Kind::Random => Box::new(Random::with_generator(seed, generator).scope(scope)),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let mut parts = text.split(',');
        let first = parts.next().unwrap_or_default();
        let (guidance, preset) = first.split_once('/').unwrap_or((first, "default"));
        Strategy::new(guidance, preset, &parts.collect::<Vec<_>>())
    }
}

/// A strategy that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownStrategy {
    /// No guidance has this name.
    Guidance(String),
    /// No preset has this name.
    Preset(String),
    /// No switch has this name.
    Switch(UnknownSwitch),
    /// The guidance has no switches at all.
    NoSwitches(String),
}

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guidance(name) => {
                write!(
                    formatter,
                    "there is no guidance `{name}`; choose one of {}",
                    Strategy::GUIDANCES.join(", ")
                )
            }
            Self::Preset(name) => {
                write!(
                    formatter,
                    "there is no preset `{name}`; choose one of {}",
                    Strategy::PRESETS.join(", ")
                )
            }
            Self::Switch(unknown) => unknown.fmt(formatter),
            Self::NoSwitches(switch) => {
                write!(formatter, "random has no switches, so `{switch}` cannot be set")
            }
        }
    }
}

impl std::error::Error for UnknownStrategy {}
