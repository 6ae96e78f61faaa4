//! The host that both engines see: functions for imports, a log of the calls to them, and the limiter.
//!
//! What a host function does is a [plan](HostPlan), which is part of the test. Without one it is a stub: a pure function of
//! its import's number and of how many calls came before. So both engines get the same answers as long as they ask the
//! same questions. The log shows whether they do.

mod limiter;
mod log;
mod perform;
mod plan;

use std::{hash::Hasher, sync::Arc};

use rustc_hash::FxHasher;

pub(crate) use self::{
    limiter::Limiter,
    perform::{Stop, serve},
};
pub use self::{
    log::{HostCall, HostEffect, HostLog, HostResult},
    plan::{HostAction, HostPlan},
};
use crate::{
    numbers::Numbers,
    settings::Limits,
    value::{Value, ValueType},
    view::{Handles, View},
};

/// Why a function reference is refused as an argument.
pub(crate) const UNKNOWN_FUNCTION: &str = "no function of this instance has that number";

/// Whether an engine's error is about the host and not about the module: the host has no memory, no descriptor or the like
/// to give. Engines pass on what the system says, and Rust words all errors of a system alike.
pub(crate) fn is_of_host(error: &str) -> bool {
    ["(os error ", "out of memory"].iter().any(|words| error.contains(words))
}

/// Why a call could not run after all.
pub(crate) const STARVED: &str = "the host could not serve a growth that was granted";

/// The error by which a host function traps.
#[derive(Debug, thiserror::Error)]
#[error("a host function trapped")]
pub(crate) struct HostTrap;

/// What an engine's store holds for us.
pub(crate) struct Host<H: Handles> {
    pub log: HostLog,
    pub limiter: Limiter,
    /// What can be seen of the instance from outside. It is made when it is first needed.
    pub view: Option<Arc<View<H>>>,
    /// The functions that references refer to.
    pub numbers: Numbers<H::Function>,
    plans: Arc<[HostPlan]>,
    /// How often the imports with a plan were called.
    served: Vec<u64>,
    /// How many host functions are calling back.
    depth: usize,
    functions: u32,
    globals: u32,
}

impl<H: Handles> Host<H> {
    pub fn new(limits: &Limits, plans: &[HostPlan]) -> Self {
        Self {
            log: HostLog::default(),
            limiter: Limiter::new(limits),
            view: None,
            numbers: Numbers::default(),
            plans: plans.into(),
            served: vec![0; plans.len()],
            depth: 0,
            functions: 0,
            globals: 0,
        }
    }

    /// Whether some host function has a plan, and must therefore see memories, globals and tables.
    pub fn is_planned(&self) -> bool {
        !self.plans.is_empty()
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
        imported_global(self.globals - 1, ty)
    }

    /// Begins a call of imported function number `import`.
    fn begin(&mut self, import: u32, arguments: &[Value]) -> Begun {
        let call = self.log.push(import, arguments);
        let served = self.served.get_mut(import as usize).map_or(0, |served| {
            *served += 1;
            *served - 1
        });
        Begun { plans: Arc::clone(&self.plans), import, call, served }
    }
}

/// A call of an imported function that has begun.
struct Begun {
    plans: Arc<[HostPlan]>,
    import: u32,
    /// Its number among all calls of imported functions.
    call: u64,
    /// Its number among the calls of this function.
    served: u64,
}

impl Begun {
    fn actions(&self) -> &[HostAction] {
        self.plans.get(self.import as usize).map_or(&[], |plan| plan.turn(self.served))
    }

    /// The results of a call whose actions were all done.
    fn results(&self, types: &[ValueType]) -> Vec<Value> {
        let mut returned: &[Value] = &[];
        for action in self.actions() {
            if let HostAction::Return(values) = action {
                returned = values;
            }
        }
        let result = |(position, ty): (usize, &ValueType)| {
            let planned = returned.get(position).filter(|value| value.ty() == *ty);
            planned.copied().unwrap_or_else(|| self.stub_result(position, *ty))
        };
        types.iter().enumerate().map(result).collect()
    }

    /// The result of a stub at a position.
    fn stub_result(&self, position: usize, ty: ValueType) -> Value {
        stub_value(ty, &[u64::from(self.import), self.call + 1, position as u64])
    }
}

/// The results, of these types, of a call of imported function number `import` that does not trap. `call` is its number among
/// all calls of imported functions, `served` that among those of this function.
///
/// ```
/// use mutagen_oracles::{HostAction, HostPlan, Value, ValueType, host_results};
///
/// let plan = HostPlan { turns: vec![vec![HostAction::Return(vec![Value::I32(7)])]], repeats: true };
/// assert_eq!(host_results(&[plan], 0, 3, 3, &[ValueType::I32]), [Value::I32(7)]);
/// ```
pub fn host_results(
    plans: &[HostPlan],
    import: u32,
    call: u64,
    served: u64,
    types: &[ValueType],
) -> Vec<Value> {
    Begun { plans: plans.into(), import, call, served }.results(types)
}

/// The first value of the imported global with this number, from 0.
pub fn imported_global(number: u32, ty: ValueType) -> Value {
    stub_value(ty, &[u64::from(number) + 1])
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
        ValueType::FuncRef => Value::FuncRef(None),
        ValueType::ExternRef => Value::ExternRef((mixed & 2 == 0).then_some(bits as u32)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_of_the_host_is_told_from_a_fault_of_the_module() {
        let shortage = std::io::Error::from_raw_os_error(12);
        assert!(is_of_host(&format!("failed to reserve 65536 bytes: mmap failed: {shortage}")));
        assert!(!is_of_host("type mismatch: expected i32, found i64 (at offset 0x12)"));
    }
}
