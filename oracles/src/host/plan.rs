//! What host functions do, as data: both engines perform the same plan.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::value::{Value, list};

/// What one imported function does: the actions of its first call, of its second call, and so on.
///
/// A plan without turns is that of a stub: it changes nothing, and its results follow from the number of the import and
/// of the call alone. So do the results of a call whose actions do not say any, and those of calls after the last turn.
///
/// ```
/// use mutagen_oracles::{HostAction, HostPlan, Value};
///
/// let write = HostAction::Write { memory: 0, address: 8, bytes: vec![1, 2] };
/// let plan = HostPlan { turns: vec![vec![write], vec![HostAction::Trap]], repeats: false };
/// assert_eq!(plan.turn(0)[0].to_string(), "writes 2 bytes to memory 0 at address 8");
/// assert_eq!(plan.turn(1), [HostAction::Trap]);
/// assert!(plan.turn(2).is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HostPlan {
    /// The actions of each call, in order.
    pub turns: Vec<Vec<HostAction>>,
    /// Whether the turns start again after the last one.
    #[serde(default)]
    pub repeats: bool,
}

impl HostPlan {
    /// The actions of a call, by its number among the calls of this function, from 0.
    pub fn turn(&self, call: u64) -> &[HostAction] {
        let turns = self.turns.len() as u64;
        let turn = if self.repeats && turns > 0 { call % turns } else { call };
        usize::try_from(turn).ok().and_then(|turn| self.turns.get(turn)).map_or(&[], Vec::as_slice)
    }

    /// Whether it can call an exported function.
    pub fn calls_back(&self) -> bool {
        self.turns.iter().flatten().any(|action| matches!(action, HostAction::Call { .. }))
    }
}

/// One thing that a host function does.
///
/// Memories, globals and tables are named by their place in [`State`](crate::State): imports first, then exports in the
/// order of their names. Functions are named by their place among the exported ones, in the order of their names. While a
/// start function runs, only imports are there. An action on something that is not there does nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostAction {
    /// Sets the results. Those that are missing or of another type are a stub's.
    Return(Vec<Value>),
    /// Writes to a memory; nothing if not all bytes fit.
    Write {
        /// The memory.
        memory: u32,
        /// The address of the first byte.
        address: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Grows a memory.
    GrowMemory {
        /// The memory.
        memory: u32,
        /// By how many pages.
        pages: u64,
    },
    /// Grows a table.
    GrowTable {
        /// The table.
        table: u32,
        /// By how many elements.
        elements: u64,
        /// What the new elements are.
        value: Value,
    },
    /// Sets a global.
    SetGlobal {
        /// The global.
        global: u32,
        /// Its new value.
        value: Value,
    },
    /// Sets an element of a table.
    SetElement {
        /// The table.
        table: u32,
        /// The index of the element.
        index: u64,
        /// Its new value.
        value: Value,
    },
    /// Calls an exported function. Arguments that are missing or of another type are zero. A trap ends the called
    /// function, and not the host function.
    Call {
        /// The function.
        function: u32,
        /// The arguments.
        arguments: Vec<Value>,
    },
    /// Traps. Later actions of the turn are not done.
    Trap,
}

impl fmt::Display for HostAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Return(values) => write!(f, "returns {}", list(values)),
            Self::Write { memory, address, bytes } => {
                write!(f, "writes {} bytes to memory {memory} at address {address}", bytes.len())
            }
            Self::GrowMemory { memory, pages } => write!(f, "grows memory {memory} by {pages} pages"),
            Self::GrowTable { table, elements, value } => {
                write!(f, "grows table {table} by {elements} elements, {value}")
            }
            Self::SetGlobal { global, value } => write!(f, "sets global {global} to {value}"),
            Self::SetElement { table, index, value } => {
                write!(f, "sets element {index} of table {table} to {value}")
            }
            Self::Call { function, arguments } => {
                write!(f, "calls exported function {function} with {}", list(arguments))
            }
            Self::Trap => f.write_str("traps"),
        }
    }
}
