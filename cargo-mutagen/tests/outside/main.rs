//! `cargo mutagen` in projects outside of this one, as users run it.

mod commands;
mod endings;
mod errors;
mod place;
mod transcript;
mod workspaces;
