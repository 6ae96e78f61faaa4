//! wasmtime, the reference.
//!
//! Compiling is what it spends its time on, a hundred times as much as on the rest, so a module can be
//! [compiled](Wasmtime::compile) once and instantiated many times: functions of one shape share a module, and each is
//! called in an instance of its own.

use ::wasmtime::{
    AsContextMut, Caller, Config, Extern, ExternRef, ExternType, FuncType, Global, HeapType, Inlining,
    Memory, Module, OperatorCost, OptLevel, Ref, RegallocAlgorithm, ResourceLimiter, Store, Table, Trap,
    V128, Val, ValType, VariableOperatorCost,
};

use crate::{
    engine::{Ending, Engine, Function, Instance, Instantiation, Signature, TrapKind, Validity},
    guard::WASM_STACK_BYTES,
    host::Host,
    limits::Which,
    scan::wasm_features,
    settings::{Limits, NanMode, Settings},
    state::State,
    value::{Value, ValueType},
    view::{Item, Look, View, sorted},
};

/// wasmtime as a black box. Clones share the engine; every instance has a store of its own.
///
/// Questions that run code must be asked [on a stack](crate::on_stack) of known size.
#[derive(Clone)]
pub struct Wasmtime {
    engine: ::wasmtime::Engine,
    limits: Limits,
}

impl Wasmtime {
    /// wasmtime with these settings.
    ///
    /// # Errors
    ///
    /// If wasmtime cannot combine these features, with its own words.
    pub fn new(settings: &Settings) -> Result<Self, String> {
        let mut config = config(settings);
        config
            .cranelift_opt_level(OptLevel::None)
            .cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass);
        Self::with(&config, settings)
    }

    /// wasmtime with Cranelift's optimiser and its other register allocator: slower to compile, but a second opinion
    /// that shares little code with the first. A finding that it does not confirm is the reference's own fault.
    ///
    /// # Errors
    ///
    /// As [`Wasmtime::new`].
    pub fn optimising(settings: &Settings) -> Result<Self, String> {
        let mut config = config(settings);
        config
            .cranelift_opt_level(OptLevel::Speed)
            .cranelift_regalloc_algorithm(RegallocAlgorithm::Backtracking);
        Self::with(&config, settings)
    }

    fn with(config: &Config, settings: &Settings) -> Result<Self, String> {
        match ::wasmtime::Engine::new(config) {
            Ok(engine) => Ok(Self { engine, limits: settings.limits }),
            Err(error) => Err(format!("wasmtime refuses these features: {error:#}")),
        }
    }

    /// Compiles a module.
    ///
    /// # Errors
    ///
    /// Why the module is invalid, or which limit of the compiler it exceeds.
    pub fn compile(&self, bytes: &[u8]) -> Result<Compiled, String> {
        match Module::from_binary(&self.engine, bytes) {
            Ok(module) => Ok(Compiled { module, limits: self.limits }),
            Err(error) => Err(format!("{error:#}")),
        }
    }
}

/// Everything that makes results depend on module and arguments alone, that keeps the process free of signal handlers
/// and of large reservations of address space, and that makes compiling cheap.
fn config(settings: &Settings) -> Config {
    let wanted = wasm_features(&settings.features);
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

/// Fuel by the operator alone. Charged by the byte, an operator that is out of bounds would run out of fuel before it
/// traps. What bounds the bytes is the target's fuel: it is asked first.
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
        "wasmtime"
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        match Module::validate(&self.engine, bytes) {
            Ok(()) => Validity::Accepted,
            Err(error) => Validity::Rejected(format!("{error:#}")),
        }
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.compile(bytes).map_err(Instantiation::Rejected)?.instantiate()
    }
}

/// A compiled module, from which any number of fresh instances can be made.
///
/// Each exported function, and each module, costs the compiler some glue code that is about as much work as a small
/// function. So functions of one shape are best put into one module, with a single export that calls the one whose
/// number it is given:
///
/// ```
/// use mutagen_oracles::{Ending, Settings, Value, Wasmtime, on_stack};
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
///     Ok::<(), String>(())
/// })??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Compiled {
    module: Module,
    limits: Limits,
}

impl Compiled {
    /// A fresh instance: memories, tables and globals are as the module says, whatever earlier instances did.
    ///
    /// # Errors
    ///
    /// How the instantiation ended, if not well.
    pub fn instantiate(&self) -> Result<Box<dyn Instance>, Instantiation> {
        let mut instance = WasmtimeInstance::new(self.module.engine(), &self.limits);
        let ended = |ending, state| Err(Instantiation::Ended { ending, state: Box::new(state) });
        if let Some(which) = over_limits(&self.module, &self.limits) {
            return ended(Ending::Limited(which), State::default());
        }
        match instance.start(&self.module) {
            Ok(()) => Ok(Box::new(instance)),
            Err(error) => ended(failed_start(&error, instance.store.data()), instance.state()),
        }
    }
}

fn over_limits(module: &Module, limits: &Limits) -> Option<Which> {
    let needs = module.resources_required();
    if needs.num_memories as usize > limits.memories {
        return Some(Which::Memories);
    }
    (needs.num_tables as usize > limits.tables).then_some(Which::Tables)
}

struct WasmtimeInstance {
    store: Store<Host>,
    instance: Option<::wasmtime::Instance>,
    imports: Vec<Extern>,
    view: Option<View<Store<Host>>>,
}

impl WasmtimeInstance {
    fn new(engine: &::wasmtime::Engine, limits: &Limits) -> Self {
        let mut store = Store::new(engine, Host::new(limits));
        store.limiter(|host| host);
        Self { store, instance: None, imports: Vec::new(), view: None }
    }

    /// Imports are made one by one, so that after a failure the earlier ones can still be looked at.
    fn start(&mut self, module: &Module) -> ::wasmtime::Result<()> {
        self.refuel()?;
        for import in module.imports() {
            let import = stub(&mut self.store, &import.ty())?;
            self.imports.push(import);
        }
        self.instance = Some(::wasmtime::Instance::new(&mut self.store, module, &self.imports)?);
        Ok(())
    }

    fn refuel(&mut self) -> ::wasmtime::Result<()> {
        self.store.data_mut().limiter.renew();
        let fuel = self.store.data().limiter.limits().fuel;
        self.store.set_fuel(fuel)
    }

    fn try_call(&mut self, name: &str, arguments: &[Value]) -> Result<Vec<Value>, Ending> {
        let function = self.instance.and_then(|instance| instance.get_func(&mut self.store, name));
        let function = function.ok_or_else(|| Ending::Refused(format!("no exported function {name:?}")))?;
        self.refuel().map_err(|error| Ending::Infra(error.to_string()))?;
        let mut inputs = Vec::with_capacity(arguments.len());
        for argument in arguments {
            inputs.push(to_wasmtime(&mut self.store, argument)?);
        }
        let ty = function.ty(&self.store);
        let mut outputs = vec![Val::I32(0); ty.results().len()];
        let result = function.call(&mut self.store, &inputs, &mut outputs);
        if self.store.data().limiter.starved {
            return Err(Ending::Infra("the host could not serve a growth that was granted".to_owned()));
        }
        result.map_err(|error| match error.downcast_ref::<Trap>() {
            None if !signature(&ty).takes(arguments) => Ending::Refused(error.to_string()),
            _ => ending_of(&error),
        })?;
        Ok(outputs.iter().map(|value| from_wasmtime(&self.store, value)).collect())
    }

    /// The view, which is made at the first look, and what it looks at.
    fn look(&mut self) -> (&View<Store<Host>>, &mut Store<Host>) {
        let Self { store, instance, imports, view } = self;
        let view = view.get_or_insert_with(|| {
            let imports = imports.iter().filter_map(|import| item(import.clone()));
            let exports = instance.as_ref().map(|instance| instance.exports(&mut *store));
            let exports = exports
                .into_iter()
                .flatten()
                .filter_map(|export| Some((export.name().to_owned(), item(export.into_extern())?)));
            View::new(imports, exports)
        });
        (view, store)
    }
}

fn item(item: Extern) -> Option<Item<Store<Host>>> {
    match item {
        Extern::Memory(memory) => Some(Item::Memory(memory)),
        Extern::Global(global) => Some(Item::Global(global)),
        Extern::Table(table) => Some(Item::Table(table)),
        _ => None,
    }
}

impl Look for Store<Host> {
    type Memory = Memory;
    type Global = Global;
    type Table = Table;

    fn host(&self) -> &Host {
        self.data()
    }

    fn bytes(&self, memory: Memory) -> &[u8] {
        memory.data(self)
    }

    fn value(&mut self, global: Global) -> Value {
        let value = global.get(&mut *self);
        from_wasmtime(&*self, &value)
    }

    fn elements(&mut self, table: Table) -> Vec<Value> {
        (0..table.size(&*self))
            .map_while(|index| table.get(&mut *self, index).map(Val::from))
            .collect::<Vec<Val>>()
            .iter()
            .map(|element| from_wasmtime(&*self, element))
            .collect()
    }
}

impl Instance for WasmtimeInstance {
    fn exports(&self) -> Vec<Function> {
        let Some(instance) = self.instance else { return Vec::new() };
        let exports = instance.module(&self.store).exports();
        let functions =
            exports.filter_map(|export| Some((export.name().to_owned(), signature(export.ty().func()?))));
        sorted(functions).into_iter().map(|(name, signature)| Function { name, signature }).collect()
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        self.try_call(name, arguments).map_or_else(|ending| ending, Ending::Returned)
    }

    fn state(&mut self) -> State {
        let (view, store) = self.look();
        view.state(store)
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        let (view, store) = self.look();
        view.memory(store, index)
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        let (view, store) = self.look();
        view.table(store, index)
    }
}

fn stub(store: &mut Store<Host>, ty: &ExternType) -> ::wasmtime::Result<Extern> {
    Ok(match ty {
        ExternType::Func(ty) => Extern::Func(stub_function(store, ty)),
        ExternType::Memory(ty) => Extern::Memory(Memory::new(&mut *store, ty.clone())?),
        ExternType::Table(ty) => {
            Extern::Table(Table::new(&mut *store, ty.clone(), null(ty.element().heap_type()))?)
        }
        ExternType::Global(ty) => {
            let value = store.data_mut().next_global(value_type(ty.content()));
            let value = to_wasmtime(&mut *store, &value).unwrap_or(Val::null_func_ref());
            Extern::Global(Global::new(&mut *store, ty.clone(), value)?)
        }
        ExternType::Tag(_) => ::wasmtime::bail!("tags belong to a feature that is off"),
    })
}

fn stub_function(store: &mut Store<Host>, ty: &FuncType) -> ::wasmtime::Func {
    let number = store.data_mut().next_function();
    let results = signature(ty).results;
    ::wasmtime::Func::new(store, ty.clone(), move |mut caller: Caller<'_, Host>, inputs, outputs| {
        let arguments: Vec<Value> = inputs.iter().map(|value| from_wasmtime(&caller, value)).collect();
        let reply = caller.data_mut().note(number, &arguments);
        for (position, (output, ty)) in outputs.iter_mut().zip(&results).enumerate() {
            let value = reply.result(position, *ty);
            *output = to_wasmtime(&mut caller, &value).unwrap_or(Val::null_func_ref());
        }
        Ok(())
    })
}

fn null(ty: &HeapType) -> Ref {
    if is_extern(ty) { Ref::Extern(None) } else { Ref::Func(None) }
}

fn is_extern(ty: &HeapType) -> bool {
    matches!(ty, HeapType::Extern | HeapType::NoExtern)
}

fn signature(ty: &FuncType) -> Signature {
    Signature {
        parameters: ty.params().map(|ty| value_type(&ty)).collect(),
        results: ty.results().map(|ty| value_type(&ty)).collect(),
    }
}

fn value_type(ty: &ValType) -> ValueType {
    match ty {
        ValType::I32 => ValueType::I32,
        ValType::I64 => ValueType::I64,
        ValType::F32 => ValueType::F32,
        ValType::F64 => ValueType::F64,
        ValType::V128 => ValueType::V128,
        ValType::Ref(ty) if is_extern(ty.heap_type()) => ValueType::ExternRef,
        ValType::Ref(_) => ValueType::FuncRef,
    }
}

fn to_wasmtime(store: impl AsContextMut, value: &Value) -> Result<Val, Ending> {
    Ok(match *value {
        Value::I32(bits) => Val::I32(bits as i32),
        Value::I64(bits) => Val::I64(bits as i64),
        Value::F32(bits) => Val::F32(bits),
        Value::F64(bits) => Val::F64(bits),
        Value::V128(bits) => Val::V128(V128::from(bits)),
        Value::FuncRef { null: true } => Val::null_func_ref(),
        Value::FuncRef { null: false } => {
            return Err(Ending::Refused("a function reference cannot be made by the host".to_owned()));
        }
        Value::ExternRef(None) => Val::null_extern_ref(),
        Value::ExternRef(Some(id)) => match ExternRef::new(store, id) {
            Ok(reference) => Val::ExternRef(Some(reference)),
            Err(error) => return Err(Ending::Infra(error.to_string())),
        },
    })
}

fn from_wasmtime(store: impl ::wasmtime::AsContext, value: &Val) -> Value {
    match value {
        Val::I32(value) => Value::I32(*value as u32),
        Val::I64(value) => Value::I64(*value as u64),
        Val::F32(bits) => Value::F32(*bits),
        Val::F64(bits) => Value::F64(*bits),
        Val::V128(value) => Value::V128(value.as_u128()),
        Val::FuncRef(reference) => Value::FuncRef { null: reference.is_none() },
        Val::ExternRef(reference) => {
            let data = reference.and_then(|it| it.data(store.as_context()).ok().flatten());
            Value::ExternRef(data.and_then(|data| data.downcast_ref().copied()))
        }
        // The other references belong to features that are off.
        _ => Value::FuncRef { null: true },
    }
}

/// How an instantiation ended that gave this error.
fn failed_start(error: &::wasmtime::Error, host: &Host) -> Ending {
    match (error.downcast_ref::<Trap>(), host.limiter.denied) {
        (None, Some(which)) if !host.limiter.starved => Ending::Limited(which),
        _ => ending_of(error),
    }
}

/// How a call ended that gave this error.
fn ending_of(error: &::wasmtime::Error) -> Ending {
    match error.downcast_ref::<Trap>() {
        Some(trap) => trap_kind(*trap).map_or_else(|| Ending::Unmapped(trap.to_string()), Ending::Trapped),
        None => Ending::Infra(format!("{error:#}")),
    }
}

fn trap_kind(trap: Trap) -> Option<TrapKind> {
    Some(match trap {
        Trap::UnreachableCodeReached => TrapKind::Unreachable,
        Trap::IntegerDivisionByZero => TrapKind::DivisionByZero,
        Trap::IntegerOverflow => TrapKind::IntegerOverflow,
        Trap::BadConversionToInteger => TrapKind::InvalidConversion,
        Trap::MemoryOutOfBounds => TrapKind::MemoryOutOfBounds,
        Trap::TableOutOfBounds => TrapKind::TableOutOfBounds,
        Trap::IndirectCallToNull => TrapKind::IndirectCallNull,
        Trap::BadSignature => TrapKind::IndirectCallSignature,
        Trap::StackOverflow => TrapKind::StackExhausted,
        Trap::OutOfFuel => TrapKind::OutOfFuel,
        _ => return None,
    })
}

impl ResourceLimiter for Host {
    fn memory_growing(
        &mut self,
        _: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> ::wasmtime::Result<bool> {
        Ok(self.limiter.memory(desired, maximum))
    }

    fn table_growing(
        &mut self,
        _: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> ::wasmtime::Result<bool> {
        Ok(self.limiter.table(desired, maximum))
    }

    fn memory_grow_failed(&mut self, _: ::wasmtime::Error) -> ::wasmtime::Result<()> {
        self.limiter.failed();
        Ok(())
    }

    fn table_grow_failed(&mut self, _: ::wasmtime::Error) -> ::wasmtime::Result<()> {
        self.limiter.failed();
        Ok(())
    }
}
