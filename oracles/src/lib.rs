//! WebAssembly engines as black boxes: answers, agreement, NaN-equivalence, limits.
//!
//! An [`Engine`] answers three questions: is this module valid, what does instantiating it do, what does this call do.
//! The answers are plain data, so that two engines can be compared; [`judge()`] does that step by step and says how far
//! they agree: one of five kinds of [`Agreement`], of which only [`Agreement::Differ`] is a finding. Everything in which
//! engines may differ legally ends in one of the others. A [`Registry`] knows the engines by name.
//!
//! ```
//! use mutagen_oracles::{Agreement, Call, Registry, Settings, Value, judge, on_stack};
//!
//! let settings = Settings::default();
//! let module = wat::parse_str(r#"(module (func (export "f") (param i32) (result i32)
//!     (i32.div_s (i32.const 1) (local.get 0))))"#)?;
//! let calls = [Call::new("f", [Value::I32(0)]), Call::new("f", [Value::I32(1)])];
//! let registry = Registry::default();
//! let target = registry.find("wasmi")?.make(&settings)?;
//! let reference = registry.find("wasmtime")?.make(&settings)?;
//!
//! let judgement = on_stack(|| judge(&module, &calls, &target, &reference, &settings))?;
//! assert_eq!(judgement.agreement, Agreement::Equal);
//! assert_eq!(judgement.steps[2].target.to_string(), "trapped: integer division by zero");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Woven crates call functions of this crate, so a program that links them must link it, too.
use mutagen_weave as _;

mod agreement;
mod answer;
mod compare;
mod engine;
mod engines;
mod guard;
mod host;
mod judge;
mod limits;
mod numbers;
mod parts;
mod registry;
mod scan;
mod script;
mod settings;
mod state;
mod validity;
mod value;
mod view;
mod woven;
mod wrapped;

pub use agreement::{Agreement, Difference, What, Why};
pub use answer::{Ending, Instantiation, Rejection, TrapKind, Validity};
pub use compare::{compare_endings, compare_exports, compare_states, settled};
pub use engine::{Compiled, Engine, Function, Instance, Signature};
pub use engines::{Dlr, SERVE, Tinywasm, Wasmi, Wasmtime, end_with_parent, serve, trust_commands};
pub use guard::{EnginePanic, Guarded, GuardedInstance, STACK_BYTES, WASM_STACK_BYTES, catch, on_stack};
pub use host::{
    HostAction, HostCall, HostEffect, HostLog, HostPlan, HostResult, host_results, imported_global,
};
pub use judge::{Answer, Judgement, Question, Step, confirm, judge, judge_validity};
pub use limits::{GATE, Which, gate, web_limit};
pub use mutagen_features::{Feature, Features, UnknownFeature};
pub use parts::{Part, Parts, UnknownPart};
pub use registry::{EngineEntry, EngineError, Lineage, Registry, Role, UnknownEngine};
pub use script::{Argument, Call, NoArgument, Script};
pub use settings::{Limits, NanMode, Settings};
pub use state::{Extent, NamedValue, State};
pub use validity::{Opinion, compare_validity};
pub use value::{NoValue, Value, ValueType};
pub use woven::{Watched, probes_of, prove_woven, watch};
pub use wrapped::{Around, Asked, Wrapped};
