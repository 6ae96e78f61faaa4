//! Noninterference as properties of the engine: what an observer sees must not depend on secrets.

use std::fmt;
use std::str::FromStr;

use mutagen_engine::{Failure, Outcome};
use mutagen_ifc::fault::Fault;
use mutagen_ifc::noninterference::{self as judge, Judgement};
use mutagen_ifc::rule::{OpCode, Table};
use mutagen_ifc::{finding, register, stack};

use crate::DISCREPANCY;

/// A noninterference property of the stack machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noninterference {
    /// Single-step: after one step the observer still cannot tell the machines apart.
    #[default]
    Ssni,
    /// Multi-step: nor after any number of steps.
    Msni,
    /// End-to-end: nor by what they end with.
    Eeni,
}

impl Noninterference {
    /// Every one of them.
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
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|property| property.name() == name)
            .ok_or_else(|| format!("there is no property `{name}`; choose one of {}", known()))
    }
}

/// The stack machine, correct or with a fault, must not leak.
///
/// ```
/// use mutagen_engine::{Campaign, Mutagen, MutagenConfig, StopReason};
/// use mutagen_ifc::{pairs::{Pairs, SIZE}, stack};
/// use mutagen_properties::ssni::{Noninterference, stack_machine};
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

/// The rules with the fault, and those without.
fn tables<O: OpCode>(fault: Option<&Fault<O>>) -> [Table<O>; 2] {
    [fault.map_or_else(Table::correct, Fault::table), Table::correct()]
}

fn is_violated<V>(judgement: &Judgement<V>) -> bool {
    matches!(judgement, Judgement::Violated(_))
}

/// A judgement as the outcome of a test. A leak that stays without the fault is none of the fault's.
fn outcome<V>(
    judgement: Judgement<V>,
    stays: impl FnOnce() -> bool,
    explain: impl FnOnce(&V) -> String,
) -> Outcome {
    match judgement {
        Judgement::Holds => Outcome::passed(),
        Judgement::Discarded(why) => Outcome::discarded().label(why.name()),
        Judgement::Violated(_) if stays() => Outcome::discarded().label(DISCREPANCY),
        Judgement::Violated(violation) => Failure::new("the observer can tell the machines apart")
            .kind("leak")
            .detail("explanation", explain(&violation))
            .into(),
    }
}
