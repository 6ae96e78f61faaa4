//! The weaver: a rustc wrapper that gives chosen crates coverage probes and switchable bugs while cargo compiles them.
//!
//! Cargo calls it in place of rustc. Most calls are passed on untouched. To a crate that is woven, coverage flags are
//! added; where a bug catalogue has edits for it, a copy of its source is edited and compiled instead.
//!
//! There is one weaver for two uses: [`project`] weaves the packages of this project, and `weave/rustc` runs it;
//! [`outside`] weaves the packages of anybody's project, and `cargo mutagen` runs it. Std only, because the first of them
//! is compiled before anything else is.

mod call;
pub mod catalogue;
mod dep_info;
mod edit;
mod foreign;
pub mod outside;
mod packages;
pub mod project;
mod toml;
