//! Instances of wasmi: stubs for imports, calls, the state.

use ::wasmi::{
    Caller, Extern, ExternType, FuncType, Global, Memory, Module, Ref, ResourceLimiter, Store, Table, Val,
    errors::{MemoryError, TableError},
};

use super::values::{ending_of, from_wasmi, signature, to_wasmi, value_type};
use crate::{
    answer::Ending,
    engine::{Function, Instance},
    host::{FUNCREF_FROM_HOST, Host, STARVED},
    settings::Limits,
    state::State,
    value::Value,
    view::{Item, Look, View, sorted},
};

/// An instance, or what is left of a failed attempt to make one.
pub(super) struct WasmiInstance {
    pub(super) store: Store<Host>,
    instance: Option<::wasmi::Instance>,
    imports: Vec<Extern>,
    view: Option<View<Store<Host>>>,
    fuel_used: u64,
}

impl WasmiInstance {
    pub(super) fn new(engine: &::wasmi::Engine, limits: &Limits) -> Self {
        let mut store = Store::new(engine, Host::new(limits));
        store.limiter(|host| host);
        Self { store, instance: None, imports: Vec::new(), view: None, fuel_used: 0 }
    }

    /// Imports are made one by one, so that after a failure the earlier ones can still be looked at.
    pub(super) fn start(&mut self, module: &Module) -> Result<(), ::wasmi::Error> {
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

    /// Adds the fuel that the last call used.
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
        let inputs = inputs.ok_or_else(|| Ending::Refused(FUNCREF_FROM_HOST.to_owned()))?;
        let ty = function.ty(&self.store);
        let mut outputs: Vec<Val> = ty.results().iter().map(|ty| Val::default_for_ty(*ty)).collect();
        let result = function.call(&mut self.store, &inputs, &mut outputs);
        self.note_fuel();
        if self.store.data().limiter.starved {
            return Err(Ending::Infra(STARVED.to_owned()));
        }
        result.map_err(|error| ending_of(&error))?;
        Ok(outputs.iter().map(|value| from_wasmi(&self.store, value)).collect())
    }

    /// The view, which is made when it is first needed, and the store that it reads.
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
