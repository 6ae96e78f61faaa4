//! Catches panics of engines, and gives engines a stack of known size.

use std::{panic, thread};

use crate::{
    answer::{Ending, Instantiation, Rejection, Validity},
    engine::{Compiled, Engine, Function, Instance},
    host::HostPlan,
    limits::Which,
    state::State,
    value::Value,
};

/// The stack of a thread that runs engines. Compiled code may use [`WASM_STACK_BYTES`] of it before a recursion traps;
/// on a smaller stack the process would be aborted instead.
pub const STACK_BYTES: usize = 16 * 1024 * 1024;

/// How much of the stack compiled code may use.
pub const WASM_STACK_BYTES: usize = 4 * 1024 * 1024;

/// Runs `body` on a thread of its own with a stack of [`STACK_BYTES`], whatever `ulimit -s` says, and waits for it.
///
/// ```
/// assert_eq!(mutagen_oracles::on_stack(|| 6 * 7).unwrap(), 42);
/// ```
///
/// # Errors
///
/// If the system gives no thread. A panic of `body` goes on in the caller.
pub fn on_stack<R: Send>(body: impl FnOnce() -> R + Send) -> std::io::Result<R> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, body)?;
        Ok(worker.join().unwrap_or_else(|payload| panic::resume_unwind(payload)))
    })
}

/// Runs `body`; a panic becomes an error that says what and where, and prints nothing.
///
/// # Errors
///
/// The message and place of the panic.
pub fn catch<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    mutagen_weave::catch(body).map_err(|panic| panic.to_string())
}

/// A panic of an engine: what it said, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("panicked: {0}")]
pub struct EnginePanic(pub String);

/// An engine whose panics are answers like any other.
///
/// ```
/// use mutagen_oracles::{Engine, Guarded, Instance, Instantiation, Validity};
///
/// struct Broken;
///
/// impl Engine for Broken {
///     fn name(&self) -> &str {
///         "broken"
///     }
///     fn validate(&self, _: &[u8]) -> Validity {
///         panic!("out of ideas")
///     }
///     fn instantiate(&self, _: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
///         panic!("out of ideas")
///     }
/// }
///
/// assert!(Guarded(Broken).validate(b"").to_string().starts_with("panicked: out of ideas"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Guarded<E>(pub E);

impl<E: Engine> Guarded<E> {
    /// Like [`Engine::instantiate_with`], with an instance that can be [closed](GuardedInstance::close).
    ///
    /// # Errors
    ///
    /// As [`Engine::instantiate_with`]; a panic is an [`Ending::Panicked`].
    pub fn open(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<GuardedInstance, Instantiation> {
        open(|| self.0.instantiate_with(bytes, hosts))
    }

    /// Whether the engine compiles a module. It may refuse one that it calls valid.
    pub fn compiles(&self, bytes: &[u8]) -> Validity {
        catch(|| self.0.compile(bytes).into()).unwrap_or_else(Validity::Panicked)
    }
}

fn open(
    instantiate: impl FnOnce() -> Result<Box<dyn Instance>, Instantiation>,
) -> Result<GuardedInstance, Instantiation> {
    let instance = catch(instantiate).unwrap_or_else(|message| Err(panicked(message)))?;
    Ok(GuardedInstance { instance: Some(instance) })
}

fn panicked(message: String) -> Instantiation {
    Instantiation::ended(Ending::Panicked(message), State::default())
}

impl<E: Engine> Engine for Guarded<E> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        catch(|| self.0.validate(bytes)).unwrap_or_else(Validity::Panicked)
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.instantiate_with(bytes, &[])
    }

    fn instantiate_with(&self, bytes: &[u8], hosts: &[HostPlan]) -> Result<Box<dyn Instance>, Instantiation> {
        self.open(bytes, hosts).map(|instance| Box::new(instance) as Box<dyn Instance>)
    }

    /// A panic while compiling shows as the ending of each instantiation.
    fn compile<'a>(&'a self, bytes: &[u8]) -> Result<Box<dyn Compiled + 'a>, Rejection> {
        match catch(|| self.0.compile(bytes)) {
            Ok(compiled) => Ok(Box::new(GuardedModule(Ok(compiled?)))),
            Err(message) => Ok(Box::new(GuardedModule(Err(message)))),
        }
    }

    fn limit(&self, which: Which) -> Option<u64> {
        self.0.limit(which)
    }

    fn function_code(&self) -> &'static [&'static str] {
        self.0.function_code()
    }
}

/// A compiled module whose panics are answers like any other, or the panic that compiling it gave.
struct GuardedModule<'a>(Result<Box<dyn Compiled + 'a>, String>);

impl Compiled for GuardedModule<'_> {
    fn instantiate(&self) -> Result<Box<dyn Instance>, Instantiation> {
        let compiled = self.0.as_ref().map_err(|message| panicked(message.clone()))?;
        open(|| compiled.instantiate()).map(|instance| Box::new(instance) as Box<dyn Instance>)
    }
}

const GONE: &str = "the instance is gone after a panic";

/// An instance whose panics are answers like any other. The first panic destroys it: further calls cannot run.
pub struct GuardedInstance {
    instance: Option<Box<dyn Instance>>,
}

impl GuardedInstance {
    /// Drops the instance.
    ///
    /// # Errors
    ///
    /// The panic of the engine while it cleaned up.
    pub fn close(mut self) -> Result<(), EnginePanic> {
        let instance = self.instance.take();
        catch(|| drop(instance)).map_err(EnginePanic)
    }

    /// Like [`Instance::state`].
    ///
    /// # Errors
    ///
    /// The panic of the engine while its state was read.
    pub fn try_state(&mut self) -> Result<State, EnginePanic> {
        self.ask(|instance| instance.state()).unwrap_or_else(|| Err(GONE.to_owned())).map_err(EnginePanic)
    }

    /// Asks the instance, unless it is gone.
    fn ask<R>(&mut self, question: impl FnOnce(&mut dyn Instance) -> R) -> Option<Result<R, String>> {
        let mut instance = self.instance.take()?;
        let answer = catch(|| question(instance.as_mut()));
        match answer {
            Ok(_) => self.instance = Some(instance),
            // Its first panic is the answer; what happens while the broken instance is dropped adds nothing.
            Err(_) => drop(catch(|| drop(instance))),
        }
        Some(answer)
    }

    fn ask_or_default<R: Default>(&mut self, question: impl FnOnce(&mut dyn Instance) -> R) -> R {
        self.ask(question).and_then(Result::ok).unwrap_or_default()
    }
}

impl Instance for GuardedInstance {
    fn exports(&self) -> Vec<Function> {
        let Some(instance) = &self.instance else { return Vec::new() };
        catch(|| instance.exports()).unwrap_or_default()
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Ending {
        match self.ask(|instance| instance.call(name, arguments)) {
            Some(answer) => answer.unwrap_or_else(Ending::Panicked),
            None => Ending::Infra(GONE.to_owned()),
        }
    }

    fn state(&mut self) -> State {
        self.ask_or_default(|instance| instance.state())
    }

    fn memory(&mut self, index: usize) -> Vec<u8> {
        self.ask_or_default(|instance| instance.memory(index))
    }

    fn table(&mut self, index: usize) -> Vec<Value> {
        self.ask_or_default(|instance| instance.table(index))
    }

    fn fuel_used(&self) -> u64 {
        self.instance.as_ref().map_or(0, |instance| instance.fuel_used())
    }
}

impl Drop for GuardedInstance {
    fn drop(&mut self) {
        let instance = self.instance.take();
        drop(catch(|| drop(instance)));
    }
}
