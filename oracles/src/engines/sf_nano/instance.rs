//! Instances of sf-nano-core: stubs for imports, calls, the state.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use ::sf_nano_core::{
    Engine, Extern, FunctionType, Import, InstanceId, Module, RefValue, RuntimeWorld, Value as SfValue,
    WasmError,
};

use super::{
    access::{Reach, SfNanoHandles, Shared},
    beside::Beside,
    values::{ending_of, failed_start, from_sf, sf_type, to_sf, to_sf_or_null},
};
use crate::{
    answer::{Ending, Instantiation, TrapKind},
    engine::{Function, Instance, Signature},
    engines::pace::Pace,
    host::{Host, HostPlan, Stop, serve},
    scan::{Bounded, External, Outline, outline},
    settings::Limits,
    state::State,
    value::{Value, ValueType},
    view::{Item, View},
};

/// How many results a host function may have in the interpreter.
const MOST_RESULTS: usize = 8;

/// An instance, or what is left of a failed attempt to make one.
pub(super) struct SfNanoInstance {
    world: RuntimeWorld,
    engine: Engine,
    instance: Option<InstanceId>,
    /// What is imported, with what was given for it.
    imports: Vec<(External, Option<Extern>)>,
    /// What the module exports by itself, in the order of names.
    exports: Vec<(String, External)>,
    shared: Rc<RefCell<Shared>>,
    pace: Pace,
}

fn infra(error: &WasmError) -> Ending {
    Ending::Infra(format!("a module beside it: {error}"))
}

impl SfNanoInstance {
    pub(super) fn start(
        engine: Engine,
        module: Bounded,
        pace: Pace,
        limits: &Limits,
        hosts: &[HostPlan],
    ) -> Result<Box<dyn Instance>, Instantiation> {
        let ended = |ending| Instantiation::ended(ending, State::default());
        let Bounded { bytes, start } = module;
        let unknown = || ended(Ending::Infra("the module has what nobody here knows".to_owned()));
        let (outline, _) = outline(&bytes).ok_or_else(unknown)?;
        let Outline { imports, mut exports } = outline;
        exports.retain(|(name, _)| Some(name) != start.as_ref());
        let mut instance = Self {
            world: RuntimeWorld::new(),
            engine,
            instance: None,
            imports: Vec::new(),
            exports,
            shared: Shared::new(Host::new(limits, hosts)),
            pace,
        };
        let given = instance.import(imports).map_err(ended)?;
        let module = Module::new("", &bytes).map_err(|error| ended(Ending::Infra(error.to_string())))?;
        let made = instance.world.instantiate(&engine, module, &given);
        if let Some(ending) = instance.shared.borrow_mut().stopped.take() {
            return Err(ended(ending));
        }
        let made = match made.map_err(|error| error.into_parts().1) {
            Ok(made) => made,
            Err(error) => {
                let ending = failed_start(&error)?;
                return Err(instance.left(ending));
            }
        };
        if let Some(start) = &start
            && let Err(ending) = instance.run(made, start, &[])
        {
            return Err(instance.left(ending));
        }
        // It is an instance only after its start function has run.
        instance.instance = Some(made);
        let view = instance.complete_view(made).map_err(|error| ended(infra(&error)))?;
        instance.shared.borrow_mut().host.view = Some(Arc::new(view));
        Ok(Box::new(instance))
    }

    /// What a failed attempt left behind.
    fn left(&mut self, ending: Ending) -> Instantiation {
        Instantiation::ended(ending, self.state())
    }

    /// Makes what is imported.
    fn import(&mut self, wanted: Vec<External>) -> Result<Vec<Import>, Ending> {
        let mut given = Vec::new();
        for (place, external) in wanted.iter().enumerate() {
            match external {
                External::Function(signature) => given.push(self.stub(place, signature)?),
                External::Global { value: Value::ExternRef(Some(_)), .. } => {
                    return Err(Ending::Infra("a global cannot begin as a reference of the host".to_owned()));
                }
                _ => {}
            }
        }
        let mut externs: Vec<Option<Extern>> = vec![None; wanted.len()];
        if given.len() < wanted.len() {
            let mut beside = Beside { world: &mut self.world, engine: self.engine };
            let provider = beside.provider(&wanted).map_err(|error| infra(&error))?;
            for (place, external) in wanted.iter().enumerate() {
                let provider = self.world.instance(provider);
                let value = provider.and_then(|it| it.get_export(&place.to_string()).ok().flatten());
                if let Some(value) = value.filter(|_| !matches!(external, External::Function(_))) {
                    given.push(Import::new("", &place.to_string(), value.clone()));
                    externs[place] = Some(value);
                }
            }
        }
        self.imports = wanted.into_iter().zip(externs).collect();
        let mut beside = Beside { world: &mut self.world, engine: self.engine };
        let items = beside.items(&self.imports, |_| None).map_err(|error| infra(&error))?;
        self.shared.borrow_mut().host.view = Some(Arc::new(View::new(items.into_iter().flatten())));
        Ok(given)
    }

    fn stub(&mut self, place: usize, signature: &Signature) -> Result<Import, Ending> {
        if signature.results.len() > MOST_RESULTS {
            return Err(Ending::Infra("its host functions have at most eight results".to_owned()));
        }
        let number = self.shared.borrow_mut().host.next_function();
        let shared = Rc::clone(&self.shared);
        let ty = |types: &[ValueType]| types.iter().map(|ty| sf_type(*ty)).collect::<Vec<_>>();
        let function_type = FunctionType::new(ty(&signature.parameters), ty(&signature.results));
        let signature = signature.clone();
        let serve = move |inputs: &[SfValue], outputs: &mut [SfValue]| {
            let values = served(&shared, number, &signature, inputs).map_err(|ending| {
                shared.borrow_mut().stopped = Some(ending);
                WasmError::trap("stopped by its host")
            })?;
            outputs.copy_from_slice(&values);
            Ok(())
        };
        let name = place.to_string();
        Ok(Import::func_typed("", &name, move |_, inputs, outputs| serve(inputs, outputs), function_type))
    }

    fn reached<R>(&mut self, ask: impl FnOnce(&mut Reach<'_>) -> R) -> R {
        ask(&mut Reach { world: Some(&mut self.world), shared: &self.shared })
    }

    fn run(
        &mut self,
        instance: InstanceId,
        name: &str,
        arguments: &[SfValue],
    ) -> Result<Vec<SfValue>, Ending> {
        let called = self.world.invoke(instance, name, arguments);
        if let Some(ending) = self.shared.borrow_mut().stopped.take() {
            return Err(ending);
        }
        called.map_err(|error| ending_of(&error))
    }

    /// The view with exports.
    fn complete_view(&mut self, made: InstanceId) -> Result<View<SfNanoHandles>, WasmError> {
        let mut functions: Vec<Option<RefValue>> = Vec::new();
        let mut shown = Vec::new();
        for (name, external) in &self.exports {
            let instance = self.world.instance(made);
            let value = instance.map_or(Ok(None), |instance| instance.get_export(name))?;
            let function = instance.and_then(|instance| instance.get_func(name)).map(|it| it.to_value());
            functions.push(match function {
                Some(SfValue::Ref(reference, _)) => Some(reference),
                _ => None,
            });
            shown.push((external.clone(), value));
        }
        let mut beside = Beside { world: &mut self.world, engine: self.engine };
        let imports = beside.items(&self.imports, |_| None)?;
        let items = beside.items(&shown, |place| functions[place])?;
        let names = self.exports.iter().map(|(name, _)| name.clone());
        let named = names.zip(items).filter_map(|(name, item)| Some((name, item?)));
        Ok(View::new(imports.into_iter().flatten()).with_exports(named.collect::<Vec<(String, Item<_>)>>()))
    }

    fn view(&self) -> Arc<View<SfNanoHandles>> {
        self.shared.borrow().host.view.clone().unwrap_or_else(|| Arc::new(View::new([])))
    }

    fn try_call(&mut self, name: &str, arguments: &[Value]) -> Result<Vec<Value>, Ending> {
        let refused = |reason: &str| Ending::Refused(reason.to_owned());
        let known = self.exports.iter().find_map(|(export, external)| match external {
            External::Function(signature) if export == name => Some(signature.clone()),
            _ => None,
        });
        let (Some(signature), Some(instance)) = (known, self.instance) else {
            return Err(refused("there is no exported function with that name"));
        };
        if !signature.takes(arguments) {
            return Err(refused("the arguments do not fit"));
        }
        self.pace.call(name, arguments)?;
        let inputs: Result<Vec<SfValue>, Ending> =
            self.reached(|reach| arguments.iter().map(|value| to_sf(reach, value)).collect());
        let results = self.run(instance, name, &inputs?)?;
        let typed = results.into_iter().zip(&signature.results);
        Ok(self.reached(|reach| typed.map(|(value, ty)| from_sf(reach, value, *ty)).collect()))
    }
}

/// The results of an imported function.
fn served(
    shared: &RefCell<Shared>,
    number: u32,
    signature: &Signature,
    inputs: &[SfValue],
) -> Result<Vec<SfValue>, Ending> {
    let mut reach = Reach { world: None, shared };
    let typed = inputs.iter().zip(&signature.parameters);
    let arguments: Vec<Value> = typed.map(|(value, ty)| from_sf(&mut reach, *value, *ty)).collect();
    let values = serve(&mut reach, number, &arguments, &signature.results).map_err(|stop| match stop {
        Stop::Trap => Ending::Trapped(TrapKind::Host),
        Stop::Error(ending) => ending,
    })?;
    values.iter().map(|value| to_sf_or_null(&mut reach, value)).collect()
}

impl Instance for SfNanoInstance {
    fn exports(&self) -> Vec<Function> {
        let exports = self.exports.iter().filter(|_| self.instance.is_some());
        let function = |(name, external): &(String, External)| match external {
            External::Function(signature) => {
                Some(Function { name: name.clone(), signature: signature.clone() })
            }
            _ => None,
        };
        exports.filter_map(function).collect()
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
