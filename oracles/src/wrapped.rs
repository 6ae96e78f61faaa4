//! One wrapper for everything that surrounds an engine: it forwards each question, and something happens around it.

use crate::{
    answer::{Ending, Instantiation, Rejection, Validity},
    engine::{Compiled, Engine, Function, Instance},
    host::HostPlan,
    limits::Which,
    state::State,
    value::Value,
};

/// Something that happens around each question that an engine is asked: a bug is switched on meanwhile, or time is
/// measured.
pub trait Around: Clone + Send + Sync + 'static {
    /// Asks, with what has to happen before and after.
    fn around<R>(&self, ask: impl FnOnce() -> R) -> R;

    /// The same, for who wants to know what is asked.
    fn asking<R>(&self, asked: Asked<'_>, ask: impl FnOnce() -> R) -> R {
        let _ = asked;
        self.around(ask)
    }
}

/// What an engine, a compiled module or an instance is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked<'a> {
    /// Whether this module is valid.
    Validate(&'a [u8]),
    /// To compile this module.
    Compile(&'a [u8]),
    /// To make an instance of this module, with these host functions.
    Instantiate(&'a [u8], &'a [HostPlan]),
    /// To make an instance of a module that was compiled before.
    Start,
    /// To call this exported function with these arguments.
    Call(&'a str, &'a [Value]),
    /// What can be seen from outside.
    Look,
}

/// An engine with something around each question to it, to its compiled modules and to its instances.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};
/// use mutagen_oracles::{Around, Engine, Settings, Wasmi, Wrapped};
///
/// /// Counts questions.
/// #[derive(Clone, Default)]
/// struct Count(Arc<AtomicUsize>);
///
/// impl Around for Count {
///     fn around<R>(&self, ask: impl FnOnce() -> R) -> R {
///         self.0.fetch_add(1, Ordering::Relaxed);
///         ask()
///     }
/// }
///
/// let count = Count::default();
/// let wasmi = Wrapped::new(Wasmi::new(&Settings::default()), count.clone());
/// let mut instance = wasmi.instantiate(b"\0asm\x01\0\0\0")?;
/// instance.call("f", &[]);
/// assert_eq!(count.0.load(Ordering::Relaxed), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Wrapped<E, A> {
    inner: E,
    around: A,
}

impl<E, A: Around> Wrapped<E, A> {
    /// The engine with this around it.
    pub fn new(inner: E, around: A) -> Self {
        Self { inner, around }
    }

    fn instance(&self, instance: Box<dyn Instance>) -> Box<dyn Instance> {
        Box::new(Wrapped::new(instance, self.around.clone()))
    }
}

impl<E: Engine, A: Around> Engine for Wrapped<E, A> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        self.around.asking(Asked::Validate(bytes), || self.inner.validate(bytes))
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        let attempt = self.around.asking(Asked::Instantiate(bytes, &[]), || self.inner.instantiate(bytes));
        attempt.map(|instance| self.instance(instance))
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        let asked = Asked::Instantiate(bytes, hosts);
        let attempt = self.around.asking(asked, || self.inner.instantiate_with(bytes, hosts));
        attempt.map(|instance| self.instance(instance))
    }

    fn compile<'a>(&'a self, bytes: &[u8]) -> Result<Box<dyn Compiled + 'a>, Rejection> {
        let compiled = self.around.asking(Asked::Compile(bytes), || self.inner.compile(bytes))?;
        Ok(Box::new(Wrapped::new(compiled, self.around.clone())))
    }

    fn limit(&self, which: Which) -> Option<u64> {
        self.inner.limit(which)
    }

    fn function_code(&self) -> &'static [&'static str] {
        self.inner.function_code()
    }
}

impl<A: Around> Compiled for Wrapped<Box<dyn Compiled + '_>, A> {
    fn instantiate(&self) -> Result<Box<dyn Instance>, Instantiation> {
        let attempt = self.around.asking(Asked::Start, || self.inner.instantiate());
        attempt.map(|instance| self.instance(instance))
    }
}

impl<A: Around> Instance for Wrapped<Box<dyn Instance>, A> {
    fn exports(&self) -> Vec<Function> {
        self.around.asking(Asked::Look, || self.inner.exports())
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        self.around.asking(Asked::Call(name, arguments), || self.inner.call(name, arguments))
    }

    fn state(&mut self) -> State {
        self.around.asking(Asked::Look, || self.inner.state())
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        self.around.asking(Asked::Look, || self.inner.memory(index))
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        self.around.asking(Asked::Look, || self.inner.table(index))
    }

    fn fuel_used(&self) -> u64 {
        self.inner.fuel_used()
    }
}
