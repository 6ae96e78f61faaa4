//! The catalogue of injected bugs: those that are woven into the engine, and the faults of the IFC machines.
//!
//! ```
//! use mutagen_bugs::Bug;
//!
//! let bug = Bug::find("wasm-11")?;
//! assert_eq!((bug.title().as_str(), bug.subsystem()), ("i32.sub adds", "interpreter"));
//! # Ok::<(), mutagen_bugs::UnknownBug>(())
//! ```

mod bug;
mod catalogue;
mod nearest;

pub use bug::{Bug, UnknownBug};
pub use catalogue::{CRASH, Edit, Entry, Kind, Subsystem, Witness, entries, fixes};
pub use nearest::{did_you_mean, nearest};
