//! A world of sf-nano-core, as the common code for states and host functions sees it.

use std::{borrow::Cow, cell::RefCell, rc::Rc};

use ::sf_nano_core::{RefValue, RuntimeWorld};

use super::{
    beside::{Beside, Cell, Pages},
    values::from_sf,
};
use crate::{
    answer::Ending,
    engine::Signature,
    host::Host,
    value::Value,
    view::{Access, Failed, Handles},
};

/// Its handles: memories, tables and globals are known by the small modules that see them.
pub(super) struct SfNanoHandles;

impl Handles for SfNanoHandles {
    type Memory = Pages;
    type Global = Cell;
    type Table = Cell;
    type Function = RefValue;
}

/// What host functions share with their instance.
pub(super) struct Shared {
    pub host: Host<SfNanoHandles>,
    /// The functions that have a key.
    known: Vec<RefValue>,
    /// Why a host function stopped.
    pub stopped: Option<Ending>,
}

impl Shared {
    pub(super) fn new(host: Host<SfNanoHandles>) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self { host, known: Vec::new(), stopped: None }))
    }
}

/// Access to a world. There is none while a host function is served.
pub(super) struct Reach<'a> {
    pub world: Option<&'a mut RuntimeWorld>,
    pub shared: &'a RefCell<Shared>,
}

/// Nobody asks for this: such plans are refused before.
const REFUSED: &str = "its host functions change nothing but one memory";

impl Access for Reach<'_> {
    type Handles = SfNanoHandles;
    /// Why a host function stops.
    type Error = Ending;

    fn host<R>(&mut self, ask: impl FnOnce(&mut Host<SfNanoHandles>) -> R) -> R {
        ask(&mut self.shared.borrow_mut().host)
    }

    /// References cannot be looked into, so functions are numbered as they come.
    fn key(&mut self, function: RefValue) -> u64 {
        let mut shared = self.shared.borrow_mut();
        let known = shared.known.iter().position(|known| *known == function);
        let key = known.unwrap_or_else(|| {
            shared.known.push(function);
            shared.known.len() - 1
        });
        key as u64
    }

    fn bytes(&mut self, memory: Pages) -> Cow<'_, [u8]> {
        let instance = self.world.as_ref().and_then(|world| world.instance(memory.0));
        let view = instance.and_then(|instance| instance.memory().ok());
        Cow::Owned(view.map_or_else(Vec::new, |view| view.to_vec()))
    }

    fn value(&mut self, global: Cell) -> Value {
        let value = self.world.as_ref().and_then(|world| Beside::global(world, global));
        value.map_or(Value::zero(global.ty), |value| from_sf(self, value, global.ty))
    }

    fn elements(&mut self, table: Cell) -> Vec<Value> {
        let Some(world) = &mut self.world else { return Vec::new() };
        let elements = Beside::elements(world, table);
        elements.into_iter().map(|element| from_sf(self, element, table.ty)).collect()
    }

    fn signature(&mut self, _: RefValue) -> Signature {
        Signature::default()
    }

    fn write(&mut self, _: Pages, _: u64, _: &[u8]) -> bool {
        false
    }

    fn grow_memory(&mut self, _: Pages, _: u64) -> Option<u64> {
        None
    }

    fn grow_table(&mut self, _: Cell, _: u64, _: &Value) -> Option<u64> {
        None
    }

    fn set_global(&mut self, _: Cell, _: &Value) -> bool {
        false
    }

    fn set_element(&mut self, _: Cell, _: u64, _: &Value) -> bool {
        false
    }

    fn call(&mut self, _: RefValue, _: &[Value]) -> Result<Vec<Value>, Failed<Ending>> {
        let ending = Ending::Infra(REFUSED.to_owned());
        Err(Failed { ending: ending.clone(), error: Some(ending) })
    }
}
