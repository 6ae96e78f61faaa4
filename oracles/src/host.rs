//! The host that both engines see: stubs for imports, a log of the calls to them, and the limiter.
//!
//! A stub is a pure function of its import's number and of how many calls came before, so both engines get the same
//! answers as long as they ask the same questions. The log shows whether they do.

use std::{fmt, hash::Hasher};

use rustc_hash::FxHasher;

use crate::{
    limits::Which,
    settings::Limits,
    state::write_value,
    value::{Value, ValueType, list},
};

/// A call of an imported function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCall {
    /// Number of the import among the imported functions.
    pub import: u32,
    /// The arguments that it got.
    pub arguments: Vec<Value>,
}

/// The calls that went out to imported functions: a digest of all, and the first ones in full for the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostLog {
    /// How many calls there were.
    pub calls: u64,
    /// Digest of all of them in order.
    pub digest: u64,
    /// The first few.
    pub first: Vec<HostCall>,
}

impl HostLog {
    /// How many calls are kept in full.
    pub const KEPT: usize = 16;

    fn push(&mut self, import: u32, arguments: &[Value]) {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.digest);
        hasher.write_u32(import);
        arguments.iter().for_each(|value| write_value(&mut hasher, value));
        self.digest = hasher.finish();
        self.calls += 1;
        if self.first.len() < Self::KEPT {
            self.first.push(HostCall { import, arguments: arguments.to_vec() });
        }
    }
}

impl fmt::Display for HostLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} calls (digest {:016x})", self.calls, self.digest)?;
        for call in &self.first {
            write!(f, ", import {} with {}", call.import, list(&call.arguments))?;
        }
        Ok(())
    }
}

/// Why a function reference is refused as an argument.
pub(crate) const FUNCREF_FROM_HOST: &str = "a function reference cannot be made by the host";

/// Why a call could not run after all.
pub(crate) const STARVED: &str = "the host could not serve a growth that was granted";

/// What an engine's store holds for us.
#[derive(Debug)]
pub(crate) struct Host {
    pub log: HostLog,
    pub limiter: Limiter,
    functions: u32,
    globals: u32,
}

impl Host {
    pub fn new(limits: &Limits) -> Self {
        Self { log: HostLog::default(), limiter: Limiter::new(limits), functions: 0, globals: 0 }
    }

    /// The number of the next imported function. Engines list imports of different kinds in orders of their own, so
    /// only the number among the functions is the same for all.
    pub fn next_function(&mut self) -> u32 {
        self.functions += 1;
        self.functions - 1
    }

    /// The value of the next imported global.
    pub fn next_global(&mut self, ty: ValueType) -> Value {
        self.globals += 1;
        stub_value(ty, &[u64::from(self.globals)])
    }

    /// Notes a call of imported function number `import`, and gives the stub's answer.
    pub fn note(&mut self, import: u32, arguments: &[Value]) -> Reply {
        self.log.push(import, arguments);
        Reply { import, call: self.log.calls }
    }
}

/// The answer of a stub to one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply {
    import: u32,
    call: u64,
}

impl Reply {
    /// The result at a position.
    pub fn result(&self, position: usize, ty: ValueType) -> Value {
        stub_value(ty, &[u64::from(self.import), self.call, position as u64])
    }
}

/// Half of the values are small, so that they make valid addresses and indices; the others are any bits.
fn stub_value(ty: ValueType, key: &[u64]) -> Value {
    let mut hasher = FxHasher::default();
    key.iter().for_each(|part| hasher.write_u64(*part));
    let mixed = hasher.finish();
    let bits = if mixed & 1 == 0 { mixed >> 61 } else { mixed };
    match ty {
        ValueType::I32 => Value::I32(bits as u32),
        ValueType::I64 => Value::I64(bits),
        ValueType::F32 => Value::F32(bits as u32),
        ValueType::F64 => Value::F64(bits),
        ValueType::V128 => Value::V128(u128::from(bits) << 64 | u128::from(mixed)),
        ValueType::FuncRef => Value::FuncRef { null: true },
        ValueType::ExternRef => Value::ExternRef((mixed & 2 == 0).then_some(bits as u32)),
    }
}

/// Decides what may grow, for both engines alike.
#[derive(Debug)]
pub(crate) struct Limiter {
    limits: Limits,
    granted: bool,
    /// The limit that was met. During an instantiation it says why memories or tables could not be made.
    pub denied: Option<Which>,
    /// Whether the host could not serve something that was granted.
    pub starved: bool,
}

impl Limiter {
    fn new(limits: &Limits) -> Self {
        Self { limits: *limits, granted: false, denied: None, starved: false }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether a memory may have `desired` bytes.
    pub fn memory(&mut self, desired: usize, maximum: Option<usize>) -> bool {
        self.decide(desired, maximum, self.limits.memory_bytes(), Which::MemoryPages)
    }

    /// Whether a table may have `desired` elements.
    pub fn table(&mut self, desired: usize, maximum: Option<usize>) -> bool {
        self.decide(desired, maximum, self.limits.table_elements, Which::TableElements)
    }

    fn decide(&mut self, desired: usize, maximum: Option<usize>, limit: usize, which: Which) -> bool {
        self.granted = desired <= limit && maximum.is_none_or(|maximum| desired <= maximum);
        if desired > limit {
            self.denied = Some(which);
        }
        self.granted
    }

    /// Notes that growing failed. It is the host's fault only if we had granted it: engines also report growth
    /// beyond what an index can reach, without having asked.
    pub fn failed(&mut self) {
        self.starved |= self.granted;
        self.granted = false;
    }

    /// Begins a new call: forgets what was granted and denied in the calls before.
    pub fn renew(&mut self) {
        self.granted = false;
        self.denied = None;
    }
}
