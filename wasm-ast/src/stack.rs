//! Recursion that is not limited by the stack of the thread.

/// Free space below which `deep` moves to a fresh stack. One level of nesting uses less between two calls of
/// `deep`, even without optimisation.
const RESERVE: usize = 64 << 10;

/// Size of a fresh stack: large enough to be needed rarely, small enough to be cheap.
const FRESH: usize = 4 << 20;

/// Runs one level of a recursion, on a fresh stack if little is left of the current one.
pub(crate) fn deep<R>(level: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RESERVE, FRESH, level)
}
