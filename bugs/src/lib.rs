//! The catalogue of injected bugs, and the benchmark over it.

mod catalogue;

pub use catalogue::{Edit, Entry, Kind, Subsystem, UnknownId, Witness, entries, find};
