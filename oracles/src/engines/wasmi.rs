//! wasmi, an interpreter. It is the target that carries probes and bugs.
//!
//! Every question gets a fresh engine: that costs a microsecond, and the path through the engine's code then depends on
//! the module alone.

mod access;
mod api;
mod compiled;
mod features;
mod instance;
mod limiter;
mod values;

use ::wasmi::{CompilationMode, Config, CustomFuelCosts, Module};

use self::compiled::CompiledModule;
use crate::{
    answer::{Instantiation, Rejection, Validity},
    engine::{Compiled, Engine, Instance},
    host::HostPlan,
    limits::{Which, web_limit},
    registry::{EngineEntry, Lineage, Role},
    settings::{Limits, Settings},
};

/// The version that is linked.
const VERSION: &str = "2.0.0";

/// The two ways in which wasmi runs.
pub(super) fn entries() -> [EngineEntry; 2] {
    let entry = |name, make: fn(&Settings) -> Wasmi| {
        EngineEntry::new(name, VERSION, move |settings| Ok(Box::new(make(settings))))
            .roles(&[Role::Target, Role::Reference])
            .lineage(Lineage { validation: "wasmparser", execution: "wasmi" })
    };
    [
        entry(EAGER, Wasmi::new)
            .twin(LAZY)
            .about("an interpreter; translates all functions before it runs any"),
        entry(LAZY, Wasmi::lazy)
            .twin(EAGER)
            .about("the same; validates and translates each function at its first call"),
    ]
}

const EAGER: &str = "wasmi";
const LAZY: &str = "wasmi-lazy";

/// wasmi as a black box.
///
/// ```
/// use mutagen_oracles::{Engine, Settings, Validity, Wasmi};
///
/// let wasmi = Wasmi::new(&Settings::default());
/// assert_eq!(wasmi.validate(b"\0asm\x01\0\0\0"), Validity::Accepted);
/// ```
#[derive(Clone, Debug)]
pub struct Wasmi {
    name: &'static str,
    limits: Limits,
    /// Validates everything and translates nothing: the translator may panic on what a broken validator lets through.
    validating: Config,
    /// Runs code.
    executing: Config,
}

/// The size of the stack for values, which wasmi keeps on the heap.
const VALUE_STACK_BYTES: usize = 16 * 1024 * 1024;

/// Copying costs fuel by the byte, but so little that a whole memory of the greatest size we allow costs less than the
/// fuel of one call.
const FUEL_COSTS: CustomFuelCosts =
    CustomFuelCosts { bytes_copied_per_fuel: 256, fuel_per_bytes_translated: 0, fuel_per_bytes_validated: 0 };

impl Wasmi {
    /// wasmi with these settings. It translates all functions at once, so that limits of the translator show before
    /// anything runs. It canonicalises NaNs whatever the settings say about that.
    pub fn new(settings: &Settings) -> Self {
        Self::with(EAGER, CompilationMode::Eager, settings)
    }

    /// wasmi that validates and translates a function when it is called for the first time. Limits of the translator
    /// then show as [`Ending::Uncompiled`](crate::Ending::Uncompiled).
    pub fn lazy(settings: &Settings) -> Self {
        Self::with(LAZY, CompilationMode::Lazy, settings)
    }

    fn with(name: &'static str, mode: CompilationMode, settings: &Settings) -> Self {
        let mut validating = Config::default();
        features::switch_features(&mut validating, settings.features);
        validating.compilation_mode(CompilationMode::LazyTranslation);
        let mut executing = validating.clone();
        executing
            .compilation_mode(mode)
            .consume_fuel(true)
            .fuel_cost(FUEL_COSTS)
            .set_max_recursion_depth(settings.limits.recursion)
            .set_max_stack_height(VALUE_STACK_BYTES);
        Self { name, limits: settings.limits, validating, executing }
    }

    fn compiled(&self, bytes: &[u8]) -> Result<CompiledModule, Rejection> {
        CompiledModule::new(::wasmi::Engine::new(&self.executing), bytes, self.limits)
    }
}

impl Engine for Wasmi {
    fn name(&self) -> &str {
        self.name
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        Module::new(&::wasmi::Engine::new(&self.validating), bytes).map_err(Rejection::new).into()
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

    /// The numbers are measured.
    fn limit(&self, which: Which) -> Option<u64> {
        match which {
            Which::Locals => Some(30_000),
            Which::StackCells => Some(65_535),
            Which::BrTableTargets => Some(131_072),
            Which::BodyBytes => None,
            other => web_limit(other),
        }
    }

    /// Where operators are validated, translated and executed.
    fn function_code(&self) -> &'static [&'static str] {
        &[
            "wasmparser-0.228.0/src/validator/operators.rs",
            "wasmi-2.0.0/src/engine/",
            "wasmi_core-",
            "wasmi_ir-",
        ]
    }
}
