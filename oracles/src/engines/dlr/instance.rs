//! Instances of dlr-wasm-interpreter: stubs for imports, calls, the state.

use std::sync::Arc;

use ::dlr_wasm_interpreter::{ExternType, FuncAddr, Module, ModuleAddr, decode_and_validate};
use ::dlr_wasm_interpreter_checked::{Stored, StoredExternVal, StoredRef};
use self_cell::self_cell;

use super::{
    access::{DlrHandles, Reach},
    rejection,
    values::{ending_of, from_dlr, signature, to_dlr, to_dlr_or_null, value_type},
};
use crate::{
    answer::{Ending, Rejection},
    engine::{Function, Instance},
    host::{Host, HostPlan},
    scan::Bounded,
    settings::Limits,
    state::State,
    value::Value,
    view::{Item, View, functions},
};

self_cell! {
    /// An instance, or what is left of a failed attempt to make one, with the bytes that it interprets.
    struct Cell {
        owner: Vec<u8>,
        #[not_covariant]
        dependent: Running,
    }
}

struct Running<'b> {
    module: Module<'b>,
    reach: Reach<'b>,
    instance: Option<Stored<ModuleAddr>>,
    imports: Vec<StoredExternVal>,
    /// The export that nobody may see.
    start: Option<String>,
    fuel: u64,
}

/// An instance.
pub(super) struct DlrInstance(Cell);

impl DlrInstance {
    pub(super) fn new(module: Bounded, limits: &Limits, hosts: &[HostPlan]) -> Result<Self, Rejection> {
        let Bounded { bytes, start } = module;
        let cell = Cell::try_new(bytes, |bytes| {
            let module = decode_and_validate(bytes, &mut ()).map_err(rejection)?;
            let reach = Reach::new(Host::new(limits, hosts));
            Ok(Running { module, reach, instance: None, imports: Vec::new(), start, fuel: limits.fuel })
        })?;
        Ok(Self(cell))
    }

    pub(super) fn start(&mut self) -> Result<(), Ending> {
        self.0.with_dependent_mut(|_, running| running.start())
    }
}

impl Running<'_> {
    /// Imports are made one by one, so that after a failure the earlier ones can still be looked at.
    fn start(&mut self) -> Result<(), Ending> {
        let wanted: Vec<ExternType> = self.module.imports().map(|(_, _, ty)| ty).collect();
        for ty in wanted {
            let import = self.import(ty)?;
            self.imports.push(import);
        }
        if self.reach.host.is_planned() {
            self.reach.host.view =
                Some(Arc::new(View::new(self.imports.iter().map(|item| self::item(*item)))));
        }
        let made = self.reach.store.module_instantiate(&self.module, self.imports.clone(), None);
        let instance = made.map_err(ending_of)?.module_addr;
        if let Some(start) = &self.start
            && let Ok(StoredExternVal::Func(start)) = self.reach.store.instance_export(instance, start)
        {
            self.reach.run(start, Vec::new(), self.fuel)?;
        }
        // It is an instance only after its start function has run.
        self.instance = Some(instance);
        Ok(())
    }

    fn import(&mut self, ty: ExternType) -> Result<StoredExternVal, Ending> {
        Ok(match ty {
            ExternType::Func(ty) => StoredExternVal::Func(self.reach.stub(ty)),
            ExternType::Mem(ty) => StoredExternVal::Mem(self.reach.store.mem_alloc(ty)),
            ExternType::Table(ty) => {
                let null = StoredRef::Null(ty.et);
                StoredExternVal::Table(self.reach.store.table_alloc(ty, null).map_err(ending_of)?)
            }
            ExternType::Global(ty) => {
                let value = self.reach.host.next_global(value_type(ty.ty));
                let value = to_dlr_or_null(&mut self.reach, &value);
                StoredExternVal::Global(self.reach.store.global_alloc(ty, value).map_err(ending_of)?)
            }
        })
    }

    /// The exports that the module has by itself.
    fn exports(&self) -> Vec<(String, StoredExternVal)> {
        let Some(instance) = self.instance else { return Vec::new() };
        let mut exports = self.reach.store.instance_exports(instance);
        exports.retain(|(name, _)| Some(name) != self.start.as_ref());
        exports
    }

    /// The view, which is made when it is first needed. What is left of a failed attempt has no exports.
    fn view(&mut self) -> Arc<View<DlrHandles>> {
        let known = self.reach.host.view.clone();
        if let Some(view) = known.filter(|view| view.is_complete() || self.instance.is_none()) {
            return view;
        }
        let mut view = View::new(self.imports.iter().map(|import| item(*import)));
        if self.instance.is_some() {
            view = view.with_exports(self.exports().into_iter().map(|(name, export)| (name, item(export))));
        }
        let view = Arc::new(view);
        self.reach.host.view = Some(Arc::clone(&view));
        view
    }

    fn exported(&self, name: &str) -> Option<Stored<FuncAddr>> {
        let hidden = self.start.as_deref() == Some(name);
        let instance = self.instance.filter(|_| !hidden)?;
        self.reach.store.instance_export(instance, name).ok()?.as_func()
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Result<Vec<Value>, Ending> {
        let function = self.exported(name);
        let function = function.ok_or_else(|| Ending::Refused(format!("no exported function {name:?}")))?;
        if !signature(&self.reach.store.func_type(function)).takes(arguments) {
            return Err(Ending::Refused("the arguments do not fit".to_owned()));
        }
        if self.reach.host.is_planned() || arguments.iter().any(Value::is_function) {
            self.view();
        }
        let inputs: Result<Vec<_>, Ending> =
            arguments.iter().map(|value| to_dlr(&mut self.reach, value)).collect();
        let results = self.reach.run(function, inputs?, self.fuel)?;
        Ok(results.into_iter().map(|value| from_dlr(&mut self.reach, value)).collect())
    }
}

fn item(value: StoredExternVal) -> Item<DlrHandles> {
    match value {
        StoredExternVal::Func(function) => Item::Function(function),
        StoredExternVal::Table(table) => Item::Table(table),
        StoredExternVal::Mem(memory) => Item::Memory(memory),
        StoredExternVal::Global(global) => Item::Global(global),
    }
}

impl Instance for DlrInstance {
    fn exports(&self) -> Vec<Function> {
        self.0.with_dependent(|_, running| {
            let exports = running.exports().into_iter().filter_map(|(name, export)| {
                let ty = running.reach.store.func_type(export.as_func()?);
                Some((name, signature(&ty)))
            });
            functions(exports)
        })
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        let called = self.0.with_dependent_mut(|_, running| running.call(name, arguments));
        called.map_or_else(|ending| ending, Ending::Returned)
    }

    fn state(&mut self) -> State {
        self.0.with_dependent_mut(|_, running| running.view().state(&mut running.reach))
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        self.0.with_dependent_mut(|_, running| running.view().memory(&mut running.reach, index))
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        self.0.with_dependent_mut(|_, running| running.view().table(&mut running.reach, index))
    }
}
