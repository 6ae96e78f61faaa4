//! Noninterference properties: an observer's view must not depend on secrets.

use std::fmt;
use std::str::FromStr;

use mutagen_engine::{Failure, Outcome, Source, Strategy};
use mutagen_ifc::fault::Fault;
use mutagen_ifc::noninterference::{self as judge, Secrecy};
use mutagen_ifc::pairs::{GENERATIONS, Pairs, SIZE};
use mutagen_ifc::rule::{OpCode, Table};
use mutagen_ifc::{finding, register, stack};
use mutagen_oracles::EngineError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::DISCREPANCY;
use crate::subject::{Case, MachinePair, Subject, WatchError, require_probes};

/// A noninterference property of the stack machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Noninterference {
    /// Single-step: after one step the observer still cannot tell the machines apart.
    #[default]
    Ssni,
    /// Multi-step: the observer cannot tell them apart after any number of steps either.
    Msni,
    /// End-to-end: the observer cannot tell them apart by their final states.
    Eeni,
}

impl Noninterference {
    /// All noninterference properties.
    pub const ALL: [Noninterference; 3] = [Self::Ssni, Self::Msni, Self::Eeni];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ssni => "ssni",
            Self::Msni => "msni",
            Self::Eeni => "eeni",
        }
    }
}

impl fmt::Display for Noninterference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Noninterference {
    type Err = UnknownNoninterference;

    fn from_str(name: &str) -> Result<Self, UnknownNoninterference> {
        let found = Self::ALL.into_iter().find(|property| property.name() == name);
        found.ok_or_else(|| UnknownNoninterference(name.to_owned()))
    }
}

/// The error for a name that no noninterference property has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no property `{0}`; choose one of {known}", known = Noninterference::ALL.map(Noninterference::name).join(", "))]
pub struct UnknownNoninterference(String);

/// The stack machine, correct or with a fault, must not leak.
///
/// ```
/// use mutagen_engine::{Campaign, Mutagen, MutagenConfig, StopReason};
/// use mutagen_ifc::{pairs::{Pairs, SIZE}, stack};
/// use mutagen_properties::{Noninterference, stack_machine};
///
/// let fault = stack::faults().swap_remove(6); // Nop lowers the pc
/// let mut property = stack_machine(Noninterference::Ssni, Some(fault));
/// let mut guidance = Mutagen::with_generator(MutagenConfig::default(), 1, |source: &mut _, _| Pairs::Copy.stack(source, SIZE));
/// let report = Campaign::new(1).tests(1_000_000).run(&mut guidance, &mut property);
/// assert_eq!(report.stop, StopReason::Found);
/// ```
pub fn stack_machine(
    property: Noninterference,
    fault: Option<Fault<stack::OpCode>>,
) -> impl FnMut(&stack::Variation) -> Outcome {
    let [table, correct] = tables(fault.as_ref());
    let judge = match property {
        Noninterference::Ssni => judge::stack::ssni,
        Noninterference::Msni => judge::stack::msni,
        Noninterference::Eeni => judge::stack::eeni,
    };
    move |pair| {
        let explain = |violation: &_| finding::stack::explain(violation, fault.as_ref());
        outcome(judge(&table, pair), || fault.is_some() && is_violated(&judge(&correct, pair)), explain)
    }
}

/// The register machine, correct or with a fault, must not leak in a single step.
pub fn register_machine(
    fault: Option<Fault<register::OpCode>>,
) -> impl FnMut(&register::Variation) -> Outcome {
    let [table, correct] = tables(fault.as_ref());
    move |pair| {
        let explain = |violation: &_| finding::register::explain(pair, violation, fault.as_ref());
        let judge = judge::register::ssni;
        outcome(judge(&table, pair), || fault.is_some() && is_violated(&judge(&correct, pair)), explain)
    }
}

/// The rules with the fault, and the correct rules.
fn tables<O: OpCode>(fault: Option<&Fault<O>>) -> [Table<O>; 2] {
    [fault.map_or_else(Table::correct, Fault::table), Table::correct()]
}

fn is_violated<V>(secrecy: &Secrecy<V>) -> bool {
    matches!(secrecy, Secrecy::Violated(_))
}

/// The outcome of a test. A leak that stays without the fault is not due to the fault.
fn outcome<V>(
    secrecy: Secrecy<V>,
    stays: impl FnOnce() -> bool,
    explain: impl FnOnce(&V) -> String,
) -> Outcome {
    match secrecy {
        Secrecy::Holds => Outcome::passed(),
        Secrecy::Discarded(why) => Outcome::discarded().label(why.name()),
        Secrecy::Violated(_) if stays() => Outcome::discarded().label(DISCREPANCY),
        Secrecy::Violated(violation) => Failure::new("the observer can tell the machines apart")
            .kind("leak")
            .detail("explanation", explain(&violation))
            .into(),
    }
}

/// The size of generated states in FuzzChick's own experiments.
const FUZZCHICK_SIZE: usize = 3;

/// How pairs of states are made for a strategy.
struct PairMaker {
    pairs: Pairs,
    /// The size of all states. `None`: the size that the guidance chooses.
    size: Option<usize>,
    /// Whether the strategy has its own sizes and depths, as published.
    as_published: bool,
}

impl PairMaker {
    /// Generators get the size that finds most bugs instead of the size that the guidance chooses, unless the
    /// guidance enumerates sizes or the user sets one.
    fn new(pairs: Pairs, strategy: &Strategy) -> Self {
        let by_size = strategy.guidance_name() == "smallcheck" || strategy.sets("max-size");
        let as_published = strategy.guidance_name() == "fuzzchick";
        let usual = if as_published { FUZZCHICK_SIZE } else { SIZE };
        PairMaker { pairs, size: (!by_size).then_some(usual), as_published }
    }

    fn size(&self, size: usize) -> usize {
        self.size.unwrap_or(size)
    }

    fn suit(&self, strategy: Strategy) -> Strategy {
        if self.as_published { strategy } else { strategy.max_size(SIZE).max_depth(GENERATIONS) }
    }
}

/// A property of a machine.
type MachineProperty<T> = Box<dyn FnMut(&T) -> Outcome + Send>;

/// Campaigns on the stack machine.
pub struct StackSubject {
    property: Noninterference,
    fault: Option<Fault<stack::OpCode>>,
    maker: PairMaker,
}

impl StackSubject {
    /// Campaigns on the machine with this fault, if any. The strategy decides how large states are.
    pub fn new(
        property: Noninterference,
        pairs: Pairs,
        fault: Option<Fault<stack::OpCode>>,
        strategy: &Strategy,
    ) -> Self {
        StackSubject { property, fault, maker: PairMaker::new(pairs, strategy) }
    }
}

impl Subject for StackSubject {
    type Value = stack::Variation;
    type Property = MachineProperty<stack::Variation>;

    fn property(&self) -> Result<Self::Property, EngineError> {
        Ok(Box::new(stack_machine(self.property, self.fault.clone())))
    }

    fn generate(&self, source: &mut Source, size: usize) -> stack::Variation {
        self.maker.pairs.stack(source, self.maker.size(size))
    }

    fn suit(&self, strategy: Strategy) -> Strategy {
        self.maker.suit(strategy)
    }

    fn case(&self, pair: &stack::Variation) -> Case {
        Case::States(Box::new(MachinePair::Stack(pair.clone())))
    }

    fn value(&self, case: &Case) -> Option<stack::Variation> {
        match case {
            Case::States(pair) => match &**pair {
                MachinePair::Stack(pair) => Some(pair.clone()),
                MachinePair::Register(_) => None,
            },
            Case::Module { .. } => None,
        }
    }

    fn watch(&self) -> Result<(), WatchError> {
        require_probes()
    }
}

/// Campaigns on the register machine.
pub struct RegisterSubject {
    fault: Option<Fault<register::OpCode>>,
    maker: PairMaker,
}

impl RegisterSubject {
    /// Campaigns on the machine with this fault, if any. The strategy decides how large states are.
    pub fn new(pairs: Pairs, fault: Option<Fault<register::OpCode>>, strategy: &Strategy) -> Self {
        RegisterSubject { fault, maker: PairMaker::new(pairs, strategy) }
    }
}

impl Subject for RegisterSubject {
    type Value = register::Variation;
    type Property = MachineProperty<register::Variation>;

    fn property(&self) -> Result<Self::Property, EngineError> {
        Ok(Box::new(register_machine(self.fault.clone())))
    }

    fn generate(&self, source: &mut Source, size: usize) -> register::Variation {
        self.maker.pairs.register(source, self.maker.size(size))
    }

    fn suit(&self, strategy: Strategy) -> Strategy {
        self.maker.suit(strategy)
    }

    fn case(&self, pair: &register::Variation) -> Case {
        Case::States(Box::new(MachinePair::Register(pair.clone())))
    }

    fn value(&self, case: &Case) -> Option<register::Variation> {
        match case {
            Case::States(pair) => match &**pair {
                MachinePair::Register(pair) => Some(pair.clone()),
                MachinePair::Stack(_) => None,
            },
            Case::Module { .. } => None,
        }
    }

    fn watch(&self) -> Result<(), WatchError> {
        require_probes()
    }
}
