//! Specs: descriptions of campaigns.

mod command;
mod error;
mod function_type;
mod guidance;
mod hunting;
mod split;
mod usual;

use std::time::Duration;

use mutagen_bugs::Bug;
use mutagen_engine::{Cost, Strategy};
use mutagen_ifc::pairs::Pairs;
use mutagen_oracles::{NanMode, Parts, Registry};
use mutagen_properties::{Direction, FunctionGenerator, ModuleGenerator, Noninterference};
use mutagen_wasm_ast::Features;
use serde::{Deserialize, Serialize};

pub use command::quoted;
pub use error::SpecError;
pub use function_type::FunctionType;
pub use guidance::GuidanceName;
pub use split::Split;
pub use usual::{PropertyName, Usual};

/// The description of a campaign: all that decides which tests it runs, besides given modules and a resumed corpus.
///
/// ```
/// use mutagen_campaign::Spec;
/// use mutagen_bugs::Bug;
///
/// let spec = Spec::hunting(&Bug::find("wasm-3")?).expect("a bug can be hunted");
/// assert_eq!((spec.command(), spec.property().as_str()), ("validate", "validator"));
/// assert_eq!(spec.command_line(), "mutagen-wasm validate --bug wasm-3");
///
/// let text = serde_json::to_string(&spec)?;
/// assert_eq!(serde_json::from_str::<Spec>(&text)?, spec);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The format version of a stored spec, see [`Spec::FORMAT`].
    pub format: u32,
    /// The property, and what it is tested on.
    pub subject: SubjectSpec,
    /// The strategy of the search. Without one, only given values are tested again (`--guidance repro`).
    pub strategy: Option<Strategy>,
    /// The id of the injected bug.
    pub bug: Option<String>,
    /// The seed.
    pub seed: u64,
    /// How many workers run at once.
    pub jobs: u16,
    /// When to stop.
    pub budget: Budget,
    /// Whether to go on after a finding.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub keep_going: bool,
}

/// The thing that is tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectSpec {
    /// A WebAssembly engine, compared with another.
    Engines(EngineSpec),
    /// An information-flow-control machine.
    Machine(MachineSpec),
}

/// A property of two engines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineSpec {
    /// What must hold.
    pub property: EngineProperty,
    /// The name of the engine under test.
    pub target: String,
    /// The name of the engine that it is compared with.
    pub reference: String,
    /// The names of the engines that are asked before the reference, with commas between them: the first of them that knows what
    /// a module needs. Where it agrees with the target, the reference is not asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_opinion: Option<String>,
    /// The engine that is asked where target and reference agree on whether a module is valid. Only for validators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub third_opinion: Option<String>,
    /// The WebAssembly features of modules and engines.
    pub features: Features,
    /// How NaN bits are treated.
    pub nans: NanMode,
    /// The parts of their answers that are compared. A validator has no parts.
    #[serde(default)]
    pub compare: Parts,
    /// Whether known bugs of the target are repaired although none is injected.
    pub fixes: bool,
}

/// What must hold of two engines, and how tests are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineProperty {
    /// They accept the same modules.
    Validator {
        /// Which disagreements count.
        direction: Direction,
        /// The generator of modules.
        generator: ModuleGenerator,
    },
    /// They compute the same with one function in a stub module.
    #[serde(rename = "interpreter-i32")]
    InterpreterI32 {
        /// The function's type.
        signature: FunctionType,
        /// The generator of functions.
        generator: FunctionGenerator,
    },
    /// They compute the same with every exported function of any module.
    Interpreter {
        /// The generator of modules.
        generator: ModuleGenerator,
    },
    /// The last two in turns.
    Turns {
        /// The type of single functions.
        signature: FunctionType,
        /// The generator of single functions.
        functions: FunctionGenerator,
        /// The generator of modules.
        modules: ModuleGenerator,
        /// How many tests of each take turns.
        split: Split,
    },
    /// They accept the same argument lists.
    Invocation {
        /// The function's type.
        signature: FunctionType,
    },
}

/// A property of an information-flow-control machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineSpec {
    /// Which machine.
    pub machine: Machine,
    /// The property. The register machine only has single-step noninterference.
    pub property: Noninterference,
    /// How pairs of states are made.
    pub generator: Pairs,
}

/// An information-flow-control machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Machine {
    /// 8 instructions, 2 labels, 20 faults.
    Stack,
    /// 20 instructions, 4 labels, memory, calls, 33 faults.
    Register,
}

/// When a campaign stops, besides at its first finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// After so many tests.
    pub tests: Option<u64>,
    /// After so much time.
    pub time: Option<Duration>,
    /// Once more than so many tests were discarded for each that passed.
    pub max_discard_ratio: Option<u64>,
}

impl Budget {
    /// The time limit of a campaign without a budget.
    pub const DEFAULT_TIME: Duration = Duration::from_secs(60);

    /// The time limit of a search: the given one, or the default if neither time nor tests are given.
    fn of_search(&self) -> Option<Duration> {
        self.time.or(self.tests.is_none().then_some(Self::DEFAULT_TIME))
    }
}

impl Spec {
    /// The time limit. Given values that are only tested again have none unless it is given: all of them are to be tested.
    ///
    /// ```
    /// use mutagen_bugs::Bug;
    /// use mutagen_campaign::{Budget, Spec};
    ///
    /// let search = Spec::hunting(&Bug::find("wasm-1")?).expect("it is a bug");
    /// let again = Spec { strategy: None, ..search.clone() };
    /// assert_eq!((search.time_limit(), again.time_limit()), (Some(Budget::DEFAULT_TIME), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn time_limit(&self) -> Option<Duration> {
        if self.strategy.is_some() { self.budget.of_search() } else { self.budget.time }
    }

    /// The present format version of stored specs. It is raised when older programs cannot read the new
    /// format.
    pub const FORMAT: u32 = 1;

    /// A campaign on this subject with every default: `mutagen`, seed 0, one job, 60 s, no bug.
    pub fn new(subject: SubjectSpec) -> Self {
        Spec {
            format: Self::FORMAT,
            subject,
            strategy: Some(Strategy::default()),
            bug: None,
            seed: 0,
            jobs: 1,
            budget: Budget::default(),
            keep_going: false,
        }
    }

    /// Reads a stored spec.
    ///
    /// # Errors
    ///
    /// If the text is not a spec, or has another format version.
    pub fn read(text: &str) -> Result<Self, SpecError> {
        let spec: serde_json::Value = serde_json::from_str(text).map_err(SpecError::Unreadable)?;
        // First of all the format: a newer one may have other fields.
        match spec["format"].as_u64() {
            Some(format) if format != u64::from(Self::FORMAT) => Err(SpecError::Format(format)),
            _ => serde_json::from_value(spec).map_err(SpecError::Unreadable),
        }
    }

    /// The command that runs such campaigns: `validate`, `interpret` or `ifc`.
    pub fn command(&self) -> &'static str {
        match &self.subject {
            SubjectSpec::Engines(engines) => match engines.property {
                EngineProperty::Validator { .. } => "validate",
                _ => "interpret",
            },
            SubjectSpec::Machine(_) => "ifc",
        }
    }

    /// The property's name, such as `validator` or `ssni-stack`.
    pub fn property(&self) -> String {
        match &self.subject {
            SubjectSpec::Engines(engines) => engines.property.name().to_owned(),
            SubjectSpec::Machine(machine) => format!("{}-{}", machine.property, machine.machine.name()),
        }
    }

    /// The guidance, by its name on the command line.
    pub fn guidance(&self) -> GuidanceName {
        GuidanceName::of(self.strategy.as_ref(), self.modules())
    }

    /// The preset of the strategy.
    pub fn preset(&self) -> &str {
        self.strategy.as_ref().map_or("default", Strategy::preset)
    }

    /// The generator of modules, if whole modules are tested.
    pub fn modules(&self) -> ModuleGenerator {
        match &self.subject {
            SubjectSpec::Engines(EngineSpec {
                property:
                    EngineProperty::Validator { generator, .. }
                    | EngineProperty::Interpreter { generator }
                    | EngineProperty::Turns { modules: generator, .. },
                ..
            }) => *generator,
            _ => ModuleGenerator::default(),
        }
    }

    /// The name of the generator, if there is a choice besides the guidance.
    pub fn generator(&self) -> Option<&'static str> {
        match &self.subject {
            _ if matches!(self.modules(), ModuleGenerator::Typed | ModuleGenerator::Turns) => {
                Some(self.modules().name())
            }
            SubjectSpec::Machine(machine) => Some(machine.generator.name()),
            SubjectSpec::Engines(EngineSpec {
                property: EngineProperty::InterpreterI32 { generator, .. },
                ..
            }) => Some(generator.name()),
            SubjectSpec::Engines(_) => None,
        }
    }

    /// The same campaign on the target without its known bugs and without an injected one.
    pub(crate) fn unmodified(mut self) -> Self {
        self.bug = None;
        if let SubjectSpec::Engines(engines) = &mut self.subject {
            engines.fixes = true;
        }
        self
    }

    /// The default generator of functions for a strategy. Only our own MUTAGEN uses the typed generator: the other guidances
    /// and the published MUTAGEN were measured without one that knows which functions are valid.
    pub fn functions_for(strategy: Option<&Strategy>) -> FunctionGenerator {
        let ours =
            |strategy: &Strategy| strategy.guidance_name() == "mutagen" && strategy.preset() == "default";
        if strategy.is_some_and(ours) { FunctionGenerator::Typed } else { FunctionGenerator::Derived }
    }

    /// The injected bug.
    ///
    /// # Errors
    ///
    /// If there is no such bug, or this campaign cannot show it. In the second case the error names a command
    /// that can.
    pub fn bug(&self) -> Result<Option<Bug>, SpecError> {
        let Some(id) = &self.bug else { return Ok(None) };
        let bug = Bug::find(id)?;
        self.require_that_it_shows(&bug)?;
        Ok(Some(bug))
    }

    /// Checks that the campaign can be run, before anything starts.
    ///
    /// # Errors
    ///
    /// If it cannot be run. The error says why, and what to do instead.
    pub fn check(&self) -> Result<(), SpecError> {
        self.bug()?;
        self.require_ranges()?;
        let Some(strategy) = &self.strategy else {
            return match &self.subject {
                SubjectSpec::Engines(_) => Ok(()),
                SubjectSpec::Machine(_) => Err(SpecError::ModulesOnly("repro".to_owned())),
            };
        };
        if strategy.maximises() == Some(Cost::Fuel) {
            self.require_fuel()?;
        }
        Ok(())
    }

    /// Refuses numbers and combinations that the command line cannot express either.
    fn require_ranges(&self) -> Result<(), SpecError> {
        let Budget { tests, time, max_discard_ratio } = self.budget;
        let empty =
            tests == Some(0) || time.is_some_and(|time| time.is_zero()) || max_discard_ratio == Some(0);
        let other_property = |machine: &MachineSpec| {
            machine.machine == Machine::Register && machine.property != Noninterference::Ssni
        };
        match &self.subject {
            _ if !(1..=1024).contains(&self.jobs) => Err(SpecError::Range("jobs are from 1 to 1024")),
            _ if empty => Err(SpecError::Range("a budget of tests, time or discarded tests is more than 0")),
            SubjectSpec::Machine(machine) if other_property(machine) => {
                Err(SpecError::Range("the register machine has no property but ssni"))
            }
            SubjectSpec::Engines(EngineSpec {
                property: EngineProperty::Validator { .. }, compare, ..
            }) if *compare != Parts::ALL => {
                Err(SpecError::Range("validators have no parts to choose from: leave out `compare`"))
            }
            _ if self.modules() == ModuleGenerator::Smith && !self.guidance().needs_modules() => {
                Err(SpecError::Range("modules from wasm-smith need the strategy random or zest"))
            }
            _ if self.modules() == ModuleGenerator::Turns && self.command() != "validate" => {
                Err(SpecError::Range("modules of both generators are for the property validator"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses to maximise fuel if the campaign uses none.
    fn require_fuel(&self) -> Result<(), SpecError> {
        match self.command() {
            "validate" => Err(SpecError::NoFuel("a validator")),
            "ifc" => Err(SpecError::NoFuel("a machine")),
            _ => Ok(()),
        }
    }
}

impl EngineSpec {
    /// The name of the engine that is tested unless another is named.
    pub const TARGET: &'static str = Registry::TARGET;
    /// The name of the engine that is asked for comparison unless another is named.
    pub const REFERENCE: &'static str = Registry::REFERENCE;
    /// What the command line says where no engine gives a first opinion.
    pub const NO_OPINION: &'static str = "none";

    /// The name of the engine that a target is compared with unless another is named. A target that is a way to run that engine is
    /// compared with another engine.
    ///
    /// ```
    /// use mutagen_campaign::EngineSpec;
    /// use mutagen_oracles::Registry;
    ///
    /// let registry = Registry::default();
    /// assert_eq!(EngineSpec::usual_reference("tinywasm", &registry), "wasmtime");
    /// assert_eq!(EngineSpec::usual_reference("wasmtime-speed", &registry), "wasmi");
    /// ```
    pub fn usual_reference(target: &str, engines: &Registry) -> &'static str {
        let line = |name| engines.find(name).ok().map(|entry| entry.lineage.execution);
        match line(target) {
            own @ Some(_) if own == line(Self::REFERENCE) => Self::TARGET,
            _ => Self::REFERENCE,
        }
    }

    /// The property on the default engines, with the features of WebAssembly 1.0.
    pub fn new(property: EngineProperty) -> Self {
        EngineSpec {
            first_opinion: property.usual_opinion(Self::TARGET, Self::REFERENCE),
            third_opinion: None,
            property,
            target: Self::TARGET.to_owned(),
            reference: Self::REFERENCE.to_owned(),
            features: Features::WASM1,
            nans: NanMode::default(),
            compare: Parts::ALL,
            fixes: false,
        }
    }

    /// The names of the engines that give first opinions.
    ///
    /// ```
    /// use mutagen_campaign::EngineSpec;
    ///
    /// assert_eq!(EngineSpec::names("dlr,tinywasm"), ["dlr", "tinywasm"]);
    /// // A command stands alone: it may have commas of its own.
    /// assert_eq!(EngineSpec::names("process:engine --with a,b"), ["process:engine --with a,b"]);
    /// ```
    pub fn names(opinions: &str) -> Vec<&str> {
        if Registry::is_command(opinions) { vec![opinions] } else { opinions.split(',').collect() }
    }

    /// The engines that give first opinions besides target and reference, which need not be asked twice.
    pub(crate) fn advisers(&self) -> impl Iterator<Item = &str> {
        let named = self.first_opinion.iter().flat_map(|opinions| Self::names(opinions));
        named.filter(move |name| *name != self.target && *name != self.reference)
    }
}

impl EngineProperty {
    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// The names of the engines that give first opinions unless others are named, with commas between them. Those that are target
    /// or reference already do not, and none does where only validity is compared: the reference's validator is as quick as any.
    pub fn usual_opinion(&self, target: &str, reference: &str) -> Option<String> {
        let mut usual = Registry::OPINIONS.to_vec();
        usual.retain(|name| ![target, reference].contains(name));
        let has_some = !usual.is_empty() && !matches!(self, EngineProperty::Validator { .. });
        has_some.then(|| usual.join(","))
    }
}

impl Machine {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Machine::Stack => "stack",
            Machine::Register => "register",
        }
    }
}
