//! Compiled modules of wasmi. Every version of wasmi has its own copy of this.

use super::{api, instance::WasmiInstance, values::failed_start};
use crate::{
    answer::{Instantiation, Rejection},
    engine::{Compiled, Instance},
    host::HostPlan,
    settings::Limits,
};

/// A module with its own engine. The fields are dropped in this order: the module goes before its engine.
pub(super) struct CompiledModule {
    module: api::Module,
    engine: api::Engine,
    limits: Limits,
}

impl CompiledModule {
    pub(super) fn new(engine: api::Engine, bytes: &[u8], limits: Limits) -> Result<Self, Rejection> {
        let module = api::Module::new(&engine, bytes).map_err(Rejection::new)?;
        Ok(Self { module, engine, limits })
    }

    pub(super) fn instance(&self, hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        let mut instance = WasmiInstance::new(&self.engine, &self.limits, hosts);
        match instance.start(&self.module) {
            Ok(()) => Ok(Box::new(instance)),
            Err(error) => {
                let ending = failed_start(&error, &instance.store.data().limiter);
                Err(Instantiation::ended(ending, instance.state()))
            }
        }
    }
}

impl Compiled for CompiledModule {
    fn instantiate(&self) -> Result<Box<dyn Instance>, Instantiation> {
        self.instance(&[])
    }
}
