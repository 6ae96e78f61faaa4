//! Subjects: properties with all that a campaign on them needs.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use mutagen_engine::{Generator, Guidance, Mutable, Outcome, Property, Scope, Source, Strategy};
use mutagen_ifc::{register, stack};
use mutagen_oracles::{Call, Engine, EngineError, HostPlan, Registry, Settings, Watched, prove_woven, watch};
use mutagen_wasm_ast::Module;
use mutagen_weave::{NotWoven, probes::NamesError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Context;

/// A property with all that a campaign on it needs: how values are made, judged, stored and read back.
///
/// Every property has one, so that one driver runs them all.
///
/// ## Invariants
///
/// [`value`](Subject::value) of [`case`](Subject::case) is the value itself, except for modules whose calls
/// are derived from the module.
pub trait Subject: Send + Sync + 'static {
    /// The type of the values that are tested.
    type Value: Mutable + Clone + Hash + fmt::Debug + Send + Sync;
    /// The property. It may postpone verdicts.
    type Property: Property<Self::Value>;

    /// The property, for one worker.
    ///
    /// # Errors
    ///
    /// If an engine refuses the settings.
    fn property(&self) -> Result<Self::Property, EngineError>;

    /// Judges one value at once.
    fn judge(&self, property: &mut Self::Property, value: &Self::Value) -> Outcome {
        property.check(value)
    }

    /// A value of about this size.
    fn generate(&self, source: &mut Source, size: usize) -> Self::Value;

    /// Settings for generators and mutators.
    fn scope(&self) -> Scope {
        Scope::new()
    }

    /// Adapts a strategy to the values that are tested, unless a switch says otherwise.
    fn suit(&self, strategy: Strategy) -> Strategy;

    /// A guidance that follows the strategy, adapted to the values that are tested.
    fn guidance(self: &Arc<Self>, strategy: &Strategy, seed: u64) -> Box<dyn Guidance<Self::Value>>
    where
        Self: Sized,
    {
        self.suit(strategy.clone()).guidance(seed, self.scope(), Maker(Arc::clone(self)))
    }

    /// Repairs a mutant, if mutants are repaired before they are tested.
    fn repair(&self, value: &mut Self::Value) {
        let _ = value;
    }

    /// The value in the form in which it is stored.
    fn case(&self, value: &Self::Value) -> Case;

    /// The same without asking an engine: what an engine would have to say about the value is left out.
    fn case_as_is(&self, value: &Self::Value) -> Case {
        self.case(value)
    }

    /// The value of a stored form, if this property can be tested on it.
    fn value(&self, case: &Case) -> Option<Self::Value>;

    /// The same test, with everything said that follows from the rest, so that all of it can be shrunk.
    fn explicit(&self, value: Self::Value) -> Self::Value {
        value
    }

    /// The module of a value, if there is one.
    fn module(&self, value: &Self::Value) -> Option<Vec<u8>> {
        let _ = value;
        None
    }

    /// The same test of another module. `None` if tests are not of whole modules, or this is none that can be tested.
    fn with_module(&self, value: &Self::Value, wasm: &[u8]) -> Option<Self::Value> {
        let _ = (value, wasm);
        None
    }

    /// The context that workers on two engines share. `None` if the subject is not about engines.
    fn context(&self) -> Option<&Context> {
        None
    }

    /// The number of unusable modules from a foreign generator. `None` if there is no such generator.
    fn refused_modules(&self) -> Option<u64> {
        None
    }

    /// What the tests vary, and so which probes of an engine their traces are about.
    fn watched(&self) -> Watched {
        Watched::Modules
    }

    /// Makes sure that the probes of the target fire, and switches off those that a campaign does not use.
    ///
    /// # Errors
    ///
    /// If they do not fire, or cannot be told apart.
    fn watch(&self) -> Result<(), WatchError>;
}

/// Makes and repairs the values of a subject.
struct Maker<S>(Arc<S>);

impl<S: Subject> Generator<S::Value> for Maker<S> {
    fn generate(&mut self, source: &mut Source, size: usize) -> S::Value {
        self.0.generate(source, size)
    }

    fn repair(&self, value: &mut S::Value) {
        self.0.repair(value);
    }
}

/// A value in the form in which it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Case {
    /// A module, its calls, and what its imported functions do.
    Module {
        /// The module.
        wasm: Vec<u8>,
        /// The calls, in order.
        calls: Vec<Call>,
        /// What imported functions do, by their number.
        hosts: Vec<HostPlan>,
    },
    /// Two states of a machine.
    States(Box<MachinePair>),
}

impl Case {
    /// A module with calls, whose imported functions are stubs.
    pub fn of(wasm: Vec<u8>, calls: Vec<Call>) -> Self {
        Case::Module { wasm, calls, hosts: Vec::new() }
    }

    /// The module, if it is one that the syntax tree can express.
    pub fn module(&self) -> Option<Module> {
        match self {
            Case::Module { wasm, .. } => Module::decode(wasm).ok(),
            Case::States(_) => None,
        }
    }
}

/// Two states of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MachinePair {
    /// Of the stack machine.
    Stack(stack::Variation),
    /// Of the register machine.
    Register(register::Variation),
}

impl fmt::Display for MachinePair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MachinePair::Stack(pair) => write!(formatter, "{pair:?}"),
            MachinePair::Register(pair) => write!(formatter, "{pair:?}"),
        }
    }
}

/// Why the target cannot be watched.
#[derive(Debug, Error)]
pub enum WatchError {
    /// An engine refuses the settings.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The target is never woven, so that no bug can be injected into it.
    #[error("bugs cannot be injected into {0}: leave out --bug, or choose a target that is woven")]
    NoBugs(String),
    /// This program was compiled without probes and bugs.
    #[error(transparent)]
    NotWoven(#[from] NotWoven),
    /// The probes cannot be told apart.
    #[error(transparent)]
    Names(#[from] NamesError),
}

/// Watches the target of two engines. An engine that names none of its code has no probes. Without a bug to switch on, it can
/// be tested all the same, with less guidance.
pub(crate) fn watch_target(context: &Context, watched: Watched) -> Result<(), WatchError> {
    let target = context.target.make(&context.settings)?;
    if context.injection.bug.is_some() {
        require_bugs(&*target)?;
    } else if is_woven(&*target) {
        prove_woven(&*target)?;
    }
    Ok(watch(watched, &*target)?)
}

/// Makes sure that bugs can be injected into an engine of this program.
///
/// # Errors
///
/// If the engine is never woven, or was not woven in this program.
pub fn require_bugs(target: &dyn Engine) -> Result<(), WatchError> {
    if !is_woven(target) {
        return Err(WatchError::NoBugs(target.name().to_owned()));
    }
    Ok(prove_woven(target)?)
}

fn is_woven(engine: &dyn Engine) -> bool {
    !engine.function_code().is_empty()
}

/// Makes sure that this program was compiled with probes. All packages are compiled with them, or none.
pub(crate) fn require_probes() -> Result<(), WatchError> {
    let registry = Registry::default();
    let woven = registry.entries().first().map(|entry| entry.make(&Settings::default())).transpose()?;
    woven.map_or(Ok(()), |engine| Ok(prove_woven(&*engine)?))
}
