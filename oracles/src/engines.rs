//! The engines that are linked into the program. To add one, write its file in this folder, declare the module here, and
//! add its entries to the list.

mod dlr;
mod optional;
mod pace;
mod process;
#[cfg(feature = "sf-nano")]
mod sf_nano;
#[cfg(feature = "stitch")]
mod stitch;
mod tinywasm;
mod wasmi;
#[cfg(feature = "wasmi-1")]
mod wasmi_1;
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
    let linked =
        [&wasmi::entries()[..], &wasmtime::entries(), &tinywasm::entries(), &dlr::entries()].concat();
    [linked, optional::entries(), process::entries()].concat()
}
