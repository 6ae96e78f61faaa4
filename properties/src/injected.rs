//! An engine with catalogue entries switched on, and only while it works.

use mutagen_oracles::{Ending, Engine, Function, Instance, Instantiation, State, Validity, Value};
use mutagen_weave::switch_on;

/// The entries that are on: the bug that is hunted, and fixes of bugs that the published engine has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Injection {
    /// The bug.
    pub bug: Option<&'static str>,
    /// The fixes.
    pub fixes: Vec<&'static str>,
}

impl Injection {
    /// Without the bug, which tells whether a difference is due to it.
    pub fn without_bug(&self) -> Self {
        Self { bug: None, fixes: self.fixes.clone() }
    }

    fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.bug.into_iter().chain(self.fixes.iter().copied())
    }
}

/// An engine that has the injected entries whenever it is asked something.
#[derive(Clone, Debug)]
pub struct Injected<E> {
    engine: E,
    injection: Injection,
}

impl<E> Injected<E> {
    /// Wraps an engine.
    pub fn new(engine: E, injection: Injection) -> Self {
        Self { engine, injection }
    }
}

impl<E: Engine> Engine for Injected<E> {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        let _on = switch_on(self.injection.ids());
        self.engine.validate(bytes)
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        let _on = switch_on(self.injection.ids());
        let instance = self.engine.instantiate(bytes)?;
        Ok(Box::new(InjectedInstance { instance, injection: self.injection.clone() }))
    }
}

struct InjectedInstance {
    instance: Box<dyn Instance>,
    injection: Injection,
}

impl Instance for InjectedInstance {
    fn exports(&self) -> Vec<Function> {
        self.instance.exports()
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        let _on = switch_on(self.injection.ids());
        self.instance.call(name, arguments)
    }

    fn state(&mut self) -> State {
        self.instance.state()
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        self.instance.memory(index)
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        self.instance.table(index)
    }

    fn fuel_used(&self) -> u64 {
        self.instance.fuel_used()
    }
}
