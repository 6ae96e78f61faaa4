//! Recursion that does not end with the stack of the thread.

/// Left on the stack when `deep` moves to a fresh one: more than one level of nesting takes between two calls of `deep`,
/// even without optimisation.
const RESERVE: usize = 64 << 10;

/// Size of a fresh stack: deep enough to be rare, small enough to be cheap.
const FRESH: usize = 4 << 20;

/// Runs one level of a recursion, on a fresh stack if little is left of the current one.
pub(crate) fn deep<R>(level: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RESERVE, FRESH, level)
}
