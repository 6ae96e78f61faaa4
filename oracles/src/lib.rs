//! WebAssembly engines as black boxes: outcomes, verdicts, NaN-equivalence, limits.
//!
//! An [`Engine`] answers three questions: is this module valid, what does instantiating it do, what does this call do.
//! The answers are plain data, so that two engines can be compared; [`judge`] does that step by step and gives one of
//! five [verdicts](Verdict), of which only [`Verdict::Differ`] is a finding. Everything in which engines may differ
//! legally ends in one of the others.
//!
//! ```
//! use mutagen_oracles::{Call, Settings, Value, Verdict, Wasmi, Wasmtime, judge, on_stack};
//!
//! let settings = Settings::default();
//! let module = wat::parse_str(r#"(module (func (export "f") (param i32) (result i32)
//!     (i32.div_s (i32.const 1) (local.get 0))))"#)?;
//! let calls = [Call::new("f", [Value::I32(0)]), Call::new("f", [Value::I32(1)])];
//! let (wasmi, wasmtime) = (Wasmi::new(&settings), Wasmtime::new(&settings)?);
//!
//! let judgement = on_stack(|| judge(&module, &calls, &wasmi, &wasmtime, &settings))?;
//! assert_eq!(judgement.verdict, Verdict::Equal);
//! assert_eq!(judgement.steps[2].target, "trapped: integer division by zero");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Woven crates call its symbols, so whoever links them must link it, too.
use mutagen_weave as _;

mod engine;
mod guard;
mod host;
mod judge;
mod limits;
mod scan;
mod settings;
mod state;
mod value;
mod verdict;
mod view;
mod wasmi;
mod wasmtime;
mod woven;

pub use engine::{Ending, Engine, Function, Instance, Instantiation, Signature, TrapKind, Validity};
pub use guard::{Guarded, GuardedInstance, STACK_BYTES, WASM_STACK_BYTES, catch, on_stack};
pub use host::{HostCall, HostLog};
pub use judge::{Call, Judgement, Question, Step, confirm, judge};
pub use limits::{ENGINE_LIMITS, EngineLimit, GATE, Which, gate, generator_limit};
pub use settings::{Features, Limits, NanMode, Settings};
pub use state::{Extent, NamedValue, State};
pub use value::{NoValue, Value, ValueType};
pub use verdict::{
    Difference, Verdict, What, Why, compare_endings, compare_states, compare_validity, settled,
};
pub use wasmi::Wasmi;
pub use wasmtime::{Compiled, Wasmtime};
pub use woven::{Watched, prove_woven, watch};
