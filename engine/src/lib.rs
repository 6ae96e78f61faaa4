#![doc = include_str!("../README.md")]

// Derived code names this crate by its absolute path, also inside the crate itself.
extern crate self as mutagen_engine;

// Values: where they come from, and what they can turn into.
mod address;
#[cfg(feature = "arbitrary")]
mod arbitrary;
#[doc(hidden)]
pub mod constructors;
mod generate;
mod listable;
mod mutable;
mod permutation;
mod remote;
mod scope;
mod shrink;
mod source;
pub mod stable;
pub mod text;
mod tiers;
pub mod types;

// The loop: what is tested, what is learned from it, what is tested next.
mod campaign;
mod check;
mod guidance;
mod jobs;
mod property;
mod report;
mod strategy;
mod trace;

pub use address::{
    Address, Addresses, Mutants, MutantsConfig, Order, Position, PositionCursor, apply, mutants, node_at,
    node_at_mut, positions,
};
#[cfg(feature = "arbitrary")]
pub use arbitrary::Arbitrarily;
pub use generate::Generate;
pub use listable::Listable;
pub use mutable::{Count, Dynamic, Mutable, RootMutants, no_child};
pub use mutagen_engine_derive::{Generate, Listable, Mutable, test};
pub use permutation::Permutation;
pub use remote::Remote;
pub use scope::{NumberMutants, SampleSize, Scope, SequenceMutants};
pub use shrink::{SHRINK_TESTS, Shrunk, ShrunkFailure, shrink, shrink_failure, shrink_in};
pub use source::Source;
pub use text::{NoText, Text, TextError};
pub use tiers::{Tier, Tiers};
pub use types::OneOf;

pub use campaign::{Campaign, Event};
pub use check::{Check, check};
#[doc(hidden)]
pub use check::{ENDING, GUIDANCES, MARK, folder_of, request};
pub use guidance::{
    Afl, AflConfig, AflError, Cost, Coverage, Crowbar, CrowbarConfig, Derived, Figures, FuzzChick,
    FuzzChickConfig, Generator, Guidance, Guided, LibFuzzer, LibFuzzerError, Listed, Mutagen, MutagenConfig,
    Other, PerfFuzz, PerfFuzzConfig, Priority, Random, RandomConfig, Repro, Sizes, SmallCheck,
    SmallCheckConfig, Switch, Ties, Turns, UnknownSwitch, Zest, ZestConfig,
};
pub use jobs::{WORKER_STACK, Worker};
pub use property::{Failure, Outcome, Property, Verdict, judged};
pub use report::{Counterexample, Record, Report, StopReason, Tally};
pub use strategy::{Strategy, UnknownStrategy};
pub use trace::{EdgeMap, HitClasses, HitCounts, HitCoverage, NewHits, Novelty, PathTrie, Trace, TraceStore};

#[doc = include_str!("../docs/writing_a_guidance.md")]
pub mod writing_a_guidance {}
