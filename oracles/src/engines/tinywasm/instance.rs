//! Instances of tinywasm: stubs for imports, calls, the state.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use ::tinywasm::{
    Error, ExecProgress, Extern, ExternItem, FuncContext, Function as TinywasmFunction, Global, HostFunction,
    Imports, Memory, Module, ModuleInstance, Store, Table, Trap,
    engine::Config,
    types::{ExportType, ExternVal, FuncType, ImportKind, WasmValue},
};

use super::{
    access::{Placed, Reach, Shared, TinywasmHandles, TinywasmHost},
    memory::{Budget, backend},
    values::{ending_of, from_tinywasm, signature, to_tinywasm, to_tinywasm_or_null, value_type},
};
use crate::{
    answer::{Ending, TrapKind},
    engine::{Function, Instance, Signature},
    host::{Host, HostPlan, HostTrap, Stop, serve},
    settings::Limits,
    state::State,
    value::{Value, ValueType},
    view::{Item, View, functions},
};

/// An instance, or what is left of a failed attempt to make one.
pub(super) struct TinywasmInstance {
    store: Store,
    module: Module,
    instance: Option<ModuleInstance>,
    imports: Vec<Extern>,
    host: TinywasmHost,
    shared: Rc<Shared>,
    budget: Budget,
    fuel: u64,
    /// The export of the global that counts ticks, if the module has one. It is none of the module's own.
    ticks: Option<String>,
}

impl TinywasmInstance {
    pub(super) fn new(
        module: Module,
        ticks: Option<String>,
        config: Config,
        limits: &Limits,
        hosts: &[HostPlan],
    ) -> Self {
        let shared = Rc::new(Shared { counts: ticks.is_some(), ..Shared::default() });
        let budget = Budget::default();
        let backend = backend(&budget, &shared.memories, limits.memory_bytes());
        let store = Store::new(::tinywasm::Engine::new(config.with_memory_backend(backend)));
        let host = Rc::new(RefCell::new(Host::new(limits, hosts)));
        let (instance, imports) = (None, Vec::new());
        Self { store, module, instance, imports, host, shared, budget, fuel: limits.fuel, ticks }
    }

    /// Imports are made one by one, so that after a failure the earlier ones can still be looked at.
    pub(super) fn start(&mut self) -> Result<(), Ending> {
        self.budget.renew(self.fuel);
        let mut imports = Imports::new();
        for import in self.module.clone().imports.iter() {
            let stub = self.stub(&import.kind).map_err(|error| ending_of(&error))?;
            imports.define(&import.module, &import.name, stub.clone());
            self.imports.push(stub);
        }
        if self.host.borrow().is_planned() {
            let items = items(&self.imports);
            self.host.borrow_mut().view = Some(Arc::new(View::new(items)));
        }
        let made = ModuleInstance::instantiate_no_start(&mut self.store, &self.module, Some(imports));
        let instance = made.map_err(|error| ending_of(&error))?;
        let start = instance.start_func(&self.store).map_err(|error| ending_of(&error))?;
        // It is an instance only after its start function has run.
        start.map_or(Ok(()), |start| self.run(&instance, &start, &[]).map(drop))?;
        self.instance = Some(instance);
        Ok(())
    }

    /// Runs a function of this instance with fresh fuel.
    fn run(
        &mut self,
        instance: &ModuleInstance,
        function: &TinywasmFunction,
        arguments: &[WasmValue],
    ) -> Result<Vec<WasmValue>, Ending> {
        self.budget.renew(self.fuel);
        self.host.borrow_mut().limiter.renew();
        let fuel = u32::try_from(self.fuel).unwrap_or(u32::MAX);
        let ticks = self.ticks.as_ref().and_then(|name| instance.global(name).ok());
        if let Some(ticks) = &ticks {
            let all = WasmValue::I32(i32::try_from(fuel).unwrap_or(i32::MAX));
            ticks.set(&mut self.store, all).map_err(|error| ending_of(&error))?;
        }
        let call = function.call_resumable(&mut self.store, arguments);
        let progress = call.and_then(|mut call| call.resume_with_fuel(fuel));
        let stopped = self.shared.stopped.take();
        let is_over = ticks.is_some_and(|ticks| matches!(ticks.get(&self.store), Ok(WasmValue::I32(0))));
        if is_over || self.budget.is_spent() {
            return Err(Ending::Trapped(TrapKind::OutOfFuel));
        }
        match (stopped, progress) {
            (Some(ending), _) => Err(ending),
            (None, Ok(ExecProgress::Completed(results))) => Ok(results),
            (None, Ok(ExecProgress::Suspended)) => Err(Ending::Trapped(TrapKind::OutOfFuel)),
            (None, Err(error)) => Err(ending_of(&error)),
        }
    }

    fn try_call(&mut self, name: &str, arguments: &[Value]) -> Result<Vec<Value>, Ending> {
        let exported = self.exported(name);
        let Some((instance, function, signature)) = exported else {
            return Err(Ending::Refused(format!("no exported function {name:?}")));
        };
        if !signature.takes(arguments) {
            return Err(Ending::Refused("the arguments do not fit".to_owned()));
        }
        if self.host.borrow().is_planned() || arguments.iter().any(Value::is_function) {
            self.view();
        }
        let mut reach = self.reach();
        let inputs: Result<Vec<_>, _> =
            arguments.iter().map(|value| to_tinywasm(&mut reach, value)).collect();
        let results = self.run(&instance, &function, &inputs?)?;
        let mut reach = self.reach();
        Ok(results.iter().map(|value| from_tinywasm(&mut reach, value)).collect())
    }

    fn reach(&mut self) -> Reach<'_> {
        Reach { store: &mut self.store, host: &self.host, shared: &self.shared }
    }

    fn exported(&self, name: &str) -> Option<(ModuleInstance, TinywasmFunction, Signature)> {
        let instance = self.instance.as_ref()?;
        let function = instance.func_untyped(&self.store, name).ok()?;
        Some((instance.clone(), function, signature_of(&self.module, name)?))
    }

    /// The view, which is made when it is first needed. What is left of a failed attempt has no exports.
    fn view(&mut self) -> Arc<View<TinywasmHandles>> {
        let known = self.host.borrow().view.clone();
        if let Some(view) = known.filter(|view| view.is_complete() || self.instance.is_none()) {
            return view;
        }
        let mut view = View::new(items(&self.imports));
        if let Some(instance) = &self.instance {
            let own = instance.exports().filter(|(name, _)| self.ticks.as_deref() != Some(*name));
            view = view.with_exports(own.filter_map(|(name, item)| {
                let item = match item {
                    ExternItem::Memory(memory) => {
                        let ExternVal::Memory(place) = instance.export_addr(name)? else { return None };
                        Item::Memory(Placed { memory, place: place as usize })
                    }
                    ExternItem::Table(table) => Item::Table(table),
                    ExternItem::Global(global) => Item::Global(global),
                    ExternItem::Func(function) => {
                        let ExternVal::Func(address) = instance.export_addr(name)? else { return None };
                        let signature = signature_of(&self.module, name)?;
                        self.shared.functions.borrow_mut().insert(address, (function, signature));
                        Item::Function(address)
                    }
                };
                Some((name.to_owned(), item))
            }));
        }
        let view = Arc::new(view);
        self.host.borrow_mut().view = Some(Arc::clone(&view));
        view
    }

    fn stub(&mut self, kind: &ImportKind) -> ::tinywasm::Result<Extern> {
        Ok(match kind {
            ImportKind::Function(ty) => {
                let ty = self.module.func_types.get(*ty as usize).cloned().unwrap_or_default();
                self.stub_function(&ty).into()
            }
            ImportKind::Memory(ty) => Memory::new(&mut self.store, *ty)?.into(),
            ImportKind::Table(ty) => {
                Table::new(&mut self.store, *ty, WasmValue::default_for(ty.element_type))?.into()
            }
            ImportKind::Global(ty) => {
                let value = self.host.borrow_mut().next_global(value_type(ty.ty));
                let value = to_tinywasm_or_null(&mut self.reach(), &value);
                Global::new(&mut self.store, *ty, value)?.into()
            }
        })
    }

    fn stub_function(&mut self, ty: &FuncType) -> TinywasmFunction {
        let number = self.host.borrow_mut().next_function();
        let results: Vec<ValueType> = ty.results().iter().map(|ty| value_type(*ty)).collect();
        let (host, shared) = (Rc::clone(&self.host), Rc::clone(&self.shared));
        HostFunction::from_untyped(&mut self.store, ty, move |mut context: FuncContext<'_>, inputs| {
            let mut store = Reach { store: context.store_mut(), host: &host, shared: &shared };
            let arguments: Vec<Value> = inputs.iter().map(|value| from_tinywasm(&mut store, value)).collect();
            let served = serve(&mut store, number, &arguments, &results).map_err(|stop| match stop {
                Stop::Trap => Ending::Trapped(TrapKind::Host),
                Stop::Error(ending) => ending,
            });
            let outputs = served.and_then(|values| {
                values.iter().map(|value| host_result(&mut store, value)).collect::<Result<Vec<_>, _>>()
            });
            outputs.map_err(|ending| {
                *shared.stopped.borrow_mut() = Some(ending);
                Error::Trap(Trap::HostFunction(Box::new(HostTrap)))
            })
        })
    }
}

/// The signature of an exported function.
fn signature_of(module: &Module, name: &str) -> Option<Signature> {
    module.exports().find_map(|export| match export.ty {
        ExportType::Func(ty) if export.name == name => Some(signature(ty)),
        _ => None,
    })
}

/// What a host function returns. A function that this instance does not have is null.
fn host_result(store: &mut Reach<'_>, value: &Value) -> Result<WasmValue, Ending> {
    match to_tinywasm(store, value) {
        Err(Ending::Refused(_)) => Ok(to_tinywasm_or_null(store, value)),
        other => other,
    }
}

fn items(imports: &[Extern]) -> impl Iterator<Item = Item<TinywasmHandles>> {
    // Imported memories are the first that the store has.
    let mut places = 0..;
    imports.iter().filter_map(move |import| match import {
        Extern::Memory(memory) => Some(Item::Memory(Placed { memory: *memory, place: places.next()? })),
        Extern::Table(table) => Some(Item::Table(*table)),
        Extern::Global(global) => Some(Item::Global(*global)),
        // Imported functions are not looked at.
        _ => None,
    })
}

impl Instance for TinywasmInstance {
    fn exports(&self) -> Vec<Function> {
        let exports = self.module.exports().filter_map(|export| match export.ty {
            ExportType::Func(ty) => Some((export.name.to_owned(), signature(ty))),
            _ => None,
        });
        if self.instance.is_some() { functions(exports) } else { Vec::new() }
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        self.try_call(name, arguments).map_or_else(|ending| ending, Ending::Returned)
    }

    fn state(&mut self) -> State {
        self.view().state(&mut self.reach())
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        self.view().memory(&mut self.reach(), index)
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        self.view().table(&mut self.reach(), index)
    }
}
