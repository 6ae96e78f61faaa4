//! Panics of the code under test, as failures.

use super::{Failure, Outcome, Property};
use mutagen_weave::Panic;

/// The outcome of a test; a panic of it is a failure of kind `panic`, and nothing is printed.
///
/// ```
/// use mutagen_engine::{Outcome, Verdict, judged};
///
/// let outcome = judged(|| panic!("out of ideas"));
/// assert!(matches!(outcome.verdict, Verdict::Failed(failure) if failure.kind == "panic"));
/// assert_eq!(judged(Outcome::passed).verdict, Verdict::Passed);
/// ```
pub fn judged(test: impl FnOnce() -> Outcome) -> Outcome {
    mutagen_weave::catch(test).unwrap_or_else(|panic| failure(&panic).into())
}

/// Runs `property.check`; a panic is a failure, and nothing is printed.
///
/// The property is used again after a panic, in the state that the panic left it in: that is what happens to any caller
/// of code that panics.
pub(crate) fn check_quietly<T, P: Property<T> + ?Sized>(property: &mut P, value: &T) -> Outcome {
    judged(|| property.check(value))
}

fn failure(panic: &Panic) -> Failure {
    let message = match &panic.place {
        Some(place) => format!("panicked at {}:{}: {}", place.file, place.line, panic.message),
        None => format!("panicked: {}", panic.message),
    };
    Failure { panicked: true, ..Failure::new(message).kind("panic") }
}
