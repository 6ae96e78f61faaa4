//! Guidances by name: what a command line or a benchmark chooses from.

use crate::guidance::settings::Settings;
use crate::{
    Cost, Crowbar, CrowbarConfig, FuzzChick, FuzzChickConfig, Generator, Guidance, Mutable, Mutagen,
    MutagenConfig, PerfFuzz, PerfFuzzConfig, Random, RandomConfig, Scope, SmallCheck, SmallCheckConfig,
    UnknownSetting, UnknownSwitch, Zest, ZestConfig,
};
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
    Random(RandomConfig),
    SmallCheck(SmallCheckConfig),
    FuzzChick(FuzzChickConfig),
    Zest(ZestConfig),
    Crowbar(CrowbarConfig),
    PerfFuzz(PerfFuzzConfig),
}

impl Strategy {
    /// The names of the guidances.
    pub const GUIDANCES: [&'static str; 7] =
        ["mutagen", "random", "smallcheck", "fuzzchick", "zest", "crowbar", "perffuzz"];
    /// The names of the presets. Only `mutagen` has more than one.
    pub const PRESETS: [&'static str; 2] = ["default", "paper"];

    /// What a guidance does, in one line; empty if there is none of that name.
    pub fn description(guidance: &str) -> &'static str {
        match guidance {
            "mutagen" => "every mutant of every test that does something new",
            "random" => "random tests",
            "smallcheck" => "every test up to a size",
            "fuzzchick" => "random mutants of tests that cover something new",
            "zest" => "tests from mutated byte strings, what valid ones cover counts apart (JQF)",
            "crowbar" => "tests from mutated byte strings (AFL)",
            "perffuzz" => "tests that are slow in the target; shows the slowest",
            _ => "",
        }
    }

    /// Puts a strategy together from its parts.
    ///
    /// # Errors
    ///
    /// Names the part that is not known, and those that are.
    pub fn new<S: AsRef<str>>(guidance: &str, preset: &str, switches: &[S]) -> Result<Self, UnknownStrategy> {
        let kind = match guidance {
            "mutagen" if preset == "paper" => Kind::Mutagen(Box::new(MutagenConfig::paper())),
            "mutagen" => Kind::Mutagen(Box::default()),
            "random" => Kind::Random(RandomConfig::default()),
            "smallcheck" => Kind::SmallCheck(SmallCheckConfig::default()),
            "fuzzchick" => Kind::FuzzChick(FuzzChickConfig::default()),
            "zest" => Kind::Zest(ZestConfig::default()),
            "crowbar" => Kind::Crowbar(CrowbarConfig::default()),
            "perffuzz" => Kind::PerfFuzz(PerfFuzzConfig::default()),
            _ => return Err(UnknownStrategy::Guidance(guidance.to_owned())),
        };
        if !Self::PRESETS.contains(&preset) {
            return Err(UnknownStrategy::Preset(preset.to_owned()));
        }
        if guidance != "mutagen" && preset != "default" {
            return Err(UnknownStrategy::PresetOf(guidance.to_owned(), preset.to_owned()));
        }
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
            Kind::Random(config) => config.set(switch)?,
            Kind::SmallCheck(config) => config.set(switch)?,
            Kind::FuzzChick(config) => config.set(switch)?,
            Kind::Zest(config) => config.set(switch)?,
            Kind::Crowbar(config) => config.set(switch)?,
            Kind::PerfFuzz(config) => config.set(switch)?,
        }
        self.name += &format!(",{switch}");
        Ok(())
    }

    /// Generates values up to this size, unless a switch says otherwise.
    pub fn max_size(mut self, size: usize) -> Self {
        if !self.name.contains(",max-size=") {
            *self.size_setting() = size;
        }
        self
    }

    /// Follows generated values for at most so many generations of mutants, if the strategy has such a limit and no switch
    /// says otherwise.
    ///
    /// ```
    /// use mutagen_engine::{Campaign, Derived, Scope, Strategy};
    ///
    /// let limit_of = |name: &str| {
    ///     let strategy: Strategy = name.parse().unwrap();
    ///     let mut guidance = strategy.max_depth(3).guidance(7, Scope::new(), Derived);
    ///     let report = Campaign::new(7).tests(1).run(&mut guidance, &mut |_: &u8| true);
    ///     report.figures.switches.into_iter().find(|switch| switch.contains("depth=") || switch == "no-depth")
    /// };
    /// assert_eq!(limit_of("mutagen/paper").as_deref(), Some("depth=3"));
    /// assert_eq!(limit_of("mutagen/paper,depth=7").as_deref(), Some("depth=7"));
    /// assert_eq!(limit_of("mutagen").as_deref(), Some("no-depth"), "there is none to change");
    /// ```
    pub fn max_depth(mut self, depth: usize) -> Self {
        if let Kind::Mutagen(config) = &mut self.kind
            && config.max_depth.is_some()
            && !self.name.contains(",depth=")
        {
            config.max_depth = Some(depth);
        }
        self
    }

    /// Generates every `every`-th test, if the strategy mixes generated tests with mutants and no switch says otherwise: often,
    /// where the generator is good.
    ///
    /// ```
    /// use mutagen_engine::{Campaign, Derived, Scope, Strategy};
    ///
    /// let generated_of = |name: &str| {
    ///     let strategy: Strategy = name.parse().unwrap();
    ///     let mut guidance = strategy.generate_every(2).guidance(7, Scope::new(), Derived);
    ///     let report = Campaign::new(7).tests(1).run(&mut guidance, &mut |_: &u8| true);
    ///     report.figures.switches.into_iter().find(|switch| switch.contains("generate"))
    /// };
    /// assert_eq!(generated_of("mutagen").as_deref(), Some("generate-every=2"));
    /// assert_eq!(generated_of("mutagen,generate-every=7").as_deref(), Some("generate-every=7"));
    /// assert_eq!(generated_of("mutagen/paper").as_deref(), Some("no-generate-every"), "as published");
    /// ```
    pub fn generate_every(mut self, every: usize) -> Self {
        if let Kind::Mutagen(config) = &mut self.kind
            && config.generate_every.is_some()
            && !self.name.contains(",generate-every=")
        {
            config.generate_every = Some(every);
        }
        self
    }

    fn size_setting(&mut self) -> &mut usize {
        match &mut self.kind {
            Kind::Mutagen(config) => &mut config.max_size,
            Kind::Random(config) => &mut config.max_size,
            Kind::SmallCheck(config) => &mut config.max_size,
            Kind::FuzzChick(config) => &mut config.max_size,
            Kind::Zest(config) => &mut config.max_size,
            Kind::Crowbar(config) => &mut config.max_size,
            Kind::PerfFuzz(config) => &mut config.max_size,
        }
    }

    /// What the strategy maximises, if that is what it does.
    pub fn maximises(&self) -> Option<Cost> {
        match &self.kind {
            Kind::PerfFuzz(config) => Some(config.cost),
            _ => None,
        }
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
        match self.kind.clone() {
            Kind::Mutagen(config) => {
                Box::new(Mutagen::with_generator(*config, seed, generator).scope(scope).hashed())
            }
            Kind::Random(RandomConfig { max_size }) => {
                Box::new(Random::with_generator(seed, generator).max_size(max_size).scope(scope))
            }
            Kind::SmallCheck(config) => Box::new(SmallCheck::with_generator(config, generator).scope(scope)),
            Kind::FuzzChick(config) => {
                Box::new(FuzzChick::with_generator(config, seed, generator).scope(scope))
            }
            Kind::Zest(config) => Box::new(Zest::with_generator(config, seed, generator).scope(scope)),
            Kind::Crowbar(config) => Box::new(Crowbar::with_generator(config, seed, generator).scope(scope)),
            Kind::PerfFuzz(config) => {
                Box::new(PerfFuzz::with_generator(config, seed, generator).scope(scope))
            }
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
    /// This guidance has no presets, and so not this one.
    PresetOf(String, String),
    /// `mutagen` has no switch of this name.
    Switch(UnknownSwitch),
    /// Another guidance has no switch of this name.
    Setting(UnknownSetting),
}

impl From<UnknownSetting> for UnknownStrategy {
    fn from(unknown: UnknownSetting) -> Self {
        Self::Setting(unknown)
    }
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
            Self::PresetOf(guidance, preset) => {
                write!(formatter, "{guidance} has no preset `{preset}`; only mutagen has presets")
            }
            Self::Switch(unknown) => unknown.fmt(formatter),
            Self::Setting(unknown) => unknown.fmt(formatter),
        }
    }
}

impl std::error::Error for UnknownStrategy {}
