//! Run-time side of weaving: the probes' trace buffer and the bug switch.
//!
//! The rustc wrapper in `weave/` compiles chosen crates with a probe on every edge of their control-flow graph and with
//! the bugs of the catalogue behind a switch. This crate holds what those crates call back into:
//!
//! * [`Recorder`] collects the probes that fire on this thread while a closure runs;
//! * [`probes`] counts the probes, names them and switches some of them off;
//! * [`switch_on`] switches bugs on for this thread;
//! * [`prove`] shows that all of this really happened to the program at hand.
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
//! It is the only crate of the project with `unsafe`: the callbacks are C functions that the compiler calls.

pub mod probes;
mod proof;
mod switch;
mod trace;

pub use proof::{NotWoven, prove};
pub use switch::{MOST_ACTIVE, Switched, number, switch_on};
pub use trace::Recorder;
