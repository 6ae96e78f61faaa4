//! The probes of the woven crates: how many there are, what they stand for, and switching some of them off.
//!
//! A probe is a number from 1 to [`count`]. Numbers are given in the order in which the linker laid the woven crates
//! out: they are stable for one binary, not across binaries. Names are stable: they come from the table of probe
//! addresses and from the line tables that the weaver adds to the woven crates.

mod names;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

pub use names::{Name, NamesError, in_files, names};

static GUARDS: AtomicPtr<AtomicU32> = AtomicPtr::new(std::ptr::null_mut());
static COUNT: AtomicUsize = AtomicUsize::new(0);
static TABLE: AtomicPtr<TableEntry> = AtomicPtr::new(std::ptr::null_mut());
static TABLE_LENGTH: AtomicUsize = AtomicUsize::new(0);

/// What the compiler knows of a probe: the address it stands at, and whether that is a function's entry.
#[repr(C)]
struct TableEntry {
    address: usize,
    is_entry: usize,
}

/// Called before `main`, once per woven object file, each time with the whole range of guards: numbers them from 1.
///
/// # Safety
///
/// The compiler passes the bounds of the section of guards, which lives as long as the program; no probe has fired.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_trace_pc_guard_init(start: *mut u32, stop: *mut u32) {
    if COUNT.load(Ordering::Relaxed) != 0 {
        return;
    }
    // SAFETY: both point into one section, `stop` past its end.
    let count = unsafe { stop.offset_from_unsigned(start) };
    GUARDS.store(start.cast(), Ordering::Relaxed);
    COUNT.store(count, Ordering::Release);
    for (guard, number) in guards().iter().zip(1..) {
        guard.store(number, Ordering::Relaxed);
    }
}

/// Called before `main` with the bounds of the table of probe addresses, in the order of the guards.
///
/// # Safety
///
/// The compiler passes the bounds of that section, which lives as long as the program.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_pcs_init(start: *const TableEntry, stop: *const TableEntry) {
    // SAFETY: both point into one section, `stop` past its end.
    let length = unsafe { stop.offset_from_unsigned(start) };
    TABLE.store(start.cast_mut(), Ordering::Relaxed);
    TABLE_LENGTH.store(length, Ordering::Release);
}

fn guards() -> &'static [AtomicU32] {
    match COUNT.load(Ordering::Acquire) {
        0 => &[],
        // SAFETY: the section holds `count` aligned u32, which are only ever touched atomically once they are numbered
        // (the callback's volatile load of an aligned u32 reads either the old or the new value).
        count => unsafe { std::slice::from_raw_parts(GUARDS.load(Ordering::Relaxed), count) },
    }
}

fn table() -> &'static [TableEntry] {
    match TABLE_LENGTH.load(Ordering::Acquire) {
        0 => &[],
        // SAFETY: the section holds `length` entries and is never written.
        length => unsafe { std::slice::from_raw_parts(TABLE.load(Ordering::Relaxed), length) },
    }
}

/// How many probes the program has; 0 if it was compiled without the wrapper.
pub fn count() -> usize {
    guards().len()
}

/// Switches off the probes for which `unwanted` holds, on all threads. Returns how many those are.
///
/// # Errors
///
/// If the names of the probes cannot be read from the program's own file.
pub fn switch_off(unwanted: impl Fn(&Name) -> bool) -> Result<usize, NamesError> {
    Ok(switch_off_where(names()?.iter().map(unwanted)))
}

/// Switches off the probes in source files for which `unwanted` holds, on all threads. Returns how many those are. Several
/// times faster than [`switch_off`].
///
/// # Errors
///
/// If the names of the probes cannot be read from the program's own file.
pub fn switch_off_files(unwanted: impl Fn(&str) -> bool) -> Result<usize, NamesError> {
    Ok(switch_off_where(names::in_files(unwanted)?.into_iter()))
}

fn switch_off_where(unwanted: impl Iterator<Item = bool>) -> usize {
    let off = guards().iter().zip(unwanted).filter(|(_, unwanted)| *unwanted);
    off.map(|(guard, _)| guard.store(0, Ordering::Relaxed)).count()
}

/// Switches every probe on again.
pub fn switch_all_on() {
    for (guard, number) in guards().iter().zip(1..) {
        guard.store(number, Ordering::Relaxed);
    }
}

/// The file whose probes do not give the same trace for the same test.
///
/// `Parser::parse_reader` matches on a state, one variant of which holds a count. The optimiser tests the count for 0
/// before it tests whether the state has one, which is harmless for the result; but the probes on that branch then
/// follow whatever an earlier call left on the stack.
pub const UNSTABLE_FILE: &str = "wasmparser-0.228.0/src/parser.rs";

/// Switches off the probes of [`UNSTABLE_FILE`], once per program. Call this before comparing traces of wasmi.
///
/// # Errors
///
/// If the names of the probes cannot be read from the program's own file.
pub fn switch_off_unstable() -> Result<usize, NamesError> {
    static OFF: OnceLock<Result<usize, NamesError>> = OnceLock::new();
    OFF.get_or_init(|| switch_off_files(|file| file == UNSTABLE_FILE)).clone()
}
