//! The catalogue of injected bugs, and the benchmark over it.
//!
//! ```
//! use mutagen_bugs::Bug;
//!
//! let bug = Bug::find("wasm-11")?;
//! assert_eq!((bug.title().as_str(), bug.subsystem()), ("i32.sub adds", "interpreter"));
//! # Ok::<(), mutagen_bugs::UnknownBug>(())
//! ```

pub mod bench;
mod bug;
mod catalogue;
mod injection;
mod nearest;
mod witness;

pub use bug::{Bug, UnknownBug};
pub use catalogue::{Edit, Entry, Kind, Subsystem, Witness, entries};
pub use injection::{injection, repaired};
pub use nearest::nearest;
pub use witness::CRASH;
