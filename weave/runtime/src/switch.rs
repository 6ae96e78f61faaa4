//! The bug switch: which entries of the catalogue are on, per thread.

use std::cell::Cell;
use std::marker::PhantomData;

/// How many entries can be on at once.
pub const MOST_ACTIVE: usize = 16;

/// Stands in the list of active entries while somebody wants to know whether the switch is asked. No entry has this number:
/// the weaver refuses an id that hashes to it.
const WATCHER: u32 = 0;

thread_local! {
    /// Numbers of the active entries, in the first `ACTIVE` places. Cells and indices only: woven code calls this from
    /// its hottest loops, and nothing generic may run here (see `trace`).
    static NUMBERS: [Cell<u32>; MOST_ACTIVE] = const { [const { Cell::new(0) }; MOST_ACTIVE] };
    static ACTIVE: Cell<usize> = const { Cell::new(0) };
    static ASKED: Cell<bool> = const { Cell::new(false) };
    /// How often woven code asked for an entry that was on.
    static MATCHES: Cell<u64> = const { Cell::new(0) };
}

/// Called by the woven crates wherever the catalogue has inserted `$bug`.
#[unsafe(no_mangle)]
extern "C" fn __mutagen_bug(number: u32) -> bool {
    let active = ACTIVE.get();
    if active == 0 { false } else { is_active(number, active) }
}

/// Where `__mutagen_bug` is loaded: a landmark for reading the program's own file.
pub(crate) fn address() -> usize {
    __mutagen_bug as extern "C" fn(u32) -> bool as usize
}

fn is_active(number: u32, active: usize) -> bool {
    NUMBERS.with(|numbers| {
        let mut place = 0;
        while place < active {
            match numbers[place].get() {
                WATCHER => ASKED.set(true),
                on if on == number => {
                    MATCHES.set(MATCHES.get().wrapping_add(1));
                    return true;
                }
                _ => {}
            }
            place += 1;
        }
        false
    })
}

/// The number that stands for a catalogue id in woven code (FNV-1a; the weaver computes the same).
pub const fn number(id: &str) -> u32 {
    let bytes = id.as_bytes();
    let mut hash: u32 = 0x811c_9dc5;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// Switches the entries with these ids on for this thread, besides those that are on already, until the guard drops.
///
/// ```
/// let on = mutagen_weave::switch_on(["wasm-6"]);
/// // Here wasmi has the bug, on this thread.
/// drop(on);
/// // And here it is as published.
/// ```
///
/// # Panics
///
/// If more than [`MOST_ACTIVE`] entries would be on.
pub fn switch_on<'a>(ids: impl IntoIterator<Item = &'a str>) -> Switched {
    switch_on_numbers(ids.into_iter().map(number))
}

/// The same for entries by their [numbers](number): for who switches the same ones on over and over.
///
/// # Panics
///
/// If more than [`MOST_ACTIVE`] entries would be on.
pub fn switch_on_numbers(numbers: impl IntoIterator<Item = u32>) -> Switched {
    let switched = Switched::now();
    numbers.into_iter().for_each(add);
    switched
}

/// Runs `body` and tells whether woven code asked for the switch meanwhile.
pub(crate) fn asked_during(body: impl FnOnce()) -> bool {
    let _watching = Switched::now();
    add(WATCHER);
    ASKED.set(false);
    body();
    ASKED.get()
}

fn add(number: u32) {
    let active = ACTIVE.get();
    assert!(active < MOST_ACTIVE, "at most {MOST_ACTIVE} catalogue entries can be on at once");
    NUMBERS.with(|numbers| numbers[active].set(number));
    ACTIVE.set(active + 1);
}

/// Entries that are on. Dropping it switches them off, and any that were switched on later. It belongs to its thread.
#[must_use = "the entries are switched off when this is dropped"]
#[derive(Debug)]
pub struct Switched {
    before: usize,
    matches_before: u64,
    not_send: PhantomData<*const ()>,
}

impl Switched {
    fn now() -> Self {
        Switched { before: ACTIVE.get(), matches_before: MATCHES.get(), not_send: PhantomData }
    }

    /// Whether code of this thread has come to a place where an active entry changes something. Where it has not, nothing was
    /// changed: the code is not there, or nobody called it.
    pub fn was_reached(&self) -> bool {
        MATCHES.get() != self.matches_before
    }
}

impl Drop for Switched {
    fn drop(&mut self) {
        ACTIVE.set(ACTIVE.get().min(self.before));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_on(id: &str) -> bool {
        __mutagen_bug(number(id))
    }

    #[test]
    fn an_entry_is_on_until_its_guard_drops() {
        assert!(!is_on("a"));
        let on = switch_on(["a"]);
        assert!(is_on("a") && !is_on("b"));
        drop(on);
        assert!(!is_on("a"));
    }

    #[test]
    fn a_number_switches_on_what_its_id_does() {
        let on = switch_on_numbers([number("a")]);
        assert!(is_on("a") && !is_on("b"));
        drop(on);
        assert!(!is_on("a"));
    }

    #[test]
    fn an_entry_is_reached_when_woven_code_asks_for_it() {
        let on = switch_on(["a"]);
        assert!(!is_on("b") && !on.was_reached());
        assert!(is_on("a") && on.was_reached());
    }

    #[test]
    fn several_entries_can_be_on_and_inner_ones_go_first() {
        let _outer = switch_on(["a", "b"]);
        {
            let _inner = switch_on(["c"]);
            assert!(is_on("a") && is_on("b") && is_on("c"));
        }
        assert!(is_on("a") && is_on("b") && !is_on("c"));
    }

    #[test]
    fn a_panic_restores_the_switch() {
        let panicked = std::panic::catch_unwind(|| {
            let _on = switch_on(["a"]);
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(panicked.is_err() && !is_on("a"));
    }

    #[test]
    fn threads_have_switches_of_their_own() {
        let _on = switch_on(["a"]);
        let elsewhere = std::thread::spawn(|| is_on("a")).join().expect("the thread does not panic");
        assert!(is_on("a") && !elsewhere);
    }

    #[test]
    fn asking_for_the_switch_is_noticed() {
        assert!(asked_during(|| assert!(!is_on("a"))));
        assert!(!asked_during(|| ()));
        assert!(!is_on("a"));
    }
}
