//! Run-time side of weaving: the probes' trace buffer and the bug switch.
//!
//! The rustc wrapper in `weave/` compiles chosen crates with a probe on every edge of their control-flow graph and with
//! the bugs of the catalogue behind a switch. Those crates call into this one:
//!
//! * [`Recorder`] collects the probes that fire on this thread while a closure runs;
//! * [`probes`] counts the probes, names them and switches some of them off;
//! * [`switch_on`] switches bugs on for this thread;
//! * [`prove`] checks that all of this is really in the program at hand.
//!
//! Besides, [`catch`] turns a panic of the code under test into a value, and [`SharedMemory`] is how AFL gets to see
//! traces, and how another process gets to know what this one did before it died.
//!
//! ```
//! use mutagen_weave::Recorder;
//!
//! let mut recorder = Recorder::new(1024);
//! let sum = recorder.record(|| 1 + 1);
//! assert_eq!(sum, 2);
//! // Nothing in that closure was compiled with probes.
//! assert!(recorder.events().is_empty());
//! ```
//!
//! It is the only crate of the project with `unsafe`: the callbacks are C functions that the compiler calls, and another
//! process writes to shared memory.

mod panics;
pub mod probes;
mod proof;
mod shared;
mod switch;
mod trace;

pub use panics::{Panic, Place, catch};
pub use proof::{NotWoven, prove};
pub use shared::{SharedMemory, reserve};
pub use switch::{MOST_ACTIVE, Switched, number, switch_on, switch_on_numbers};
pub use trace::{Recorder, attempt, last_events, record_into};
