//! Guidances by name: what a command line or a benchmark chooses from.

use crate::guidance::switches::Switches;
use crate::{
    Afl, AflConfig, AflError, Cost, Crowbar, CrowbarConfig, FuzzChick, FuzzChickConfig, Generator, Guidance,
    Mutable, Mutagen, MutagenConfig, PerfFuzz, PerfFuzzConfig, Random, RandomConfig, Scope, SmallCheck,
    SmallCheckConfig, UnknownSwitch, Zest, ZestConfig,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
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
    config: GuidanceConfig,
}

/// The configuration of one of the guidances.
#[derive(Clone, Debug, PartialEq, Eq)]
enum GuidanceConfig {
    Mutagen(Box<MutagenConfig>),
    Random(RandomConfig),
    SmallCheck(SmallCheckConfig),
    FuzzChick(FuzzChickConfig),
    Zest(ZestConfig),
    Crowbar(CrowbarConfig),
    PerfFuzz(PerfFuzzConfig),
    Afl(AflConfig),
}

impl Strategy {
    /// The names of the guidances that need nothing else. [`EXTERNAL`](Strategy::EXTERNAL) has the others.
    pub const GUIDANCES: [&'static str; 7] =
        ["mutagen", "random", "smallcheck", "fuzzchick", "zest", "crowbar", "perffuzz"];
    /// The names of the guidances that run another program, see [`require`](Strategy::require). Their runs do not repeat.
    pub const EXTERNAL: [&'static str; 1] = ["afl"];
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
            "afl" => "tests from byte strings that AFL++ itself mutates; needs afl-fuzz, runs do not repeat",
            "perffuzz" => "tests that are slow in the target; shows the slowest",
            _ => "",
        }
    }

    /// The strategy of a guidance, one of its presets and switches that change it, the last one winning.
    ///
    /// ```
    /// use mutagen_engine::Strategy;
    ///
    /// let strategy = Strategy::new("mutagen", "paper", &["fifo"])?;
    /// assert_eq!(strategy.to_string(), "mutagen/paper,fifo");
    /// # Ok::<(), mutagen_engine::UnknownStrategy>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Names the part that is not known, and lists those that are.
    pub fn new<S: AsRef<str>>(guidance: &str, preset: &str, switches: &[S]) -> Result<Self, UnknownStrategy> {
        let config = match guidance {
            "mutagen" if preset == "paper" => GuidanceConfig::Mutagen(Box::new(MutagenConfig::paper())),
            "mutagen" => GuidanceConfig::Mutagen(Box::default()),
            "random" => GuidanceConfig::Random(RandomConfig::default()),
            "smallcheck" => GuidanceConfig::SmallCheck(SmallCheckConfig::default()),
            "fuzzchick" => GuidanceConfig::FuzzChick(FuzzChickConfig::default()),
            "zest" => GuidanceConfig::Zest(ZestConfig::default()),
            "crowbar" => GuidanceConfig::Crowbar(CrowbarConfig::default()),
            "perffuzz" => GuidanceConfig::PerfFuzz(PerfFuzzConfig::default()),
            "afl" => GuidanceConfig::Afl(AflConfig::default()),
            _ => return Err(UnknownStrategy::Guidance(guidance.to_owned())),
        };
        if !Self::PRESETS.contains(&preset) {
            return Err(UnknownStrategy::Preset(preset.to_owned()));
        }
        if guidance != "mutagen" && preset != "default" {
            return Err(UnknownStrategy::PresetOf(guidance.to_owned(), preset.to_owned()));
        }
        let mut strategy = Strategy { name: guidance.to_owned(), config };
        if preset != "default" {
            strategy.name += &format!("/{preset}");
        }
        for switch in switches {
            strategy.set(switch.as_ref())?;
        }
        Ok(strategy)
    }

    fn set(&mut self, switch: &str) -> Result<(), UnknownStrategy> {
        match &mut self.config {
            GuidanceConfig::Mutagen(config) => config.switch(switch)?,
            GuidanceConfig::Random(config) => config.switch(switch)?,
            GuidanceConfig::SmallCheck(config) => config.switch(switch)?,
            GuidanceConfig::FuzzChick(config) => config.switch(switch)?,
            GuidanceConfig::Zest(config) => config.switch(switch)?,
            GuidanceConfig::Crowbar(config) => config.switch(switch)?,
            GuidanceConfig::PerfFuzz(config) => config.switch(switch)?,
            GuidanceConfig::Afl(config) => config.switch(switch)?,
        }
        self.name += &format!(",{switch}");
        Ok(())
    }

    /// Generates values up to this size. A switch for it wins.
    pub fn max_size(mut self, size: usize) -> Self {
        if !self.sets("max-size") {
            *self.size_setting() = size;
        }
        self
    }

    /// Limits mutation to so many generations of mutants after a generated value. A strategy without such a limit stays
    /// without, and a switch for it wins.
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
        if !self.sets("depth")
            && let GuidanceConfig::Mutagen(config) = &mut self.config
            && config.max_depth.is_some()
        {
            config.max_depth = Some(depth);
        }
        self
    }

    /// Generates every `every`-th test. A strategy that does not mix generated tests with mutants stays as it is, and a
    /// switch for it wins. A small number suits a good generator.
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
        if !self.sets("generate-every")
            && let GuidanceConfig::Mutagen(config) = &mut self.config
            && config.generate_every.is_some()
        {
            config.generate_every = Some(every);
        }
        self
    }

    fn size_setting(&mut self) -> &mut usize {
        match &mut self.config {
            GuidanceConfig::Mutagen(config) => &mut config.max_size,
            GuidanceConfig::Random(config) => &mut config.max_size,
            GuidanceConfig::SmallCheck(config) => &mut config.max_size,
            GuidanceConfig::FuzzChick(config) => &mut config.max_size,
            GuidanceConfig::Zest(config) => &mut config.max_size,
            GuidanceConfig::Crowbar(config) => &mut config.max_size,
            GuidanceConfig::PerfFuzz(config) => &mut config.max_size,
            GuidanceConfig::Afl(config) => &mut config.max_size,
        }
    }

    /// What the strategy maximises; `None` if it looks for failures instead.
    pub fn maximises(&self) -> Option<Cost> {
        match &self.config {
            GuidanceConfig::PerfFuzz(config) => Some(config.cost),
            _ => None,
        }
    }

    /// Checks that the program is installed which the guidance runs, if it runs one. Without it a campaign ends at once, in
    /// [trouble](crate::StopReason::Trouble).
    ///
    /// # Errors
    ///
    /// Says how to get the program.
    pub fn require(&self) -> Result<(), AflError> {
        match &self.config {
            GuidanceConfig::Afl(_) => Afl::require(),
            _ => Ok(()),
        }
    }

    /// A guidance that follows the strategy, ready to run.
    pub fn guidance<T>(
        &self,
        seed: u64,
        scope: Scope,
        generator: impl Generator<T> + 'static,
    ) -> Box<dyn Guidance<T>>
    where
        T: Mutable + Clone + Hash,
    {
        match self.config.clone() {
            GuidanceConfig::Mutagen(config) => {
                Box::new(Mutagen::with_generator(*config, seed, generator).scope(scope).hashed())
            }
            GuidanceConfig::Random(RandomConfig { max_size }) => {
                Box::new(Random::with_generator(seed, generator).max_size(max_size).scope(scope))
            }
            GuidanceConfig::SmallCheck(config) => {
                Box::new(SmallCheck::with_generator(config, generator).scope(scope))
            }
            GuidanceConfig::FuzzChick(config) => {
                Box::new(FuzzChick::with_generator(config, seed, generator).scope(scope))
            }
            GuidanceConfig::Zest(config) => {
                Box::new(Zest::with_generator(config, seed, generator).scope(scope))
            }
            GuidanceConfig::Crowbar(config) => {
                Box::new(Crowbar::with_generator(config, seed, generator).scope(scope))
            }
            GuidanceConfig::PerfFuzz(config) => {
                Box::new(PerfFuzz::with_generator(config, seed, generator).scope(scope))
            }
            GuidanceConfig::Afl(config) => {
                Box::new(Afl::with_generator(config, seed, generator).scope(scope))
            }
        }
    }
}

impl Strategy {
    /// The name of the guidance.
    ///
    /// ```
    /// use mutagen_engine::Strategy;
    ///
    /// let strategy: Strategy = "mutagen/paper,no-reset,depth=5".parse()?;
    /// assert_eq!((strategy.guidance_name(), strategy.preset()), ("mutagen", "paper"));
    /// assert_eq!(strategy.switches().collect::<Vec<_>>(), ["no-reset", "depth=5"]);
    /// assert!(strategy.sets("depth") && !strategy.sets("max-size"));
    /// # Ok::<(), mutagen_engine::UnknownStrategy>(())
    /// ```
    pub fn guidance_name(&self) -> &str {
        self.first_part().0
    }

    /// Whether the guidance learns from what tests do. If not, the tests of others are of no use to it.
    ///
    /// ```
    /// use mutagen_engine::Strategy;
    ///
    /// let learns = |name: &str| name.parse().is_ok_and(|strategy: Strategy| strategy.learns());
    /// assert!(learns("mutagen") && learns("zest") && !learns("random") && !learns("smallcheck"));
    /// ```
    pub fn learns(&self) -> bool {
        !matches!(self.config, GuidanceConfig::Random(_) | GuidanceConfig::SmallCheck(_))
    }

    /// The name of the preset.
    pub fn preset(&self) -> &str {
        self.first_part().1
    }

    /// The switches that were set, in their order.
    pub fn switches(&self) -> impl Iterator<Item = &str> {
        self.name.split(',').skip(1)
    }

    /// Whether a switch sets the number of this name.
    pub fn sets(&self, number: &str) -> bool {
        self.switches().any(|switch| switch.split_once('=').is_some_and(|(name, _)| name == number))
    }

    fn first_part(&self) -> (&str, &str) {
        guidance_and_preset(self.name.split(',').next().unwrap_or_default())
    }
}

fn guidance_and_preset(text: &str) -> (&str, &str) {
    text.split_once('/').unwrap_or((text, "default"))
}

impl Default for Strategy {
    /// `mutagen` in its default preset.
    fn default() -> Self {
        Strategy { name: "mutagen".to_owned(), config: GuidanceConfig::Mutagen(Box::default()) }
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
        let (guidance, preset) = guidance_and_preset(first);
        Strategy::new(guidance, preset, &parts.collect::<Vec<_>>())
    }
}

impl Serialize for Strategy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Strategy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A strategy that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownStrategy {
    /// No guidance has this name.
    Guidance(String),
    /// No preset has this name.
    Preset(String),
    /// This guidance has no presets, and so not the one with the second name.
    PresetOf(String, String),
    /// The guidance has no switch of this name.
    Switch(UnknownSwitch),
}

impl From<UnknownSwitch> for UnknownStrategy {
    fn from(unknown: UnknownSwitch) -> Self {
        Self::Switch(unknown)
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
        }
    }
}

impl std::error::Error for UnknownStrategy {}
