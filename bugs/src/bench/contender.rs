//! Who takes part: a strategy, and how often it is tried.

use std::str::FromStr;

use mutagen_engine::{MutagenConfig, Strategy};
use mutagen_properties::Search;
use serde::{Deserialize, Serialize};

use crate::bench::{Task, Unknown, Workload};
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
/// let unknown = "mutagne/paper".parse::<Contender>().unwrap_err();
/// assert_eq!(unknown.nearest.as_deref(), Some("mutagen/paper"));
/// # Ok::<(), mutagen_bugs::bench::Unknown>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contender {
    /// The strategy's name: `GUIDANCE[/PRESET][,SWITCH]...`.
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

    /// The switches in the engine's own words.
    fn engine_switches(&self) -> Vec<&'a str> {
        let meaning = |switch: &&'a str| match ALIASES.iter().find(|(alias, _)| alias == switch) {
            Some((_, switches)) => switches.to_vec(),
            None => vec![*switch],
        };
        self.switches.iter().flat_map(meaning).collect()
    }

    fn search(&self) -> Option<Search> {
        Search::new(self.guidance, self.preset, &self.engine_switches()).ok()
    }

    fn exists(&self) -> bool {
        self.search().is_some()
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
        flags.into_iter().map(str::to_owned).collect()
    }

    /// One contender for every guidance that can hunt, in its default preset.
    pub fn every_guidance() -> Vec<Contender> {
        Search::guidances().map(|name| Contender { name: name.to_owned(), trials: None }).collect()
    }

    /// Whether the strategy can hunt at this task: one that makes whole modules needs a property of modules.
    pub fn suits(&self, task: &Task) -> bool {
        !self.makes_modules() || task.workload() == Workload::Wasm && task.property != "invocation"
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
            "a strategy is GUIDANCE[/PRESET][,SWITCH]...[:TRIALS]; the guidances are {}",
            Search::guidances().collect::<Vec<_>>().join(", ")
        );
        Err(Unknown::new("strategy", text, correction(&parts), hint))
    }
}

/// The name with every part replaced by the nearest that exists, if that makes a strategy.
fn correction(parts: &Parts<'_>) -> Option<String> {
    let known_switches = || {
        let engine = MutagenConfig::all_switches().iter().map(|switch| switch.name);
        engine.chain(ALIASES.map(|(alias, _)| alias))
    };
    let guidance = nearest(parts.guidance, Search::guidances())?;
    let preset = nearest(parts.preset, Strategy::PRESETS)?;
    let is_known =
        |switch: &str| Parts { guidance: &guidance, preset: &preset, switches: vec![switch] }.exists();
    let near = |switch: &&str| {
        if is_known(switch) { Some((*switch).to_owned()) } else { nearest(switch, known_switches()) }
    };
    let switches: Vec<String> = parts.switches.iter().map(near).collect::<Option<_>>()?;
    let corrected = Parts {
        guidance: &guidance,
        preset: &preset,
        switches: switches.iter().map(String::as_str).collect(),
    };
    Some(corrected.name())
}
