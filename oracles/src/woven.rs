//! What is seen of the target from inside.

use mutagen_weave::probes::{self, NamesError};

use crate::{Engine, Settings, Wasmi};

/// Whether this program's wasmi has its probes and its bug switch: validates a small module and looks.
///
/// # Errors
///
/// Says what is missing and how to build the program so that it is there.
pub fn prove_woven() -> Result<(), mutagen_weave::NotWoven> {
    let wasmi = Wasmi::new(&Settings::default());
    // One function with one constant: enough for the operand stack, where bugs sit.
    let module = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x07\x01\x05\0\x41\0\x1a\x0b";
    mutagen_weave::prove(|| drop(wasmi.validate(module)))
}

/// What the tests of a campaign vary, and so what its traces are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Whole modules.
    Modules,
    /// One function in a module that is always the same. How that module is read and set up says nothing about the function,
    /// and the growing of collections hardly does; but both give new edges to tests that do nothing new.
    Functions,
}

/// The files that deal with a function: its operators are validated, translated and executed there.
const FUNCTIONS: [&str; 4] =
    ["wasmparser-0.228.0/src/validator/operators.rs", "wasmi-2.0.0/src/engine/", "wasmi_core-", "wasmi_ir-"];

/// Switches the probes of wasmi off that are unstable, or that a campaign does not want to see.
///
/// # Errors
///
/// If the names of the probes cannot be read from the program's own file.
pub fn watch(watched: Watched) -> Result<(), NamesError> {
    probes::switch_off_unstable()?;
    if watched == Watched::Functions {
        probes::switch_off_files(|file| !FUNCTIONS.iter().any(|wanted| file.starts_with(wanted)))?;
    }
    Ok(())
}
