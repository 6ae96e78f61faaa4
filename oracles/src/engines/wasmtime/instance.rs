//! Instances of wasmtime: stubs for imports, calls, the state.

use ::wasmtime::{
    Caller, Extern, ExternType, FuncType, Global, Memory, Module, ResourceLimiter, Store, Table, Trap, Val,
};

use super::values::{ending_of, from_wasmtime, null, signature, to_wasmtime, value_type};
use crate::{
    answer::Ending,
    engine::{Function, Instance},
    host::{Host, STARVED},
    settings::Limits,
    state::State,
    value::Value,
    view::{Item, Look, View, sorted},
};

/// An instance, or what is left of a failed attempt to make one.
pub(super) struct WasmtimeInstance {
    pub(super) store: Store<Host>,
    instance: Option<::wasmtime::Instance>,
    imports: Vec<Extern>,
    view: Option<View<Store<Host>>>,
}

impl WasmtimeInstance {
    pub(super) fn new(engine: &::wasmtime::Engine, limits: &Limits) -> Self {
        let mut store = Store::new(engine, Host::new(limits));
        store.limiter(|host| host);
        Self { store, instance: None, imports: Vec::new(), view: None }
    }

    /// Imports are made one by one, so that after a failure the earlier ones can still be looked at.
    pub(super) fn start(&mut self, module: &Module) -> ::wasmtime::Result<()> {
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
            return Err(Ending::Infra(STARVED.to_owned()));
        }
        result.map_err(|error| match error.downcast_ref::<Trap>() {
            None if !signature(&ty).takes(arguments) => Ending::Refused(error.to_string()),
            _ => ending_of(&error),
        })?;
        Ok(outputs.iter().map(|value| from_wasmtime(&self.store, value)).collect())
    }

    /// The view, which is made when it is first needed, and the store that it reads.
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
