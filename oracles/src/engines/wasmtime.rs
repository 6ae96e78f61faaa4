//! wasmtime, a compiler. It is the usual reference.
//!
//! It spends its time on compiling, a hundred times as much as on the rest, so a module should be
//! [compiled](Engine::compile) once and instantiated many times: functions of one shape share a module, and each is
//! called in an instance of its own.

mod access;
mod instance;
mod values;

use ::wasmtime::{Config, Inlining, Module, OperatorCost, OptLevel, RegallocAlgorithm, VariableOperatorCost};

use self::{instance::WasmtimeInstance, values::failed_start};
use crate::{
    answer::{Ending, Instantiation, Rejection, Validity},
    engine::{Compiled, Engine, Instance},
    guard::WASM_STACK_BYTES,
    host::{HostPlan, is_of_host},
    limits::{Which, web_limit},
    registry::{EngineEntry, EngineError, Lineage, Role},
    scan::wasm_features,
    settings::{Limits, NanMode, Settings},
    state::State,
};

/// The version that is linked.
const VERSION: &str = "48.0.8";

/// The two ways in which wasmtime compiles.
pub(super) fn entries() -> [EngineEntry; 2] {
    let entry = |name, make: fn(&Settings) -> Result<Wasmtime, EngineError>| {
        EngineEntry::new(name, VERSION, move |settings| Ok(Box::new(make(settings)?)))
            .roles(&[Role::Reference])
            .lineage(Lineage { validation: "wasmparser", execution: "wasmtime" })
    };
    [
        entry(QUICK, Wasmtime::new).about("a compiler, without its optimiser: compiles fastest"),
        entry(SPEED, Wasmtime::optimising)
            .roles(&[Role::Target, Role::Reference])
            .about("the same, with its optimiser and its other register allocator"),
    ]
}

const QUICK: &str = "wasmtime";
const SPEED: &str = "wasmtime-speed";

/// wasmtime as a black box. Clones share the engine; every instance has a store of its own.
///
/// Questions that run code must be asked [on a stack](crate::on_stack) of known size.
///
/// Each exported function, and each module, costs the compiler some glue code that is about as much work as a small
/// function. So functions of one shape are best put into one module, with a single export that calls the one whose
/// number it is given:
///
/// ```
/// use mutagen_oracles::{Ending, Engine, Settings, Value, Wasmtime, on_stack};
///
/// let batch = wat::parse_str(r#"(module
///     (memory (export "memory") 1)
///     (func $0 (result i32) (i32.load (i32.const 0)))
///     (func $1 (result i32) (i32.store (i32.const 0) (i32.const 7)) (i32.load (i32.const 0)))
///     (func (export "call") (param i32) (result i32)
///         (block (block (br_table 0 1 (local.get 0))) (return (call $0))) (return (call $1))))"#)?;
/// let wasmtime = Wasmtime::new(&Settings::default())?;
/// on_stack(|| {
///     let compiled = wasmtime.compile(&batch)?;
///     for (number, result) in [(1, 7), (0, 0)] {
///         let mut instance = compiled.instantiate().expect("nothing can fail here");
///         let ending = instance.call("call", &[Value::I32(number)]);
///         assert_eq!(ending, Ending::Returned(vec![Value::I32(result)]));
///     }
///     Ok::<(), mutagen_oracles::Rejection>(())
/// })??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Wasmtime {
    name: &'static str,
    engine: ::wasmtime::Engine,
    limits: Limits,
}

impl Wasmtime {
    /// wasmtime with these settings.
    ///
    /// # Errors
    ///
    /// If wasmtime cannot combine these features; the source says why.
    pub fn new(settings: &Settings) -> Result<Self, EngineError> {
        Self::with(QUICK, OptLevel::None, RegallocAlgorithm::SinglePass, settings)
    }

    /// wasmtime with Cranelift's optimiser and its other register allocator: slower to compile, but a second opinion
    /// that shares little code with the first. A finding that it does not confirm is the reference's own fault.
    ///
    /// # Errors
    ///
    /// As [`Wasmtime::new`].
    pub fn optimising(settings: &Settings) -> Result<Self, EngineError> {
        Self::with(SPEED, OptLevel::Speed, RegallocAlgorithm::Backtracking, settings)
    }

    fn with(
        name: &'static str,
        level: OptLevel,
        allocator: RegallocAlgorithm,
        settings: &Settings,
    ) -> Result<Self, EngineError> {
        let mut config = config(settings);
        config.cranelift_opt_level(level).cranelift_regalloc_algorithm(allocator);
        Self::configured(name, &config, settings)
    }

    fn configured(name: &'static str, config: &Config, settings: &Settings) -> Result<Self, EngineError> {
        let engine = ::wasmtime::Engine::new(config)
            .map_err(|error| EngineError::Refused { engine: name.to_owned(), source: error.into() })?;
        Ok(Self { name, engine, limits: settings.limits })
    }

    /// wasmtime with an interpreter: Cranelift compiles for a processor that does not exist, with its optimiser.
    #[cfg_attr(not(feature = "pulley"), expect(dead_code, reason = "it is only had with the feature"))]
    pub(super) fn pulley(settings: &Settings) -> Result<Self, EngineError> {
        let name = super::optional::PULLEY;
        let mut config = config(settings);
        config.cranelift_opt_level(OptLevel::Speed);
        config
            .target("pulley64")
            .map_err(|error| EngineError::Refused { engine: name.to_owned(), source: error.into() })?;
        Self::configured(name, &config, settings)
    }

    /// wasmtime with its compiler in one pass. It needs traps by signals, and leaves NaNs as the hardware makes them.
    #[cfg_attr(not(feature = "winch"), expect(dead_code, reason = "it is only had with the feature"))]
    pub(super) fn winch(settings: &Settings) -> Result<Self, EngineError> {
        let mut config = config(&Settings { nan: NanMode::Raw, ..*settings });
        config.strategy(::wasmtime::Strategy::Winch).signals_based_traps(true);
        Self::configured(super::optional::WINCH, &config, settings)
    }

    fn compiled(&self, bytes: &[u8]) -> ::wasmtime::Result<CompiledModule> {
        let module = Module::from_binary(&self.engine, bytes)?;
        Ok(CompiledModule { module, limits: self.limits })
    }
}

fn rejection(error: ::wasmtime::Error) -> Rejection {
    Rejection(format!("{error:#}"))
}

/// What it means that a module was not compiled. Without memory for the code, nothing can be said about the module.
fn not_compiled(error: ::wasmtime::Error) -> Instantiation {
    let Rejection(reason) = rejection(error);
    match is_of_host(&reason) {
        true => Instantiation::ended(Ending::Infra(reason), State::default()),
        false => Instantiation::Rejected(Rejection(reason)),
    }
}

/// The configuration has three aims: results depend on module and arguments alone, the process stays free of signal handlers
/// and of large reservations of address space, and compiling is cheap.
fn config(settings: &Settings) -> Config {
    let wanted = wasm_features(settings.features);
    let mut config = Config::new();
    config
        .wasm_features(!wanted, false)
        .wasm_features(wanted, true)
        .cranelift_nan_canonicalization(settings.nan == NanMode::Deterministic)
        .relaxed_simd_deterministic(true)
        .consume_fuel(true)
        .operator_cost(operator_cost())
        .async_stack_size(2 * WASM_STACK_BYTES)
        .max_wasm_stack(WASM_STACK_BYTES)
        .signals_based_traps(false)
        .memory_reservation(0)
        .memory_reservation_for_growth(0)
        .memory_guard_size(0)
        .memory_init_cow(false)
        .compiler_inlining(Inlining::No)
        .native_unwind_info(false)
        .generate_address_map(false)
        .wasm_backtrace_max_frames(None);
    config
}

/// Every operator costs the same, however many bytes it copies. If bytes cost fuel, an operator that is out of bounds would
/// run out of fuel before it traps. The target is asked first, so its fuel bounds the number of bytes.
fn operator_cost() -> OperatorCost {
    let mut cost = OperatorCost::new();
    cost.variable = VariableOperatorCost {
        memory_copy_per_byte: 0,
        memory_fill_per_byte: 0,
        memory_init_per_byte: 0,
        memory_grow_per_page: 0,
        table_copy_per_element: 0,
        table_fill_per_element: 0,
        table_init_per_element: 0,
        table_grow_per_element: 0,
        ..VariableOperatorCost::new()
    };
    cost
}

impl Engine for Wasmtime {
    fn name(&self) -> &str {
        self.name
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        Module::validate(&self.engine, bytes).map_err(rejection).into()
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.instantiate_with(bytes, &[])
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        self.compiled(bytes).map_err(not_compiled)?.instance(hosts)
    }

    fn compile<'a>(&'a self, bytes: &[u8]) -> Result<Box<dyn Compiled + 'a>, Rejection> {
        Ok(Box::new(self.compiled(bytes).map_err(rejection)?))
    }

    /// The numbers are measured.
    fn limit(&self, which: Which) -> Option<u64> {
        match which {
            Which::Locals => Some(50_000),
            Which::BrTableTargets => Some(65_520),
            Which::BodyBytes => Some(7_654_321),
            other => web_limit(other),
        }
    }
}

struct CompiledModule {
    module: Module,
    limits: Limits,
}

impl CompiledModule {
    fn instance(&self, hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        if let Some(which) = over_limits(&self.module, &self.limits) {
            return Err(Instantiation::ended(Ending::Limited(which), State::default()));
        }
        let mut instance = WasmtimeInstance::new(self.module.engine(), &self.limits, hosts);
        match instance.start(&self.module) {
            Ok(()) => Ok(Box::new(instance)),
            Err(error) => {
                let ending = failed_start(&error, &instance.store.data().limiter);
                Err(Instantiation::ended(ending, instance.state()))
            }
        }
    }
}

impl Compiled for CompiledModule {
    fn instantiate(&self) -> Result<Box<dyn Instance>, Instantiation> {
        self.instance(&[])
    }
}

fn over_limits(module: &Module, limits: &Limits) -> Option<Which> {
    let needs = module.resources_required();
    if needs.num_memories as usize > limits.memories {
        return Some(Which::Memories);
    }
    (needs.num_tables as usize > limits.tables).then_some(Which::Tables)
}
