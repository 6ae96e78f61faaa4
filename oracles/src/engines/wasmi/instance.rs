//! Instances of wasmi: stubs for imports, calls, the state. Every version of wasmi has its own copy of this.

use std::sync::Arc;

use super::{
    access::{Reach, WasmiHandles, WasmiHost},
    api::{self, Caller, Extern, ExternType, FuncType, Global, Memory, Module, Store, Table},
    values::{from_wasmi, signature, to_wasmi_or_null, value_type},
};
use crate::{
    answer::Ending,
    engine::{Function, Instance},
    host::{Host, HostPlan, HostTrap, STARVED, Stop, serve},
    settings::Limits,
    state::State,
    value::{Value, ValueType},
    view::{Access, Item, View, functions},
};

/// An instance, or what is left of a failed attempt to make one.
pub(super) struct WasmiInstance {
    pub(super) store: Store<WasmiHost>,
    instance: Option<api::Instance>,
    imports: Vec<Extern>,
    fuel_used: u64,
}

impl WasmiInstance {
    pub(super) fn new(engine: &api::Engine, limits: &Limits, hosts: &[HostPlan]) -> Self {
        let mut store = Store::new(engine, Host::new(limits, hosts));
        store.limiter(|host| host);
        Self { store, instance: None, imports: Vec::new(), fuel_used: 0 }
    }

    /// Imports are made one by one, so that after a failure the earlier ones can still be looked at.
    pub(super) fn start(&mut self, module: &Module) -> Result<(), api::Error> {
        self.refuel()?;
        for import in module.imports() {
            let import = stub(&mut self.store, import.ty())?;
            self.imports.push(import);
        }
        if self.store.data().is_planned() {
            self.store.data_mut().view = Some(Arc::new(View::new(items(&self.imports))));
        }
        self.instance = Some(api::Instance::new(&mut self.store, module, &self.imports)?);
        Ok(())
    }

    fn refuel(&mut self) -> Result<(), api::Error> {
        self.store.data_mut().limiter.renew();
        let fuel = self.store.data().limiter.limits().fuel;
        self.store.set_fuel(fuel)
    }

    /// Adds the fuel that the last call used.
    fn note_fuel(&mut self) {
        let given = self.store.data().limiter.limits().fuel;
        self.fuel_used += given.saturating_sub(self.store.get_fuel().unwrap_or(given));
    }

    fn function(&self, name: &str) -> Option<api::Func> {
        self.instance.as_ref()?.get_func(&self.store, name)
    }

    fn try_call(&mut self, name: &str, arguments: &[Value]) -> Result<Vec<Value>, Ending> {
        let Some(function) = self.function(name) else {
            return Err(Ending::Refused(format!("no exported function {name:?}")));
        };
        self.refuel().map_err(|error| Ending::Infra(error.to_string()))?;
        if self.store.data().is_planned() || arguments.iter().any(Value::is_function) {
            self.view();
        }
        let result = Reach(&mut self.store).call(function, arguments);
        self.note_fuel();
        if self.store.data().limiter.starved {
            return Err(Ending::Infra(STARVED.to_owned()));
        }
        result.map_err(|failed| failed.ending)
    }

    /// The view, which is made when it is first needed. What is left of a failed attempt has no exports.
    fn view(&mut self) -> Arc<View<WasmiHandles>> {
        let known = self.store.data().view.clone();
        if let Some(view) = known.filter(|view| view.is_complete() || self.instance.is_none()) {
            return view;
        }
        let mut view = View::new(items(&self.imports));
        if self.instance.is_some() {
            let exports = exports(&self.store, self.instance.as_ref());
            view = view.with_exports(exports.map(|(name, export)| (name, item(&export))));
        }
        let view = Arc::new(view);
        self.store.data_mut().view = Some(Arc::clone(&view));
        view
    }
}

fn exports<'a>(
    store: &'a Store<WasmiHost>,
    instance: Option<&'a api::Instance>,
) -> impl Iterator<Item = (String, Extern)> {
    let exports = instance.into_iter().flat_map(move |instance| instance.exports(store));
    exports.map(|export| (export.name().to_owned(), export.into_extern()))
}

fn items(imports: &[Extern]) -> impl Iterator<Item = Item<WasmiHandles>> {
    imports.iter().map(item)
}

fn item(item: &Extern) -> Item<WasmiHandles> {
    match item {
        Extern::Memory(memory) => Item::Memory(*memory),
        Extern::Global(global) => Item::Global(*global),
        Extern::Table(table) => Item::Table(*table),
        Extern::Func(function) => Item::Function(*function),
    }
}

impl Instance for WasmiInstance {
    fn exports(&self) -> Vec<Function> {
        let exports = exports(&self.store, self.instance.as_ref());
        functions(
            exports
                .filter_map(|(name, export)| Some((name, signature(&export.into_func()?.ty(&self.store))))),
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

    fn fuel_used(&self) -> u64 {
        self.fuel_used
    }
}

fn stub(store: &mut Store<WasmiHost>, ty: &ExternType) -> Result<Extern, api::Error> {
    Ok(match ty {
        ExternType::Func(ty) => Extern::Func(stub_function(store, ty.clone())),
        ExternType::Memory(ty) => Extern::Memory(Memory::new(&mut *store, *ty)?),
        ExternType::Table(ty) => {
            Extern::Table(Table::new(&mut *store, *ty, api::null_element(ty.element()))?)
        }
        ExternType::Global(ty) => {
            let value = store.data_mut().next_global(value_type(ty.content()));
            let value = to_wasmi_or_null(&mut Reach(&mut *store), &value, ty.content());
            Extern::Global(Global::new(&mut *store, value, ty.mutability()))
        }
    })
}

fn stub_function(store: &mut Store<WasmiHost>, ty: FuncType) -> api::Func {
    let number = store.data_mut().next_function();
    let types = ty.results().to_vec();
    let results: Vec<ValueType> = types.iter().map(|ty| value_type(*ty)).collect();
    api::Func::new(store, ty, move |caller: Caller<'_, WasmiHost>, inputs, outputs| {
        let mut store = Reach(caller);
        let arguments: Vec<Value> = inputs.iter().map(|value| from_wasmi(&mut store, value)).collect();
        let values = serve(&mut store, number, &arguments, &results).map_err(|stop| match stop {
            Stop::Trap => api::Error::host(HostTrap),
            Stop::Error(error) => error,
        })?;
        for ((output, value), ty) in outputs.iter_mut().zip(&values).zip(&types) {
            *output = to_wasmi_or_null(&mut store, value, *ty);
        }
        Ok(())
    })
}
