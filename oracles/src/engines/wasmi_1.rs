//! wasmi 1.1: the version before the one that is tested. Its translator and its executor are others.
//!
//! Its interface is nearly that of the later one, so both have the same adapter, compiled once for each.

#![allow(clippy::duplicate_mod, reason = "the types of the two versions are not the same")]

#[path = "wasmi/access.rs"]
mod access;
mod api;
#[path = "wasmi/compiled.rs"]
mod compiled;
#[path = "wasmi/features.rs"]
mod features;
#[path = "wasmi/instance.rs"]
mod instance;
mod limiter;
#[path = "wasmi/values.rs"]
mod values;

use ::wasmi_1::{CompilationMode, Config, Module};

use self::compiled::CompiledModule;
use crate::{
    answer::{Instantiation, Rejection, Validity},
    engine::{Compiled, Engine, Instance},
    engines::optional::WASMI_1 as NAME,
    host::HostPlan,
    limits::{Which, web_limit},
    settings::{Limits, Settings},
};

/// The size of the stack for values, which wasmi keeps on the heap.
const VALUE_STACK_BYTES: usize = 16 * 1024 * 1024;

/// wasmi 1.1 as a black box.
pub(super) struct WasmiOne {
    limits: Limits,
    validating: Config,
    executing: Config,
}

impl WasmiOne {
    /// It leaves NaNs as the hardware makes them, whatever the settings say.
    pub(super) fn new(settings: &Settings) -> Self {
        let mut validating = Config::default();
        features::switch_features(&mut validating, settings.features);
        validating.compilation_mode(CompilationMode::LazyTranslation);
        let mut executing = validating.clone();
        executing
            .compilation_mode(CompilationMode::Eager)
            .consume_fuel(true)
            .set_max_stack_height(VALUE_STACK_BYTES)
            .set_max_recursion_depth(settings.limits.recursion);
        Self { limits: settings.limits, validating, executing }
    }

    fn compiled(&self, bytes: &[u8]) -> Result<CompiledModule, Rejection> {
        CompiledModule::new(::wasmi_1::Engine::new(&self.executing), bytes, self.limits)
    }
}

impl Engine for WasmiOne {
    fn name(&self) -> &str {
        NAME
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        Module::new(&::wasmi_1::Engine::new(&self.validating), bytes).map_err(Rejection::new).into()
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.instantiate_with(bytes, &[])
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        self.compiled(bytes)?.instance(hosts)
    }

    fn compile<'a>(&'a self, bytes: &[u8]) -> Result<Box<dyn Compiled + 'a>, Rejection> {
        Ok(Box::new(self.compiled(bytes)?))
    }

    fn limit(&self, which: Which) -> Option<u64> {
        match which {
            Which::Locals => Some(30_000),
            Which::StackCells => Some(32_767),
            Which::BrTableTargets => Some(131_072),
            Which::BodyBytes => None,
            other => web_limit(other),
        }
    }
}
