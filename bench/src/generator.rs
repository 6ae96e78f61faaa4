//! The generators that a strategy can choose from, where the task leaves a choice.

use mutagen_campaign::{EngineProperty, Spec, SubjectSpec};
use mutagen_ifc::pairs::Pairs;
use mutagen_properties::FunctionGenerator;

use crate::Task;

/// The prefix of the part of a strategy's name that names a generator.
pub(crate) const KEY: &str = "generator=";

/// A generator that a strategy can name, as in `random,generator=smart`.
///
/// ```
/// use mutagen_bench::{NamedGenerator, Task};
///
/// let smart = NamedGenerator::find("smart").expect("it exists");
/// assert!(smart.suits(&Task::find("stack-1")?) && !smart.suits(&Task::find("wasm-11")?));
/// assert_eq!(NamedGenerator::find("clever"), None);
/// # Ok::<(), mutagen_bench::Unknown>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedGenerator {
    /// Makes pairs of states of an IFC machine.
    Pairs(Pairs),
    /// Makes single functions, or modules that are run.
    Functions(FunctionGenerator),
}

impl NamedGenerator {
    /// All generators: those of the machines, then those of functions.
    pub fn all() -> impl Iterator<Item = NamedGenerator> {
        let pairs = Pairs::ALL.into_iter().map(NamedGenerator::Pairs);
        pairs.chain(FunctionGenerator::ALL.into_iter().map(NamedGenerator::Functions))
    }

    /// The generator of this name, if there is one.
    pub fn find(name: &str) -> Option<NamedGenerator> {
        NamedGenerator::all().find(|generator| generator.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            NamedGenerator::Pairs(pairs) => pairs.name(),
            NamedGenerator::Functions(functions) => functions.name(),
        }
    }

    /// Whether the campaign of this task can use this generator.
    pub fn suits(self, task: &Task) -> bool {
        self.set(&mut task.spec.clone())
    }

    /// Makes a campaign use this generator. Returns false if the campaign has no such generator.
    pub(crate) fn set(self, spec: &mut Spec) -> bool {
        match (self, &mut spec.subject) {
            (NamedGenerator::Pairs(pairs), SubjectSpec::Machine(machine)) => machine.generator = pairs,
            (NamedGenerator::Functions(functions), SubjectSpec::Engines(engines)) => {
                match &mut engines.property {
                    EngineProperty::InterpreterI32 { generator, .. } => *generator = functions,
                    EngineProperty::Interpreter { generator } => *generator = functions.into(),
                    _ => return false,
                }
            }
            _ => return false,
        }
        true
    }
}
