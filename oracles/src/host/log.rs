//! What went out to host functions, and what they did.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
};

use rustc_hash::FxHasher;

use super::plan::HostAction;
use crate::{
    answer::Ending,
    settings::NanMode,
    state::write_value,
    value::{Value, list},
};

/// A call of an imported function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCall {
    /// Number of the import among the imported functions.
    pub import: u32,
    /// The arguments that it got.
    pub arguments: Vec<Value>,
    /// What it did, in order.
    pub effects: Vec<HostEffect>,
}

/// An action of a host function, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostEffect {
    /// What the plan said.
    pub action: HostAction,
    /// What came of it.
    pub result: HostResult,
}

/// What came of an action of a host function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HostResult {
    /// It was done.
    Done,
    /// The engine refused: out of bounds, immutable, or of another type.
    Refused,
    /// There is nothing to do it to.
    Absent,
    /// It was not done, because too many host functions call back within each other.
    TooDeep,
    /// A memory or table grew from this size.
    Grew(u64),
    /// A call back ended like this.
    Called(Ending),
}

/// The calls that went out to imported functions: a digest of all, and the first ones in full for the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostLog {
    /// How many calls there were.
    pub calls: u64,
    /// Digest of all of them, and of what the host functions did, in order.
    pub digest: u64,
    /// The first few. States share them with the log until it goes on.
    pub first: Arc<Vec<HostCall>>,
}

impl HostLog {
    /// How many calls are kept in full.
    pub const KEPT: usize = 16;

    /// Notes a call. Returns its number, from 0.
    pub(crate) fn push(&mut self, import: u32, arguments: &[Value]) -> u64 {
        self.mix(|hasher| {
            hasher.write_u32(import);
            arguments.iter().for_each(|value| write_value(hasher, value));
        });
        self.calls += 1;
        if self.first.len() < Self::KEPT {
            let call = HostCall { import, arguments: arguments.to_vec(), effects: Vec::new() };
            Arc::make_mut(&mut self.first).push(call);
        }
        self.calls - 1
    }

    /// Notes what the host function did in a call.
    pub(crate) fn effect(&mut self, call: u64, effect: HostEffect) {
        self.mix(|hasher| {
            hasher.write_u64(call);
            effect.hash(hasher);
        });
        let kept = usize::try_from(call).ok().filter(|call| *call < self.first.len());
        if let Some(call) = kept {
            Arc::make_mut(&mut self.first)[call].effects.push(effect);
        }
    }

    fn mix(&mut self, write: impl FnOnce(&mut FxHasher)) {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.digest);
        write(&mut hasher);
        self.digest = hasher.finish();
    }

    /// Whether two engines with these logs agree.
    pub(crate) fn agrees(&self, other: &Self, nan: NanMode) -> bool {
        let kept_agree = || {
            self.calls == other.calls && self.first.iter().zip(&*other.first).all(|(a, b)| a.agrees(b, nan))
        };
        // The digest knows bits alone.
        self == other || nan == NanMode::Raw && kept_agree()
    }
}

impl HostCall {
    fn agrees(&self, other: &Self, nan: NanMode) -> bool {
        let effects_agree = || self.effects.iter().zip(&other.effects).all(|(a, b)| a.agrees(b, nan));
        self.import == other.import
            && values_agree(&self.arguments, &other.arguments, nan)
            && self.effects.len() == other.effects.len()
            && effects_agree()
    }
}

impl HostEffect {
    fn agrees(&self, other: &Self, nan: NanMode) -> bool {
        let results_agree = match (&self.result, &other.result) {
            (HostResult::Called(Ending::Returned(a)), HostResult::Called(Ending::Returned(b))) => {
                values_agree(a, b, nan)
            }
            (a, b) => a == b,
        };
        self.action == other.action && results_agree
    }
}

fn values_agree(a: &[Value], b: &[Value], nan: NanMode) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b, nan))
}

impl fmt::Display for HostLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} calls (digest {:016x})", self.calls, self.digest)?;
        self.first.iter().try_for_each(|call| write!(f, ", {call}"))
    }
}

impl fmt::Display for HostCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "import {} with {}", self.import, list(&self.arguments))?;
        self.effects.iter().try_for_each(|effect| write!(f, "; it {effect}"))
    }
}

impl fmt::Display for HostEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { action, result } = self;
        match result {
            HostResult::Done => write!(f, "{action}"),
            HostResult::Refused => write!(f, "{action}, which fails"),
            HostResult::Absent => write!(f, "{action}, which is not there"),
            HostResult::TooDeep => write!(f, "{action}, which is left out: too many calls within calls"),
            HostResult::Grew(from) => write!(f, "{action}, from {from}"),
            HostResult::Called(ending) => write!(f, "{action}, which {ending}"),
        }
    }
}
