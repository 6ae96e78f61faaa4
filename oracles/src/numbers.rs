//! Numbers for functions, so that references to them can be compared between engines.

use rustc_hash::FxHashMap;

use crate::view::{Access, Handles};

/// The functions that references refer to, each with the number that stands for it in a
/// [`Value`](crate::Value::FuncRef).
pub(crate) struct Numbers<F> {
    /// The number of each function, by an engine's key for it.
    numbers: FxHashMap<u64, u32>,
    functions: Vec<F>,
    /// Whether the exported functions have their numbers.
    has_exports: bool,
}

impl<F> Default for Numbers<F> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default(), functions: Vec::new(), has_exports: false }
    }
}

impl<F> Numbers<F> {
    fn add(&mut self, key: u64, function: F) -> u32 {
        let next = self.functions.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.functions.push(function);
        }
        number
    }
}

type FunctionOf<A> = <<A as Access>::Handles as Handles>::Function;

/// The number of a function. One that has none gets the next.
pub(crate) fn number_of<A: Access>(store: &mut A, function: FunctionOf<A>) -> u32 {
    add_exports(store);
    let key = store.key(function);
    store.host(|host| host.numbers.add(key, function))
}

/// The function with this number.
pub(crate) fn function_of<A: Access>(store: &mut A, number: u32) -> Option<FunctionOf<A>> {
    add_exports(store);
    store.host(|host| host.numbers.functions.get(number as usize).copied())
}

/// Gives numbers to the exported functions, in the order of their names, as soon as there are any.
fn add_exports<A: Access>(store: &mut A) {
    let view = store.host(|host| host.view.clone().filter(|_| !host.numbers.has_exports));
    let Some(view) = view.filter(|view| view.is_complete()) else { return };
    for function in view.functions() {
        let key = store.key(function);
        store.host(|host| host.numbers.add(key, function));
    }
    store.host(|host| host.numbers.has_exports = true);
}
