//! Who makes the tests of a strategy, where the task leaves a choice.

use mutagen_ifc::pairs::Pairs;

use crate::bench::{Task, Workload};

/// How the part of a strategy's name begins that names a generator.
pub(super) const KEY: &str = "generator=";

/// The generators of single functions, by the names that `interpret` has for them.
const OF_FUNCTIONS: [&str; 2] = ["derived", "typed"];

/// A generator that a strategy can name, as in `random,generator=smart`.
///
/// ```
/// use mutagen_bugs::bench::{Generator, Task};
///
/// let smart = Generator::find("smart").expect("it exists");
/// assert!(smart.suits(&Task::find("stack-1")?) && !smart.suits(&Task::find("wasm-11")?));
/// assert_eq!(Generator::find("clever"), None);
/// # Ok::<(), mutagen_bugs::bench::Unknown>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generator {
    /// Makes pairs of states of an IFC machine.
    Pairs(Pairs),
    /// Makes single functions.
    Functions(&'static str),
}

impl Generator {
    /// All of them: those of the machines, then those of functions.
    pub fn all() -> impl Iterator<Item = Generator> {
        let pairs = Pairs::ALL.into_iter().map(Generator::Pairs);
        pairs.chain(OF_FUNCTIONS.into_iter().map(Generator::Functions))
    }

    /// The generator of this name, if there is one.
    pub fn find(name: &str) -> Option<Generator> {
        Generator::all().find(|generator| generator.name() == name)
    }

    /// Its name on the command line of campaigns.
    pub fn name(self) -> &'static str {
        match self {
            Generator::Pairs(pairs) => pairs.name(),
            Generator::Functions(name) => name,
        }
    }

    /// Whether the campaign of this task can be told to use it.
    pub fn suits(self, task: &Task) -> bool {
        match self {
            Generator::Pairs(_) => task.workload() != Workload::Wasm,
            Generator::Functions(_) => task.property == "interpreter-i32",
        }
    }
}
