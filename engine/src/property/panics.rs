//! Panics of the code under test, as failures.

use super::{Failure, Outcome, Property};
use mutagen_weave::Panic;

/// Runs `property.check`; a panic is a failure, and nothing is printed.
///
/// The property is used again after a panic, in the state that the panic left it in: that is what happens to any caller
/// of code that panics.
pub(crate) fn check_quietly<T, P: Property<T> + ?Sized>(property: &mut P, value: &T) -> Outcome {
    mutagen_weave::catch(|| property.check(value)).unwrap_or_else(|panic| failure(&panic).into())
}

fn failure(panic: &Panic) -> Failure {
    let message = match &panic.place {
        Some(place) => format!("panicked at {}:{}: {}", place.file, place.line, panic.message),
        None => format!("panicked: {}", panic.message),
    };
    Failure { panicked: true, ..Failure::new(message).kind("panic") }
}
