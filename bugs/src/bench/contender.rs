//! Who takes part: a strategy, and how often it is tried.

use std::str::FromStr;

use mutagen_engine::{MutagenConfig, Strategy};
use mutagen_properties::Search;
use serde::{Deserialize, Serialize};

use crate::bench::generator::KEY;
use crate::bench::{Generator, Task, Unknown, Workload};
use crate::nearest::nearest;

/// What the papers call by one name and the engine by several.
const ALIASES: [(&str, &[&str]); 1] = [
    // The published ablation drops the priorities and makes the queue a plain one.
    ("no-fifo", &["constant-priority", "fifo"]),
];

/// A property for functions of one type, and what stands in for it where whole modules are made.
const OF_FUNCTIONS: &str = "interpreter-i32";
const OF_MODULES: &str = "interpreter";

/// A strategy by name, and how many trials it gets at each task.
///
/// ```
/// use mutagen_bugs::bench::Contender;
///
/// let contender: Contender = "mutagen/paper,no-reset:3".parse()?;
/// assert_eq!((contender.name.as_str(), contender.trials), ("mutagen/paper,no-reset", Some(3)));
/// assert_eq!(contender.flags().join(" "), "--guidance mutagen --preset paper --switch no-reset");
///
/// let by_hand: Contender = "random,generator=smart".parse()?;
/// assert_eq!(by_hand.flags().join(" "), "--guidance random --preset default --generator smart");
///
/// let unknown = "mutagne/paper".parse::<Contender>().unwrap_err();
/// assert_eq!(unknown.nearest.as_deref(), Some("mutagen/paper"));
/// # Ok::<(), mutagen_bugs::bench::Unknown>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contender {
    /// The strategy's name: `GUIDANCE[/PRESET][,SWITCH]...`, where `generator=NAME` counts as a switch.
    pub name: String,
    /// The number of trials; none: as many as the plan says.
    pub trials: Option<u32>,
}

/// The parts of a strategy's name.
struct Parts<'a> {
    guidance: &'a str,
    preset: &'a str,
    switches: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(name: &'a str) -> Self {
        let mut parts = name.split(',');
        let first = parts.next().unwrap_or_default();
        let (guidance, preset) = first.split_once('/').unwrap_or((first, "default"));
        Parts { guidance, preset, switches: parts.collect() }
    }

    /// The names of generators among the switches.
    fn generators(&self) -> Vec<&'a str> {
        self.switches.iter().filter_map(|switch| switch.strip_prefix(KEY)).collect()
    }

    /// The generator, if one is named.
    fn generator(&self) -> Option<Generator> {
        self.generators().first().and_then(|name| Generator::find(name))
    }

    /// The other switches, in the engine's own words.
    fn engine_switches(&self) -> Vec<&'a str> {
        let meaning = |switch: &&'a str| match ALIASES.iter().find(|(alias, _)| alias == switch) {
            Some((_, switches)) => switches.to_vec(),
            None => vec![*switch],
        };
        self.switches.iter().filter(|switch| !switch.starts_with(KEY)).flat_map(meaning).collect()
    }

    fn search(&self) -> Option<Search> {
        Search::new(self.guidance, self.preset, &self.engine_switches()).ok()
    }

    fn exists(&self) -> bool {
        let known = match &self.generators()[..] {
            [] => true,
            [name] => Generator::find(name).is_some(),
            _ => false,
        };
        known && self.search().is_some()
    }

    fn name(&self) -> String {
        let preset = if self.preset == "default" { String::new() } else { format!("/{}", self.preset) };
        let switches: String = self.switches.iter().map(|switch| format!(",{switch}")).collect();
        format!("{}{preset}{switches}", self.guidance)
    }
}

impl Contender {
    /// The command-line flags that choose the strategy.
    pub fn flags(&self) -> Vec<String> {
        let parts = Parts::of(&self.name);
        let mut flags = vec!["--guidance", parts.guidance, "--preset", parts.preset];
        for switch in parts.engine_switches() {
            flags.extend(["--switch", switch]);
        }
        if let Some(generator) = parts.generator() {
            flags.extend(["--generator", generator.name()]);
        }
        flags.into_iter().map(str::to_owned).collect()
    }

    /// One contender for every guidance that can hunt, in its default preset.
    pub fn every_guidance() -> Vec<Contender> {
        Search::guidances().map(|name| Contender { name: name.to_owned(), trials: None }).collect()
    }

    /// Whether the strategy can hunt at this task: one that makes whole modules needs a property of modules, and one that names
    /// a generator needs a task that has it.
    ///
    /// ```
    /// use mutagen_bugs::bench::{Contender, Task};
    ///
    /// let typed: Contender = "random,generator=typed".parse()?;
    /// assert!(typed.suits(&Task::find("wasm-11")?));
    /// assert!(!typed.suits(&Task::find("wasm-1")?) && !typed.suits(&Task::find("stack-1")?));
    /// # Ok::<(), mutagen_bugs::bench::Unknown>(())
    /// ```
    pub fn suits(&self, task: &Task) -> bool {
        match (self.makes_modules(), Parts::of(&self.name).generator()) {
            (false, None) => true,
            (false, Some(generator)) => generator.suits(task),
            (true, None) => task.workload() == Workload::Wasm && task.property != "invocation",
            // It has a generator already.
            (true, Some(_)) => false,
        }
    }

    /// The command of a task, for this strategy: exported functions of any type are called where it makes whole modules.
    ///
    /// ```
    /// use mutagen_bugs::bench::{Contender, Task};
    ///
    /// let smith: Contender = "smith".parse()?;
    /// let command = smith.command(&Task::find("wasm-11")?).join(" ");
    /// assert!(command.starts_with("interpret --property interpreter --features wasm1 --bug wasm-11"));
    /// # Ok::<(), mutagen_bugs::bench::Unknown>(())
    /// ```
    pub fn command(&self, task: &Task) -> Vec<String> {
        let adapt = |word: String| match &*word {
            OF_FUNCTIONS if self.makes_modules() => OF_MODULES.to_owned(),
            _ => word,
        };
        task.command.iter().cloned().map(adapt).chain(self.flags()).collect()
    }

    /// What to say where a strategy was asked for that can hunt at none of the chosen tasks.
    pub(super) fn suits_no_task(&self) -> Unknown {
        let hint = "it can hunt at none of the chosen tasks: wasm-smith makes modules, and each generator is of one kind of task".to_owned();
        Unknown::new("strategy for these tasks", &self.name, std::iter::empty::<&str>(), hint)
    }

    fn makes_modules(&self) -> bool {
        Parts::of(&self.name).search().is_some_and(|search| search.needs_modules())
    }
}

impl FromStr for Contender {
    type Err = Unknown;

    /// Reads `STRATEGY` or `STRATEGY:TRIALS`.
    fn from_str(text: &str) -> Result<Self, Unknown> {
        let (name, trials) = match text.rsplit_once(':') {
            Some((name, trials)) => (name, trials.parse().ok().filter(|trials| *trials > 0)),
            None => (text, None),
        };
        let parts = Parts::of(name);
        let wrong_trials = text.contains(':') && trials.is_none();
        if parts.exists() && !wrong_trials {
            return Ok(Contender { name: parts.name(), trials });
        }
        let hint = format!(
            "a strategy is GUIDANCE[/PRESET][,SWITCH]...[:TRIALS]; the guidances are {}; \
             {KEY}NAME may be among the switches, once, with {}",
            Search::guidances().collect::<Vec<_>>().join(", "),
            Generator::all().map(Generator::name).collect::<Vec<_>>().join(", ")
        );
        Err(Unknown::new("strategy", text, correction(&parts), hint))
    }
}

/// The name with every part replaced by the nearest that exists, if that makes a strategy.
fn correction(parts: &Parts<'_>) -> Option<String> {
    let known_switches = || {
        let engine = MutagenConfig::all_switches().iter().map(|switch| switch.name);
        let generators = Generator::all().map(|generator| format!("{KEY}{}", generator.name()));
        engine.chain(ALIASES.map(|(alias, _)| alias)).map(str::to_owned).chain(generators)
    };
    let guidance = nearest(parts.guidance, Search::guidances())?;
    let preset = nearest(parts.preset, Strategy::PRESETS)?;
    let is_known =
        |switch: &str| Parts { guidance: &guidance, preset: &preset, switches: vec![switch] }.exists();
    let near = |switch: &&str| match switch.strip_prefix(KEY) {
        _ if is_known(switch) => Some((*switch).to_owned()),
        // By its name alone: with the word before it all of them are alike.
        Some(name) => nearest(name, Generator::all().map(Generator::name)).map(|name| format!("{KEY}{name}")),
        None => nearest(switch, known_switches()),
    };
    let switches: Vec<String> = parts.switches.iter().map(near).collect::<Option<_>>()?;
    let corrected = Parts {
        guidance: &guidance,
        preset: &preset,
        switches: switches.iter().map(String::as_str).collect(),
    };
    corrected.exists().then(|| corrected.name())
}
