//! wasmi, the target.
//!
//! Every question gets a fresh engine: it costs a microsecond, and the path through the engine's code then depends on
//! the module alone.

use ::wasmi::{
    AsContext, AsContextMut, Caller, CompilationMode, Config, CustomFuelCosts, Extern, ExternRef, ExternType,
    F32, F64, FuncType, Global, Memory, Module, Nullable, Ref, ResourceLimiter, Store, Table, TrapCode, V128,
    Val, ValType,
    errors::{ErrorKind, InstantiationError, MemoryError, TableError},
};

use crate::{
    engine::{Ending, Engine, Function, Instance, Instantiation, Signature, TrapKind, Validity},
    host::Host,
    limits::Which,
    settings::{Features, Limits, Settings},
    state::State,
    value::{Value, ValueType},
    view::{Item, Look, View, sorted},
};

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
    limits: Limits,
    /// Validates all, translates nothing: the engine's own verdict on validity, without its translator, which may
    /// panic on what a broken validator lets through.
    validating: Config,
    /// Translates all at once, so that limits of the translator show before anything runs.
    executing: Config,
}

/// Values of the interpreter's stack, on the heap.
const VALUE_STACK_BYTES: usize = 16 * 1024 * 1024;

/// By the byte, a memory of the greatest size that our limits allow costs less than our fuel.
const FUEL_COSTS: CustomFuelCosts =
    CustomFuelCosts { bytes_copied_per_fuel: 256, fuel_per_bytes_translated: 0, fuel_per_bytes_validated: 0 };

impl Wasmi {
    /// wasmi with these settings. It canonicalises NaNs whatever they say about that.
    pub fn new(settings: &Settings) -> Self {
        let mut validating = Config::default();
        switch_features(&mut validating, &settings.features.consistent());
        validating.compilation_mode(CompilationMode::LazyTranslation);
        let mut executing = validating.clone();
        executing
            .compilation_mode(CompilationMode::Eager)
            .consume_fuel(true)
            .fuel_cost(FUEL_COSTS)
            .set_max_recursion_depth(settings.limits.recursion)
            .set_max_stack_height(VALUE_STACK_BYTES);
        Self { limits: settings.limits, validating, executing }
    }
}

fn switch_features(config: &mut Config, features: &Features) {
    config
        .wasm_mutable_global(features.mutable_global)
        .wasm_saturating_float_to_int(features.saturating_float_to_int)
        .wasm_sign_extension(features.sign_extension)
        .wasm_multi_value(features.multi_value)
        .wasm_bulk_memory(features.bulk_memory)
        .wasm_reference_types(features.reference_types)
        .wasm_simd(features.simd)
        .wasm_relaxed_simd(features.relaxed_simd)
        .wasm_tail_call(features.tail_call)
        .wasm_extended_const(features.extended_const)
        .wasm_multi_memory(features.multi_memory)
        .wasm_memory64(features.memory64)
        .wasm_wide_arithmetic(features.wide_arithmetic)
        .wasm_custom_page_sizes(features.custom_page_sizes);
}

impl Engine for Wasmi {
    fn name(&self) -> &str {
        "wasmi"
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        match Module::new(&::wasmi::Engine::new(&self.validating), bytes) {
            Ok(_) => Validity::Accepted,
            Err(error) => Validity::Rejected(error.to_string()),
        }
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        let engine = ::wasmi::Engine::new(&self.executing);
        let module =
            Module::new(&engine, bytes).map_err(|error| Instantiation::Rejected(error.to_string()))?;
        let mut instance = WasmiInstance::new(&engine, &self.limits);
        match instance.start(&module) {
            Ok(()) => Ok(Box::new(instance)),
            Err(error) => Err(Instantiation::Ended {
                ending: failed_start(&error, instance.store.data()),
                state: Box::new(instance.state()),
            }),
        }
    }
}

struct WasmiInstance {
    store: Store<Host>,
    instance: Option<::wasmi::Instance>,
    imports: Vec<Extern>,
    view: Option<View<Store<Host>>>,
    fuel_used: u64,
}

impl WasmiInstance {
    fn new(engine: &::wasmi::Engine, limits: &Limits) -> Self {
        let mut store = Store::new(engine, Host::new(limits));
        store.limiter(|host| host);
        Self { store, instance: None, imports: Vec::new(), view: None, fuel_used: 0 }
    }

    /// Imports are made one by one, so that after a failure the earlier ones can still be looked at.
    fn start(&mut self, module: &Module) -> Result<(), ::wasmi::Error> {
        self.refuel()?;
        for import in module.imports() {
            let import = stub(&mut self.store, import.ty())?;
            self.imports.push(import);
        }
        self.instance = Some(::wasmi::Instance::new(&mut self.store, module, &self.imports)?);
        Ok(())
    }

    fn refuel(&mut self) -> Result<(), ::wasmi::Error> {
        self.store.data_mut().limiter.renew();
        let fuel = self.store.data().limiter.limits().fuel;
        self.store.set_fuel(fuel)
    }

    /// Adds what is missing from the fuel that a call was given.
    fn note_fuel(&mut self) {
        let given = self.store.data().limiter.limits().fuel;
        self.fuel_used += given.saturating_sub(self.store.get_fuel().unwrap_or(given));
    }

    fn function(&self, name: &str) -> Option<::wasmi::Func> {
        self.instance.as_ref()?.get_func(&self.store, name)
    }

    fn try_call(&mut self, name: &str, arguments: &[Value]) -> Result<Vec<Value>, Ending> {
        let Some(function) = self.function(name) else {
            return Err(Ending::Refused(format!("no exported function {name:?}")));
        };
        self.refuel().map_err(|error| Ending::Infra(error.to_string()))?;
        let inputs =
            arguments.iter().map(|value| to_wasmi(&mut self.store, value)).collect::<Option<Vec<_>>>();
        let inputs = inputs.ok_or_else(|| Ending::Refused(NO_FUNCREF.to_owned()))?;
        let ty = function.ty(&self.store);
        let mut outputs: Vec<Val> = ty.results().iter().map(|ty| Val::default_for_ty(*ty)).collect();
        let result = function.call(&mut self.store, &inputs, &mut outputs);
        self.note_fuel();
        if self.store.data().limiter.starved {
            return Err(Ending::Infra("the host could not serve a growth that was granted".to_owned()));
        }
        result.map_err(|error| ending_of(&error))?;
        Ok(outputs.iter().map(|value| from_wasmi(&self.store, value)).collect())
    }

    /// The view, which is made at the first look, and what it looks at.
    fn look(&mut self) -> (&View<Store<Host>>, &mut Store<Host>) {
        let Self { store, instance, imports, view, .. } = self;
        let view = view.get_or_insert_with(|| {
            let imports = imports.iter().filter_map(|import| item(*import));
            let exports = exports(store, instance.as_ref());
            View::new(imports, exports.filter_map(|(name, export)| Some((name, item(export)?))))
        });
        (view, store)
    }
}

const NO_FUNCREF: &str = "a function reference cannot be made by the host";

fn exports<'a>(
    store: &'a Store<Host>,
    instance: Option<&'a ::wasmi::Instance>,
) -> impl Iterator<Item = (String, Extern)> {
    let exports = instance.into_iter().flat_map(move |instance| instance.exports(store));
    exports.map(|export| (export.name().to_owned(), export.into_extern()))
}

fn item(item: Extern) -> Option<Item<Store<Host>>> {
    match item {
        Extern::Memory(memory) => Some(Item::Memory(memory)),
        Extern::Global(global) => Some(Item::Global(global)),
        Extern::Table(table) => Some(Item::Table(table)),
        Extern::Func(_) => None,
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
        from_wasmi(&*self, &global.get(&*self))
    }

    fn elements(&mut self, table: Table) -> Vec<Value> {
        (0..table.size(&*self))
            .map_while(|index| table.get(&*self, index))
            .map(|element| from_wasmi(&*self, &Val::from(element)))
            .collect()
    }
}

impl Instance for WasmiInstance {
    fn exports(&self) -> Vec<Function> {
        let functions = exports(&self.store, self.instance.as_ref())
            .filter_map(|(name, export)| Some((name, signature(&export.into_func()?.ty(&self.store)))));
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

    fn fuel_used(&self) -> u64 {
        self.fuel_used
    }
}

fn stub(store: &mut Store<Host>, ty: &ExternType) -> Result<Extern, ::wasmi::Error> {
    Ok(match ty {
        ExternType::Func(ty) => Extern::Func(stub_function(store, ty.clone())),
        ExternType::Memory(ty) => Extern::Memory(Memory::new(&mut *store, *ty)?),
        ExternType::Table(ty) => {
            Extern::Table(Table::new(&mut *store, *ty, Ref::default_for_ty(ty.element()))?)
        }
        ExternType::Global(ty) => {
            let value = store.data_mut().next_global(value_type(ty.content()));
            let value = to_wasmi(&mut *store, &value).unwrap_or(Val::default_for_ty(ty.content()));
            Extern::Global(Global::new(&mut *store, value, ty.mutability()))
        }
    })
}

fn stub_function(store: &mut Store<Host>, ty: FuncType) -> ::wasmi::Func {
    let number = store.data_mut().next_function();
    let results = ty.results().to_vec();
    ::wasmi::Func::new(store, ty, move |mut caller: Caller<'_, Host>, inputs, outputs| {
        let arguments: Vec<Value> = inputs.iter().map(|value| from_wasmi(&caller, value)).collect();
        let reply = caller.data_mut().note(number, &arguments);
        for (position, (output, ty)) in outputs.iter_mut().zip(&results).enumerate() {
            let value = reply.result(position, value_type(*ty));
            *output = to_wasmi(&mut caller, &value).unwrap_or(Val::default_for_ty(*ty));
        }
        Ok(())
    })
}

fn signature(ty: &FuncType) -> Signature {
    Signature {
        parameters: ty.params().iter().map(|ty| value_type(*ty)).collect(),
        results: ty.results().iter().map(|ty| value_type(*ty)).collect(),
    }
}

fn value_type(ty: ValType) -> ValueType {
    match ty {
        ValType::I32 => ValueType::I32,
        ValType::I64 => ValueType::I64,
        ValType::F32 => ValueType::F32,
        ValType::F64 => ValueType::F64,
        ValType::V128 => ValueType::V128,
        ValType::FuncRef => ValueType::FuncRef,
        ValType::ExternRef => ValueType::ExternRef,
    }
}

/// `None` for a function, which only the engine can make.
fn to_wasmi(store: impl AsContextMut, value: &Value) -> Option<Val> {
    Some(match *value {
        Value::I32(bits) => Val::I32(bits as i32),
        Value::I64(bits) => Val::I64(bits as i64),
        Value::F32(bits) => Val::F32(F32::from_bits(bits)),
        Value::F64(bits) => Val::F64(F64::from_bits(bits)),
        Value::V128(bits) => Val::V128(V128::from(bits)),
        Value::FuncRef { null: true } => Val::FuncRef(Nullable::Null),
        Value::FuncRef { null: false } => return None,
        Value::ExternRef(None) => Val::ExternRef(Nullable::Null),
        Value::ExternRef(Some(id)) => Val::ExternRef(Nullable::Val(ExternRef::new(store, id))),
    })
}

fn from_wasmi(store: impl AsContext, value: &Val) -> Value {
    match value {
        Val::I32(value) => Value::I32(*value as u32),
        Val::I64(value) => Value::I64(*value as u64),
        Val::F32(value) => Value::F32(value.to_bits()),
        Val::F64(value) => Value::F64(value.to_bits()),
        Val::V128(value) => Value::V128(value.as_u128()),
        Val::FuncRef(reference) => Value::FuncRef { null: reference.is_null() },
        Val::ExternRef(reference) => {
            let id = reference.val().and_then(|it| it.data(store.as_context()).downcast_ref().copied());
            Value::ExternRef(id)
        }
    }
}

/// How an instantiation ended that gave this error.
fn failed_start(error: &::wasmi::Error, host: &Host) -> Ending {
    use InstantiationError::{
        ElementSegmentDoesNotFit, FailedToInstantiateMemory, TooManyMemories, TooManyTables,
    };
    match error.kind() {
        _ if host.limiter.starved => Ending::Infra(error.to_string()),
        ErrorKind::Instantiation(ElementSegmentDoesNotFit { .. }) => {
            Ending::Trapped(TrapKind::TableOutOfBounds)
        }
        ErrorKind::Instantiation(TooManyMemories) => Ending::Limited(Which::Memories),
        ErrorKind::Instantiation(TooManyTables) => Ending::Limited(Which::Tables),
        ErrorKind::Instantiation(FailedToInstantiateMemory(MemoryError::MinimumSizeOverflow))
        | ErrorKind::Memory(MemoryError::MinimumSizeOverflow) => Ending::Limited(Which::MemoryPages),
        _ => match (error.as_trap_code(), host.limiter.denied) {
            (None, Some(which)) => Ending::Limited(which),
            _ => ending_of(error),
        },
    }
}

/// How a call ended that gave this error.
fn ending_of(error: &::wasmi::Error) -> Ending {
    match (error.as_trap_code().map(trap_kind), error.kind()) {
        (Some(Some(kind)), _) => Ending::Trapped(kind),
        (None, ErrorKind::Func(_)) => Ending::Refused(error.to_string()),
        _ => Ending::Infra(error.to_string()),
    }
}

/// `None` where the code says that the host is short of something.
fn trap_kind(code: TrapCode) -> Option<TrapKind> {
    Some(match code {
        TrapCode::UnreachableCodeReached => TrapKind::Unreachable,
        TrapCode::MemoryOutOfBounds => TrapKind::MemoryOutOfBounds,
        TrapCode::TableOutOfBounds => TrapKind::TableOutOfBounds,
        TrapCode::IndirectCallToNull => TrapKind::IndirectCallNull,
        TrapCode::IntegerDivisionByZero => TrapKind::DivisionByZero,
        TrapCode::IntegerOverflow => TrapKind::IntegerOverflow,
        TrapCode::BadConversionToInteger => TrapKind::InvalidConversion,
        TrapCode::StackOverflow => TrapKind::StackExhausted,
        TrapCode::BadSignature => TrapKind::IndirectCallSignature,
        TrapCode::OutOfFuel => TrapKind::OutOfFuel,
        TrapCode::GrowthOperationLimited | TrapCode::OutOfSystemMemory => return None,
    })
}

type LimiterResult<T> = Result<T, wasmi_core::LimiterError>;

impl ResourceLimiter for Host {
    fn memory_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> LimiterResult<bool> {
        Ok(self.limiter.memory(desired, maximum))
    }

    fn table_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> LimiterResult<bool> {
        Ok(self.limiter.table(desired, maximum))
    }

    fn memory_grow_failed(&mut self, error: &MemoryError) -> LimiterResult<()> {
        self.limiter.starved |= matches!(error, MemoryError::OutOfSystemMemory);
        Ok(())
    }

    fn table_grow_failed(&mut self, error: &TableError) -> LimiterResult<()> {
        self.limiter.starved |= matches!(error, TableError::OutOfSystemMemory);
        Ok(())
    }

    fn instances(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        self.limiter.limits().tables
    }

    fn memories(&self) -> usize {
        self.limiter.limits().memories
    }
}
