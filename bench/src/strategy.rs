//! Strategies by name, and their numbers of trials.

use std::str::FromStr;

use mutagen_bugs::{Bug, nearest};
use mutagen_campaign::{EngineProperty, GuidanceName, PropertyName, Spec, SpecError, SubjectSpec, Usual};
use mutagen_engine::{MutagenConfig, Strategy};
use serde::{Deserialize, Serialize};

use crate::generator::KEY;
use crate::{NamedGenerator, Task, Unknown};

/// Names of the papers that stand for several switches of the engine.
const ALIASES: [(&str, &[&str]); 1] = [
    // The published ablation drops the priorities and uses a plain queue.
    ("no-fifo", &["constant-priority", "fifo"]),
];

/// A strategy by name, and how many trials it gets at each task.
///
/// ```
/// use mutagen_bench::PlannedStrategy;
///
/// let strategy: PlannedStrategy = "mutagen/paper,no-reset:3".parse()?;
/// assert_eq!((strategy.name.as_str(), strategy.trials), ("mutagen/paper,no-reset", Some(3)));
///
/// let unknown = "mutagne/paper".parse::<PlannedStrategy>().unwrap_err();
/// assert_eq!(unknown.nearest.as_deref(), Some("mutagen/paper"));
/// # Ok::<(), mutagen_bench::Unknown>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedStrategy {
    /// The strategy's name: `GUIDANCE[/PRESET][,SWITCH]...`, where `generator=NAME` counts as a switch.
    pub name: String,
    /// The number of trials. `None`: the number that the plan states.
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
    fn generator(&self) -> Option<NamedGenerator> {
        self.generators().first().and_then(|name| NamedGenerator::find(name))
    }

    /// The other switches, by the engine's names.
    fn engine_switches(&self) -> Vec<&'a str> {
        let meaning = |switch: &&'a str| match ALIASES.iter().find(|(alias, _)| alias == switch) {
            Some((_, switches)) => switches.to_vec(),
            None => vec![*switch],
        };
        self.switches.iter().filter(|switch| !switch.starts_with(KEY)).flat_map(meaning).collect()
    }

    fn guidance(&self) -> Result<GuidanceName, SpecError> {
        GuidanceName::find(self.guidance)
    }

    /// The engine's strategy. `None` if the guidance, preset or switch does not exist, or the guidance does
    /// not search.
    fn strategy(&self) -> Option<Strategy> {
        self.guidance().ok()?.strategy(self.preset, &self.engine_switches()).ok()?
    }

    fn exists(&self) -> bool {
        let known = match &self.generators()[..] {
            [] => true,
            [name] => NamedGenerator::find(name).is_some(),
            _ => false,
        };
        known && self.strategy().is_some()
    }

    fn name(&self) -> String {
        let preset = if self.preset == "default" { String::new() } else { format!("/{}", self.preset) };
        let switches: String = self.switches.iter().map(|switch| format!(",{switch}")).collect();
        format!("{}{preset}{switches}", self.guidance)
    }
}

impl PlannedStrategy {
    /// One strategy for every guidance that searches and needs no other program, in its default preset.
    pub fn every_guidance() -> Vec<PlannedStrategy> {
        let guidances = searching().filter(|name| !Strategy::EXTERNAL.contains(name));
        guidances.map(|name| PlannedStrategy { name: name.to_owned(), trials: None }).collect()
    }

    /// Whether the strategy can hunt at this task. A strategy that makes whole modules needs a property of
    /// modules; a strategy that names a generator needs a task that has this generator.
    ///
    /// ```
    /// use mutagen_bench::{PlannedStrategy, Task};
    ///
    /// let typed: PlannedStrategy = "random,generator=typed".parse()?;
    /// assert!(typed.suits(&Task::find("wasm-11")?));
    /// assert!(!typed.suits(&Task::find("wasm-1")?) && !typed.suits(&Task::find("stack-1")?));
    /// # Ok::<(), mutagen_bench::Unknown>(())
    /// ```
    pub fn suits(&self, task: &Task) -> bool {
        self.spec(task).is_some()
    }

    /// The campaign of this strategy at a task. If the strategy makes whole modules, exported functions of
    /// any type are called. `None` if the strategy cannot hunt at the task.
    ///
    /// ```
    /// use mutagen_bench::{PlannedStrategy, Task};
    ///
    /// let smith: PlannedStrategy = "smith".parse()?;
    /// let spec = smith.spec(&Task::find("wasm-11")?).expect("it makes modules");
    /// assert_eq!((spec.property().as_str(), spec.guidance().name()), ("interpreter", "smith"));
    /// # Ok::<(), mutagen_bench::Unknown>(())
    /// ```
    pub fn spec(&self, task: &Task) -> Option<Spec> {
        let parts = Parts::of(&self.name);
        let mut spec = task.spec.clone();
        spec.strategy = parts.strategy();
        let guidance = parts.guidance().ok()?;
        if let SubjectSpec::Engines(engines) = &mut spec.subject {
            let bug = Bug::find(&task.id).ok();
            let usual = Usual { guidance, strategy: spec.strategy.as_ref(), bug: bug.as_ref() };
            engines.property = usual.property(kind_for(guidance, &engines.property)?);
        }
        let fits = match (guidance.needs_modules(), parts.generator()) {
            (false, None) => true,
            (false, Some(generator)) => generator.set(&mut spec),
            (true, None) => matches!(spec.subject, SubjectSpec::Engines(_)),
            // The strategy already has a generator.
            (true, Some(_)) => false,
        };
        fits.then_some(spec)
    }

    /// The error for a strategy that can hunt at none of the chosen tasks.
    pub(crate) fn suits_no_task(&self) -> Unknown {
        let hint = "it can hunt at none of the chosen tasks: wasm-smith makes modules, and each generator is of one kind of task".to_owned();
        Unknown::new("strategy for these tasks", &self.name, std::iter::empty::<&str>(), hint)
    }
}

/// The property by which a guidance hunts what this property shows. Guidances that make modules run all their functions. `None`
/// if they have no use for the property.
fn kind_for(guidance: GuidanceName, shows_it: &EngineProperty) -> Option<PropertyName> {
    match shows_it.kind() {
        kind if !guidance.needs_modules() => Some(kind),
        PropertyName::Invocation => None,
        PropertyName::Validator => Some(PropertyName::Validator),
        PropertyName::InterpreterI32 | PropertyName::Interpreter | PropertyName::Turns => {
            Some(PropertyName::Interpreter)
        }
    }
}

impl FromStr for PlannedStrategy {
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
            return Ok(PlannedStrategy { name: parts.name(), trials });
        }
        let hint = format!(
            "a strategy is GUIDANCE[/PRESET][,SWITCH]...[:TRIALS]; the guidances are {}; \
             {KEY}NAME may be among the switches, once, with {}",
            searching().collect::<Vec<_>>().join(", "),
            NamedGenerator::all().map(NamedGenerator::name).collect::<Vec<_>>().join(", ")
        );
        Err(Unknown::new("strategy", text, correction(&parts), hint))
    }
}

/// The names of the guidances that search.
fn searching() -> impl Iterator<Item = &'static str> {
    GuidanceName::all().map(GuidanceName::name).filter(|name| Parts::of(name).exists())
}

/// The name with every part replaced by the nearest one that exists, if the result is a strategy.
fn correction(parts: &Parts<'_>) -> Option<String> {
    let known_switches = || {
        let engine = MutagenConfig::all_switches().iter().map(|switch| switch.name);
        let generators = NamedGenerator::all().map(|generator| format!("{KEY}{}", generator.name()));
        engine.chain(ALIASES.map(|(alias, _)| alias)).map(str::to_owned).chain(generators)
    };
    let guidance = nearest(parts.guidance, searching())?;
    let preset = nearest(parts.preset, Strategy::PRESETS)?;
    let is_known =
        |switch: &str| Parts { guidance: &guidance, preset: &preset, switches: vec![switch] }.exists();
    let near = |switch: &&str| match switch.strip_prefix(KEY) {
        _ if is_known(switch) => Some((*switch).to_owned()),
        // Compare the name alone: the common prefix would make all of them look alike.
        Some(name) => {
            nearest(name, NamedGenerator::all().map(NamedGenerator::name)).map(|name| format!("{KEY}{name}"))
        }
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
