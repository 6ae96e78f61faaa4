//! Coverage-guided property testing with exhaustive, derived, structure-preserving mutations.

// Derived code names this crate by its absolute path, also inside the crate itself.
extern crate self as mutagen_engine;

// Values: where they come from, and what they can turn into.
mod address;
mod generate;
mod mutable;
mod permutation;
mod scope;
mod shrink;
mod source;
pub mod types;

pub use address::{
    Address, Addresses, Mutants, MutantsConfig, Order, Position, PositionCursor, apply, mutants, node_at,
    node_at_mut, positions,
};
pub use generate::Generate;
pub use mutable::{Count, Dynamic, Mutable, RootMutants, no_child};
pub use mutagen_engine_derive::{Generate, Mutable, test};
pub use permutation::Permutation;
pub use scope::{NumberMutants, SampleSize, Scope, SequenceMutants};
pub use shrink::{Shrunk, shrink, shrink_in};
pub use source::Source;
