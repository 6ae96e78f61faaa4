//! Instances of makepad-stitch: stubs for imports, calls, the state.

#![allow(
    clippy::arc_with_non_send_sync,
    reason = "other engines send their views to other threads, and all have one type for them"
)]

use std::{cell::RefCell, rc::Rc, sync::Arc};

use ::makepad_stitch::{
    Engine, Error, ExternType, ExternVal, Func, FuncType, Global, Linker, Mem, Module, Ref, Store, Table, Val,
};

use super::{
    access::{Reach, StitchHandles, StitchHost},
    shims::{Serving, Shared, host_functions, running},
    values::{ending_of, from_stitch, signature, to_stitch, to_stitch_or_null, value_type},
};
use crate::{
    answer::{Ending, Rejection},
    engine::{Function, Instance},
    engines::pace::Pace,
    host::{Host, HostPlan},
    scan::Bounded,
    settings::Limits,
    state::State,
    value::Value,
    view::{Item, View, functions},
};

/// An instance, or what is left of a failed attempt to make one.
pub(super) struct StitchInstance {
    store: Store,
    module: Module,
    instance: Option<::makepad_stitch::Instance>,
    imports: Vec<ExternVal>,
    /// The export that nobody may see.
    start: Option<String>,
    shared: Shared,
    pace: Pace,
}

impl StitchInstance {
    pub(super) fn new(
        module: Bounded,
        pace: Pace,
        limits: &Limits,
        hosts: &[HostPlan],
    ) -> Result<Self, Rejection> {
        let engine = Engine::new();
        let Bounded { bytes, start } = module;
        let module = Module::new(&engine, &bytes).map_err(Rejection::new)?;
        let serving = Serving::new(StitchHost::new(Host::new(limits, hosts)));
        let (store, shared) = (Store::new(engine), Rc::new(RefCell::new(serving)));
        Ok(Self { store, module, instance: None, imports: Vec::new(), start, shared, pace })
    }

    /// Imports are made one by one, so that after a failure the earlier ones can still be looked at.
    pub(super) fn start(&mut self) -> Result<(), Ending> {
        let wanted: Vec<ExternType> = self.module.imports().map(|(_, ty)| ty).collect();
        let types: Vec<FuncType> = wanted.iter().filter_map(|ty| ty.clone().to_func()).collect();
        let mut hosts = host_functions(&mut self.store, &self.shared, &types)?.into_iter();
        let mut linker = Linker::new();
        for (number, ty) in wanted.into_iter().enumerate() {
            let import = match (&ty, &mut hosts) {
                (ExternType::Func(_), hosts) => hosts.next().map(ExternVal::Func),
                _ => Some(self.import(&ty).map_err(|error| ending_of(&error))?),
            };
            let import = import.ok_or_else(|| Ending::Infra("a host function is missing".to_owned()))?;
            linker.define("", &number.to_string(), import);
            self.imports.push(import);
        }
        if self.is_planned() {
            let view = View::new(self.imports.iter().map(|import| item(*import)));
            self.shared.borrow_mut().host.host.view = Some(Arc::new(view));
        }
        let made = running(&self.shared, || linker.instantiate(&mut self.store, &self.module));
        let instance = made.map_err(|error| ending_of(&error))?;
        if let Some(start) = self.start.as_ref().and_then(|start| instance.exported_func(start)) {
            self.run(start, &[])?;
        }
        // It is an instance only after its start function has run.
        self.instance = Some(instance);
        Ok(())
    }

    fn is_planned(&self) -> bool {
        self.shared.borrow().host.host.is_planned()
    }

    fn import(&mut self, ty: &ExternType) -> Result<ExternVal, Error> {
        Ok(match ty {
            ExternType::Mem(ty) => ExternVal::Memory(Mem::new(&mut self.store, *ty)),
            ExternType::Table(ty) => {
                ExternVal::Table(Table::new(&mut self.store, *ty, Ref::null(ty.elem)).map_err(Error::Table)?)
            }
            ExternType::Global(ty) => {
                let mut serving = self.shared.borrow_mut();
                let value = serving.host.host.next_global(value_type(ty.val));
                let mut reach = Reach { store: &mut self.store, host: &mut serving.host };
                let value = to_stitch_or_null(&mut reach, &value);
                ExternVal::Global(Global::new(&mut self.store, *ty, value).map_err(Error::Global)?)
            }
            ExternType::Func(_) => return Err(Error::Func(::makepad_stitch::FuncError::ParamTypeMismatch)),
        })
    }

    fn run(&mut self, function: Func, arguments: &[Val]) -> Result<Vec<Val>, Ending> {
        self.shared.borrow_mut().host.host.limiter.renew();
        let types = function.type_(&self.store).results().to_vec();
        let mut results: Vec<Val> = types.into_iter().map(Val::default).collect();
        let called = running(&self.shared, || function.call(&mut self.store, arguments, &mut results));
        if let Some(ending) = self.shared.borrow_mut().stopped.take() {
            return Err(ending);
        }
        called.map_err(|error| ending_of(&error))?;
        Ok(results)
    }

    /// The exports that the module has by itself.
    fn exports(&self) -> Vec<(String, ExternVal)> {
        let exports = self.instance.iter().flat_map(|instance| instance.exports());
        let own = exports.filter(|(name, _)| Some(*name) != self.start.as_deref());
        own.map(|(name, export)| (name.to_owned(), export)).collect()
    }

    /// The view, which is made when it is first needed. What is left of a failed attempt has no exports.
    fn view(&mut self) -> Arc<View<StitchHandles>> {
        let known = self.shared.borrow().host.host.view.clone();
        if let Some(view) = known.filter(|view| view.is_complete() || self.instance.is_none()) {
            return view;
        }
        let mut view = View::new(self.imports.iter().map(|import| item(*import)));
        if self.instance.is_some() {
            view = view.with_exports(self.exports().into_iter().map(|(name, export)| (name, item(export))));
        }
        let view = Arc::new(view);
        self.shared.borrow_mut().host.host.view = Some(Arc::clone(&view));
        view
    }

    fn try_call(&mut self, name: &str, arguments: &[Value]) -> Result<Vec<Value>, Ending> {
        let hidden = self.start.as_deref() == Some(name);
        let instance = self.instance.as_ref().filter(|_| !hidden);
        let function = instance.and_then(|instance| instance.exported_func(name));
        let function = function.ok_or_else(|| Ending::Refused(format!("no exported function {name:?}")))?;
        if !signature(function.type_(&self.store)).takes(arguments) {
            return Err(Ending::Refused("the arguments do not fit".to_owned()));
        }
        self.pace.call(name, arguments)?;
        if self.is_planned() || arguments.iter().any(Value::is_function) {
            self.view();
        }
        let inputs: Result<Vec<Val>, Ending> =
            self.reached(|reach| arguments.iter().map(|value| to_stitch(reach, value)).collect());
        let results = self.run(function, &inputs?)?;
        Ok(self.reached(|reach| results.into_iter().map(|value| from_stitch(reach, value)).collect()))
    }

    fn reached<R>(&mut self, ask: impl FnOnce(&mut Reach<'_>) -> R) -> R {
        let mut serving = self.shared.borrow_mut();
        ask(&mut Reach { store: &mut self.store, host: &mut serving.host })
    }
}

fn item(value: ExternVal) -> Item<StitchHandles> {
    match value {
        ExternVal::Func(function) => Item::Function(function),
        ExternVal::Table(table) => Item::Table(table),
        ExternVal::Memory(memory) => Item::Memory(memory),
        ExternVal::Global(global) => Item::Global(global),
    }
}

impl Instance for StitchInstance {
    fn exports(&self) -> Vec<Function> {
        let exports = self.exports().into_iter().filter_map(|(name, export)| {
            let function = export.to_func()?;
            Some((name, signature(function.type_(&self.store))))
        });
        functions(exports)
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        self.try_call(name, arguments).map_or_else(|ending| ending, Ending::Returned)
    }

    fn state(&mut self) -> State {
        let view = self.view();
        self.reached(|reach| view.state(reach))
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        let view = self.view();
        self.reached(|reach| view.memory(reach, index))
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        let view = self.view();
        self.reached(|reach| view.table(reach, index))
    }
}
