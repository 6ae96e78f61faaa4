//! Engines in other processes. They take part by speaking a small protocol on standard input and output, which
//! `docs/engines-in-processes.md` describes, so they can be written in any language.
//!
//! A process that ends is an answer like a panic. One that must be ended, because it does not answer, proves nothing.

mod client;
mod custom;
mod instance;
mod link;
mod messages;
mod node;
mod plain;
mod reach;
mod serve;
mod wire;

pub(crate) use self::custom::{custom, is_command};
pub use self::{
    custom::{SERVE, trust_commands},
    serve::{end_with_parent, serve},
};
use crate::registry::EngineEntry;

/// The engines that are known by name.
pub(super) fn entries() -> Vec<EngineEntry> {
    node::entries().to_vec()
}
