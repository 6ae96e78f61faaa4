//! Where panics of engines stop, and the stack that engines run on.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{self, AssertUnwindSafe},
    sync::Once,
    thread,
};

use crate::{
    engine::{Ending, Engine, Function, Instance, Instantiation, Validity},
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

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `body`; a panic becomes an error that says what and where, and prints nothing.
///
/// # Errors
///
/// The message and place of the panic.
pub fn catch<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    install_quiet_hook();
    let outer = CATCHING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(body));
    CATCHING.set(outer);
    result.map_err(|payload| describe(payload.as_ref()))
}

/// Replaces the panic hook, once, by one that stays silent while an engine is asked and is the old one otherwise.
fn install_quiet_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CATCHING.get() {
                PLACE.set(
                    info.location().map(|place| format!("{}:{}", file_name(place.file()), place.line())),
                );
            } else {
                usual(info);
            }
        }));
    });
}

/// Without directories, so that a message is the same on every machine.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn describe(payload: &(dyn Any + Send)) -> String {
    let message = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned());
    match PLACE.take() {
        Some(place) => format!("{message} ({place})"),
        None => message,
    }
}

/// An engine whose panics are answers like any other.
#[derive(Clone, Debug)]
pub struct Guarded<E>(pub E);

impl<E: Engine> Guarded<E> {
    /// Like [`Engine::instantiate`], with an instance that can be [closed](GuardedInstance::close).
    ///
    /// # Errors
    ///
    /// As [`Engine::instantiate`]; a panic is an [`Ending::Panicked`].
    pub fn open(&self, bytes: &[u8]) -> Result<GuardedInstance, Instantiation> {
        match catch(|| self.0.instantiate(bytes)) {
            Ok(Ok(instance)) => Ok(GuardedInstance { instance: Some(instance) }),
            Ok(Err(failure)) => Err(failure),
            Err(message) => {
                Err(Instantiation::Ended { ending: Ending::Panicked(message), state: Box::default() })
            }
        }
    }
}

impl<E: Engine> Engine for Guarded<E> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn validate(&self, bytes: &[u8]) -> Validity {
        catch(|| self.0.validate(bytes)).unwrap_or_else(Validity::Panicked)
    }

    fn instantiate(&self, bytes: &[u8]) -> Result<Box<dyn Instance>, Instantiation> {
        self.open(bytes).map(|instance| Box::new(instance) as Box<dyn Instance>)
    }
}

const GONE: &str = "the instance is gone after a panic";

/// An instance whose panics are answers like any other. After one it is gone: further calls cannot run.
pub struct GuardedInstance {
    instance: Option<Box<dyn Instance>>,
}

impl GuardedInstance {
    /// Drops the instance.
    ///
    /// # Errors
    ///
    /// The panic of the engine while it cleaned up.
    pub fn close(mut self) -> Result<(), String> {
        let instance = self.instance.take();
        catch(|| drop(instance))
    }

    /// Like [`Instance::state`].
    ///
    /// # Errors
    ///
    /// The panic of the engine while it was looked at.
    pub fn try_state(&mut self) -> Result<State, String> {
        self.ask(|instance| instance.state()).unwrap_or_else(|| Err(GONE.to_owned()))
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
