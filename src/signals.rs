//! Signals: a first one stops the work in good order, a second one ends the program at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use crate::exit_code::{Code, CommandError};

/// What the handlers share.
#[derive(Clone, Default)]
struct Heard {
    flag: Arc<AtomicBool>,
    /// The number of the signal. 0 if there was none.
    which: Arc<AtomicUsize>,
}

static HEARD: OnceLock<Result<Heard, String>> = OnceLock::new();

/// A flag that is set by Ctrl-C, SIGTERM and SIGHUP. A signal that the program was started to ignore stays ignored:
/// that is what `nohup` asks for.
pub fn interrupt_flag() -> Result<Arc<AtomicBool>, CommandError> {
    let install = || {
        let heard = Heard::default();
        [SIGINT, SIGTERM, SIGHUP]
            .into_iter()
            .filter(|signal| !is_ignored(*signal))
            .try_for_each(|signal| listen(signal, &heard))
            .map(|()| heard.clone())
            .map_err(|error| error.to_string())
    };
    let heard = HEARD.get_or_init(install).clone();
    heard
        .map(|heard| heard.flag)
        .map_err(|error| CommandError::new(Code::Internal, format!("cannot listen for signals: {error}")))
}

fn listen(signal: i32, heard: &Heard) -> std::io::Result<()> {
    // In this order: the second signal finds the flag set by the first.
    flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&heard.flag))?;
    flag::register_usize(signal, Arc::clone(&heard.which), signal as usize)?;
    flag::register(signal, Arc::clone(&heard.flag))?;
    Ok(())
}

/// The exit code of a program that a signal stopped.
pub fn interrupted() -> Code {
    let which =
        HEARD.get().and_then(|heard| heard.as_ref().ok()).map(|heard| heard.which.load(Ordering::Relaxed));
    match which.and_then(|signal| i32::try_from(signal).ok()) {
        Some(SIGTERM) => Code::Terminated,
        Some(SIGHUP) => Code::HungUp,
        _ => Code::Interrupted,
    }
}

/// Whether a signal asked to stop.
pub fn has_come() -> bool {
    HEARD.get().and_then(|heard| heard.as_ref().ok()).is_some_and(|heard| heard.flag.load(Ordering::Relaxed))
}

/// Lets a file that grows past `ulimit -f` be an error of the write, like a full disk, instead of the end of the program.
pub fn outlive_file_limits() {
    // Without the handler, the signal ends the program as it would have.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Whether the program was started to ignore this signal, where the system says so.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}
