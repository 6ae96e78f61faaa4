//! Properties by name, with their directions and the parts that they compare.

use std::fmt;
use std::str::FromStr;

use mutagen_campaign::{EngineProperty, EngineSpec, FunctionType, Spec, SubjectSpec};
use mutagen_engine::Strategy;
use mutagen_oracles::{Part, Parts};
use mutagen_properties::{Direction, ModuleGenerator, Noninterference};

use crate::pattern::fits;
use crate::{Task, Unknown, Workload};

/// A property by name: `validator/accept`, `interpreter/memory`, `interpreter/results+traps`, `ssni`.
///
/// ```
/// use mutagen_bench::{NamedProperty, Task};
///
/// let memory: NamedProperty = "interpreter-i32/memory".parse()?;
/// let task = memory.on(&Task::find("wasm-11")?).expect("an interpreter can show it");
/// assert_eq!(task.spec.command_line(), "mutagen-wasm interpret --compare memory --bug wasm-11");
///
/// let accept: NamedProperty = "validator/accept".parse()?;
/// assert_eq!(accept.on(&Task::find("wasm-11")?), None, "a validator runs nothing");
/// # Ok::<(), mutagen_bench::Unknown>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedProperty {
    /// Engines accept the same modules.
    Validator(Direction),
    /// Engines do the same, as far as these parts go.
    Runs(Execution, Parts),
    /// A machine keeps its secrets.
    Machine(Noninterference),
}

/// What is run on two engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// One function in a stub module.
    Function,
    /// Every exported function of any module.
    Module,
    /// One function, with any list of arguments.
    Invocation,
}

impl Execution {
    const ALL: [Execution; 3] = [Execution::Function, Execution::Module, Execution::Invocation];

    fn name(self) -> &'static str {
        match self {
            Execution::Function => "interpreter-i32",
            Execution::Module => "interpreter",
            Execution::Invocation => "invocation",
        }
    }

    /// The parts in which two engines can differ. A stub module has a memory, and nothing else that can be seen from outside.
    fn parts(self) -> &'static [Part] {
        use Part::{Exports, Globals, HostCalls, Memory, Results, Tables, Traps};
        match self {
            Execution::Function | Execution::Invocation => &[Results, Traps, Memory],
            Execution::Module => &[Results, Traps, Memory, Globals, Tables, HostCalls, Exports],
        }
    }

    fn property(self, strategy: Option<&Strategy>) -> EngineProperty {
        let signature = FunctionType::default();
        match self {
            Execution::Function => {
                EngineProperty::InterpreterI32 { signature, generator: Spec::functions_for(strategy) }
            }
            // Few modules of the other generator are valid, and those that are do little.
            Execution::Module => EngineProperty::Interpreter { generator: ModuleGenerator::Typed },
            Execution::Invocation => EngineProperty::Invocation { signature },
        }
    }
}

impl NamedProperty {
    /// The properties of a workload, each with one direction or one part.
    pub fn usual(workload: Workload) -> Vec<NamedProperty> {
        let each =
            |run: Execution| run.parts().iter().map(move |part| NamedProperty::Runs(run, Parts::only(*part)));
        match workload {
            Workload::Wasm => [Direction::Accept, Direction::Reject]
                .into_iter()
                .map(NamedProperty::Validator)
                .chain(Execution::ALL.into_iter().flat_map(each))
                .collect(),
            Workload::Stack => Noninterference::ALL.map(NamedProperty::Machine).to_vec(),
            // The other two are not defined for it.
            Workload::Register => vec![NamedProperty::Machine(Noninterference::Ssni)],
        }
    }

    /// The properties of a workload that a name stands for: one of the usual ones, several if it has wildcards, or any other
    /// combination of parts.
    ///
    /// # Errors
    ///
    /// If there is no such property. The error names the nearest one.
    ///
    /// ```
    /// use mutagen_bench::{NamedProperty, Workload};
    ///
    /// assert_eq!(NamedProperty::matching("interpreter/*", Workload::Wasm).unwrap().len(), 7);
    /// let unknown = NamedProperty::matching("interpreter/memroy", Workload::Wasm).unwrap_err();
    /// assert_eq!(unknown.nearest.as_deref(), Some("interpreter/memory"));
    /// assert!(NamedProperty::matching("msni", Workload::Register).is_err());
    /// ```
    pub fn matching(pattern: &str, workload: Workload) -> Result<Vec<NamedProperty>, Unknown> {
        let usual = NamedProperty::usual(workload);
        let fitting: Vec<NamedProperty> =
            usual.iter().copied().filter(|property| fits(pattern, &property.to_string())).collect();
        match read(pattern) {
            _ if !fitting.is_empty() => Ok(fitting),
            Some(property) if property.is_of(workload) => Ok(vec![property]),
            _ => Err(unknown(pattern, &usual)),
        }
    }

    fn is_of(self, workload: Workload) -> bool {
        match self {
            NamedProperty::Machine(property) => {
                workload == Workload::Stack
                    || workload == Workload::Register && property == Noninterference::Ssni
            }
            NamedProperty::Validator(_) | NamedProperty::Runs(..) => workload == Workload::Wasm,
        }
    }

    /// The task of hunting the same bug with this property. `None` if the property cannot show it.
    pub fn on(self, task: &Task) -> Option<Task> {
        let mut task = task.clone();
        match (&mut task.spec.subject, self) {
            (SubjectSpec::Engines(engines), NamedProperty::Validator(direction)) => {
                let generator = match engines.property {
                    EngineProperty::Validator { generator, .. } => generator,
                    _ => ModuleGenerator::default(),
                };
                engines.property = EngineProperty::Validator { direction, generator };
            }
            (SubjectSpec::Engines(EngineSpec { property, compare, .. }), NamedProperty::Runs(run, parts)) => {
                (*property, *compare) = (run.property(task.spec.strategy.as_ref()), parts);
            }
            (SubjectSpec::Machine(machine), NamedProperty::Machine(property)) => machine.property = property,
            _ => return None,
        }
        task.spec.check().is_ok().then_some(task)
    }
}

impl fmt::Display for NamedProperty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NamedProperty::Validator(Direction::Both) => formatter.write_str("validator"),
            NamedProperty::Validator(direction) => write!(formatter, "validator/{}", direction.name()),
            NamedProperty::Runs(run, Parts::ALL) => formatter.write_str(run.name()),
            NamedProperty::Runs(run, parts) => {
                write!(formatter, "{}/{}", run.name(), parts.to_string().replace(',', "+"))
            }
            NamedProperty::Machine(property) => formatter.write_str(property.name()),
        }
    }
}

impl FromStr for NamedProperty {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        let all = || Workload::ALL.into_iter().flat_map(NamedProperty::usual).collect::<Vec<_>>();
        read(name).ok_or_else(|| unknown(name, &all()))
    }
}

fn read(name: &str) -> Option<NamedProperty> {
    let (of, parts) = name.split_once('/').unwrap_or((name, "all"));
    let directions = [("accept", Direction::Accept), ("reject", Direction::Reject), ("all", Direction::Both)];
    match Execution::ALL.into_iter().find(|run| run.name() == of) {
        Some(run) => Some(NamedProperty::Runs(run, parts.replace('+', ",").parse().ok()?)),
        None if of == "validator" => {
            let (_, direction) = directions.into_iter().find(|(name, _)| *name == parts)?;
            Some(NamedProperty::Validator(direction))
        }
        None => name.parse().ok().map(NamedProperty::Machine),
    }
}

fn unknown(name: &str, usual: &[NamedProperty]) -> Unknown {
    let names: Vec<String> = usual.iter().map(NamedProperty::to_string).collect();
    let has_parts = usual.iter().any(|property| matches!(property, NamedProperty::Runs(..)));
    let combined = if has_parts { ", and combinations such as interpreter/results+traps" } else { "" };
    Unknown::new("property", name, &names, format!("the properties are {}{combined}", names.join(", ")))
}
