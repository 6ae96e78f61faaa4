//! Panics of the code under test, caught and kept off the terminal.

use super::{Failure, Outcome, Property};
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

thread_local! {
    /// Whether this thread is inside a check, where a panic is a result and no news for the terminal.
    static CHECKING: Cell<bool> = const { Cell::new(false) };
    /// What the hook saw of the last panic inside a check.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `property.check`, with a panic as a failure.
///
/// The property is used again after a panic. It stays in whatever state it was left in, which is the state in which
/// code under test that panics leaves its caller.
pub(crate) fn check_quietly<T, P: Property<T> + ?Sized>(property: &mut P, value: &T) -> Outcome {
    install_hook();
    let outer = CHECKING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(|| property.check(value)));
    CHECKING.set(outer);
    result.unwrap_or_else(|_| panic_failure().into())
}

fn panic_failure() -> Failure {
    let message = LAST_PANIC.take().unwrap_or_else(|| "panicked".into());
    Failure { panicked: true, ..Failure::new(message).kind("panic") }
}

/// Puts our hook before the one that is there, once per process: it is silent for threads inside a check only.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let outside = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CHECKING.get() { LAST_PANIC.set(Some(describe(info))) } else { outside(info) }
        }));
    });
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let message = info.payload_as_str().unwrap_or("a panic without a message");
    match info.location() {
        Some(place) => format!("panicked at {}:{}: {message}", place.file(), place.line()),
        None => format!("panicked: {message}"),
    }
}
