//! Instances of wasmtime: stubs for imports, calls, the state.

use std::sync::Arc;

use ::wasmtime::{
    Caller, Extern, ExternType, FuncType, Global, Memory, Module, ResourceLimiter, Store, Table,
};

use super::{
    access::{Reach, WasmtimeHandles, WasmtimeHost},
    values::{from_wasmtime, null, signature, to_wasmtime_or_null, value_type},
};
use crate::{
    answer::Ending,
    engine::{Function, Instance},
    host::{Host, HostPlan, HostTrap, STARVED, Stop, serve},
    settings::Limits,
    state::State,
    value::Value,
    view::{Access, Item, View, functions},
};

/// An instance, or what is left of a failed attempt to make one.
pub(super) struct WasmtimeInstance {
    pub(super) store: Store<WasmtimeHost>,
    instance: Option<::wasmtime::Instance>,
    imports: Vec<Extern>,
}

impl WasmtimeInstance {
    pub(super) fn new(engine: &::wasmtime::Engine, limits: &Limits, hosts: &[HostPlan]) -> Self {
        let mut store = Store::new(engine, Host::new(limits, hosts));
        store.limiter(|host| host);
        Self { store, instance: None, imports: Vec::new() }
    }

    /// Imports are made one by one, so that after a failure the earlier ones can still be looked at.
    pub(super) fn start(&mut self, module: &Module) -> ::wasmtime::Result<()> {
        self.refuel()?;
        for import in module.imports() {
            let import = stub(&mut self.store, &import.ty())?;
            self.imports.push(import);
        }
        if self.store.data().is_planned() {
            self.store.data_mut().view = Some(Arc::new(View::new(items(&self.imports))));
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
        if self.store.data().is_planned() || arguments.iter().any(Value::is_function) {
            self.view();
        }
        let result = Reach(&mut self.store).call(function, arguments);
        if self.store.data().limiter.starved {
            return Err(Ending::Infra(STARVED.to_owned()));
        }
        result.map_err(|failed| failed.ending)
    }

    /// The view, which is made when it is first needed. What is left of a failed attempt has no exports.
    fn view(&mut self) -> Arc<View<WasmtimeHandles>> {
        let known = self.store.data().view.clone();
        if let Some(view) = known.filter(|view| view.is_complete() || self.instance.is_none()) {
            return view;
        }
        let mut view = View::new(items(&self.imports));
        if let Some(instance) = self.instance {
            let exports = instance.exports(&mut self.store);
            view = view.with_exports(
                exports.filter_map(|export| Some((export.name().to_owned(), item(&export.into_extern())?))),
            );
        }
        let view = Arc::new(view);
        self.store.data_mut().view = Some(Arc::clone(&view));
        view
    }
}

fn items(imports: &[Extern]) -> impl Iterator<Item = Item<WasmtimeHandles>> {
    imports.iter().filter_map(item)
}

/// `None` for what belongs to features that are off.
fn item(item: &Extern) -> Option<Item<WasmtimeHandles>> {
    match item {
        Extern::Memory(memory) => Some(Item::Memory(*memory)),
        Extern::Global(global) => Some(Item::Global(*global)),
        Extern::Table(table) => Some(Item::Table(*table)),
        Extern::Func(function) => Some(Item::Function(*function)),
        _ => None,
    }
}

impl Instance for WasmtimeInstance {
    fn exports(&self) -> Vec<Function> {
        let Some(instance) = self.instance else { return Vec::new() };
        let exports = instance.module(&self.store).exports();
        functions(
            exports.filter_map(|export| Some((export.name().to_owned(), signature(export.ty().func()?)))),
        )
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        self.try_call(name, arguments).map_or_else(|ending| ending, Ending::Returned)
    }

    fn state(&mut self) -> State {
        self.view().state(&mut Reach(&mut self.store))
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        self.view().memory(&mut Reach(&mut self.store), index)
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        self.view().table(&mut Reach(&mut self.store), index)
    }
}

fn stub(store: &mut Store<WasmtimeHost>, ty: &ExternType) -> ::wasmtime::Result<Extern> {
    Ok(match ty {
        ExternType::Func(ty) => Extern::Func(stub_function(store, ty)),
        ExternType::Memory(ty) => Extern::Memory(Memory::new(&mut *store, ty.clone())?),
        ExternType::Table(ty) => {
            Extern::Table(Table::new(&mut *store, ty.clone(), null(ty.element().heap_type()))?)
        }
        ExternType::Global(ty) => {
            let value = store.data_mut().next_global(value_type(ty.content()));
            let value = to_wasmtime_or_null(&mut Reach(&mut *store), &value);
            Extern::Global(Global::new(&mut *store, ty.clone(), value)?)
        }
        ExternType::Tag(_) => ::wasmtime::bail!("tags belong to a feature that is off"),
    })
}

fn stub_function(store: &mut Store<WasmtimeHost>, ty: &FuncType) -> ::wasmtime::Func {
    let number = store.data_mut().next_function();
    let results = signature(ty).results;
    ::wasmtime::Func::new(store, ty.clone(), move |caller: Caller<'_, WasmtimeHost>, inputs, outputs| {
        let mut store = Reach(caller);
        let arguments: Vec<Value> = inputs.iter().map(|value| from_wasmtime(&mut store, value)).collect();
        let values = serve(&mut store, number, &arguments, &results).map_err(|stop| match stop {
            Stop::Trap => ::wasmtime::Error::new(HostTrap),
            Stop::Error(error) => error,
        })?;
        for (output, value) in outputs.iter_mut().zip(&values) {
            *output = to_wasmtime_or_null(&mut store, value);
        }
        Ok(())
    })
}

impl ResourceLimiter for WasmtimeHost {
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
