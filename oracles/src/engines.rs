//! The engines that are linked into the program. To add one, write its file in this folder, declare the module here, and
//! add its entries to the list.

mod dlr;
mod process;
mod tinywasm;
mod wasmi;
mod wasmtime;

pub(crate) use self::process::{custom, is_command};
pub use self::{
    dlr::Dlr,
    process::{SERVE, end_with_parent, serve, trust_commands},
    tinywasm::Tinywasm,
    wasmi::Wasmi,
    wasmtime::Wasmtime,
};
use crate::registry::EngineEntry;

/// All of them, in the order in which users see them.
pub(crate) fn entries() -> Vec<EngineEntry> {
    [&wasmi::entries()[..], &wasmtime::entries(), &tinywasm::entries(), &dlr::entries(), &process::entries()]
        .concat()
}
